package sleep

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		params map[string]string
		want   time.Duration
		fails  bool
	}{
		{nil, time.Millisecond, false},
		{map[string]string{"duration": "10ms"}, 10 * time.Millisecond, false},
		{map[string]string{"duration": "0s"}, 0, false},
		{map[string]string{"duration": "10"}, 0, true},
		{map[string]string{"duration": "-1ms"}, 0, true},
	} {
		got, err := Duration(c.params)
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("Duration(%v) = %v, %v", c.params, got, err)
		}
	}
}
