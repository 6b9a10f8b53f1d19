package hosts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bench is a host made of files, with a journal beside it.
func bench(t testing.TB) (System, func(file string) string) {
	t.Helper()
	return benchAt(t, grow(t, knobTree()))
}

func benchAt(t testing.TB, root string) (System, func(file string) string) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	sys := System{Root: root, State: filepath.Join(t.TempDir(), "state"), UID: os.Geteuid(),
		Now: func() time.Time { now = now.Add(time.Second); return now }}
	return sys, func(file string) string {
		b, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(b))
	}
}

func put(t testing.TB, sys System, file, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(sys.Root, file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func journalOf(sys System) string { return filepath.Join(sys.State, journalName) }

const rmem, wmem = "proc/sys/net/core/rmem_max", "proc/sys/net/core/wmem_max"

// fiveKnobs touch seven files and more.
func fiveKnobs() []Knob {
	return []Knob{
		{Key: "net.core.rmem_max", Value: "8388608"},
		{Key: "net.core.wmem_max", Value: "8388608"},
		{Key: "vm.swappiness", Value: "10"},
		{Key: "turbo", Value: "off"},
		{Key: "governor", Value: "performance"},
	}
}

func states(outcomes []Outcome) string {
	var words []string
	for _, o := range outcomes {
		words = append(words, o.Key+"="+string(o.State))
	}
	return strings.Join(words, " ")
}

func TestTuneAndRestore(t *testing.T) {
	sys, read := bench(t)
	// A real kernel puts the chosen word in brackets; this one takes what is
	// written, which current reads alike.
	knobs := append(fiveKnobs(), Knob{Key: "smt", Value: "off"}, Knob{Key: "thp", Value: "never"},
		Knob{Key: "irq_affinity", Value: "3,7", Interface: "sfn0"})
	before := map[string]string{}
	for _, k := range knobs {
		changes, err := k.changes(sys.tree())
		if err != nil || len(changes) == 0 {
			t.Fatalf("%s: %v, %v", k.Key, changes, err)
		}
		for _, c := range changes {
			before[c.file] = bracketed(read(c.file))
		}
	}
	outcomes, err := Apply(sys, "run-1", knobs)
	if err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != len(before) {
		t.Errorf("%d outcomes for %d files", len(outcomes), len(before))
	}
	for file, want := range map[string]string{rmem: "8388608", noTurboFile: "1", smtFile: "off", thpFile: "never",
		cpuDir + "cpufreq/policy7/scaling_governor": "performance", "proc/irq/41/smp_affinity_list": "3,7"} {
		if got := read(file); got != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
	pending, err := Pending(sys)
	if err != nil || len(pending) != len(before) {
		t.Errorf("%d pending, %v, want %d", len(pending), err, len(before))
	}
	restored, err := Restore(sys)
	if err != nil {
		t.Fatal(err)
	}
	if first, last := restored[0].Key, restored[len(restored)-1].Key; first != "irq_affinity" || last != "net.core.rmem_max" {
		t.Errorf("restored from %s to %s, want the reverse order", first, last)
	}
	for file, want := range before {
		if got := read(file); got != want {
			t.Errorf("%s is %q after restore, want %q", file, got, want)
		}
	}
	if _, err := os.Stat(journalOf(sys)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal is still there: %v", err)
	}
	if again, err := Restore(sys); err != nil || len(again) != 0 {
		t.Errorf("a second restore did %v, %v", again, err)
	}
}

func TestFailureRollsBack(t *testing.T) {
	cases := []struct {
		name string
		put  func(path, text string) error
		want string
	}{
		{"refused", func(path, _ string) error {
			return &os.PathError{Op: "write", Path: path, Err: syscall.EINVAL}
		}, `setting vm.swappiness to "10" (was "60"): the kernel refuses this value`},
		{"clamped", func(path, _ string) error { return os.WriteFile(path, []byte("20"), 0o644) },
			`the kernel made it "20"`},
		{"not permitted", func(path, _ string) error {
			return &os.PathError{Op: "open", Path: path, Err: syscall.EACCES}
		}, "not permitted, this needs root"},
	}
	for _, c := range cases {
		sys, read := bench(t)
		failing := true
		sys.put = func(path, text string) error {
			if failing && strings.HasSuffix(path, "vm/swappiness") {
				failing = c.name != "clamped"
				return c.put(path, text)
			}
			return os.WriteFile(path, []byte(text), 0o644)
		}
		_, err := Apply(sys, "run-1", fiveKnobs())
		var notTuned *NotTuned
		if !errors.As(err, &notTuned) || notTuned.ExitCode() != 4 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
		if read(rmem) != "212992" || read(wmem) != "212992" || read("proc/sys/vm/swappiness") != "60" || read(noTurboFile) != "0" {
			t.Errorf("%s: not all is back: %s %s %s", c.name, read(rmem), read(wmem), read("proc/sys/vm/swappiness"))
		}
		if pending, err := Pending(sys); err != nil || len(pending) != 0 {
			t.Errorf("%s: pending %v, %v", c.name, pending, err)
		}
	}
}

func TestRollBackThatFailsStaysInTheJournal(t *testing.T) {
	sys, read := bench(t)
	broken := false
	sys.put = func(path, text string) error {
		if broken || strings.HasSuffix(path, wmem) {
			broken = true
			return syscall.EIO
		}
		return os.WriteFile(path, []byte(text), 0o644)
	}
	if _, err := Apply(sys, "run-1", fiveKnobs()); err == nil || !strings.Contains(err.Error(), "putting net.core.rmem_max back") {
		t.Errorf("error %v", err)
	}
	if read(rmem) != "8388608" {
		t.Fatalf("rmem_max is %s", read(rmem))
	}
	sys.put = nil
	outcomes, err := Restore(sys)
	if err != nil || read(rmem) != "212992" {
		t.Errorf("%s, %v, rmem_max %s", states(outcomes), err, read(rmem))
	}
}

func TestSomebodyElsesChangesAreLeftAlone(t *testing.T) {
	sys, read := bench(t)
	if _, err := Apply(sys, "run-1", fiveKnobs()[:3]); err != nil {
		t.Fatal(err)
	}
	put(t, sys, wmem, "16777216\n")
	put(t, sys, "proc/sys/vm/swappiness", "60\n") // put back by hand
	outcomes, err := Restore(sys)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := states(outcomes), "vm.swappiness=restored net.core.wmem_max=foreign net.core.rmem_max=restored"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if want := `somebody made it "16777216" after the lab made it "8388608"; left alone, it was "212992" before`; outcomes[1].Text != want {
		t.Errorf("%s, want %s", outcomes[1].Text, want)
	}
	if read(wmem) != "16777216" {
		t.Errorf("wmem_max is %s", read(wmem))
	}
}

func TestReboot(t *testing.T) {
	sys, read := bench(t)
	if _, err := Apply(sys, "run-1", fiveKnobs()[:1]); err != nil {
		t.Fatal(err)
	}
	put(t, sys, "proc/sys/kernel/random/boot_id", "another\n")
	put(t, sys, rmem, "131072\n")
	outcomes, err := Apply(sys, "run-2", fiveKnobs()[1:2]) // takes over after a reboot
	if got, want := states(outcomes), "net.core.rmem_max=reset net.core.wmem_max=applied"; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if _, err := Restore(sys); err != nil || read(rmem) != "131072" || read(wmem) != "212992" {
		t.Errorf("%v, rmem_max %s, wmem_max %s", err, read(rmem), read(wmem))
	}
}

func TestFileThatIsGone(t *testing.T) {
	sys, _ := bench(t)
	if _, err := Apply(sys, "run-1", fiveKnobs()[4:]); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(sys.Root, cpuDir, "cpufreq/policy7")); err != nil {
		t.Fatal(err)
	}
	outcomes, err := Restore(sys)
	if err != nil || outcomes[0].State != Reset || outcomes[1].State != Restored {
		t.Errorf("%s, %v", states(outcomes), err)
	}
}

func TestTunedAlready(t *testing.T) {
	sys, _ := bench(t)
	if _, err := Apply(sys, "run-1", fiveKnobs()[:1]); err != nil {
		t.Fatal(err)
	}
	_, err := Apply(sys, "run-2", fiveKnobs()[1:2])
	var tuned *Tuned
	if !errors.As(err, &tuned) || tuned.Owner != "run-1" {
		t.Errorf("error %v", err)
	}
}

func TestKnobsThatAreNotThere(t *testing.T) {
	sys, _ := benchAt(t, grow(t, smallTree()))
	outcomes, err := Apply(sys, "run-1", []Knob{{Key: "governor", Value: "performance"}, {Key: "turbo", Value: "off"},
		{Key: "smt", Value: "off"}, {Key: "thp", Value: "never"}})
	if err != nil || strings.Count(states(outcomes), NotApplicable) != 4 {
		t.Errorf("%s, %v", states(outcomes), err)
	}
	for want, k := range map[string]Knob{
		"has no file /proc/sys/vm/swappiness": {Key: "vm.swappiness", Value: "10"},
		`no interface "eth9"`:                 {Key: "irq_affinity", Value: "0", Interface: "eth9"},
	} {
		if _, err := Apply(sys, "run-1", []Knob{k}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", k.Key, err, want)
		}
	}
}

func TestKnobsThatAreRefused(t *testing.T) {
	sys, _ := bench(t)
	cases := []struct {
		knob Knob
		want string
	}{
		{Knob{Key: "kernel.core_pattern", Value: "x"}, "not among the sysctls"},
		{Knob{Key: "net/core/rmem_max", Value: "1"}, "is unknown"},
		{Knob{Key: "net.core/../x", Value: "1"}, "is no sysctl key"},
		{Knob{Key: "net.core.rmem_max", Value: "1\n2"}, "allowed are whole numbers"},
		{Knob{Key: "net.core.rmem_max", Value: ""}, "allowed are whole numbers"},
		{Knob{Key: "kernel.sem", Value: "1"}, "move it to container_sysctls"},
		{Knob{Key: "turbo", Value: "max"}, "allowed are on, off"},
		{Knob{Key: "governor", Value: "../x"}, "no governor's name"},
		{Knob{Key: "governor", Value: "schedutil"}, "allowed are performance, powersave"},
		{Knob{Key: "irq_affinity", Value: "0", Interface: "../x"}, "no interface's name"},
		{Knob{Key: "irq_affinity", Value: "x", Interface: "sfn0"}, "not a processor number"},
		{Knob{Key: "colour", Value: "1"}, "is unknown"},
	}
	for _, c := range cases {
		if _, err := Apply(sys, "run-1", []Knob{c.knob}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %s", c.knob, err, c.want)
		}
	}
	put(t, sys, "proc/sys/vm/dirty_bytes", "4096\n")
	if _, err := Apply(sys, "run-1", []Knob{{Key: "vm.dirty_ratio", Value: "40"}}); err == nil || !strings.Contains(err.Error(), "vm.dirty_bytes = 4096 is in force") {
		t.Errorf("dirty_ratio: %v", err)
	}
	if _, err := Apply(sys, "evil\nowner", nil); err == nil {
		t.Error("an owner with a line break was taken")
	}
	if pending, err := Pending(sys); err != nil || len(pending) != 0 {
		t.Errorf("pending %v, %v", pending, err)
	}
}

func TestUnchangedIsNotJournalled(t *testing.T) {
	sys, _ := bench(t)
	outcomes, err := Apply(sys, "run-1", []Knob{{Key: "net.ipv4.tcp_rmem", Value: "4096  87380 6291456"}})
	if err != nil || states(outcomes) != "net.ipv4.tcp_rmem=unchanged" {
		t.Errorf("%s, %v", states(outcomes), err)
	}
	if pending, err := Pending(sys); err != nil || len(pending) != 0 {
		t.Errorf("pending %v, %v", pending, err)
	}
}

// Interrupts go to the processors that no role uses, of the card that the link
// is on; where there are none, or no such card, the profile is told.
func TestSpareInterrupts(t *testing.T) {
	facts := gather(t, xeonTree(), Source{})
	for what, c := range map[string]struct {
		db, card, want string
	}{
		"two cores are spare": {"{host: a, cores: 2}", "", "2-3,6-7 of sfn0"},
		"no core is spare":    {"{host: a, part: all}", "", "no processor is spare, the roles use all 8"},
		"the card is unknown": {"{host: a, cores: 2}", "eth9", "the link's card is not known"},
	} {
		text := strings.Replace(pairPlain, "{host: a, part: all}", c.db, 1)
		text = strings.Replace(text, "  - name: a\n", "  - name: a\n    tune: {irq_affinity: spare}\n", 1)
		p, err := Read("p.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p.Hosts[0].Interface = c.card
		all := map[string]Facts{"a": facts, "b": box(2, 1, 1)}
		placement, err := Resolve(p, all, ResolveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if knobs, err := p.KnobsFor("a", placement, facts); err != nil {
			got = err.Error()
		} else {
			got = knobs[0].Value + " of " + knobs[0].Interface
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}
