package hosts

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestServeKnobs(t *testing.T) {
	sys, read := bench(t)
	ask := func(request string) KnobReport {
		t.Helper()
		var out bytes.Buffer
		if err := ServeKnobs(sys, strings.NewReader(request), &out); err != nil {
			t.Fatal(err)
		}
		var report KnobReport
		if err := json.Unmarshal(out.Bytes(), &report); err != nil {
			t.Fatalf("answer %q: %v", out.String(), err)
		}
		return report
	}
	apply := `{"action":"apply","owner":"run-1","knobs":[{"key":"net.core.rmem_max","value":"8388608"}]}`
	if r := ask(apply); r.Error != "" || states(r.Outcomes) != "net.core.rmem_max=applied" || read(rmem) != "8388608" {
		t.Errorf("apply: %+v", r)
	}
	if r := ask(apply); !strings.Contains(r.Error, `tuned for "run-1"`) || len(r.Hints) != 1 {
		t.Errorf("second apply: %+v", r)
	}
	if r := ask(`{"action":"show"}`); len(r.Pending) != 1 || r.Pending[0].Owner != "run-1" {
		t.Errorf("show: %+v", r)
	}
	if r := ask(`{"action":"restore","owner":"run-2"}`); r.Error != "" || len(r.Outcomes) != 0 || read(rmem) != "8388608" {
		t.Errorf("restore of what is somebody else's: %+v", r)
	}
	if r := ask(`{"action":"restore"}`); r.Error != "" || states(r.Outcomes) != "net.core.rmem_max=restored" {
		t.Errorf("restore: %+v", r)
	}
	for request, want := range map[string]string{
		"":                                    "reading the request",
		"{":                                   "reading the request",
		`{"action":"format"}`:                 "is unknown, allowed are apply, restore and show",
		`{"action":"show","shell":"x"}`:       "unknown field",
		`{"action":"show"}{"action":"apply"}`: "more than one object",
		`{"action":"apply","owner":"o","knobs":[{"key":"kernel.core_pattern","value":"x"}]}`: "not among the sysctls",
		strings.Repeat(" ", maxRequest+1): "longer than 64 KiB",
	} {
		if r := ask(request); !strings.Contains(r.Error, want) {
			t.Errorf("%.40q: %q, want %q", request, r.Error, want)
		}
	}
}

func FuzzReadRequest(f *testing.F) {
	f.Add(`{"action":"apply","owner":"o","knobs":[{"key":"vm.swappiness","value":"1"}]}`)
	f.Add(`{}`)
	f.Fuzz(func(t *testing.T, text string) {
		request, err := readRequest(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, k := range request.Knobs {
			if k.Check() == nil && strings.ContainsAny(k.Key+k.Value+k.Interface, "\n/") {
				t.Fatalf("%+v passes", k)
			}
		}
	})
}
