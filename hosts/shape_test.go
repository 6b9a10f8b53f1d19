package hosts

import (
	"maps"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakeCards are cards by name with their disciplines; fault answers changes.
type fakeCards struct {
	roots map[string]string
	fault error
}

func (f *fakeCards) root(card string) string { return f.roots[card] }

func (f *fakeCards) shape(card string, mbps int) error {
	if f.fault == nil {
		f.roots[card] = shapeText(mbps)
	}
	return f.fault
}

func (f *fakeCards) unshape(card string) error {
	if f.fault == nil {
		f.roots[card] = "fq_codel"
	}
	return f.fault
}

func shapeKnob() Knob { return Knob{Key: knobShape, Value: "100", Interface: "sfn0"} }

func TestShape(t *testing.T) {
	sys, _ := bench(t)
	link := &fakeCards{roots: map[string]string{"sfn0": "fq_codel"}}
	sys.cards = link
	outcomes, err := Apply(sys, "run-1", []Knob{shapeKnob()})
	if err != nil || states(outcomes) != "link_shape=applied" || link.roots["sfn0"] != "tbf 100 Mb/s" {
		t.Fatalf("%s, %v, %v", states(outcomes), err, link.roots)
	}
	if again, err := Apply(sys, "run-2", []Knob{shapeKnob()}); err == nil {
		t.Errorf("a link that is shaped for another run: %s", states(again))
	}
	if outcomes, err = Restore(sys); err != nil || states(outcomes) != "link_shape=restored" || link.roots["sfn0"] != "fq_codel" {
		t.Errorf("%s, %v, %v", states(outcomes), err, link.roots)
	}
}

// A host that cannot shape is tuned otherwise, and nothing of the attempt is
// left in its journal.
func TestShapeThatCannotBe(t *testing.T) {
	for fault, want := range map[error]string{
		syscall.ENOENT: "no token bucket", syscall.EOPNOTSUPP: "no token bucket", syscall.EPERM: "needs root",
	} {
		sys, read := bench(t)
		sys.cards = &fakeCards{roots: map[string]string{"sfn0": "mq"}, fault: fault}
		outcomes, err := Apply(sys, "run-1", []Knob{shapeKnob(), {Key: "net.core.rmem_max", Value: "8388608"}})
		if err != nil || states(outcomes) != "link_shape=not applicable net.core.rmem_max=applied" || read(rmem) != "8388608" {
			t.Errorf("%v: %s, %v", fault, states(outcomes), err)
			continue
		}
		if !strings.Contains(outcomes[0].Text, want) {
			t.Errorf("%v is told as %q, want %q", fault, outcomes[0].Text, want)
		}
		if outcomes, err = Restore(sys); err != nil || states(outcomes) != "net.core.rmem_max=restored" {
			t.Errorf("%v: restore: %s, %v", fault, states(outcomes), err)
		}
	}
}

func TestShapeIsRefused(t *testing.T) {
	for want, k := range map[string]Knob{
		"somebody's own (htb 1:)":   {Key: knobShape, Value: "100", Interface: "eth1"},
		"own (tbf 50 Mb/s)":         {Key: knobShape, Value: "100", Interface: "eth2"},
		`no interface "eth9"`:       {Key: knobShape, Value: "100", Interface: "eth9"},
		`"0" is no rate`:            {Key: knobShape, Value: "0", Interface: "sfn0"},
		`"1e3" is no rate`:          {Key: knobShape, Value: "1e3", Interface: "sfn0"},
		`"lo" is no card of a link`: {Key: knobShape, Value: "100", Interface: "lo"},
		`"../x" is no card`:         {Key: knobShape, Value: "100", Interface: "../x"},
	} {
		sys, read := bench(t)
		link := &fakeCards{roots: map[string]string{"sfn0": "mq", "eth1": "htb 1:", "eth2": "tbf 50 Mb/s"}}
		before := maps.Clone(link.roots)
		sys.cards = link
		if _, err := Apply(sys, "run-1", []Knob{{Key: "net.core.rmem_max", Value: "8388608"}, k}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %s", k, err, want)
		}
		if !maps.Equal(link.roots, before) || read(rmem) != "212992" {
			t.Errorf("%+v: cards %v, rmem_max %s", k, link.roots, read(rmem))
		}
	}
}

// What somebody did to a shaped card is left alone.
func TestShapeOfSomebodyElse(t *testing.T) {
	sys, _ := bench(t)
	link := &fakeCards{roots: map[string]string{"sfn0": "mq"}}
	sys.cards = link
	if _, err := Apply(sys, "run-1", []Knob{shapeKnob()}); err != nil {
		t.Fatal(err)
	}
	link.roots["sfn0"] = "netem 8002:"
	if outcomes, err := Restore(sys); err != nil || states(outcomes) != "link_shape=foreign" || link.roots["sfn0"] != "netem 8002:" {
		t.Errorf("%s, %v, %v", states(outcomes), err, link.roots)
	}
}

const shaped = `name: p
about: p
taken_from: p
hosts:
  - name: server
    shape_mbps: 100
    tune: {sysctl: {net.core.default_qdisc: fq}}
  - name: client
    shape_mbps: 100
    interface: gone0
roles:
  db: {host: server, cores: 1}
  load: {host: client, cores: 1}
`

func TestShapeInAProfile(t *testing.T) {
	p, err := Read("p.yaml", []byte(shaped))
	if err != nil {
		t.Fatal(err)
	}
	server := gather(t, xeonTree(), Source{})
	facts := map[string]Facts{"server": server, "client": box(4, 1, 1)}
	placement, err := Resolve(p, facts, ResolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{"server": "link_shape net.core.default_qdisc", "client": ""} {
		knobs, err := p.KnobsFor(host, placement, facts[host])
		var keys []string
		for _, k := range knobs {
			keys = append(keys, k.Key)
			if k.Key == knobShape && k.Interface != "sfn0" {
				t.Errorf("shapes %q", k.Interface)
			}
		}
		if got := strings.Join(keys, " "); err != nil || got != want {
			t.Errorf("knobs of %s: %s, %v; want %s", host, got, err, want)
		}
	}
	found := func(qdisc string, options ResolveOptions) map[string]Line {
		server.NICs[0].Qdisc = qdisc
		lines := map[string]Line{}
		for _, l := range Check(p, facts, options) {
			if l.Key == knobShape {
				lines[l.Host] = l
			}
			if l.Key == knobShape && l.Refuses() {
				t.Errorf("a link that is not shaped refuses the run: %+v", l)
			}
		}
		if p.Hosts[0].Shaped(server) != lines["server"].OK {
			t.Errorf("qdisc %q: shaped %v", qdisc, !lines["server"].OK)
		}
		return lines
	}
	if l := found("mq", ResolveOptions{}); l["server"].OK || l["server"].Level != Warn || !strings.Contains(l["server"].Advice, "--tune") {
		t.Errorf("not shaped: %+v", l["server"])
	}
	if l := found("mq", ResolveOptions{Tune: true}); l["server"].Level != Record {
		t.Errorf("to be shaped: %+v", l["server"])
	}
	l := found("tbf 100 Mb/s", ResolveOptions{})
	if !l["server"].OK || l["client"].OK || !strings.Contains(l["client"].Advice, "name it with interface:") {
		t.Errorf("shaped: %+v", l)
	}
	one := strings.Replace(onePlain, "  - name: one\n", "  - name: one\n    shape_mbps: 100\n", 1)
	if _, err := Read("p.yaml", []byte(one)); err == nil || !strings.Contains(err.Error(), "p.yaml:6:17: hosts[0].shape_mbps: shapes a link") {
		t.Errorf("one host with a shaped link: %v", err)
	}
}

// TestRealShape shapes a card of this kernel, in a network namespace that ends
// with the test.
func TestRealShape(t *testing.T) {
	if os.Getenv("BENCHLAB_DOCKER") != "1" {
		t.Skip("makes a network namespace with a card in it; set BENCHLAB_DOCKER=1 to allow it")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	runtime.LockOSThread() // for ever: the thread ends with the test, and the namespace with it
	if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
		t.Skipf("needs network namespaces: %v", err)
	}
	for _, args := range []string{"link add link0 type veth peer name other0", "link set link0 up", "link set other0 up"} {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Skipf("needs ip and veth links: %v %s", err, out)
		}
	}
	sys := System{State: t.TempDir() + "/state", Now: time.Now}
	var host kernelCards
	was := host.root("link0")
	if was == "" || strings.Contains(was, " ") {
		t.Fatalf("a new card has the discipline %q", was)
	}
	for _, mbps := range []string{"100", "40000"} {
		k := Knob{Key: knobShape, Value: mbps, Interface: "link0"}
		outcomes, err := Apply(sys, "real-test", []Knob{k})
		if err == nil && outcomes[0].State == NotApplicable {
			t.Skip(outcomes[0].Text)
		}
		if got := host.root("link0"); err != nil || got != "tbf "+mbps+" Mb/s" {
			t.Errorf("%s Mb/s: %q, %v", mbps, got, err)
		}
		if host.root("other0") != was {
			t.Error("the other card is shaped too")
		}
		if _, err := Restore(sys); err != nil || host.root("link0") != was {
			t.Errorf("restored to %q, %v, want %q", host.root("link0"), err, was)
		}
	}
	if err := host.shape("nosuch0", 1); err == nil || host.root("nosuch0") != "" {
		t.Errorf("a card that is not there: %v, %q", err, host.root("nosuch0"))
	}
	if err := host.unshape("other0"); err == nil || host.root("other0") != was {
		t.Errorf("the kernel's own choice was taken away: %v, %q", err, host.root("other0"))
	}
}

// FuzzAttributes: what the kernel answers is read within its bounds.
func FuzzAttributes(f *testing.F) {
	f.Add(attribute(attrKind, []byte("tbf\x00")))
	f.Add([]byte{5, 0, 1, 0, 'x'})
	f.Add([]byte{3, 0, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		for kind, value := range attributes(b) {
			if len(value) > len(b) || kind&0xc000 != 0 {
				t.Errorf("%x: %d is %x", b, kind, value)
			}
		}
		_ = rootText(0, attributes(b))
	})
}
