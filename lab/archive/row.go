package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"time"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/record"
)

// Row is what a list of runs says of one.
type Row struct {
	Run     string    `json:"run"`
	Suite   string    `json:"suite"`
	Size    string    `json:"size"`
	Created time.Time `json:"created"`
	Tool    string    `json:"tool,omitempty"`
	Labels  []string  `json:"labels,omitempty"`
	// Host identifies the hosts' hardware, kernel and Docker: runs with the
	// same one may stand in one history. Hosts describes them.
	Host  string   `json:"host"`
	Hosts []string `json:"hosts"`
	// Servers are labels, Contenders too, Workloads names with their kinds.
	Servers    []string `json:"servers"`
	Contenders []string `json:"contenders"`
	Workloads  []string `json:"workloads"`
	// Status and Totals are from the end event.
	Status record.EndStatus `json:"status,omitempty"`
	Totals record.Totals    `json:"totals"`
	// Blocks is how many blocks were planned.
	Blocks int `json:"blocks"`
	// Sums is the hash of SHA256SUMS: what the run is.
	Sums string `json:"sums"`
	// Signed says whether there is a signature, not whether it is good.
	Signed bool `json:"signed,omitempty"`
	// Images is true where images travel with the run.
	Images bool `json:"images,omitempty"`
}

// HostKey identifies hosts by what stays the same over a reboot: hardware,
// kernel and Docker. Values of runs with the same key may stand in one history.
func HostKey(m record.Manifest) string {
	var b bytes.Buffer
	for _, h := range m.Hosts {
		f := h.Fingerprint
		f.Boot = ""
		fmt.Fprintf(&b, "%s %s\n", h.Label, f.ID())
	}
	return hexDigest(b.Bytes())[:12]
}

// NewRow makes the row of a manifest.
func NewRow(m record.Manifest) Row {
	r := Row{
		Run: m.Run, Suite: m.Plan.Suite, Size: m.Plan.Size, Created: m.Created.UTC(), Tool: m.Tool,
		Labels: m.Labels, Host: HostKey(m), Blocks: len(m.Plan.Blocks),
	}
	for _, h := range m.Hosts {
		r.Hosts = append(r.Hosts, describe(h.Fingerprint))
	}
	servers, contenders, workloads := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range m.Plan.Cells {
		servers[c.Server], contenders[c.Contender] = true, true
		workloads[WorkloadOf(c)] = true
	}
	r.Servers, r.Contenders, r.Workloads = sorted(servers), sorted(contenders), sorted(workloads)
	return r
}

// WorkloadOf names a cell's workload with its kind, where it has one.
func WorkloadOf(c lab.Cell) string {
	if c.Kind == "" {
		return c.Workload
	}
	return c.Workload + "/" + c.Kind
}

func describe(f hosts.Fingerprint) string { return f.String() }

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for s := range set {
		out = append(out, s)
	}
	sort.Strings(out)
	return out
}

// Limits of what is read for a row, in bytes.
const (
	mostManifest = 256 << 20
	mostSums     = 16 << 20
	mostEvents   = 256 << 20
)

// errUnpublished says that a run has no SHA256SUMS (yet).
var errUnpublished = errors.New("it has no " + record.SumsFile)

// readRow reads what a list says of a run.
func readRow(ctx context.Context, s Store, run string) (Row, error) {
	sums, err := readSmall(ctx, s, run+"/"+record.SumsFile, mostSums)
	if errors.Is(err, fs.ErrNotExist) {
		return Row{}, errUnpublished
	}
	if err != nil {
		return Row{}, err
	}
	doc, err := readSmall(ctx, s, run+"/"+record.ManifestFile, mostManifest)
	if err != nil {
		return Row{}, err
	}
	m, err := record.ParseManifest(doc)
	if err != nil {
		return Row{}, err
	}
	if m.Run != run {
		return Row{}, fmt.Errorf("its manifest is of run %q", Shown(m.Run))
	}
	r := NewRow(m)
	r.Sums = hexDigest(sums)
	if r.Status, r.Totals, err = readEnd(ctx, s, run); err != nil {
		return Row{}, err
	}
	items, err := s.List(ctx, run)
	for _, i := range items {
		r.Signed = r.Signed || i.Name == SignatureFile
		r.Images = r.Images || i.Name == ImagesFile
	}
	return r, err
}

// readEnd reads the end event, which is the last line.
func readEnd(ctx context.Context, s Store, run string) (record.EndStatus, record.Totals, error) {
	doc, err := readSmall(ctx, s, run+"/"+record.EventsFile, mostEvents)
	if errors.Is(err, fs.ErrNotExist) {
		return "", record.Totals{}, nil
	}
	if err != nil {
		return "", record.Totals{}, err
	}
	lines := bytes.Split(bytes.TrimSpace(doc), []byte("\n"))
	var e record.Event
	if err := json.Unmarshal(lines[len(lines)-1], &e); err != nil || e.Kind != record.EndEvent || e.Totals == nil {
		return "", record.Totals{}, nil
	}
	return e.Status, *e.Totals, nil
}

// Runs lists the ids of a store's runs, oldest first; some may not be
// published.
func Runs(ctx context.Context, s Store) ([]string, error) {
	items, err := s.List(ctx, "")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, i := range items {
		if i.Dir && IsRunID(i.Name) {
			out = append(out, i.Name)
		}
	}
	sort.Strings(out)
	return out, nil
}
