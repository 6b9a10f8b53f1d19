package spec

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// place is where a value stands in the file and how it is written there.
type place struct {
	path         string // as people read it: servers[0].version
	line, column int    // of the value
	keyLine      int    // of its key, where it has one
	keyColumn    int
	raw          string // as written, for scalars
}

// walker turns the parsed tree into plain values (maps, slices, strings,
// json.Number, bool, nil) and remembers where each stood.
type walker struct {
	file     string
	places   map[string]place
	problems []Problem
}

func (w *walker) fault(n ast.Node, path, value, text, hint string) {
	line, column := position(n)
	w.problems = append(w.problems, Problem{
		File: w.file, Line: line, Column: column, Path: path, Value: value, Text: text, Hint: hint,
	})
}

func position(n ast.Node) (line, column int) {
	var t *token.Token
	switch n := n.(type) {
	case *ast.MappingNode:
		if len(n.Values) > 0 && !n.IsFlowStyle {
			t = n.Values[0].Key.GetToken()
		} else {
			t = n.Start
		}
	case *ast.MappingValueNode:
		t = n.Key.GetToken()
	default:
		t = n.GetToken()
	}
	if t == nil || t.Position == nil {
		return 1, 1
	}
	return t.Position.Line, t.Position.Column
}

// value converts n, which stands at key (for [Source]) and path (for people).
func (w *walker) value(n ast.Node, key, path string, depth int) any {
	line, column := position(n)
	p := w.places[key]
	p.path, p.line, p.column = path, line, column
	w.places[key] = p
	if depth > MaxDepth {
		w.fault(n, path, "", tooDeep, "")
		return nil
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return w.mapping(n.Values, key, path, depth)
	case *ast.MappingValueNode:
		return w.mapping([]*ast.MappingValueNode{n}, key, path, depth)
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for i, v := range n.Values {
			index := strconv.Itoa(i)
			list = append(list, w.value(v, join(key, index), path+"["+index+"]", depth+1))
		}
		return list
	}
	v, raw := w.scalar(n, path)
	p.raw = raw
	w.places[key] = p
	return v
}

func (w *walker) mapping(values []*ast.MappingValueNode, key, path string, depth int) any {
	object := make(map[string]any, len(values))
	first := map[string]int{}
	for _, entry := range values {
		name, ok := w.name(entry.Key, path)
		if !ok {
			continue
		}
		line, column := position(entry.Key)
		inner := strings.TrimPrefix(path+"."+shown(name), ".")
		if was, twice := first[name]; twice {
			w.fault(entry.Key, inner, "", fmt.Sprintf("is a duplicate key, first at line %d", was), "")
			continue
		}
		first[name] = line
		at := join(key, name)
		w.places[at] = place{keyLine: line, keyColumn: column}
		object[name] = w.value(entry.Value, at, inner, depth+1)
	}
	return object
}

// shown is a key as it appears in paths: quoted where it is no plain word.
func shown(key string) string {
	if plainKey.MatchString(key) {
		return key
	}
	return Quote(key)
}

// name reads a key: text, or a number in plain digits (connection levels).
func (w *walker) name(n ast.MapKeyNode, path string) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode:
		if raw := n.Token.Value; plainInteger.MatchString(raw) {
			return raw, true
		}
	case *ast.BoolNode:
		return n.Token.Value, true
	}
	w.fault(n, path, Quote(n.String()), "is not a key, allowed are names and whole numbers", "")
	return "", false
}

var (
	plainInteger = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	plainKey     = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,60}$`)
	plainDecimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)\.[0-9]+$`)
)

// scalar converts a single value; raw is how it is written.
func (w *walker) scalar(n ast.Node, path string) (v any, raw string) {
	switch n := n.(type) {
	case *ast.StringNode:
		// The library takes whole numbers beyond 64 bits for text.
		if n.Token.Type == token.StringType && plainInteger.MatchString(n.Value) {
			return json.Number(n.Value), n.Value
		}
		return n.Value, Quote(n.Value)
	case *ast.LiteralNode:
		return n.Value.Value, Quote(n.Value.Value)
	case *ast.NullNode:
		return nil, ""
	case *ast.BoolNode:
		raw = n.Token.Value
		if raw == "true" || raw == "false" {
			return n.Value, raw
		}
		w.fault(n, path, raw, "is ambiguous, allowed are true and false", "write true, false or quoted text")
	case *ast.IntegerNode, *ast.FloatNode:
		raw = n.GetToken().Value
		if plainInteger.MatchString(raw) || plainDecimal.MatchString(raw) {
			return json.Number(raw), raw
		}
		w.fault(n, path, Quote(raw), "is ambiguous, allowed are numbers in plain decimal digits",
			"write the number out, or put text in quotes")
	case *ast.InfinityNode, *ast.NanNode:
		w.fault(n, path, Quote(n.GetToken().Value), "is no finite number", "")
	default:
		w.fault(n, path, "", "is a construct of YAML that is not allowed", "")
	}
	return raw, raw
}

// join makes the key of an inner place.
func join(key, inner string) string { return key + "/" + inner }
