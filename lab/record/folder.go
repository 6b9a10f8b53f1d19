package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"benchlab/lab"
)

// The files of a run folder.
const (
	ManifestFile = "manifest.json"
	EventsFile   = "events.jsonl"
	TrialsFile   = "trials.jsonl"
	LogsDir      = "logs"
	SumsFile     = "SHA256SUMS"
	// ReportDir is derived from the others and not hashed.
	ReportDir = "report"
)

// Options are what a folder needs of its surroundings.
type Options struct {
	// Now is the clock; required.
	Now func() time.Time
	// Redactor takes out what must not be written; nil takes out nothing.
	Redactor *Redactor
}

// Folder is a run folder that is being written. It may be used by several
// goroutines.
type Folder struct {
	path     string
	now      func() time.Time
	redact   *Redactor
	manifest Manifest

	mu     sync.Mutex
	root   *os.Root
	trials *journal
	events *journal
	done   bool
}

// Create makes the folder root/m.Run and writes the manifest into it, synced
// to disk. An empty m.Run and a zero m.Created are set by the clock; m.Schema
// is this package's. It refuses an id that exists.
func Create(root string, m Manifest, o Options) (*Folder, error) {
	m.Schema = Schema
	if m.Created.IsZero() {
		m.Created = o.Now().UTC()
	}
	if m.Run == "" {
		m.Run = NewID(m.Created, m.Plan.Suite, m.HostID(), m.Plan.Seed)
	}
	if !legalName(m.Run) {
		return nil, fmt.Errorf("creating run %q: an id is made of letters, digits, dashes, dots and underscores", m.Run)
	}
	redact := o.Redactor.sparing(m)
	m, broken := clean(redact, m)
	if len(broken) > 0 {
		return nil, fmt.Errorf("creating run %q: manifest: %s", m.Run, strings.Join(broken, "; "))
	}
	doc, err := encodeManifest(m)
	if err != nil {
		return nil, fmt.Errorf("creating run %q: %w", m.Run, err)
	}
	path := filepath.Join(root, m.Run)
	if err := makeFolder(root, path); err != nil {
		return nil, err
	}
	f := &Folder{path: path, now: o.Now, redact: redact, manifest: m}
	if f.root, err = os.OpenRoot(path); err != nil {
		return nil, fmt.Errorf("opening %q: %w", path, err)
	}
	if err := f.writeOnce(ManifestFile, doc); err != nil {
		return nil, errors.Join(err, f.root.Close())
	}
	if err := f.openJournals(); err != nil {
		return nil, errors.Join(err, f.root.Close())
	}
	return f, nil
}

// HostID stands for all hosts of the run.
func (m Manifest) HostID() string {
	ids := make([]string, len(m.Hosts))
	for i, h := range m.Hosts {
		ids[i] = h.Fingerprint.ID()
	}
	return strings.Join(ids, "+")
}

// makeFolder makes the run's folder and, where it is missing, the root.
func makeFolder(root, path string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return unwritable(root, err)
	}
	err := os.Mkdir(path, 0o755)
	switch {
	case errors.Is(err, fs.ErrExist):
		return &Refusal{
			Text: fmt.Sprintf("creating run folder %q: it exists, and runs are never overwritten", path),
			Advice: "start the run again (its id holds the time), or go on with this one: " +
				"benchlab run --resume " + filepath.Base(path),
		}
	case err != nil:
		return unwritable(root, err)
	}
	return nil
}

func unwritable(root string, err error) error {
	return &Refusal{
		Text:   fmt.Sprintf("writing to results folder %q: %v", root, reason(err)),
		Advice: "make it writable for this user, or name another one with --results",
		Code:   2,
	}
}

func encodeManifest(m Manifest) ([]byte, error) {
	doc, err := encode(m)
	if err != nil {
		return nil, err
	}
	// Large plans would triple in size by indentation that nobody reads.
	const readable = 1 << 20
	if len(doc) > readable {
		return doc, nil
	}
	var out bytes.Buffer
	if err := json.Indent(&out, doc, "", " "); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// encode is json.Marshal without HTML escapes, with a final newline.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (f *Folder) openJournals() error {
	var err error
	if f.trials, err = openJournal(f.root, TrialsFile); err != nil {
		return err
	}
	if f.events, err = openJournal(f.root, EventsFile); err != nil {
		return errors.Join(err, f.trials.close())
	}
	if err := f.root.Mkdir(LogsDir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making %q: %w", LogsDir, err)
	}
	return syncDir(f.path)
}

// Path is where the folder is.
func (f *Folder) Path() string { return f.path }

// Manifest is what was written, redacted.
func (f *Folder) Manifest() Manifest { return f.manifest }

// AppendTrial writes one line to trials.jsonl and syncs it. A number that JSON
// cannot hold is replaced by 0 and makes the trial void, with a finding that
// names it: the rest of the trial is evidence and must not be lost.
func (f *Folder) AppendTrial(t lab.TrialRecord) error {
	t, broken := clean(f.redact, t)
	if len(broken) > 0 {
		if t.Status == lab.OK {
			t.Status = lab.Void
		}
		t.Findings = append(t.Findings, lab.Finding{
			Code: "not-finite", Rank: lab.Invalid,
			Text: "numbers that are not finite were replaced by 0: " + strings.Join(broken, "; "),
		})
	}
	return f.append(func() *journal { return f.trials }, t)
}

// AppendEvent writes one line to events.jsonl and syncs it. A number that JSON
// cannot hold is left out and named in the field "not_finite".
func (f *Folder) AppendEvent(e Event) error {
	if e.Time.IsZero() {
		e.Time = f.now().UTC()
	}
	e, broken := clean(f.redact, e)
	if len(broken) > 0 {
		if e.Fields == nil {
			e.Fields = map[string]string{}
		}
		e.Fields["not_finite"] = strings.Join(broken, "; ")
	}
	return f.append(func() *journal { return f.events }, e)
}

func (f *Folder) append(to func() *journal, v any) error {
	line, err := encode(v)
	if err != nil {
		return fmt.Errorf("encoding a line: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return fmt.Errorf("writing to run %q: it is finished", f.manifest.Run)
	}
	return to().append(line)
}

// Writable makes the results folder where it is missing and makes sure that
// it can be written to, so that a run does not find out at its first trial.
func Writable(root string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return unwritable(root, err)
	}
	probe, err := os.CreateTemp(root, ".probe-*")
	if err != nil {
		return unwritable(root, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
