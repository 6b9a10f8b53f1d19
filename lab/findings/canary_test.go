package findings

import (
	"math"
	"strings"
	"testing"
)

func TestCanaries(t *testing.T) {
	even := func() map[int]map[string]float64 {
		return map[int]map[string]float64{
			1: {"spin_p50_us": 100, "fsync_p50_us": 1000},
			2: {"spin_p50_us": 102, "fsync_p50_us": 1090},
			3: {"spin_p50_us": 99, "fsync_p50_us": 950},
			4: {"spin_p50_us": 100, "fsync_p50_us": 1010},
		}
	}
	for _, tt := range []struct {
		name   string
		change func(map[int]map[string]float64)
		blocks []int
		text   string
	}{
		{"alike", func(map[int]map[string]float64) {}, nil, ""},
		{"3.1 % slower", func(b map[int]map[string]float64) { b[3]["spin_p50_us"] = 104.3 }, []int{3}, "spin_p50_us +3.3 %"},
		{"4 % faster", func(b map[int]map[string]float64) { b[1]["spin_p50_us"] = 95 }, []int{1}, "spin_p50_us -4.5 %"},
		{"flushes 12 % slower", func(b map[int]map[string]float64) { b[2]["fsync_p50_us"] = 1130 }, []int{2}, "fsync_p50_us"},
		{"not a number", func(b map[int]map[string]float64) { b[2]["spin_p50_us"] = math.NaN() }, nil, ""},
		{"too few blocks", func(b map[int]map[string]float64) { delete(b, 3); delete(b, 4); b[1]["spin_p50_us"] = 500 }, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			blocks := even()
			tt.change(blocks)
			var got []int
			for _, f := range Canaries(blocks) {
				got = append(got, f.Block)
				if f.Code != CanaryOff || !strings.Contains(f.Text, tt.text) {
					t.Errorf("found %+v, want %q in its text", f, tt.text)
				}
			}
			if len(got) != len(tt.blocks) || len(got) > 0 && got[0] != tt.blocks[0] {
				t.Errorf("blocks %v, want %v", got, tt.blocks)
			}
		})
	}
}
