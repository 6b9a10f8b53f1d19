package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// LockName is the name of the container by which a run holds a host. It is
// never started: that no two containers of a daemon have one name is what
// makes it a lock, whichever way the daemon is reached.
const LockName = "benchlab-lock"

const (
	lockRole        = "lock"
	sinceLabel      = "benchlab.since"
	controllerLabel = "benchlab.controller"
)

// Stale is the age from which a lock may be taken over where no agent of its
// run is there any more and its controller cannot be seen from here; one that is
// seen to have ended leaves a lock to take over at once. A run in order has one nearly always: each server has
// an attendant. Before its first server it may have to make images, which is
// what the time is for. Agents end with their controller, servers do not, so
// that servers say nothing.
const Stale = time.Hour

// ErrNameTaken is what Create wraps where a container has the name already.
var ErrNameTaken = errors.New("the name is taken")

// Locked says that a run holds a host.
type Locked struct {
	// Host is the host's label or endpoint.
	Host string
	// Run is the run and Since when it took the host.
	Run   string
	Since time.Time
	// Agents is how many agents of the run are running.
	Agents int
	// Ended is whether the run's controller is known to be over.
	Ended bool
}

func (l *Locked) Error() string {
	doing := "no agent of it is running"
	if l.Agents > 0 {
		doing = fmt.Sprintf("%d of its agents are running", l.Agents)
	}
	return fmt.Sprintf("host %q is in use by run %q since %s (%s)", l.Host, l.Run, l.Since.UTC().Format(time.RFC3339), doing)
}

// ExitCode is that of a host that is not as asked.
func (l *Locked) ExitCode() int { return 4 }

// Hints say what to do.
func (l *Locked) Hints() []string {
	if l.Agents > 0 {
		return []string{"wait until it has ended: two runs at once would measure each other"}
	}
	return []string{fmt.Sprintf("if that run is over: benchlab clean --locks (by itself it is taken over when it is %s old)", Stale)}
}

// Live reports whether the run that holds the lock must be taken for going on.
func (l *Locked) Live(now time.Time) bool {
	return l.Agents > 0 || !l.Ended && now.Sub(l.Since) < Stale
}

// LockOptions say who takes which host.
type LockOptions struct {
	Docker Docker
	// Host is its label, for messages; Image any image that it has.
	Host, Image string
	// Run is the run's id.
	Run string
	// Now is the controller's time of day.
	Now time.Time
	// Controller is the process that takes it; empty where it is not known.
	Controller Controller
	// Held are the locks that the run has on other hosts: one that is found
	// here is of the same daemon under another name.
	Held []string
	// Pause is the time between looks at a lock that seems stale: its run
	// has no agent while it changes servers. 0 is 5 seconds.
	Pause time.Duration
}

// Lock takes a host for a run and returns the lock's id, or fails with
// [*Locked]. A lock of the same run (one that is resumed) without agents, and a
// stale one, is taken over; the text says so.
func Lock(ctx context.Context, o LockOptions) (id, text string, err error) {
	if o.Pause == 0 {
		o.Pause = 5 * time.Second
	}
	const tries = 5 // somebody else may come between
	for range tries {
		id, _, err = o.Docker.Create(ctx, Spec{Name: LockName, Image: o.Image, Network: "none", Labels: map[string]string{
			Label: o.Run, RoleLabel: lockRole, sinceLabel: o.Now.UTC().Format(time.RFC3339), controllerLabel: string(o.Controller)}})
		if !errors.Is(err, ErrNameTaken) {
			return id, text, err
		}
		held, id, err := lockOf(ctx, o.Docker, o.Host)
		if err != nil {
			return "", "", err
		}
		if held == nil {
			continue
		}
		if slices.Contains(o.Held, id) {
			return id, "", nil
		}
		stale, err := o.stale(ctx, held)
		if err != nil {
			return "", "", err
		}
		if !stale {
			return "", "", held
		}
		if err := o.Docker.Remove(ctx, id); err != nil {
			return "", "", fmt.Errorf("taking over host %q: %w", o.Host, err)
		}
		why := "no agent of it is running"
		if held.Ended {
			why = "its controller has ended"
		}
		text = fmt.Sprintf("host %s: took over the lock of run %s, held since %s: %s",
			o.Host, held.Run, held.Since.UTC().Format(time.RFC3339), why)
	}
	return "", "", fmt.Errorf("taking host %q: %w", o.Host, err)
}

// stale looks several times, with pauses, whether the lock's run is gone. Where
// its controller has ended, one look without agents is enough, and agents that
// are seen first are given the pauses to end in.
func (o LockOptions) stale(ctx context.Context, held *Locked) (bool, error) {
	const looks = 3
	for i := range looks {
		if i > 0 {
			timer := time.NewTimer(o.Pause)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return false, ctx.Err()
			}
			var err error
			if held.Agents, err = agentsOf(ctx, o.Docker, held.Run); err != nil {
				return false, err
			}
		}
		if held.Ended {
			if held.Agents == 0 {
				return true, nil
			}
			continue
		}
		if held.Agents > 0 || held.Run != o.Run && held.Live(o.Now) {
			return false, nil
		}
	}
	return !held.Ended, nil
}

// lockOf tells who holds a host, nil for nobody, and the lock's container.
func lockOf(ctx context.Context, d Docker, host string) (*Locked, string, error) {
	list, err := d.Containers(ctx, RoleLabel, lockRole)
	if err != nil {
		return nil, "", err
	}
	for _, c := range list {
		if c.Name != LockName {
			continue
		}
		l := &Locked{Host: host, Run: c.Labels[Label], Since: c.Created, Ended: Controller(c.Labels[controllerLabel]).Ended()}
		if since, err := time.Parse(time.RFC3339, c.Labels[sinceLabel]); err == nil {
			l.Since = since
		}
		l.Agents, err = agentsOf(ctx, d, l.Run)
		return l, c.ID, err
	}
	return nil, "", nil
}

// Holder is the run that holds a host; nil for none.
func Holder(ctx context.Context, d Docker, host string) (*Locked, error) {
	l, _, err := lockOf(ctx, d, host)
	return l, err
}

// agentsOf counts the running agents of a run.
func agentsOf(ctx context.Context, d Docker, run string) (int, error) {
	list, err := d.Containers(ctx, Label, run)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, c := range list {
		if role := c.Labels[RoleLabel]; c.Running && role != "db" && role != lockRole {
			n++
		}
	}
	return n, nil
}

// Unlock gives a host back that the run holds.
func Unlock(ctx context.Context, d Docker, run string) error {
	l, id, err := lockOf(ctx, d, "")
	if err != nil || l == nil || l.Run != run {
		return err
	}
	return d.Remove(ctx, id)
}
