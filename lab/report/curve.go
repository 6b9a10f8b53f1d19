package report

import (
	"fmt"
	"runtime"
	"sort"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchlab/lab"
	"benchlab/lab/record"
)

// curves adds up the histograms of the wanted cells, from the trials that
// their values are from. Merging is exact, so the order does not matter and
// decoding is done in parallel. A histogram that cannot be read is told of and
// left out.
func curves(path string, wanted map[string]*Cell) (map[string]*hdrhistogram.Histogram, []string, error) {
	type work struct {
		line          int
		cell, encoded string
	}
	jobs := make(chan work, 64)
	var mu sync.Mutex
	sums, broken := map[string]*hdrhistogram.Histogram{}, map[int]string{}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for j := range jobs {
				h, err := hdrhistogram.Decode([]byte(j.encoded))
				mu.Lock()
				switch {
				case err != nil:
					broken[j.line] = fmt.Sprintf("%s:%d: the histogram of %q cannot be read: %v", record.TrialsFile, j.line, j.cell, err)
				case sums[j.cell] == nil:
					sums[j.cell] = h
				default:
					sums[j.cell].Merge(h)
				}
				mu.Unlock()
			}
		})
	}
	err := record.Each(path, func(line int, t lab.TrialRecord) error {
		for _, o := range t.Outcomes {
			c := wanted[o.Cell]
			s, ok := o.Measured()
			if t.Status == lab.OK && c != nil && t.Design == c.Design && ok && s.Histogram != "" {
				jobs <- work{line, o.Cell, s.Histogram}
			}
		}
		return nil
	})
	close(jobs)
	workers.Wait()
	var problems []string
	for line := range broken {
		problems = append(problems, broken[line])
	}
	sort.Strings(problems)
	return sums, problems, err
}
