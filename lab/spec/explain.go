package spec

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// check validates value and words every violation.
func (s *Schema) check(value any, src *Source) []Problem {
	err := s.compiled.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Problem{{File: src.file, Text: err.Error()}}
	}
	var problems []Problem
	s.collect(invalid, src, &problems)
	return problems
}

// collect walks to the innermost errors: the outer ones only say that
// something inside is wrong.
func (s *Schema) collect(e *jsonschema.ValidationError, src *Source, into *[]Problem) {
	if len(*into) >= maxProblems {
		return
	}
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			s.collect(cause, src, into)
		}
		return
	}
	*into = append(*into, s.explain(e, src)...)
}

func (s *Schema) explain(e *jsonschema.ValidationError, src *Source) []Problem {
	key := ""
	for _, step := range e.InstanceLocation {
		key = join(key, step)
	}
	at := src.places[key]
	node := s.at(e.SchemaURL)
	p := Problem{File: src.file, Line: at.line, Column: at.column, Path: at.path, Value: at.raw}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		return unknownKeys(k.Properties, node, key, p, src)
	case *kind.Required:
		return missingKeys(k.Missing, p)
	case *kind.Type:
		p.Text, p.Hint = typeText(k, at.raw, node)
	case *kind.Enum:
		p.Text = "is unknown, allowed are " + allowed(node)
		if word, ok := k.Got.(string); ok {
			p.Hint = DidYouMean(word, texts(k.Want))
		}
	case *kind.Format:
		p.Text = k.Err.Error()
	case *kind.UniqueItems:
		p.Text = fmt.Sprintf("names the same twice: entries %d and %d", k.Duplicates[0]+1, k.Duplicates[1]+1)
	case *kind.MinItems, *kind.MinProperties:
		p.Text = "is empty, allowed are " + allowed(node)
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum, *kind.MaxItems,
		*kind.MinLength, *kind.MaxLength, *kind.Pattern, *kind.MaxProperties:
		p.Text = "is out of range, allowed are " + allowed(node)
	default:
		p.Text = e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	}
	return []Problem{p}
}

func unknownKeys(names []string, node map[string]any, key string, parent Problem, src *Source) []Problem {
	known := keys(node)
	var out []Problem
	for _, name := range names {
		at := src.places[join(key, name)]
		p := parent
		p.Line, p.Column, p.Value = at.keyLine, at.keyColumn, Quote(name)
		p.Text = "is no key here, allowed are " + List(known)
		p.Hint = DidYouMean(name, known)
		out = append(out, p)
	}
	return out
}

func missingKeys(names []string, parent Problem) []Problem {
	var out []Problem
	for _, name := range names {
		p := parent
		p.Value, p.Text = Quote(name), "is missing"
		out = append(out, p)
	}
	return out
}

// typeText words a value of the wrong type. A number where text is wanted is
// the classic trap: 18.10 would be read as 18.1.
func typeText(k *kind.Type, raw string, node map[string]any) (text, hint string) {
	got := map[string]string{"object": "a mapping", "array": "a list", "string": "text",
		"number": "a number", "integer": "a number", "boolean": "true/false", "null": "missing"}[k.Got]
	text = fmt.Sprintf("is %s, allowed are %s", got, allowed(node))
	if format, _ := node["format"].(string); strings.HasPrefix(format, "duration") && raw != "" {
		return text, fmt.Sprintf("give the number a unit, such as %ss or %sms", raw, raw)
	}
	wantsText := false
	for _, w := range k.Want {
		wantsText = wantsText || w == "string"
	}
	if wantsText && raw != "" && (k.Got == "number" || k.Got == "integer" || k.Got == "boolean") {
		hint = fmt.Sprintf("write it in quotes: %q", raw)
	}
	return text, hint
}

// keys are the keys that a part of the schema knows.
func keys(node map[string]any) []string {
	properties, _ := node["properties"].(map[string]any)
	out := make([]string, 0, len(properties))
	for name := range properties {
		out = append(out, name)
	}
	sort.Strings(out)
	if patterns, _ := node["patternProperties"].(map[string]any); len(patterns) > 0 {
		if words, ok := node["x-keys"].(string); ok {
			out = append(out, words)
		}
	}
	return out
}

// allowed words what a part of the schema allows.
func allowed(node map[string]any) string {
	if words, ok := node["x-allowed"].(string); ok {
		return words
	}
	if enum, ok := node["enum"].([]any); ok {
		return List(texts(enum))
	}
	if format, ok := node["format"].(string); ok {
		if limits, limited := strings.CutPrefix(format, "duration "); limited {
			return "times of " + limits
		}
		return "times with a unit, such as 400ms or 1.5s"
	}
	return allowedType(node)
}

func allowedType(node map[string]any) string {
	limits := ""
	low, high := number(node, "minimum"), number(node, "maximum")
	switch {
	case low != "" && high != "":
		limits = " of " + low + " to " + high
	case low != "":
		limits = " of " + low + " or more"
	case high != "":
		limits = " of at most " + high
	}
	names := map[string]string{"object": "a mapping", "array": "a list", "string": "text",
		"number": "numbers", "integer": "whole numbers", "boolean": "true or false"}
	switch t := node["type"].(type) {
	case string:
		if t == "array" && number(node, "maxItems") != "" {
			return "1 to " + number(node, "maxItems") + " entries"
		}
		return names[t] + limits
	case []any:
		var words []string
		for _, one := range texts(t) {
			words = append(words, names[one]+limits)
		}
		return List(words)
	}
	return "other values"
}

func texts(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return out
}
