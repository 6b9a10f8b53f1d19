package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchlab/lab"
	"benchlab/lab/record"
)

// examine looks at a run folder: schema (it was opened), hashes, sums, names
// and kinds of files. With deep it decodes every histogram as well.
func examine(run *record.Run, deep bool) ([]record.Problem, error) {
	out, err := run.Verify()
	if err != nil {
		return nil, err
	}
	for _, note := range run.Notes {
		if run.Path != "" && note != "" && !isNameNote(note) {
			out = append(out, record.Problem{File: record.ManifestFile, Text: note})
		}
	}
	strays, err := strays(run.Path)
	if err != nil {
		return nil, err
	}
	out = append(out, strays...)
	sums, err := run.Check()
	if err != nil {
		// A line that cannot be read is a problem, not an error of ours.
		out = append(out, record.Problem{File: record.TrialsFile, Text: err.Error()})
		return out, nil
	}
	out = append(out, sums...)
	if deep {
		more, err := histograms(run)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// isNameNote says that a note is about the folder's name, which callers look
// at themselves.
func isNameNote(note string) bool { return len(note) > 10 && note[:10] == "the folder" }

// strays are files that do not belong into a run.
func strays(path string) ([]record.Problem, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("opening %q: %w", path, err)
	}
	defer root.Close()
	var out []record.Problem
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
		case d.IsDir() && !legalFolder(name):
			out = append(out, record.Problem{File: Shown(name), Text: "is no folder of a run"})
			return fs.SkipDir
		case d.IsDir():
		case !d.Type().IsRegular():
			out = append(out, record.Problem{File: Shown(name), Text: "is a link, a device or the like"})
		default:
			if ok, _ := legalFile(name); !ok {
				out = append(out, record.Problem{File: Shown(name), Text: "is an orphan: no file of a run"})
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking through %q: %w", path, err)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].File < out[j].File })
	return out, nil
}

// histograms decodes every histogram and compares it with what stands beside
// it: as many latencies as operations, and the same percentiles.
func histograms(run *record.Run) ([]record.Problem, error) {
	var out []record.Problem
	err := record.Each(run.Path, func(line int, t lab.TrialRecord) error {
		for _, o := range t.Outcomes {
			for _, s := range o.Samples {
				for _, h := range histogramsOf(o, s) {
					if text := h.wrong(); text != "" {
						out = append(out, record.Problem{File: record.TrialsFile, Line: line,
							Text: fmt.Sprintf("cell %q, %s: %s", Shown(o.Cell), h.about, text)})
					}
				}
			}
		}
		return nil
	})
	return out, err
}

// stored is a histogram with what the record says of it.
type stored struct {
	// about names it in problems.
	about, encoded string
	// least and most bound how many latencies it holds.
	least, most int64
	p50, p99    int64
}

// histogramsOf are the histograms of a sample: its own and, in an open loop,
// those of what its response times are made of.
func histogramsOf(o lab.Outcome, s lab.Sample) []stored {
	out := []stored{{string(s.Kind), s.Histogram, s.Operations, mostLatencies(o, s), s.P50Ns, s.P99Ns}}
	if l := s.Service; l != nil {
		out = append(out, stored{string(s.Kind) + ", service time", l.Histogram, l.Count, l.Count, l.P50Ns, l.P99Ns})
	}
	if l := s.Lag; l != nil {
		out = append(out, stored{string(s.Kind) + ", lag", l.Histogram, l.Count, l.Count, l.P50Ns, l.P99Ns})
	}
	return out
}

// mostLatencies is how many latencies a sample's histogram may hold: one an
// operation and, since those of slices that were left out cannot be taken out
// of it, one for each of their operations.
func mostLatencies(o lab.Outcome, s lab.Sample) int64 {
	if s.Kind != lab.Slice || o.DroppedSlices == 0 {
		return s.Operations
	}
	var all int64
	for _, one := range o.Samples {
		if one.Kind == lab.Slice && one.Span >= 0 {
			all += one.Operations
		}
	}
	return max(all, s.Operations)
}

// wrong says what is wrong with the histogram, or nothing.
func (s stored) wrong() string {
	if s.encoded == "" {
		return ""
	}
	h, err := decode(s.encoded)
	if err != nil {
		return fmt.Sprintf("its histogram cannot be read (%s)", Shown(err.Error()))
	}
	if n := h.TotalCount(); n < s.least || n > s.most {
		return fmt.Sprintf("%d operations, %d latencies in its histogram", s.least, n)
	}
	for _, q := range []struct {
		at   float64
		have int64
	}{{50, s.p50}, {99, s.p99}} {
		// The encoding keeps 3 digits.
		if got := h.ValueAtQuantile(q.at); q.have > 0 && abs(got-q.have) > q.have/250+2 {
			return fmt.Sprintf("p%v is %d ns, %d ns in its histogram", q.at, q.have, got)
		}
	}
	return ""
}

// decode reads a histogram; the library panics on some broken ones.
func decode(text string) (h *hdrhistogram.Histogram, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("broken: %v", p)
		}
	}()
	h, err = hdrhistogram.Decode([]byte(text))
	if err == nil && h == nil {
		err = errors.New("empty")
	}
	return h, err
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}
