package provision

import (
	"context"
	"io"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

// Label is on everything that the lab makes in Docker. Its value is the id of
// the run, or Kept for prepared data.
const Label = "benchlab"

// Kept is the value of Label on what outlives a run.
const Kept = "prepared"

// RoleLabel says what a container is for.
const RoleLabel = "benchlab.role"

// Spec describes a container to make.
type Spec struct {
	// Name is the container's; empty lets the daemon choose.
	Name string
	// Image is the reference or ID; it must be there.
	Image string
	// Labels are added to it; Label is required.
	Labels map[string]string
	// Entrypoint and Cmd replace those of the image where they are set.
	Entrypoint, Cmd []string
	// User overrides the image's.
	User string
	// Network is "none", "host" or "container:<id>".
	Network string
	// PIDMode is empty or "container:<id>", whose processes it then sees.
	PIDMode string
	// CPUs is a list of processors such as "0-3"; empty is no pinning.
	CPUs string
	// MemoryBytes, ShmBytes, NoFile and PIDs are limits; 0 leaves the default.
	MemoryBytes, ShmBytes int64
	NoFile, PIDs          int64
	// Sysctls are set inside; only namespaced ones can be.
	Sysctls map[string]string
	// Volumes are mounted by name: path -> volume; those in ReadOnly may not
	// be written. Binds are host paths, always read-only: path -> host path.
	Volumes  map[string]string
	ReadOnly map[string]bool
	Binds    map[string]string
	// Tmpfs are file systems in memory: path -> options.
	Tmpfs map[string]string
	// Capabilities are kept; all others are dropped.
	Capabilities []string
	// ReadOnlyRoot makes the container's own files read-only.
	ReadOnlyRoot bool
	// Attach keeps standard input open for a conversation.
	Attach bool
	// Logs keeps the output for Logs; otherwise the log driver is none.
	Logs bool
	// StopSignal overrides the image's.
	StopSignal string
	// Hosts are further names in its hosts file: "name:address".
	Hosts []string
}

// State is what became of a container.
type State struct {
	Running  bool
	ExitCode int
	// OOM is the daemon's word, which is not reliable: the cgroup counts.
	OOM   bool
	Error string
	// PID is that of its first process on the host; 0 where it does not run.
	PID int
}

// Container is one of the lab's containers, as a list shows it.
type Container struct {
	ID, Name string
	Labels   map[string]string
	Created  time.Time
	Running  bool
}

// File is a file to put into a container before it starts.
type File struct {
	Path string
	Mode int64
	// Owner is the user and group that it belongs to; 0 is root.
	Owner int
	Data  []byte
}

// Containers is what provisioning needs of Docker's containers.
type Containers interface {
	// Create makes a container; warnings are the daemon's. The error wraps
	// [ErrNameTaken] where another one has the name.
	Create(ctx context.Context, s Spec) (id string, warnings []string, err error)
	// Put copies files into a container.
	Put(ctx context.Context, id string, files []File) error
	// Start starts it. Attach, before Start, gives its input and output;
	// what it writes to standard error goes to errors.
	Start(ctx context.Context, id string) error
	Attach(ctx context.Context, id string, errors io.Writer) (protocol.Stream, error)
	// State tells what became of it, Logs the end of its output.
	State(ctx context.Context, id string) (State, error)
	Logs(ctx context.Context, id string, lines int) (string, error)
	// Usage is what its cgroup has counted since it started, as far as the
	// daemon tells: processor time, throttling and memory.
	Usage(ctx context.Context, id string) (lab.Counters, error)
	// Stop asks it to end and waits until it has; Remove ends it by force,
	// with its anonymous volumes.
	Stop(ctx context.Context, id string, within time.Duration) error
	Remove(ctx context.Context, id string) error
	// Containers lists those with a label; an empty value is any.
	Containers(ctx context.Context, label, value string) ([]Container, error)
}

// Volume is a named volume of the lab.
type Volume struct {
	Name   string
	Labels map[string]string
}

// Volumes is what provisioning needs of Docker's volumes.
type Volumes interface {
	CreateVolume(ctx context.Context, name string, labels map[string]string) error
	RemoveVolume(ctx context.Context, name string) error
	Volumes(ctx context.Context, label, value string) ([]Volume, error)
}

// Docker is a Docker host, as far as the lab needs it.
type Docker interface {
	Containers
	Volumes
}
