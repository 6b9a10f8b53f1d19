package hosts

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// session is one pass over knobs with an open journal.
type session struct {
	sys      System
	tree     tree
	journal  *Journal
	owner    string
	outcomes []Outcome
}

// refuseTuned refuses a host with pending changes of this boot; those of an
// earlier one were reset by the reboot and are closed.
func (s *session) refuseTuned() error {
	boot := bootHash(s.tree)
	for _, e := range s.journal.pending() {
		if e.Boot == boot {
			return &Tuned{Owner: e.Owner, Since: e.Time}
		}
	}
	s.outcomes = append(s.outcomes, s.undo(0, false)...)
	return failures(s.outcomes)
}

func (s *session) apply(k Knob) error {
	changes, err := k.changes(s.tree)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		s.outcomes = append(s.outcomes, Outcome{Key: k.Key, State: NotApplicable,
			Text: "this host does not have the setting"})
	}
	for _, c := range changes {
		from := s.journal.seq
		err := s.set(c)
		if why := cannotShape(k, err); why != nil {
			if err := failures(s.undo(from, true)); err != nil {
				return err
			}
			s.outcomes = append(s.outcomes, Outcome{Key: k.Key, File: c.file, State: NotApplicable, Text: why.Error()})
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// set makes one change: journal, write, read back.
func (s *session) set(c change) error {
	was, ok := c.current(s.tree)
	switch {
	case !ok:
		return fmt.Errorf("reading /%s: the file is missing, empty or may not be read", c.file)
	case was == normal(c.text):
		s.outcomes = append(s.outcomes, Outcome{Key: c.key, File: c.file, Was: was, Now: was, State: Unchanged})
		return nil
	}
	entry := Entry{
		Seq: s.journal.seq + 1, Key: c.key, File: c.file, Saved: was, New: normal(c.text),
		Boot: bootHash(s.tree), Owner: s.owner, Time: s.sys.Now().UTC(), State: Intended,
	}
	if err := s.journal.write(entry); err != nil {
		return err
	}
	if err := s.write(c.file, c.text); err != nil {
		return fmt.Errorf("setting %s to %q (was %q): %w", c.key, c.text, was, kernelWords(err))
	}
	if now, _ := c.current(s.tree); now != normal(c.text) {
		return fmt.Errorf("setting %s to %q (was %q): the kernel made it %q", c.key, c.text, was, now)
	}
	entry.State = Applied
	if err := s.journal.write(entry); err != nil {
		return err
	}
	s.outcomes = append(s.outcomes, Outcome{Key: c.key, File: c.file, Was: was, Now: entry.New, State: Applied})
	return nil
}

// write puts text into a kernel file, following no link in its last element, or
// makes it a card's discipline.
func (s *session) write(file, text string) error {
	if card, ok := strings.CutPrefix(file, qdiscDir); ok {
		return s.tree.setRoot(card, text)
	}
	path := s.tree.path(file)
	if s.sys.put != nil {
		return s.sys.put(path, text)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	return errors.Join(err, f.Close())
}

// kernelWords explains the errors that a kernel file answers with.
func kernelWords(err error) error {
	switch {
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ERANGE):
		return fmt.Errorf("the kernel refuses this value: %w", err)
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("not permitted, this needs root on the host itself: %w", err)
	}
	return err
}

// undo puts back the pending changes after a number, last one first. Own says
// that they were made by this very call: then a value that was not read back
// as written is ours whatever it reads, for instance where the kernel clamped
// it.
func (s *session) undo(after int, own bool) []Outcome {
	var outcomes []Outcome
	pending := s.journal.pending()
	for i := len(pending) - 1; i >= 0; i-- {
		if e := pending[i]; e.Seq > after {
			outcomes = append(outcomes, s.putBack(e, own))
		}
	}
	return outcomes
}

// putBack restores one change, where it is still ours to restore.
func (s *session) putBack(e Entry, own bool) Outcome {
	c := change{key: e.Key, file: e.File, text: e.Saved}
	now, there := c.current(s.tree)
	out := Outcome{Key: e.Key, File: e.File, Was: now, Now: now}
	switch {
	case e.Boot != bootHash(s.tree):
		out.State, out.Text = Reset, "the host was rebooted since, which reset it"
	case !there:
		out.State, out.Text = Reset, "the file is gone, and its value with it"
	case now == e.Saved:
		out.State = Restored
	case now != e.New && !(own && e.State == Intended):
		out.State = Foreign
		out.Text = fmt.Sprintf("somebody made it %q after the lab made it %q; left alone, it was %q before", now, e.New, e.Saved)
	default:
		if err := s.write(e.File, e.Saved); err != nil {
			out.Text = kernelWords(err).Error()
			out.State = e.State
			return out
		}
		if out.Now, _ = c.current(s.tree); out.Now != e.Saved {
			out.Text = fmt.Sprintf("asked for %q, the kernel made it %q", e.Saved, out.Now)
			out.State = e.State
			return out
		}
		out.State = Restored
	}
	e.State = out.State
	e.Time = s.sys.Now().UTC()
	if err := s.journal.write(e); err != nil {
		out.Text = strings.TrimSpace(out.Text + " " + err.Error())
	}
	return out
}

// failures is an error about what could not be put back.
func failures(outcomes []Outcome) error {
	var all []error
	for _, o := range outcomes {
		if o.State == Intended || o.State == Applied {
			all = append(all, fmt.Errorf("putting %s back: %s", o.Key, o.Text))
		}
	}
	return errors.Join(all...)
}
