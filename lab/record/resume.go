package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"benchlab/lab"
)

// Resumption says where a resumed run goes on.
type Resumption struct {
	// Complete are the numbers of the blocks that are done, in order.
	Complete []int
	// Anew are the numbers of the blocks that had begun and start again;
	// their finished trials stay as aborted:resumed.
	Anew []int
	// Attempt is what the trials that follow carry, 2 or more.
	Attempt int
}

// Done reports whether a block is complete.
func (r Resumption) Done(block int) bool {
	i := sort.SearchInts(r.Complete, block)
	return i < len(r.Complete) && r.Complete[i] == block
}

// Resume opens the folder of a run that stopped early, to go on with it. It
// refuses a finished run, files that were changed, and a host that is not the
// same any more: another boot, kernel or Docker gives other numbers.
func Resume(path string, hosts []Host, o Options) (*Folder, Resumption, error) {
	run, err := Open(path)
	if err != nil {
		return nil, Resumption{}, err
	}
	if err := run.resumable(hosts); err != nil {
		return nil, Resumption{}, err
	}
	state := run.resumption()
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, Resumption{}, fmt.Errorf("resuming %q: %w", path, err)
	}
	f := &Folder{path: path, now: o.Now, redact: o.Redactor.sparing(run.Manifest), manifest: run.Manifest, root: root}
	if err := f.reopen(state); err != nil {
		return nil, Resumption{}, errors.Join(fmt.Errorf("resuming %q: %w", path, err), root.Close())
	}
	err = f.AppendEvent(Event{Kind: ResumeEvent, Fields: map[string]string{
		"complete": numbers(state.Complete), "anew": numbers(state.Anew), "attempt": fmt.Sprint(state.Attempt),
	}})
	if err != nil {
		return nil, Resumption{}, errors.Join(err, f.Close())
	}
	return f, state, nil
}

func numbers(ns []int) string { return strings.Trim(fmt.Sprint(ns), "[]") }

// Status is how the run ended, and empty where it did not say.
func (r *Run) Status() EndStatus {
	if end := r.End(); end != nil {
		return end.Status
	}
	return ""
}

// End is the event that ended the run, or nil where it is open: it was killed,
// or goes on after a resume.
func (r *Run) End() *Event {
	for i := len(r.Events) - 1; i >= 0; i-- {
		switch r.Events[i].Kind {
		case EndEvent:
			return &r.Events[i]
		case ResumeEvent:
			return nil
		}
	}
	return nil
}

func (r *Run) resumable(hosts []Host) error {
	id := r.Manifest.Run
	if r.Status() == Finished {
		return &Refusal{
			Text:   fmt.Sprintf("resuming run %q: it is finished", id),
			Advice: "benchlab report " + r.Path + " writes its tables; benchlab run starts another",
		}
	}
	if r.Status() != "" {
		problems, err := r.Verify()
		if err != nil {
			return err
		}
		if len(problems) > 0 {
			return fmt.Errorf("resuming run %q: its files are not as they were left: %s", id, problems[0])
		}
	}
	if differ := hostsDiffer(r.Manifest.Hosts, hosts); len(differ) > 0 {
		return &Refusal{
			Text:   fmt.Sprintf("resuming run %q: %s", id, strings.Join(differ, "; ")),
			Advice: "blocks before and after would not be comparable: report what there is, and start a new run",
			Code:   4,
		}
	}
	return nil
}

// resumption finds out which blocks are complete: those of which every planned
// trial has a record that was not aborted.
func (r *Run) resumption() Resumption {
	state := Resumption{Attempt: 1}
	ended := map[string]bool{}
	begun := map[int]bool{}
	for _, t := range r.Trials {
		state.Attempt = max(state.Attempt, t.Attempt)
		begun[t.Block] = true
		if !strings.HasPrefix(string(t.Status), "aborted:") {
			ended[t.ID] = true
		}
	}
	state.Attempt++
	for _, b := range r.Manifest.Plan.Blocks {
		switch {
		case blockEnded(b, ended):
			state.Complete = append(state.Complete, b.Number)
		case begun[b.Number]:
			state.Anew = append(state.Anew, b.Number)
		}
	}
	sort.Ints(state.Complete)
	return state
}

func blockEnded(b lab.Block, ended map[string]bool) bool {
	for _, turn := range b.Turns {
		for _, t := range turn.Trials {
			if !ended[t.ID] {
				return false
			}
		}
	}
	return true
}

// reopen takes the sums away, cuts off half lines, marks the trials of blocks
// that start anew and opens the journals for appending.
func (f *Folder) reopen(state Resumption) error {
	if err := f.root.Remove(SumsFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing %q: %w", SumsFile, err)
	}
	anew := map[int]bool{}
	for _, b := range state.Anew {
		anew[b] = true
	}
	err := f.rewrite(TrialsFile, func(line []byte) ([]byte, error) { return supersede(line, anew) })
	if err != nil {
		return err
	}
	if err := f.rewrite(EventsFile, func(line []byte) ([]byte, error) { return line, nil }); err != nil {
		return err
	}
	return f.openJournals()
}

// supersede marks a finished trial of a block that starts anew; every other
// line keeps its bytes.
func supersede(line []byte, anew map[int]bool) ([]byte, error) {
	var head struct {
		Block  int        `json:"block"`
		Status lab.Status `json:"status"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, err
	}
	if !anew[head.Block] || strings.HasPrefix(string(head.Status), "aborted:") {
		return line, nil
	}
	var t lab.TrialRecord
	if err := json.Unmarshal(line, &t); err != nil {
		return nil, err
	}
	was := string(t.Status)
	t.Status = lab.Aborted("resumed")
	t.Reason = strings.TrimSpace(fmt.Sprintf("was %s; block %d started anew. %s", was, t.Block, t.Reason))
	out, err := encode(t)
	return bytes.TrimSuffix(out, []byte("\n")), err
}

// rewrite writes the whole lines of a file anew, each through change, and
// replaces the file in one step.
func (f *Folder) rewrite(name string, change func([]byte) ([]byte, error)) error {
	old, err := f.root.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer old.Close()
	fresh := name + ".new"
	out, err := f.root.Create(fresh)
	if err != nil {
		return fmt.Errorf("writing %q: %w", fresh, err)
	}
	_, err = eachLine(old, name, func(n int, line []byte) error {
		changed, err := change(line)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		_, err = io.WriteString(out, string(changed)+"\n")
		return err
	})
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("writing %q: %w", fresh, err)
	}
	if err := f.root.Rename(fresh, name); err != nil {
		return fmt.Errorf("replacing %q: %w", name, err)
	}
	return syncDir(f.path)
}
