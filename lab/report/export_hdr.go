package report

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchlab/lab"
	"benchlab/lab/record"
)

// Percentiles is the latency of one cell in HdrHistogram's percentile text,
// which its plotter reads: milliseconds, over all trials that the cell's value
// is from.
type Percentiles struct {
	// Cell is the cell's ID; File a name for it.
	Cell, File string
	histogram  *hdrhistogram.Histogram
}

// Write writes the percentile text.
func (p Percentiles) Write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "#[Cell    = %s, latency in milliseconds]\n", plain(p.Cell)); err != nil {
		return err
	}
	_, err := p.histogram.PercentilesPrint(w, 5, 1e6)
	return err
}

// HDR collects the latencies of all cells that have histograms, in order of ID.
// Histograms that cannot be read are told of.
func HDR(p *Page) ([]Percentiles, []string, error) {
	wanted := map[string]*Cell{}
	for _, c := range p.Cells {
		wanted[c.ID()] = c
	}
	sums, problems, err := curves(p.Run.Path, wanted)
	if err != nil {
		return nil, nil, err
	}
	var out []Percentiles
	files := map[string]int{}
	for _, id := range sortedKeys(sums) {
		file := slug(id)
		if files[file]++; files[file] > 1 {
			file = fmt.Sprintf("%s-%d", file, files[file])
		}
		out = append(out, Percentiles{id, file + ".hgrm", sums[id]})
	}
	return out, problems, nil
}

// HistogramLog writes every measured histogram of a run as one interval log,
// which HdrHistogram's own tools read: the tag is the cell, the interval begins
// with the trial, latencies are in ns. It returns what could not be read.
func HistogramLog(w io.Writer, run *record.Run) ([]string, error) {
	log := hdrhistogram.NewHistogramLogWriter(w)
	base := run.Manifest.Created.UnixMilli()
	for _, write := range []func() error{
		func() error { return log.OutputComment("[Run " + run.Manifest.Run + ", maximum in milliseconds]") },
		log.OutputLogFormatVersion,
		func() error { return log.OutputStartTime(base) },
		log.OutputLegend,
	} {
		if err := write(); err != nil {
			return nil, fmt.Errorf("writing interval log: %w", err)
		}
	}
	log.SetBaseTime(base)
	var problems []string
	err := record.Each(run.Path, func(line int, t lab.TrialRecord) error {
		if t.Status != lab.OK {
			return nil
		}
		for _, o := range t.Outcomes {
			s, ok := o.Measured()
			if !ok || s.Histogram == "" {
				continue
			}
			h, err := hdrhistogram.Decode([]byte(s.Histogram))
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: the histogram of %q cannot be read: %v", record.TrialsFile, line, o.Cell, err))
				continue
			}
			start := t.Started.UnixMilli()
			h.SetTag(tag(o.Cell))
			h.SetStartTimeMs(start)
			h.SetEndTimeMs(start + max(1, s.ElapsedNs/1e6))
			if err := log.OutputIntervalHistogram(h); err != nil {
				return fmt.Errorf("writing interval log: %w", err)
			}
		}
		return nil
	})
	sort.Strings(problems)
	return problems, err
}

// tag is a cell's ID without what an interval log's tag may not hold.
func tag(cell string) string {
	return strings.Map(func(r rune) rune {
		if r == ',' || r == ' ' || r == '=' {
			return '_'
		}
		return r
	}, plain(cell))
}
