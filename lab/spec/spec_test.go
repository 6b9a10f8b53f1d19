package spec_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab/spec"
)

const schemaText = `{
  "type": "object", "additionalProperties": false, "required": ["name"],
  "properties": {
    "name": {"type": "string"},
    "rows": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "description": "How many rows."},
    "design": {"enum": ["sliced", "alternated", "none"]},
    "window": {"type": "string", "format": "duration 10ms to 10m"},
    "connections": {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"type": "integer", "minimum": 1, "maximum": 10000}},
    "first": {"$ref": "#/$defs/size", "description": "One."}, "second": {"$ref": "#/$defs/size"},
    "servers": {"type": "array", "items": {"type": "object", "additionalProperties": false,
      "properties": {"server": {"type": "string"}, "version": {"type": "string"},
        "settings": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}}}}
  },
  "$defs": {"size": {"type": "object", "properties": {"blocks": {"type": "integer"}}}}
}`

type document struct {
	Name        string        `json:"name"`
	Rows        int           `json:"rows"`
	Design      string        `json:"design"`
	Window      spec.Duration `json:"window"`
	Connections []int         `json:"connections"`
	Servers     []struct {
		Server   string                 `json:"server"`
		Version  string                 `json:"version"`
		Settings map[string]spec.Scalar `json:"settings"`
	} `json:"servers"`
}

func schema(t testing.TB) *spec.Schema {
	t.Helper()
	s, err := spec.NewSchema("test", []byte(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadFillsTheValue(t *testing.T) {
	const text = `
name: "18.10" # comment
rows: 10
window: 1.5s
connections: [10, 100]
servers:
  - server: postgres
    version: "18"
    settings: {shared_buffers: 4GB, jit: off, work_mem: 64, random_page_cost: 1.10, fsync: true}
`
	var got document
	src, err := spec.Read("a.yaml", []byte(text), schema(t), &got)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]spec.Scalar{"shared_buffers": "4GB", "jit": "off", "work_mem": "64",
		"random_page_cost": "1.10", "fsync": "true"}
	if got.Name != "18.10" || time.Duration(got.Window) != 1500*time.Millisecond || len(got.Connections) != 2 {
		t.Errorf("read %+v", got)
	}
	if diff := cmp.Diff(settings, got.Servers[0].Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	p := src.Problem(`"18"`, "is unknown", "", "servers", 0, "version")
	if want := `a.yaml:8:14: servers[0].version: "18" is unknown`; p.Error() != want {
		t.Errorf("problem %q, want %q", p.Error(), want)
	}
	p = src.Problem("", "is unknown", "", "servers", 0, "durability")
	if want := `a.yaml:7:5: servers[0]: is unknown`; p.Error() != want {
		t.Errorf("problem of a missing key %q, want %q", p.Error(), want)
	}
}

func TestReadReportsEveryProblem(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		hints      []string
	}{
		{name: "empty", text: "", want: []string{`f:1:1: is empty`}},
		{name: "only comment", text: "# nothing\n", want: []string{`f:1:1: is empty`}},
		{name: "unquoted version",
			text:  "name: x\nservers:\n  - version: 18.10\n",
			want:  []string{`f:3:14: servers[0].version: 18.10 is a number, allowed are text`},
			hints: []string{`write it in quotes: "18.10"`}},
		{name: "misspelt key",
			text:  "name: x\nservers:\n  - verison: \"18\"\n",
			want:  []string{`f:3:5: servers[0]: "verison" is no key here, allowed are server, settings or version`},
			hints: []string{`did you mean "version"?`}},
		{name: "duplicate", text: "name: x\nname: y\n", want: []string{`f:2:1: name: is a duplicate key, first at line 1`}},
		{name: "duplicate in flow", text: "name: x\nservers: [{server: a, server: b}]\n",
			want: []string{`f:2:23: servers[0].server: is a duplicate key, first at line 2`}},
		{name: "missing", text: "rows: 1\n", want: []string{`f:1:1: "name" is missing`}},
		{name: "several at once",
			text: "name: x\nrows: 0\nconnections: [10, 0, 20000, -1]\nwindow: 10\ndesign: slicd\n",
			want: []string{
				`f:2:7: rows: 0 is out of range, allowed are whole numbers of 1 to 100`,
				`f:3:19: connections[1]: 0 is out of range, allowed are whole numbers of 1 to 10000`,
				`f:3:22: connections[2]: 20000 is out of range, allowed are whole numbers of 1 to 10000`,
				`f:3:29: connections[3]: -1 is out of range, allowed are whole numbers of 1 to 10000`,
				`f:4:9: window: 10 is a number, allowed are times of 10ms to 10m`,
				`f:5:9: design: "slicd" is unknown, allowed are sliced, alternated or none`},
			hints: []string{`give the number a unit, such as 10s or 10ms`, `did you mean "sliced"?`}},
		{name: "duration without unit in quotes", text: "name: x\nwindow: \"10\"\n",
			want: []string{`f:2:9: window: "10" has no unit, allowed are times such as 10s or 10ms`}},
		{name: "duration out of range", text: "name: x\nwindow: 1ms\n",
			want: []string{`f:2:9: window: "1ms" is out of range, allowed are 10ms to 10m`}},
		{name: "no value", text: "name:\n", want: []string{`f:1:7: name: is missing, allowed are text`}},
		{name: "same twice", text: "name: x\nconnections: [10, 10]\n",
			want: []string{`f:2:14: connections: names the same twice: entries 1 and 2`}},
		{name: "odd numbers", text: "name: x\nrows: 010\nconnections: [0x10, 1e3, 1_000, .inf]\n",
			want: []string{
				`f:2:7: rows: "010" is ambiguous, allowed are numbers in plain decimal digits`,
				`f:3:15: connections[0]: "0x10" is ambiguous, allowed are numbers in plain decimal digits`,
				`f:3:21: connections[1]: "1e3" is text, allowed are whole numbers of 1 to 10000`,
				`f:3:26: connections[2]: "1_000" is ambiguous, allowed are numbers in plain decimal digits`,
				`f:3:33: connections[3]: ".inf" is no finite number`},
			hints: []string{"write the number out, or put text in quotes"}},
		{name: "number beyond 64 bits", text: "name: x\nrows: 100000000000000000000\n",
			want: []string{`f:2:7: rows: 100000000000000000000 is out of range, allowed are whole numbers of 1 to 100`}},
		{name: "anchor and alias", text: "name: &a x\nservers: *a\n",
			want: []string{`f:1:7: "&" is an anchor, which is not allowed`, `f:2:10: "*" is an alias, which is not allowed`}},
		{name: "tag", text: "name: !!str 3\n", want: []string{`f:1:7: "!!str" is a tag, which is not allowed`}},
		{name: "merge key", text: "name: x\n<<: {}\n", want: []string{`f:2:1: "<<" is a merge key, which is not allowed`}},
		{name: "two documents", text: "name: x\n---\nname: y\n",
			want: []string{`f:3:1: begins a second document, allowed is one a file`}},
		{name: "not UTF-8", text: "name: \xff\n", want: []string{`f: is not UTF-8 text`}},
		{name: "not a mapping", text: "- a\n", want: []string{`f:1:1: is a list, allowed are a mapping`}},
		{name: "escape sequences stay visible", text: "name: x\ndesign: \"\\e[31m\"\n",
			want: []string{`f:2:9: design: "\x1b[31m" is unknown, allowed are sliced, alternated or none`}},
	}
	s := schema(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var into document
			_, err := spec.Read("f", []byte(tt.text), s, &into)
			var problems *spec.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("error %v, want problems", err)
			}
			if diff := cmp.Diff(tt.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if tt.hints != nil {
				if diff := cmp.Diff(tt.hints, problems.Hints()); diff != "" {
					t.Errorf("hints (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestHostileFilesAreRefusedQuickly holds files that bring other readers down.
func TestHostileFilesAreRefusedQuickly(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'm'; c++ {
		prev := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+prev+",", 9) + "]\n"
	}
	var stairs strings.Builder
	for i := range 1400 {
		stairs.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	tests := map[string]string{
		"alias bomb":      bomb,
		"100 MB":          strings.Repeat("name: x\n", 100<<20/8),
		"open brackets":   strings.Repeat("[", 1<<20),
		"open braces":     strings.Repeat("{", 1<<20),
		"nested entries":  strings.Repeat("- ", 1<<19),
		"complex keys":    strings.Repeat("? ", 1<<19),
		"stairs":          stairs.String(),
		"long key":        strings.Repeat("a", 1<<20-10) + ": x",
		"many keys":       strings.Repeat("a: x\n", 1<<20/5),
		"many entries":    "name: [" + strings.Repeat("1,", 1<<19-10) + "]",
		"quotes":          strings.Repeat("'", 1<<20),
		"double quotes":   "\"" + strings.Repeat("\\", 1<<20-2),
		"colons":          strings.Repeat(":", 1<<20),
		"spaces":          strings.Repeat(" ", 1<<20) + "a",
		"newlines":        strings.Repeat("\n", 1<<20),
		"tabs":            strings.Repeat("\t", 1<<20),
		"comments":        strings.Repeat("#\n", 1<<19) + "a: b",
		"literal":         "a: |\n" + strings.Repeat(" x\n", 1<<18),
		"plain multiline": "a: x\n" + strings.Repeat(" x\n", 1<<18),
		"anchors":         strings.Repeat("&a ", 1<<18),
		"documents":       strings.Repeat("---\n", 1<<18),
	}
	s := schema(t)
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			var into document
			start := time.Now()
			_, err := spec.Read("f", []byte(text), s, &into)
			took := time.Since(start)
			if err == nil {
				t.Error("accepted")
			}
			t.Logf("%v", took)
			if took > time.Minute { // what grows with the square takes hours
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestReadFileRefusesWhatIsNoSmallFile(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.yaml")
	f, err := os.Create(big)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(100 << 20); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, path := range []string{big, dir, filepath.Join(dir, "absent.yaml"), "/dev/zero"} {
		start := time.Now()
		_, err := spec.ReadFile(path)
		var problems *spec.Problems
		if !errors.As(err, &problems) {
			t.Errorf("%s: error %v, want problems", path, err)
		}
		if took := time.Since(start); took > 50*time.Millisecond {
			t.Errorf("%s: took %v", path, took)
		}
	}
}

func TestSuggest(t *testing.T) {
	words := []string{"postgres", "mysql", "mariadb", "insert", "select", "sleep", "fortunes"}
	for word, want := range map[string]string{
		"postgers": "postgres", "mysq": "mysql", "fortune": "fortunes", "slepe": "sleep",
		"oracle": "", "": "", "x": "", "selec": "select",
	} {
		if got := spec.Suggest(word, words); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	var b strings.Builder
	if err := schema(t).Describe(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"name: (text; required)\n",
		"rows: (whole numbers of 1 to 100; default 10)\n    How many rows.\n",
		"design: (sliced, alternated or none)\n",
		"window: (times of 10ms to 10m)\n",
		"  each entry:\n    server: (text)\n",
		"first: (a mapping)\n    One.\n  blocks: (whole numbers)\n",
		"second: (a mapping)\n  keys as above\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"name: x\nrows: 3\n", "a: [b, {c: d}]", "- - ? x\n: y", "&a [*a]", "name: |\n x\n",
		"name: 'it''s'\nwindow: 1s", "\"\\x41\": 1", "--- \n...\n", "{a: 1, a: 2}", "name: x #c\n\n\n  rows: 1",
		"000.\x1b\x1b6: 020.0", "\"a\\nb\": &c"} {
		f.Add([]byte(seed))
	}
	s := schema(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var into document
		_, err := spec.Read("f", data, s, &into)
		if err == nil {
			if into.Name == "" && !strings.Contains(string(data), "name") {
				t.Errorf("accepted %q without a name", data)
			}
			return
		}
		var problems *spec.Problems
		if !errors.As(err, &problems) || len(problems.All) == 0 {
			t.Errorf("error %v, want problems", err)
		}
		for _, p := range problems.All {
			if strings.ContainsAny(p.Error(), "\n\x1b") {
				t.Errorf("problem %q holds control characters", p.Error())
			}
		}
	})
}
