package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Source remembers where the values of a file stand, so that later checks can
// say it.
type Source struct {
	file   string
	places map[string]place
}

// File is the file's name as it was given to Read.
func (s *Source) File() string { return s.file }

// Problem makes a problem at the place that path leads to: keys and list
// indices, such as "servers", 0, "version". Where the path is not in the file
// its nearest parent that is stands in.
func (s *Source) Problem(value, text, hint string, path ...any) Problem {
	key, p := "", s.places[""]
	for _, step := range path {
		key = join(key, fmt.Sprint(step))
		inner, ok := s.places[key]
		if !ok {
			break
		}
		p = inner
	}
	return Problem{File: s.file, Line: p.line, Column: p.column, Path: p.path, Value: value, Text: text, Hint: hint}
}

// Read checks the file's bytes against the schema and fills into, which
// carries json tags. The error is a [*Problems] with everything that is wrong.
func Read(file string, data []byte, schema *Schema, into any) (*Source, error) {
	value, src, found := parse(file, data)
	if src != nil {
		found = append(found, elsewhere(schema.check(value, src), found)...)
	}
	if len(found) > 0 {
		return nil, (&Problems{All: found}).Err()
	}
	plain, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", file, err)
	}
	dec := json.NewDecoder(bytes.NewReader(plain))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return nil, (&Problems{All: []Problem{{File: file, Text: err.Error()}}}).Err()
	}
	return src, nil
}

// elsewhere leaves out what stands at a place that already has a problem.
func elsewhere(more, have []Problem) []Problem {
	type at struct{ line, column int }
	taken := map[at]bool{}
	for _, p := range have {
		taken[at{p.Line, p.Column}] = true
	}
	var out []Problem
	for _, p := range more {
		if !taken[at{p.Line, p.Column}] {
			out = append(out, p)
		}
	}
	return out
}

// ReadFile returns the bytes of a regular file of at most [MaxBytes]; more is
// refused without being read.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, (&Problems{All: []Problem{{File: path, Text: "does not exist"}}}).Err()
	}
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, (&Problems{All: []Problem{{File: path, Text: "is not a regular file"}}}).Err()
	}
	if info.Size() > MaxBytes {
		return nil, (&Problems{All: []Problem{*tooLarge(path, info.Size())}}).Err()
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	return data, nil
}

// parse turns bytes into plain values.
func parse(file string, data []byte) (value any, src *Source, problems []Problem) {
	if p := checkBytes(file, data); p != nil {
		return nil, nil, []Problem{*p}
	}
	// A fault of the YAML library must not take the lab down with it.
	defer func() {
		if r := recover(); r != nil {
			value, src = nil, nil
			problems = []Problem{{File: file, Text: fmt.Sprintf("cannot be parsed as YAML: %v", r)}}
		}
	}()
	tokens, problems := tokenize(file, data)
	if len(problems) > 0 {
		return nil, nil, problems
	}
	body, problem := document(file, tokens)
	if problem != nil {
		return nil, nil, []Problem{*problem}
	}
	w := &walker{file: file, places: map[string]place{}}
	value = w.value(body, "", "", 1)
	return value, &Source{file: file, places: w.places}, w.problems
}

// document finds the one document of the file.
func document(file string, tokens token.Tokens) (ast.Node, *Problem) {
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxProblem(file, err)
	}
	var body ast.Node
	for _, doc := range tree.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			line, column := position(doc.Body)
			return nil, &Problem{File: file, Line: line, Column: column,
				Text: "begins a second document, allowed is one a file"}
		}
		body = doc.Body
	}
	if body == nil {
		return nil, &Problem{File: file, Line: 1, Column: 1, Text: "is empty"}
	}
	return body, nil
}

func syntaxProblem(file string, err error) *Problem {
	var located interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &located) {
		return &Problem{File: file, Text: "is not YAML: " + err.Error()}
	}
	p := &Problem{File: file, Line: 1, Column: 1, Text: "is not YAML: " + located.GetMessage()}
	if t := located.GetToken(); t != nil && t.Position != nil {
		p.Line, p.Column, p.Value = t.Position.Line, t.Position.Column, Quote(t.Value)
	}
	return p
}
