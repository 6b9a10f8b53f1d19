package hosts

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// knobShape is the knob that limits what a card sends: a token bucket at its
// root. Both ends of a link are shaped, each on its own host, so that both
// directions are. It makes one queue out of a card's several.
const knobShape = "link_shape"

// qdiscDir stands for the folder of a file that the kernel does not have: a
// card's queueing discipline, under the name of the card.
const qdiscDir = "qdisc/"

// shapeValue is a rate in whole Mb/s.
var shapeValue = regexp.MustCompile(`^[1-9][0-9]{0,5}$`)

func (k Knob) checkShape() error {
	if !shapeValue.MatchString(k.Value) {
		return fmt.Errorf("knob %s: %q is no rate, allowed are whole Mb/s", k.Key, clip(k.Value))
	}
	if !interfaceName.MatchString(k.Interface) || k.Interface == "lo" {
		return fmt.Errorf("knob %s: %q is no card of a link", k.Key, clip(k.Interface))
	}
	return nil
}

// shapeChanges refuses a card whose discipline somebody has made: taking the
// token bucket away brings the kernel's own choice back, and nothing else.
func (k Knob) shapeChanges(t tree) ([]change, error) {
	if t.cards == nil {
		return nil, nil
	}
	mbps, err := strconv.Atoi(k.Value)
	if err != nil {
		return nil, err
	}
	c := change{k.Key, qdiscDir + k.Interface, shapeText(mbps)}
	switch now, ok := c.current(t); {
	case !ok:
		return nil, fmt.Errorf("knob %s: the host has no interface %q, or it was never up", k.Key, k.Interface)
	case now != c.text && strings.Contains(now, " "):
		return nil, fmt.Errorf("knob %s: interface %q has a queueing discipline of somebody's own (%s), which could not be put back",
			k.Key, k.Interface, now)
	}
	return []change{c}, nil
}

// setRoot makes a card's discipline what the text says: a token bucket, or
// whatever the kernel chooses.
func (t tree) setRoot(card, text string) error {
	if mbps, ok := shapedTo(text); ok {
		return t.cards.shape(card, mbps)
	}
	return t.cards.unshape(card)
}

// Spared reports whether a run may do without the knob where it cannot be set.
func (k Knob) Spared() bool { return k.Key == knobShape }

// cannotShape is the reason why a host cannot shape at all, or nil for another
// error. A run goes on without, and its tables say so.
func cannotShape(k Knob, err error) error {
	switch {
	case !k.Spared():
		return nil
	case errors.Is(err, fs.ErrPermission):
		return errors.New("not permitted, this needs root on the host itself")
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.EOPNOTSUPP):
		return errors.New("this kernel has no token bucket (its module is sch_tbf)")
	}
	return nil
}

// Shaped reports whether the host's link is shaped as the profile asks.
func (h Host) Shaped(f Facts) bool {
	nic, ok := f.LinkNIC(h.Interface)
	return ok && h.ShapeMbps > 0 && nic.Qdisc == shapeText(h.ShapeMbps)
}

// checkShape compares the link's shape with what is in force. A difference
// refuses nothing: every table says that the link is not shaped.
func checkShape(p Profile, h Host, f Facts, options ResolveOptions) []Line {
	if h.ShapeMbps == 0 {
		return nil
	}
	line := Line{Host: h.Name, Key: knobShape, Expected: shapeText(h.ShapeMbps), Level: Warn, OK: h.Shaped(f),
		Found: "the link's card is not known"}
	nic, known := f.LinkNIC(h.Interface)
	if known {
		line.Found = nic.Qdisc
	}
	switch {
	case line.OK:
	case !known:
		line.Advice = "name it with interface:, or give the host its address; until then every table says that the link is not shaped"
	case options.Tune:
		line.Level, line.Advice = Record, "will be set, where the kernel can"
	default:
		line.Advice = fmt.Sprintf("set it: benchlab hosts tune %s (or run with --tune); until then every table says that the link is not shaped", p.Name)
	}
	return []Line{line}
}
