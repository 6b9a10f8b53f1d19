package spec

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled JSON schema (draft 2020-12) for one kind of file.
// Beyond the standard it knows the formats "duration" and "duration A to B"
// (both ends allowed), and the keyword "x-allowed", which words what is
// allowed where the standard keywords would read badly.
type Schema struct {
	name     string
	raw      map[string]any
	compiled *jsonschema.Schema
}

// NewSchema compiles the JSON text of a schema; name says what it describes,
// such as "suite".
func NewSchema(name string, text []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return nil, fmt.Errorf("reading schema %q: %w", name, err)
	}
	raw, ok := doc.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("reading schema %q: not an object", name)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	for _, format := range formats(raw, nil) {
		f, err := durationFormat(format)
		if err != nil {
			return nil, fmt.Errorf("reading schema %q: %w", name, err)
		}
		c.RegisterFormat(f)
	}
	url := "urn:benchlab:" + name
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("reading schema %q: %w", name, err)
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compiling schema %q: %w", name, err)
	}
	return &Schema{name: name, raw: raw, compiled: compiled}, nil
}

// formats collects the duration formats that a schema names.
func formats(node any, found []string) []string {
	switch node := node.(type) {
	case map[string]any:
		for key, inner := range node {
			if f, ok := inner.(string); ok && key == "format" && strings.HasPrefix(f, "duration") {
				found = append(found, f)
				continue
			}
			found = formats(inner, found)
		}
	case []any:
		for _, inner := range node {
			found = formats(inner, found)
		}
	}
	return found
}

// durationFormat makes the check of "duration" or "duration A to B".
func durationFormat(name string) (*jsonschema.Format, error) {
	low, high, limited := strings.Cut(strings.TrimPrefix(name, "duration "), " to ")
	if !limited {
		if name != "duration" {
			return nil, fmt.Errorf("unknown format %q", name)
		}
		low, high = "0s", "2562047h"
	}
	least, err := ParseDuration(low)
	if err != nil {
		return nil, fmt.Errorf("format %q: %w", name, err)
	}
	most, err := ParseDuration(high)
	if err != nil {
		return nil, fmt.Errorf("format %q: %w", name, err)
	}
	check := func(v any) error {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		d, err := ParseDuration(s)
		if err != nil {
			return err
		}
		if d < least || d > most {
			return fmt.Errorf("is out of range, allowed are %s to %s", low, high)
		}
		return nil
	}
	return &jsonschema.Format{Name: name, Validate: check}, nil
}

// at finds the part of the schema that a validation error speaks of.
func (s *Schema) at(url string) map[string]any {
	_, pointer, _ := strings.Cut(url, "#")
	var node any = s.raw
	for _, step := range strings.Split(strings.Trim(pointer, "/"), "/") {
		if step == "" {
			continue
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch n := node.(type) {
		case map[string]any:
			node = n[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i < 0 || i >= len(n) {
				return nil
			}
			node = n[i]
		}
	}
	m, _ := node.(map[string]any)
	return m
}

// number reads a numeric keyword as it is written.
func number(node map[string]any, key string) string {
	switch n := node[key].(type) {
	case json.Number:
		return n.String()
	case float64:
		return fmt.Sprint(n)
	}
	return ""
}
