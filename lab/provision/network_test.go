package provision

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		connections, hosts int
		want               []int
	}{
		{10, 1, []int{10}}, {10, 2, []int{5, 5}}, {11, 2, []int{6, 5}}, {1000, 3, []int{334, 333, 333}},
		{2, 3, []int{1, 1}}, {1, 4, []int{1}}, {0, 2, []int{0}},
	} {
		if d := cmp.Diff(c.want, split(c.connections, c.hosts)); d != "" {
			t.Errorf("%d over %d (-want +got):\n%s", c.connections, c.hosts, d)
		}
	}
}

func TestNetworks(t *testing.T) {
	sysctls := map[string]string{"net.core.somaxconn": "8192", "kernel.sem": "1 2 3 4"}
	one, pair := Options{}, Options{Link: "10.0.0.2"}
	got := []any{one.serverNetwork(), one.agentNetwork("abc"), one.Address(), one.inside(sysctls),
		pair.serverNetwork(), pair.agentNetwork("abc"), pair.Address(), pair.inside(sysctls)}
	want := []any{"none", "container:abc", "127.0.0.1", sysctls,
		"host", "host", "10.0.0.2", map[string]string{"kernel.sem": "1 2 3 4"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	beds := Testbeds{Options: Options{DB: Seat{CPUs: "0"}}, Loads: []Seat{{CPUs: "1"}}}
	if beds.filler().CPUs != "1" {
		t.Error("on one host the tables are filled from the load's processors")
	}
	beds.Link = "10.0.0.2"
	if beds.filler().CPUs != "0" {
		t.Error("on a pair the tables are filled beside the server")
	}
}
