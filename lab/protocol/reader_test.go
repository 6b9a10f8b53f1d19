package protocol_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"benchlab/lab/protocol"
)

func read(text string) error {
	r := protocol.NewReader(strings.NewReader(text))
	for {
		if _, err := r.Read(); err != nil {
			return err
		}
	}
}

func TestLinesAreNotTrusted(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"cut off":          {`{"type":"rea`, "cut off"},
		"not JSON":         {"Segmentation fault\n", "not a message"},
		"not UTF-8":        {"{\"type\":\"\xff\"}\n", "not UTF-8"},
		"unknown type":     {`{"type":"winner"}` + "\n", `unknown type "winner"`},
		"no content":       {`{"type":"outcome"}` + "\n", "without its content"},
		"NaN":              {`{"type":"sample","sample":{"sum_sq_ns2":NaN}}` + "\n", "not a message"},
		"huge exponent":    {`{"type":"sample","sample":{"sum_sq_ns2":1e999}}` + "\n", "not a message"},
		"negative count":   {`{"type":"sample","sample":{"operations":-1}}` + "\n", "negative"},
		"negative errors":  {`{"type":"sample","sample":{"errors":{"x":-1}}}` + "\n", "negative"},
		"negative connect": {`{"type":"ready","connect_ns":-1}` + "\n", "negative"},
		"negative client":  {`{"type":"outcome","outcome":{"client":{"cpu_ns":-5}}}` + "\n", "negative"},
		"percentiles fall": {`{"type":"sample","sample":{"p50_ns":2,"p90_ns":1}}` + "\n", "fall"},
		"nested sample":    {`{"type":"outcome","outcome":{"samples":[{"max_ns":-1}]}}` + "\n", "negative"},
		"one endless line": {strings.Repeat("x", protocol.MaxLine+1), "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			err := read(c.line)
			var line *protocol.LineError
			if !errors.As(err, &line) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error = %v, want a LineError with %q", err, c.want)
			}
			if line.Line != 1 || len(line.Excerpt) > 100 {
				t.Errorf("line %d with an excerpt of %d bytes", line.Line, len(line.Excerpt))
			}
		})
	}
	if err := read(`{"type":"pong","n":1,"clock_ns":5}` + "\n"); !errors.Is(err, io.EOF) {
		t.Errorf("a good line: %v", err)
	}
}

// endless is an agent that never ends its line: 100 MB of it must not be kept.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += len(p)
	return len(p), nil
}

func TestEndlessLineIsGivenUp(t *testing.T) {
	src := &endless{}
	_, err := protocol.NewReader(src).Read()
	if err == nil || src.read > 2*protocol.MaxLine {
		t.Errorf("error %v after reading %d bytes", err, src.read)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"type":"ready","connect_ns":5,"sessions":10}`))
	f.Add([]byte(`{"type":"outcome","outcome":{"cell":"x","samples":[{"kind":"window","operations":3}]}}`))
	f.Add([]byte(`{"type":"error","error":{"class":"connect","text":"no"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := protocol.Parse(line)
		if err != nil {
			return
		}
		if m.Sample != nil && (m.Sample.Operations < 0 || m.Sample.P50Ns > m.Sample.P999Ns) {
			t.Errorf("accepted %q", line)
		}
	})
}
