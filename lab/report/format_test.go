package report

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab/record"
)

func TestDigits(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 24310.4: "24,310", 999.6: "1,000", 999.4: "999", 12.345: "12.3", 9.996: "10.0", 99.96: "100",
		0.04561: "0.0456", 0.0009996: "0.00100", 1: "1.00", 1234567: "1,234,567", 1e18: "1e+18",
		math.Inf(1): "-", -12.34: "-12.3",
	} {
		if got := digits(x); got != want {
			t.Errorf("digits(%v) = %q, want %q", x, got, want)
		}
	}
	if got := digits(math.NaN()); got != "-" {
		t.Errorf("digits(NaN) = %q", got)
	}
}

func TestSignedAndPercent(t *testing.T) {
	for x, want := range map[float64]string{-0.1234: "-12.3 %", 0.00001: "0.0 %", -0.00001: "0.0 %", 0.05: "+5.0 %", 12: "+1200 %"} {
		if got := signed(x); got != want {
			t.Errorf("signed(%v) = %q, want %q", x, got, want)
		}
	}
	if got := percent(0.0123, 1) + percent(math.NaN(), 1); got != "1.2 %-" {
		t.Errorf("percent: %q", got)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestMarkdownEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"a|b":              `a\|b`,
		"line\nbreak\r\n":  "line break",
		"`code`":           "\\`code\\`",
		"<b>&":             "&lt;b&gt;&amp;",
		"[x](y)":           `\[x\](y)`,
		"shared_buffers":   "shared_buffers",
		"_x_ __y":          `\_x\_ \__y`,
		"a\x1b[31mb":       `a\[31mb`,
		"\u202Eevil\u202C": "evil",
		"bad \xff byte":    "bad \uFFFD byte",
	} {
		if got := markdown(in); got != want {
			t.Errorf("markdown(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDefuse(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "+x": "'+x", "-x": "'-x", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx", "x=1": "x=1", "": "",
	} {
		if got := defuse(in); got != want {
			t.Errorf("defuse(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	if got := short(strings.Repeat("é", 300), 10); got != strings.Repeat("é", 9)+"…" {
		t.Errorf("short: %q", got)
	}
}

func TestSharing(t *testing.T) {
	role := func(host, cpus string) record.Role { return record.Role{Host: host, CPUs: cpus} }
	for name, c := range map[string]struct {
		roles map[string]record.Role
		want  string
	}{
		"apart":       {map[string]record.Role{"db": role("a", "0-1"), "load": role("a", "2,3")}, ""},
		"two of them": {map[string]record.Role{"db": role("a", "0"), "app": role("a", "1-3"), "load": role("a", "3")}, "app and load share cores"},
		"all":         {map[string]record.Role{"db": role("a", "0"), "app": role("a", ""), "load": role("a", "0")}, "app, db and load share cores"},
		"two hosts":   {map[string]record.Role{"db": role("a", "0"), "load": role("b", "0")}, ""},
		"unreadable":  {map[string]record.Role{"db": role("a", "x"), "load": role("a", "0-")}, ""},
	} {
		if got := sharing(c.roles); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestBound(t *testing.T) {
	with := func(codes ...string) *Cell {
		c := &Cell{}
		c.Summary.N = 1
		for _, code := range codes {
			c.Findings = append(c.Findings, Finding{})
			c.Findings[len(c.Findings)-1].Code = code
		}
		return c
	}
	b, n := with("client-bound"), with()
	for want, rows := range map[string][][]*Cell{
		"":                   {{n, n}, {n, n}},
		"client-bound":       {{b, b}, {b, b}},
		"client-bound at 10": {{b, n}, {b, n}},
		"client-bound at 10, 1,000 (1 of 2 cells)": {{b, b}, {b, n}},
		"client-bound at 10 (1 of 2 cells)":        {{b, n}, {n, n}},
	} {
		table := &Table{Columns: []int{10, 1000}}
		for _, cells := range rows {
			table.Rows = append(table.Rows, &Row{Cells: cells})
		}
		if got := bound(table, "client-bound"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNoteIsBrief(t *testing.T) {
	var n Note
	for _, c := range []string{"a", "b"} {
		for _, at := range []string{"10", "100", "1,000"} {
			n.Cells = append(n.Cells, NoteCell{Server: "s", Contender: c, At: at, Text: "text"})
		}
	}
	want := []string{"s, a at 10: text", "s, a at 100: text", "likewise s, a at 1,000; s, b at 10, 100 and 1,000"}
	if diff := cmp.Diff(want, n.brief(2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := len(n.brief(5)); got != 6 {
		t.Errorf("%d lines: one more costs no more than saying that there is one", got)
	}
}

func TestBenchWord(t *testing.T) {
	for in, want := range map[string]string{
		"postgres-18 shared_buffers=4GB": "postgres-18_shared_buffers_4GB", "": "_", "a/b": "a_b", "pgx@v5.12.0": "pgx@v5.12.0",
	} {
		if got := benchWord(in); got != want {
			t.Errorf("benchWord(%q) = %q, want %q", in, got, want)
		}
	}
}
