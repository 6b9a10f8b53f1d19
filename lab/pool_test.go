package lab_test

import (
	"testing"

	"benchlab/lab"
)

func TestPoolSize(t *testing.T) {
	for setting, want := range map[string]int{"": 64, "connections": 64, "16": 16, "64": 64, "100": 64, "0": 64, "-3": 64, "x": 64} {
		c := lab.Contender{Settings: map[string]string{"pool": setting}}
		if got := c.PoolSize(64); got != want {
			t.Errorf("pool %q of 64 sessions has %d connections, want %d", setting, got, want)
		}
	}
}
