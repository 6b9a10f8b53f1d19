package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
)

// Finish appends the end event, writes SHA256SUMS and closes the folder.
func (f *Folder) Finish(status EndStatus, totals Totals) error {
	err := f.AppendEvent(Event{Kind: EndEvent, Status: status, Totals: &totals})
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = true
	sums, err := sumFiles(f.root)
	if err == nil {
		err = f.writeOnce(SumsFile, formatSums(sums))
	}
	return errors.Join(err, f.trials.close(), f.events.close(), f.root.Close())
}

// Close closes the folder without an end, as after a crash: it can be read,
// reported and resumed.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return nil
	}
	f.done = true
	return errors.Join(f.trials.close(), f.events.close(), f.root.Close())
}

// sumFiles hashes every file that SHA256SUMS covers, by slash-separated path.
func sumFiles(root *os.Root) (map[string]string, error) {
	sums := map[string]string{}
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !covered(name):
			if d.IsDir() && name != "." {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%q is not a regular file", name)
		}
		sum, err := sumFile(root, name)
		sums[name] = sum
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("hashing the run's files: %w", err)
	}
	return sums, nil
}

// covered says which paths of a run folder are hashed.
func covered(name string) bool {
	switch name {
	case ManifestFile, EventsFile, TrialsFile, LogsDir:
		return true
	}
	return path.Dir(name) == LogsDir
}

func sumFile(root *os.Root, name string) (string, error) {
	file, err := root.Open(name)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, file.Close())
}

// formatSums writes the form that sha256sum -c reads.
func formatSums(sums map[string]string) []byte {
	names := make([]string, 0, len(sums))
	for n := range sums {
		names = append(names, n)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "%s  %s\n", sums[n], n)
	}
	return []byte(b.String())
}

// ParseSums reads the content of a SHA256SUMS file: hashes by path.
func ParseSums(doc []byte) (map[string]string, error) {
	sums := map[string]string{}
	for i, line := range strings.Split(strings.TrimSuffix(string(doc), "\n"), "\n") {
		sum, name, ok := strings.Cut(line, "  ")
		raw, err := hex.DecodeString(sum)
		if !ok || err != nil || len(raw) != sha256.Size {
			return nil, fmt.Errorf("%s:%d: not a line of the form \"<sha256>  <path>\"", SumsFile, i+1)
		}
		if !covered(name) || name == LogsDir {
			return nil, fmt.Errorf("%s:%d: %q is no file of a run", SumsFile, i+1, name)
		}
		if _, twice := sums[name]; twice {
			return nil, fmt.Errorf("%s:%d: %q stands twice", SumsFile, i+1, name)
		}
		sums[name] = strings.ToLower(sum)
	}
	return sums, nil
}

// Problem is something wrong with a file of a run.
type Problem struct {
	// File is the path within the run folder, Line the line or 0.
	File string
	Line int
	// Text says what is wrong.
	Text string
}

func (p Problem) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
	}
	return p.File + ": " + p.Text
}

// Verify compares the run's files with SHA256SUMS. No problem means that they
// are what Finish wrote; it does not mean that nobody wrote both anew.
func (r *Run) Verify() ([]Problem, error) {
	root, err := os.OpenRoot(r.Path)
	if err != nil {
		return nil, fmt.Errorf("opening run: %w", err)
	}
	defer root.Close()
	doc, err := readAll(root, SumsFile, maxSums)
	if errors.Is(err, fs.ErrNotExist) {
		return []Problem{{File: SumsFile, Text: "missing: the run did not end, or the file was taken away"}}, nil
	}
	if err != nil {
		return nil, err
	}
	want, err := ParseSums(doc)
	if err != nil {
		return []Problem{{File: SumsFile, Text: err.Error()}}, nil
	}
	have, err := sumFiles(root)
	if err != nil {
		return []Problem{{File: ".", Text: err.Error()}}, nil
	}
	return compareSums(want, have), nil
}

func compareSums(want, have map[string]string) []Problem {
	var out []Problem
	for name, sum := range want {
		switch got, ok := have[name]; {
		case !ok:
			out = append(out, Problem{File: name, Text: "missing"})
		case got != sum:
			out = append(out, Problem{File: name, Text: "was changed: its hash is not the one in " + SumsFile})
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			out = append(out, Problem{File: name, Text: "is not listed in " + SumsFile})
		}
	}
	for _, name := range []string{ManifestFile, EventsFile, TrialsFile} {
		if _, ok := want[name]; !ok && have[name] == "" {
			out = append(out, Problem{File: name, Text: "missing"})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].String() < out[j].String() })
	return out
}
