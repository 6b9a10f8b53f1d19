package hosts

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// TestRealSysctls sets net.core.rmem_max and wmem_max of this very host and
// puts them back.
func TestRealSysctls(t *testing.T) {
	if os.Getenv("BENCHLAB_DOCKER") != "1" {
		t.Skip("changes this host's sysctls for a moment; set BENCHLAB_DOCKER=1 to allow it")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	sys := System{State: t.TempDir() + "/state", Now: time.Now}
	host := tree{root: "/"}
	var knobs []Knob
	before := map[string]string{}
	for _, key := range []string{"net.core.rmem_max", "net.core.wmem_max"} {
		text, ok := host.read(sysctlFile(key))
		n, err := strconv.Atoi(text)
		if !ok || err != nil {
			t.Skipf("this host does not show %s", key)
		}
		if f, err := os.OpenFile(host.path(sysctlFile(key)), os.O_WRONLY, 0); err != nil {
			t.Skipf("this host does not allow %s to be set: %v", key, err)
		} else {
			f.Close()
		}
		before[key] = text
		knobs = append(knobs, Knob{Key: key, Value: strconv.Itoa(n + 4096)})
	}
	t.Cleanup(func() {
		if _, err := Restore(sys); err != nil {
			t.Error(err)
		}
	})
	if _, err := Apply(sys, "real-test", knobs); err != nil {
		t.Fatal(err)
	}
	for _, k := range knobs {
		if got, _ := host.read(sysctlFile(k.Key)); got != k.Value {
			t.Errorf("%s is %s, want %s", k.Key, got, k.Value)
		}
	}
	if _, err := Restore(sys); err != nil {
		t.Fatal(err)
	}
	bad := []Knob{knobs[0], {Key: "net.core.wmem_max", Value: "-1"}}
	if _, err := Apply(sys, "real-test", bad); err == nil {
		t.Error("the kernel took wmem_max = -1")
	}
	for key, want := range before {
		if got, _ := host.read(sysctlFile(key)); got != want {
			t.Errorf("%s is %s, want %s again", key, got, want)
		}
	}
}
