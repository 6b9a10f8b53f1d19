package provision

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Prepared data is a volume that was filled once and is kept over runs. Its
// key says what is in it; a second, empty volume marks that filling it came to
// its end, since a volume's labels cannot be changed.
const (
	keyLabel  = "benchlab.key"
	doneLabel = "benchlab.done"
)

// Key identifies prepared data by everything that decides its content.
func Key(image string, seed uint64, rows int, schemas []string, settings map[string]string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%d\n%d\n", image, seed, rows)
	for _, s := range schemas {
		fmt.Fprintln(h, s)
	}
	names := make([]string, 0, len(settings))
	for name := range settings {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(h, "%s=%s\n", name, settings[name])
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
}

// Prepare returns the volume that holds the data of a key, and fills it first
// where it is not there: it starts the server on an empty volume, calls fill,
// and stops the server in order.
func Prepare(ctx context.Context, o Options, s Server, key string, fill func(context.Context, *Testbed) error) (string, error) {
	if name, err := findPrepared(ctx, o.Docker, key); err != nil || name != "" {
		return name, err
	}
	o.Run, s.TechEmpower = Kept, false
	t, err := Open(ctx, o, s, "")
	if err != nil {
		return "", err
	}
	defer t.Close()
	if err := fill(ctx, t); err != nil {
		return "", fmt.Errorf("filling prepared data for %q: %w", s.Label, err)
	}
	name, err := t.Stop(ctx)
	if err != nil {
		return "", err
	}
	mark := map[string]string{Label: Kept, keyLabel: key, doneLabel: name, RoleLabel: "prepared " + s.Label}
	if err := o.Docker.CreateVolume(ctx, "benchlab-prepared-"+key, mark); err != nil {
		return "", err
	}
	return name, nil
}

func findPrepared(ctx context.Context, d Docker, key string) (string, error) {
	volumes, err := d.Volumes(ctx, keyLabel, key)
	if err != nil {
		return "", err
	}
	for _, v := range volumes {
		if name := v.Labels[doneLabel]; name != "" && v.Labels[Label] == Kept {
			return existing(ctx, d, name)
		}
	}
	return "", nil
}

// existing is name where such a volume is there, since somebody may have
// removed it and left the mark.
func existing(ctx context.Context, d Docker, name string) (string, error) {
	all, err := d.Volumes(ctx, Label, Kept)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(all, func(v Volume) bool { return v.Name == name }) {
		return name, nil
	}
	return "", nil
}

// Leftover is something of the lab that is still in Docker.
type Leftover struct {
	// Kind is container or volume.
	Kind string
	// ID is what it is removed by, Text what it is.
	ID, Text string
	// Run is the run that it belongs to, or Kept.
	Run string
}

// Leftovers lists everything with the lab's label: of one run, or of all. Data
// that was prepared is in the list only where kept is asked for; a volume that
// was being filled when its controller died is a leftover either way. A lock
// is no leftover: see [Holder] and [Unlock].
func Leftovers(ctx context.Context, d Docker, run string, kept bool) ([]Leftover, error) {
	containers, err := d.Containers(ctx, Label, run)
	if err != nil {
		return nil, err
	}
	volumes, err := d.Volumes(ctx, Label, run)
	if err != nil {
		return nil, err
	}
	var out []Leftover
	for _, c := range containers {
		if c.Labels[RoleLabel] == lockRole {
			continue
		}
		out = append(out, Leftover{Kind: "container", ID: c.ID, Run: c.Labels[Label],
			Text: strings.TrimSpace(c.Labels[RoleLabel] + " " + c.Name)})
	}
	good := map[string]bool{}
	for _, v := range volumes {
		if name := v.Labels[doneLabel]; name != "" {
			good[name], good[v.Name] = true, true
		}
	}
	for _, v := range volumes {
		if good[v.Name] && !kept {
			continue
		}
		out = append(out, Leftover{Kind: "volume", ID: v.Name, Run: v.Labels[Label],
			Text: strings.TrimSpace(v.Labels[RoleLabel] + " " + v.Name)})
	}
	return out, nil
}

// Remove removes leftovers; it goes on after an error and returns the first.
func Remove(ctx context.Context, d Docker, list []Leftover) error {
	var first error
	for _, l := range list {
		var err error
		if l.Kind == "container" {
			err = d.Remove(ctx, l.ID)
		} else {
			err = d.RemoveVolume(ctx, l.ID)
		}
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}
