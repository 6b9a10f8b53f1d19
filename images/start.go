package images

import (
	"fmt"

	_ "embed"
)

//go:embed postgres/start.sh
var postgresStart []byte

//go:embed mysql/start.sh
var mysqlStart []byte

// Where start scripts put certificate and key for the server's own user.
const (
	certFile = "/run/benchlab/server.crt"
	keyFile  = "/run/benchlab/server.key"
)

// StartSpec says how the lab runs a container of a server.
type StartSpec struct {
	// Script is the start script, for ScriptPath; run it with Command in
	// place of the image's own entrypoint, as root.
	Script []byte
	// Command is the container's entrypoint.
	Command []string
	// ScriptPath, ConfigPath and SecretPath are where the controller puts
	// the script, the configuration and the two passwords (one a line: of
	// benchlab, the administrator, and of contender) before each start,
	// with mode 0600.
	ScriptPath, ConfigPath, SecretPath string
	// CertPath and KeyPath are where the controller puts the certificate and
	// key, in PEM, of a server that is configured for TLS.
	CertPath, KeyPath string
	// DataPath is where the data volume is mounted, PreparedPath where
	// prepared data is, read-only, if there is any.
	DataPath, PreparedPath string
	// Database is the name of the database that the lab's tables are in.
	Database string
	// Port is the server's usual port.
	Port int
	// StopSignal makes the server end cleanly at once.
	StopSignal string
	// ShmBytes is the size that /dev/shm must have.
	ShmBytes int64
	// Capabilities are those that the start script needs; drop all others.
	Capabilities []string
	// Tmpfs are file systems in memory to mount, with their options.
	Tmpfs map[string]string
	// Sysctls of the container's network namespace.
	Sysctls map[string]string
}

// Start returns how the lab runs a server: postgres, mysql or mariadb.
func Start(server string) (StartSpec, error) {
	spec := StartSpec{
		Command:    []string{"/bin/sh", "/benchlab/start.sh"},
		ScriptPath: "/benchlab/start.sh", ConfigPath: "/benchlab/server.conf", SecretPath: "/benchlab/secret",
		CertPath: "/benchlab/server.crt", KeyPath: "/benchlab/server.key",
		DataPath: "/var/lib/benchlab", PreparedPath: "/prepared", Database: "benchlab",
		Capabilities: []string{"SETUID", "SETGID", "CHOWN", "DAC_OVERRIDE", "FOWNER"},
		ShmBytes:     64 << 20,
		Tmpfs:        map[string]string{"/run/benchlab": "rw,nosuid,nodev,noexec,size=1m,mode=0755"},
		Sysctls:      map[string]string{"net.core.somaxconn": "8192"},
	}
	switch server {
	case "postgres":
		spec.Script, spec.Port, spec.StopSignal = postgresStart, 5432, "SIGINT"
		// Parallel queries share memory there.
		spec.ShmBytes = 1 << 30
	case "mysql", "mariadb":
		spec.Script, spec.Port, spec.StopSignal = mysqlStart, 3306, "SIGTERM"
	default:
		return StartSpec{}, fmt.Errorf("no server %q: there are postgres, mysql and mariadb", server)
	}
	return spec, nil
}

// Files returns how many open files a server needs that is configured for
// connections: the container's nofile limit.
func Files(server string, connections int) int64 {
	if server == "postgres" {
		// Each session is a process of its own; the first process holds
		// a socket or a pipe or two of each for a moment.
		return int64(4096 + connections)
	}
	// What mysqld itself computes from these two, and a thousand to spare.
	return int64(connections) + 2*tableCache(connections) + 1000
}
