package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// names is a Docker that knows containers' names and labels only.
type names struct {
	Docker
	mu      sync.Mutex
	made    int
	list    []Container
	removed []string
	// onList is called before each listing, to let things happen meanwhile.
	onList func(n *names)
}

func (n *names) Create(_ context.Context, s Spec) (string, []string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if slices.ContainsFunc(n.list, func(c Container) bool { return c.Name == s.Name }) {
		return "", nil, fmt.Errorf("creating: %w", ErrNameTaken)
	}
	n.made++
	id := fmt.Sprintf("id%d", n.made)
	n.list = append(n.list, Container{ID: id, Name: s.Name, Labels: s.Labels})
	return id, nil, nil
}

func (n *names) Containers(_ context.Context, label, value string) ([]Container, error) {
	if n.onList != nil {
		n.onList(n)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []Container
	for _, c := range n.list {
		if v, ok := c.Labels[label]; ok && (value == "" || v == value) {
			out = append(out, c)
		}
	}
	return out, nil
}

func (n *names) Remove(_ context.Context, id string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.removed = append(n.removed, id)
	n.list = slices.DeleteFunc(n.list, func(c Container) bool { return c.ID == id })
	return nil
}

func (n *names) Volumes(context.Context, string, string) ([]Volume, error) { return nil, nil }

func (n *names) add(run, role string, running bool) {
	n.made++
	n.list = append(n.list, Container{ID: fmt.Sprintf("id%d", n.made), Name: fmt.Sprintf("n%d", n.made), Running: running,
		Labels: map[string]string{Label: run, RoleLabel: role}})
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func lockAt(t *testing.T, n *names, run string, now time.Time) (string, error) {
	t.Helper()
	_, text, err := Lock(t.Context(), LockOptions{
		Docker: n, Host: "server", Image: "agent", Run: run, Now: now, Controller: ThisController(), Pause: time.Microsecond})
	return text, err
}

func TestLock(t *testing.T) {
	for name, c := range map[string]struct {
		state func(n *names)
		run   string
		after time.Duration
		taken bool
	}{
		"nobody holds it":                      {func(n *names) { n.list = nil }, "b", 0, true},
		"young":                                {func(*names) {}, "b", 59 * time.Minute, false},
		"stale":                                {func(*names) {}, "b", 61 * time.Minute, true},
		"old, and an agent runs":               {func(n *names) { n.add("a", "attend", true) }, "b", 9 * time.Hour, false},
		"old, and an agent ended":              {func(n *names) { n.add("a", "load", false) }, "b", 9 * time.Hour, true},
		"old, and only a server runs":          {func(n *names) { n.add("a", "db", true) }, "b", 9 * time.Hour, true},
		"old, and somebody else's agent runs":  {func(n *names) { n.add("c", "load", true) }, "b", 9 * time.Hour, true},
		"its own, resumed":                     {func(*names) {}, "a", time.Minute, true},
		"its own, which is running elsewhere":  {func(n *names) { n.add("a", "load", true) }, "a", time.Minute, false},
		"old, between two servers at one look": {func(n *names) { n.onList = comesBack() }, "b", 9 * time.Hour, false},
		"controller ended":                     {ended, "b", time.Minute, true},
		"controller ended, agent going":        {func(n *names) { ended(n); n.add("a", "load", true); n.onList = goes() }, "b", time.Minute, true},
		"controller ended, agent staying":      {func(n *names) { ended(n); n.add("a", "load", true) }, "b", 9 * time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			n := &names{}
			if _, err := lockAt(t, n, "a", noon); err != nil {
				t.Fatal(err)
			}
			c.state(n)
			_, err := lockAt(t, n, c.run, noon.Add(c.after))
			if taken := err == nil; taken != c.taken {
				t.Fatalf("taken = %v (%v), want %v", taken, err, c.taken)
			}
			var locked *Locked
			if !c.taken {
				if !errors.As(err, &locked) || locked.Run != "a" || locked.ExitCode() != 4 || len(locked.Hints()) == 0 {
					t.Errorf("error = %#v", err)
				}
				return
			}
			if held, err := Holder(t.Context(), n, "server"); err != nil || held == nil || held.Run != c.run {
				t.Errorf("held = %+v, %v", held, err)
			}
		})
	}
}

// ended makes the lock one of a process that is no more.
func ended(n *names) {
	n.list[0].Labels[controllerLabel] = string(ThisController()) + "0"
}

// goes ends the agent after the first looks.
func goes() func(*names) {
	looks := 0
	return func(n *names) {
		if looks++; looks == 4 {
			n.mu.Lock()
			n.list[len(n.list)-1].Running = false
			n.mu.Unlock()
		}
	}
}

// comesBack starts an agent of run a after the first looks.
func comesBack() func(*names) {
	looks := 0
	return func(n *names) {
		if looks++; looks == 4 {
			n.mu.Lock()
			n.add("a", "attend", true)
			n.mu.Unlock()
		}
	}
}

func TestLockSaysWhatItTookOver(t *testing.T) {
	n := &names{}
	if _, err := lockAt(t, n, "a", noon); err != nil {
		t.Fatal(err)
	}
	if text, err := lockAt(t, n, "b", noon.Add(2*time.Hour)); err != nil || !strings.Contains(text, "run a") {
		t.Errorf("said %q, %v", text, err)
	}
	if err := Unlock(t.Context(), n, "a"); err != nil || len(n.list) != 1 {
		t.Errorf("run a gave back the lock of run b (%v)", err)
	}
	if left, err := Leftovers(t.Context(), n, "b", true); err != nil || len(left) != 0 {
		t.Errorf("leftovers = %+v, %v: a lock is none", left, err)
	}
	if err := Unlock(t.Context(), n, "b"); err != nil || len(n.list) != 0 {
		t.Errorf("the lock is still there (%v)", err)
	}
}

// Two names of one daemon: the second lock is the first.
func TestLockOfOneDaemon(t *testing.T) {
	n := &names{}
	o := LockOptions{Docker: n, Host: "client", Run: "a", Now: noon}
	first, _, err := Lock(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Host, o.Held = "server", []string{first}
	if again, _, err := Lock(t.Context(), o); err != nil || again != first {
		t.Errorf("lock %q, %v, want %q", again, err, first)
	}
}

// Of many runs that want a stale host at once, one gets it.
func TestLockRace(t *testing.T) {
	n := &names{}
	if _, err := lockAt(t, n, "dead", noon); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	var got []string
	for i := range 8 {
		group.Go(func() {
			run := fmt.Sprintf("run%d", i)
			o := LockOptions{Docker: n, Host: "server", Run: run, Now: noon.Add(3 * time.Hour), Pause: time.Microsecond}
			if _, _, err := Lock(t.Context(), o); err == nil {
				mu.Lock()
				got = append(got, run)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if len(got) != 1 {
		t.Errorf("%v have the host, want one", got)
	}
}

func TestLockOfSomebodyElsesName(t *testing.T) {
	n := &names{list: []Container{{ID: "x", Name: LockName, Labels: map[string]string{}}}}
	if _, err := lockAt(t, n, "a", noon); !errors.Is(err, ErrNameTaken) || len(n.removed) > 0 {
		t.Errorf("error = %v, removed %v: a container without the lab's label is not the lab's", err, n.removed)
	}
}
