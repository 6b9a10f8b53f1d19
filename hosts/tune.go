package hosts

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"syscall"
	"time"
)

// System is the host whose knobs are set.
type System struct {
	// Root holds proc and sys; empty is "/".
	Root string
	// State is the folder of the journal, see [StateDir].
	State string
	// Now gives the time for the journal.
	Now func() time.Time
	// UID is the effective user, whose the journal must be.
	UID int
	// put writes a kernel file; nil is the real thing.
	put func(path, text string) error
	// cards reads and shapes network cards; nil is the real thing for the real
	// root, and no card elsewhere.
	cards cards
}

// Outcome is what became of one knob's file.
type Outcome struct {
	Key string `json:"key"`
	// File is the kernel's file; empty where the host has none.
	File string `json:"file,omitempty"`
	// Was and Now are the texts before and after.
	Was string `json:"was,omitempty"`
	Now string `json:"now,omitempty"`
	// State is a journal's state, "unchanged" or "not applicable".
	State State `json:"state"`
	// Text says more, in words.
	Text string `json:"text,omitempty"`
}

// NotTuned says that a knob could not be set; those before it were put back,
// or Why says which were not.
type NotTuned struct {
	Key string
	Why error
}

func (n *NotTuned) Error() string { return n.Why.Error() }

func (n *NotTuned) Unwrap() error { return n.Why }

// ExitCode is that of a host that is not as asked.
func (n *NotTuned) ExitCode() int { return 4 }

// Hints say what to do.
func (n *NotTuned) Hints() []string {
	if errors.Is(n.Why, os.ErrPermission) || errors.Is(n.Why, syscall.EROFS) {
		return []string{"run it as root on the host itself; a container cannot change its host"}
	}
	return []string{"the knobs before it were put back; correct or remove " + n.Key + " in the profile"}
}

// Unchanged is the state of a knob that had its value already.
const Unchanged State = "unchanged"

// Tuned says that a host's knobs are set for somebody.
type Tuned struct {
	Owner string
	Since time.Time
}

func (t *Tuned) Error() string {
	return fmt.Sprintf("this host is tuned for %q since %s already", t.Owner, t.Since.UTC().Format(time.RFC3339))
}

// Hints say what to do.
func (t *Tuned) Hints() []string {
	return []string{"if that run is over, put its values back: benchlab hosts restore"}
}

var ownerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._:/-]{0,79}$`)

// Apply sets knobs in their order. Each change is in the journal, and on disk,
// before it is made, and is read back after. Where one fails those before it
// are put back and the error says which and why. A host that is tuned already
// is refused as [*Tuned].
func Apply(sys System, owner string, knobs []Knob) (outcomes []Outcome, err error) {
	if !ownerName.MatchString(owner) {
		return nil, fmt.Errorf("owner %q is no name of a run", clip(owner))
	}
	var faults []error
	for _, k := range knobs {
		faults = append(faults, k.Check())
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	j, err := openJournal(sys.State, sys.UID)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	s := &session{sys: sys, tree: sys.tree(), journal: j, owner: owner}
	if err := s.refuseTuned(); err != nil {
		return nil, err
	}
	from := j.seq
	for _, k := range knobs {
		if err := s.apply(k); err != nil {
			undone := s.undo(from, true)
			return append(s.outcomes, undone...), &NotTuned{Key: k.Key, Why: errors.Join(err, failures(undone))}
		}
	}
	return s.outcomes, nil
}

// Restore puts back what the journal holds, last change first. What somebody
// else has changed meanwhile is left alone and said; what a reboot has reset
// is skipped. An error means that some value could not be put back; the
// journal keeps it.
func Restore(sys System) (outcomes []Outcome, err error) {
	if _, err := os.Lstat(sys.State); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	j, err := openJournal(sys.State, sys.UID)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	s := &session{sys: sys, tree: sys.tree(), journal: j}
	outcomes = s.undo(0, false)
	return outcomes, failures(outcomes)
}

// RestoreFor restores where the changes are an owner's, or whoever's for an
// empty owner: a host is tuned for one at a time.
func RestoreFor(sys System, owner string) ([]Outcome, error) {
	if owner != "" {
		entries, err := Pending(sys)
		if err != nil || !slices.ContainsFunc(entries, func(e Entry) bool { return e.Owner == owner }) {
			return nil, err
		}
	}
	return Restore(sys)
}

// Pending lists the changes that are not undone, for `hosts restore --dry-run`
// and for plans.
func Pending(sys System) (entries []Entry, err error) {
	if _, err := os.Lstat(sys.State); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	j, err := openJournal(sys.State, sys.UID)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	return j.pending(), nil
}

func (sys System) tree() tree {
	if sys.Root == "" && sys.cards == nil {
		return hostTree("/")
	}
	return tree{root: cmp.Or(sys.Root, "/"), cards: sys.cards}
}
