package record

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"benchlab/lab"
)

func FuzzParseManifest(f *testing.F) {
	doc, err := encode(Manifest{Schema: 1, Run: "x", Plan: manifest(1).Plan})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(doc)
	f.Add([]byte(`{"schema":2}`))
	f.Add([]byte(`{"schema":1,"run":"x","hosts":[{"facts":[1e400]}]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		m, err := ParseManifest(doc)
		if err != nil {
			return
		}
		if m.Schema < 1 || m.Schema > Schema || m.Run == "" {
			t.Errorf("accepted %+v", m)
		}
		if _, err := encode(m); err != nil {
			t.Errorf("cannot be written again: %v", err)
		}
	})
}

func FuzzParseSums(f *testing.F) {
	f.Add(formatSums(map[string]string{ManifestFile: digest("a"), "logs/x.log": digest("b")}))
	f.Add([]byte("x  ../../etc/passwd\n"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		sums, err := ParseSums(doc)
		if err != nil {
			return
		}
		again, err := ParseSums(formatSums(sums))
		if err != nil || len(again) != len(sums) {
			t.Errorf("written again: %v, %v", again, err)
		}
		for name := range sums {
			if !filepath.IsLocal(name) {
				t.Errorf("accepted the path %q", name)
			}
		}
	})
}

// FuzzTrials reads any trials file without a panic, and what was read can be
// checked, cleaned and written again.
func FuzzTrials(f *testing.F) {
	line, err := encode(trial(1, 1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add(append(bytes.Clone(line), line[:50]...))
	f.Add([]byte("\n\n{}\n"))
	redact := NewRedactor(Private{Secrets: []string{"secret"}, Users: []string{"alice"}, Paths: []string{"/home/alice"}})
	f.Fuzz(func(t *testing.T, trials []byte) {
		c := newChecker(manifest(1).Plan)
		_, _ = eachLine(bytes.NewReader(trials), TrialsFile, func(n int, line []byte) error {
			var tr lab.TrialRecord
			if err := json.Unmarshal(line, &tr); err != nil {
				return err
			}
			c.line = n
			c.trial(tr)
			cleaned, _ := clean(redact, lighten(tr))
			_, err := encode(cleaned)
			if err != nil {
				t.Errorf("cannot be written again: %v", err)
			}
			return err
		})
	})
}
