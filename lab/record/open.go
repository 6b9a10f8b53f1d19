package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"benchlab/lab"
)

// Limits of what a reader accepts, in bytes.
const (
	maxManifest = 256 << 20
	maxLine     = 16 << 20
	maxSums     = 16 << 20
)

// Run is a run folder as read. Its trials are held without schedules,
// histograms, courses and single slices, which tables do not need; [Each]
// streams all of it.
type Run struct {
	// Path is the folder.
	Path     string
	Manifest Manifest
	Trials   []lab.TrialRecord
	Events   []Event
	// Notes say what is odd about the folder, such as a line cut off.
	Notes []string
}

// Open reads a run folder, also of a run that was interrupted.
func Open(path string) (*Run, error) {
	root, err := openRun(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := &Run{Path: path}
	doc, err := readAll(root, ManifestFile, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("opening run %q: %w", path, err)
	}
	if r.Manifest, err = ParseManifest(doc); err != nil {
		return nil, fmt.Errorf("opening run %q: %w", path, err)
	}
	if filepath.Base(filepath.Clean(path)) != r.Manifest.Run {
		r.Notes = append(r.Notes, fmt.Sprintf("the folder is not named by its run id %q", r.Manifest.Run))
	}
	cut, err := each(root, TrialsFile, func(_ int, t lab.TrialRecord) error {
		r.Trials = append(r.Trials, lighten(t))
		return nil
	})
	r.noteCut(TrialsFile, cut)
	if err != nil {
		return nil, fmt.Errorf("opening run %q: %w", path, err)
	}
	cut, err = each(root, EventsFile, func(_ int, e Event) error {
		r.Events = append(r.Events, e)
		return nil
	})
	r.noteCut(EventsFile, cut)
	if err != nil {
		return nil, fmt.Errorf("opening run %q: %w", path, err)
	}
	return r, nil
}

func openRun(path string) (*os.Root, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return nil, fmt.Errorf("opening run %q: it is a file; a run is a folder with a %s", path, ManifestFile)
	}
	if err != nil {
		return nil, &Refusal{
			Text:   fmt.Sprintf("opening run %q: %v", path, reason(err)),
			Advice: "name a run folder; benchlab archive list shows those in the archive",
		}
	}
	return os.OpenRoot(path)
}

func (r *Run) noteCut(file string, cut int) {
	if cut > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s:%d: the last line was cut off and is not used", file, cut))
	}
}

// lighten drops what tables do not need.
func lighten(t lab.TrialRecord) lab.TrialRecord {
	t.Spans = nil
	for i := range t.Outcomes {
		all := t.Outcomes[i].Samples
		kept := make([]lab.Sample, 0, 2)
		for _, s := range all {
			if s.Kind == lab.Slice && s.Span >= 0 {
				continue
			}
			s.Histogram, s.Completions = "", nil
			for _, l := range []*lab.Latency{s.Service, s.Lag} {
				if l != nil {
					l.Histogram = ""
				}
			}
			kept = append(kept, s)
		}
		t.Outcomes[i].Samples = kept
	}
	return t
}

// ParseManifest reads a manifest of this or an older schema.
func ParseManifest(doc []byte) (Manifest, error) {
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(doc, &head); err != nil {
		return Manifest{}, fmt.Errorf("%s: not a manifest: %w", ManifestFile, err)
	}
	switch {
	case head.Schema == nil || *head.Schema < 1:
		return Manifest{}, fmt.Errorf("%s: not a manifest: it names no schema", ManifestFile)
	case *head.Schema > Schema:
		return Manifest{}, &Refusal{
			Text:   fmt.Sprintf("%s: schema %d is newer than this benchlab reads (up to %d)", ManifestFile, *head.Schema, Schema),
			Advice: "use the version of benchlab that made the run, or a later one",
		}
	}
	var m Manifest
	if err := json.Unmarshal(doc, &m); err != nil {
		return Manifest{}, fmt.Errorf("%s: not a manifest: %w", ManifestFile, err)
	}
	if m.Run == "" {
		return Manifest{}, fmt.Errorf("%s: not a manifest: it names no run", ManifestFile)
	}
	for i := range m.Hosts {
		m.Hosts[i].Facts = compact(m.Hosts[i].Facts)
	}
	for name, doc := range m.Extra {
		m.Extra[name] = compact(doc)
	}
	return m, nil
}

// compact undoes the indentation that a manifest is written with, so that what
// is read equals what was written.
func compact(doc json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, doc); err != nil {
		return doc
	}
	return out.Bytes()
}

func readAll(root *os.Root, name string, limit int64) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	doc, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", name, err)
	}
	if int64(len(doc)) > limit {
		return nil, fmt.Errorf("reading %q: longer than %d bytes", name, limit)
	}
	return doc, nil
}

// Each streams the trials of a run in full, histograms and slices included,
// with their line numbers.
func Each(path string, visit func(line int, t lab.TrialRecord) error) error {
	root, err := openRun(path)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err = each(root, TrialsFile, visit); err != nil {
		return fmt.Errorf("reading run %q: %w", path, err)
	}
	return nil
}

// each decodes a file of JSON lines and gives each to visit. It returns the
// number of a last line that was cut off, or 0. A file that is not there is
// empty: the run stopped before it.
func each[T any](root *os.Root, name string, visit func(int, T) error) (int, error) {
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return eachLine(file, name, func(n int, line []byte) error {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		return visit(n, v)
	})
}

// eachLine gives whole lines to visit and returns the number of a last one
// that does not end in a newline, or 0.
func eachLine(r io.Reader, name string, visit func(int, []byte) error) (cut int, err error) {
	lines := newLines(r)
	for n := 1; ; n++ {
		line, err := lines.next()
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return 0, nil
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return 0, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := visit(n, line); err != nil {
			return 0, err
		}
	}
}
