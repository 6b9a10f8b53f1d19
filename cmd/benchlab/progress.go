package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"benchlab/lab"
	"benchlab/lab/plan"
)

// progress tells how far a run is: a bar on a terminal, plain lines elsewhere.
type progress struct {
	mu      sync.Mutex
	out     io.Writer
	plan    lab.Plan
	started time.Time
	// expected is the estimated time of the whole plan, spent that of the
	// trials that are over: their ratio to the clock gives the time left.
	expected, spent time.Duration
	done            int
	bars            *mpb.Progress
	bar             *mpb.Bar
	left            string
}

// newProgress writes to out; a bar is drawn where that is a terminal.
func newProgress(out io.Writer, p lab.Plan, now time.Time) *progress {
	w := &progress{out: plainWriter{out}, plan: p, started: now, expected: plan.EstimateOf(p).Total()}
	w.left = about(w.expected)
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		w.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(60))
		w.bar = w.bars.AddBar(int64(p.Trials()),
			mpb.PrependDecorators(decor.CountersNoUnit("trial %d of %d")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return "left: " + w.remaining() })))
		w.out = plainWriter{w.bars}
	}
	return w
}

// follow goes on with another plan: the one that a pilot made final.
func (w *progress) follow(p lab.Plan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plan, w.expected, w.started = p, plan.EstimateOf(p).Total(), time.Now()
	w.left = about(w.expected)
	if w.bar != nil {
		w.bar.SetTotal(int64(p.Trials()), false)
	}
}

func (w *progress) remaining() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.left
}

// Begin is told of a trial that starts; only its end is worth a line.
func (w *progress) Begin(int, string, lab.Trial) {}

// End prints a line on a trial.
func (w *progress) End(block int, server string, t lab.Trial, r lab.TrialRecord) {
	w.mu.Lock()
	if r.Repeats == "" {
		w.done++
	}
	total := w.plan.Trials()
	w.spent = w.expected * time.Duration(w.done) / time.Duration(max(total, 1))
	elapsed := time.Since(w.started)
	w.left = about(time.Duration(float64(elapsed) / float64(w.done) * float64(total-w.done)))
	left, done := w.left, w.done
	w.mu.Unlock()
	what := r.ID
	if len(r.Outcomes) > 0 {
		what = r.Outcomes[0].Cell
		if n := len(r.Outcomes) - 1; n > 0 {
			what += fmt.Sprintf(" and %d more in turns", n)
		}
		if r.Repeats != "" {
			what += ", again"
		}
	} else if len(t.Cells) > 0 {
		what = w.plan.Cells[t.Cells[0]].ID()
	}
	fmt.Fprintf(w.out, "%s  block %d  %-44s %s  (%d of %d, left: %s)\n",
		clock(elapsed), block, what, result(r), done, total, left)
	if w.bar != nil && r.Repeats == "" {
		w.bar.Increment()
	}
}

// Say prints a line on anything else.
func (w *progress) Say(format string, args ...any) {
	fmt.Fprintf(w.out, "%s  %s\n", clock(time.Since(w.started)), fmt.Sprintf(format, args...))
}

// close ends the bar, whether it is full or not.
func (w *progress) close() {
	if w.bar != nil {
		w.bar.Abort(false)
		w.bars.Wait()
	}
}

// result is a trial's outcome in a few words.
func result(r lab.TrialRecord) string {
	if r.Status != lab.OK && r.Status != lab.Void {
		return string(r.Status) + ": " + r.Reason
	}
	text := ""
	for i, o := range r.Outcomes {
		s, ok := o.Measured()
		if !ok {
			continue
		}
		if i > 0 {
			text += " | "
		}
		if s.Kind == lab.Work {
			text += fmt.Sprintf("%.3f s", float64(s.ElapsedNs)/1e9)
		} else {
			text += fmt.Sprintf("%.0f/s", s.Rate())
		}
		if n := s.Failed(); n > 0 {
			text += fmt.Sprintf(", %d errors", n)
		}
	}
	if r.Status == lab.Void {
		text += ", void: " + r.Reason
	}
	return text
}

func clock(d time.Duration) string {
	d = d.Round(time.Second)
	return fmt.Sprintf("%3d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

func about(d time.Duration) string {
	if d < 90*time.Second {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
}
