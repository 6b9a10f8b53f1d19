package contenders

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"benchlab/lab/spec"
)

// Setting is one thing that can be set on a contender.
type Setting struct {
	// Type is bool, int, enum or string.
	Type string `json:"type"`
	// Default is the value where a suite says nothing.
	Default spec.Scalar `json:"default"`
	// Allowed are the values of an enum, and the words that an int may be in
	// place of a number.
	Allowed []string `json:"allowed"`
	// Min and Max bound an int, both ends allowed; nil is no bound.
	Min *int64 `json:"min"`
	Max *int64 `json:"max"`
	// About is one sentence on what it does.
	About string `json:"about"`
}

// Fault is what is wrong with one setting of a suite.
type Fault struct {
	// Setting is its name, Text says what is wrong, Hint what to do.
	Setting, Text, Hint string
}

// SettingNames lists the names of the settings in a stable order.
func (c Contender) SettingNames() []string {
	names := make([]string, 0, len(c.Settings))
	for name := range c.Settings {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Complete checks the settings that a suite gives and adds the defaults of
// the others. The map is nil where there is a fault.
func (c Contender) Complete(given map[string]string) (map[string]string, []Fault) {
	known := c.SettingNames()
	full := make(map[string]string, len(known))
	for _, name := range known {
		full[name] = string(c.Settings[name].Default)
	}
	var faults []Fault
	for _, name := range sortedKeys(given) {
		s, ok := c.Settings[name]
		if !ok {
			faults = append(faults, Fault{name, c.unknown(known), spec.DidYouMean(name, known)})
			continue
		}
		if text := s.Check(given[name]); text != "" {
			faults = append(faults, Fault{name, text, spec.DidYouMean(given[name], s.Allowed)})
			continue
		}
		full[name] = given[name]
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return full, nil
}

func (c Contender) unknown(known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("is no setting of contender %q, which has none", c.Name)
	}
	return fmt.Sprintf("is no setting of contender %q, allowed are %s", c.Name, spec.List(known))
}

// Check says what is wrong with a value, or "".
func (s Setting) Check(value string) string {
	switch s.Type {
	case "bool":
		if value != "true" && value != "false" {
			return spec.Quote(value) + " is not allowed, allowed are true and false"
		}
	case "int":
		if slices.Contains(s.Allowed, value) {
			return ""
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || (s.Min != nil && n < *s.Min) || (s.Max != nil && n > *s.Max) {
			return spec.Quote(value) + " is not allowed, allowed are " + s.interval()
		}
	case "enum":
		if !slices.Contains(s.Allowed, value) {
			return spec.Quote(value) + " is not allowed, allowed are " + spec.List(s.Allowed)
		}
	case "string":
		if len(value) > 1000 || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
			return spec.Quote(value) + " is not allowed, allowed is one line of up to 1000 bytes"
		}
	}
	return ""
}

func (s Setting) interval() string {
	return spec.List(append([]string{s.numbers()}, s.Allowed...))
}

func (s Setting) numbers() string {
	switch {
	case s.Min != nil && s.Max != nil:
		return fmt.Sprintf("whole numbers of %d to %d", *s.Min, *s.Max)
	case s.Min != nil:
		return fmt.Sprintf("whole numbers of %d or more", *s.Min)
	case s.Max != nil:
		return fmt.Sprintf("whole numbers of at most %d", *s.Max)
	}
	return "whole numbers"
}

// faults says what is wrong with the declaration itself.
func (s Setting) faults() []string {
	var out []string
	if s.Type == "enum" && len(s.Allowed) == 0 {
		out = append(out, `is inconsistent: an enum needs "allowed"`)
	}
	if s.Type != "enum" && s.Type != "int" && len(s.Allowed) > 0 {
		out = append(out, `is inconsistent: "allowed" belongs to the types enum and int`)
	}
	if s.Type != "int" && (s.Min != nil || s.Max != nil) {
		out = append(out, `is inconsistent: "min" and "max" belong to the type int`)
	}
	if text := s.Check(string(s.Default)); text != "" {
		out = append(out, "has a default that it does not allow: "+text)
	}
	return out
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
