package hosts

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJournalIsOnDiskBeforeTheChange(t *testing.T) {
	sys, _ := bench(t)
	sys.put = func(path, text string) error {
		if !strings.HasSuffix(path, rmem) {
			return os.WriteFile(path, []byte(text), 0o644)
		}
		data, err := os.ReadFile(journalOf(sys))
		if err != nil {
			t.Error(err)
		}
		var e Entry
		if err := json.Unmarshal([]byte(strings.TrimSpace(string(data))), &e); err != nil {
			t.Errorf("journal %q: %v", data, err)
		}
		want := Entry{Seq: 1, Key: "net.core.rmem_max", File: rmem, Saved: "212992", New: "8388608",
			Boot: bootHash(sys.tree()), Owner: "run-1", Time: e.Time, State: Intended}
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("entry (-want +got):\n%s", diff)
		}
		info, err := os.Stat(journalOf(sys))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("journal mode %v, %v", info.Mode(), err)
		}
		return os.WriteFile(path, []byte(text), 0o644)
	}
	if _, err := Apply(sys, "run-1", fiveKnobs()[:1]); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(sys.State); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder %v, %v", info.Mode(), err)
	}
}

func TestCrashBetweenJournalAndChange(t *testing.T) {
	for _, done := range []bool{false, true} {
		sys, read := bench(t)
		sys.put = func(path, text string) error {
			if done {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					return err
				}
			}
			panic("power cut")
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = Apply(sys, "run-1", fiveKnobs()[:1])
		}()
		sys.put = nil
		outcomes, err := Restore(sys)
		if err != nil || states(outcomes) != "net.core.rmem_max=restored" || read(rmem) != "212992" {
			t.Errorf("change made %v: %s, %v, rmem_max %s", done, states(outcomes), err, read(rmem))
		}
	}
}

func TestBadJournals(t *testing.T) {
	entry := func(change func(*Entry)) string {
		e := Entry{Seq: 1, Key: "net.core.rmem_max", File: rmem, Saved: "1", New: "2", Boot: "b", Owner: "o", State: Intended}
		change(&e)
		line, _ := json.Marshal(e)
		return string(line) + "\n"
	}
	good := entry(func(*Entry) {})
	cases := []struct{ name, text, want string }{
		{"garbage", good + "garbage\n", "knobs.jsonl:2 is damaged: not an entry"},
		{"unknown field", `{"seq":1,"evil":1}` + "\n", ":1 is damaged: not an entry"},
		{"other file", entry(func(e *Entry) { e.File = "etc/passwd" }), "names a file that no knob has"},
		{"dots", entry(func(e *Entry) { e.File = "proc/sys/net/core/../../../x" }), "names a file that no knob has"},
		{"governor elsewhere", entry(func(e *Entry) { e.Key, e.File = "governor", cpuDir+"cpufreq/policy0/../../x" }), "no knob has"},
		{"line is missing", entry(func(e *Entry) { e.Seq = 2 }), "entries are missing"},
		{"end without beginning", entry(func(e *Entry) { e.State = Restored }), "entries are missing"},
		{"unknown state", good + entry(func(e *Entry) { e.State = "gone" }), "unknown state"},
		{"too long", strings.Repeat("x", maxJournal+1), "longer than 8 MiB"},
	}
	root := grow(t, knobTree())
	for _, c := range cases {
		sys, _ := benchAt(t, root)
		write(t, sys, c.text, 0o600)
		for name, call := range map[string]func() error{
			"apply":   func() error { _, err := Apply(sys, "run-1", fiveKnobs()[:1]); return err },
			"restore": func() error { _, err := Restore(sys); return err },
		} {
			err := call()
			var damaged *DamagedJournal
			if !errors.As(err, &damaged) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: error %v, want %s", c.name, name, err, c.want)
			}
		}
		if data, err := os.ReadFile(journalOf(sys)); err != nil || string(data) != c.text {
			t.Errorf("%s: the damaged journal was changed, %v", c.name, err)
		}
	}
}

func write(t testing.TB, sys System, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(sys.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journalOf(sys), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestTornLastLineIsAChangeThatWasNotMade(t *testing.T) {
	sys, read := bench(t)
	if _, err := Apply(sys, "run-1", fiveKnobs()[:1]); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(journalOf(sys))
	if err != nil {
		t.Fatal(err)
	}
	write(t, sys, string(data)+`{"seq":2,"key":"net.core`, 0o600)
	outcomes, err := Restore(sys)
	if err != nil || states(outcomes) != "net.core.rmem_max=restored" || read(rmem) != "212992" {
		t.Errorf("%s, %v", states(outcomes), err)
	}
}

func TestJournalsOfOthers(t *testing.T) {
	cases := []struct {
		name string
		make func(t *testing.T, sys *System)
		want string
	}{
		{"another user", func(t *testing.T, sys *System) { write(t, *sys, "", 0o600); sys.UID++ }, "belongs to user"},
		{"open file", func(t *testing.T, sys *System) { write(t, *sys, "", 0o644) }, "is open to others (mode 0644)"},
		{"open folder", func(t *testing.T, sys *System) {
			if err := os.Mkdir(sys.State, 0o755); err != nil {
				t.Fatal(err)
			}
		}, "is open to others (mode 0755)"},
		{"link", func(t *testing.T, sys *System) {
			write(t, *sys, "", 0o600)
			other := filepath.Join(t.TempDir(), "x")
			if err := errors.Join(os.Rename(journalOf(*sys), other), os.Symlink(other, journalOf(*sys))); err != nil {
				t.Fatal(err)
			}
		}, "is a symbolic link"},
		{"linked folder", func(t *testing.T, sys *System) {
			if err := os.Symlink(t.TempDir(), sys.State); err != nil {
				t.Fatal(err)
			}
		}, "is no folder"},
	}
	root := grow(t, knobTree())
	for _, c := range cases {
		sys, read := benchAt(t, root)
		c.make(t, &sys)
		if _, err := Apply(sys, "run-1", fiveKnobs()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
		if read(rmem) != "212992" {
			t.Errorf("%s: rmem_max was changed", c.name)
		}
	}
}

func TestOneAtATime(t *testing.T) {
	sys, _ := bench(t)
	j, err := openJournal(sys.State, sys.UID)
	if err != nil {
		t.Fatal(err)
	}
	defer j.release()
	if _, err := Apply(sys, "run-2", fiveKnobs()); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("error %v", err)
	}
}

func TestStateDir(t *testing.T) {
	env := func(values map[string]string) func(string) string {
		return func(name string) string { return values[name] }
	}
	got := []string{
		StateDir(0, env(map[string]string{"XDG_STATE_HOME": "/x"})),
		StateDir(5, env(map[string]string{"XDG_STATE_HOME": "/x"})),
		StateDir(5, env(map[string]string{"XDG_STATE_HOME": "x", "HOME": "/h"})),
	}
	if diff := cmp.Diff([]string{"/var/lib/benchlab", "/x/benchlab", "/h/.local/state/benchlab"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzJournal(f *testing.F) {
	f.Add("")
	f.Add("{}\n")
	f.Add(fmt.Sprintf(`{"seq":1,"key":"net.core.rmem_max","file":%q,"saved":"1","new":"212992","boot_hash":"x","owner":"o","time":"2026-01-02T03:04:05Z","state":"intended"}`+"\n", rmem))
	root := grow(f, knobTree())
	f.Fuzz(func(t *testing.T, text string) {
		sys, _ := benchAt(t, root)
		sys.put = func(path, _ string) error {
			if !strings.HasPrefix(path, root+"/proc/") && !strings.HasPrefix(path, root+"/sys/") || strings.Contains(path, "..") {
				t.Fatalf("a journal made the lab write to %q", path)
			}
			return nil
		}
		write(t, sys, text, 0o600)
		_, _ = Restore(sys)
	})
}
