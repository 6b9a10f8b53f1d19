package hosts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseCPUSet(t *testing.T) {
	cases := []struct{ text, want, fault string }{
		{text: "0", want: "0"},
		{text: "0-3,8", want: "0-3,8"},
		{text: " 3, 1 ,2 ", want: "1-3"},
		{text: "0-2,1-4", want: "0-4"},
		{text: "7,7,7", want: "7"},
		{text: "8191", want: "8191"},
		{text: "", fault: "is empty"},
		{text: "  ", fault: "is empty"},
		{text: "0,", fault: "not a processor"},
		{text: "3-1", fault: "runs backwards"},
		{text: "-1", fault: "not a processor"},
		{text: "1--2", fault: "not a processor"},
		{text: "+1", fault: "not a processor"},
		{text: "0x1", fault: "not a processor"},
		{text: "8192", fault: "above 8191"},
		{text: "0-99999999999999999999", fault: "above 8191"},
		{text: "١", fault: "not a processor"},
		{text: "0\n1", fault: "not a processor"},
	}
	for _, c := range cases {
		set, err := ParseCPUSet(c.text)
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%q: %v", c.text, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%q: error %v, want %q", c.text, err, c.fault)
		case set.String() != c.want:
			t.Errorf("%q: %q, want %q", c.text, set, c.want)
		}
	}
}

func TestCPUSetAlgebra(t *testing.T) {
	a, b := CPUSet{0, 1, 2, 5}, CPUSet{2, 5, 9}
	if diff := cmp.Diff([]CPUSet{{2, 5}, {0, 1}, {0, 1, 2, 5, 9}},
		[]CPUSet{a.Intersect(b), a.Minus(b), a.Union(b)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzParseCPUSet(f *testing.F) {
	for _, seed := range []string{"0-3,8", "", "1,1", "3-1", "0-8191", ",", "0-8191,0-8191"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := ParseCPUSet(text)
		if err != nil {
			return
		}
		again, err := ParseCPUSet(set.String())
		if err != nil {
			t.Fatalf("%q became %q, which is refused: %v", text, set, err)
		}
		if diff := cmp.Diff(set, again); diff != "" || len(set) == 0 {
			t.Fatalf("%q does not come back (-want +got):\n%s", text, diff)
		}
	})
}

func TestParseBytes(t *testing.T) {
	cases := []struct {
		text string
		want int64 // 0 is refused
	}{
		{"14GiB", 14 << 30}, {"1.5GiB", 3 << 29}, {"512 MiB", 512 << 20}, {"1B", 1}, {"64TiB", 64 << 40},
		{"14", 0}, {"14GB", 0}, {"GiB", 0}, {"-1GiB", 0}, {"1e3GiB", 0}, {"NaNGiB", 0}, {"65TiB", 0},
		{"0GiB", 0}, {"InfGiB", 0}, {"", 0}, {"1GiBGiB", 0},
	}
	for _, c := range cases {
		got, err := ParseBytes(c.text)
		if got != c.want || (err == nil) != (c.want != 0) {
			t.Errorf("%q: %d, %v, want %d", c.text, got, err, c.want)
		}
	}
}
