package spec

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// Describe prints the documentation of a kind of file, made from its schema:
// every key with what is allowed, its default and its meaning.
func (s *Schema) Describe(w io.Writer) error {
	var b strings.Builder
	if text, ok := s.raw["description"].(string); ok {
		b.WriteString(text + "\n\n")
	}
	d := &description{Builder: &b, schema: s, seen: map[string]bool{}}
	d.keys(s.raw, 0)
	if examples, ok := s.raw["examples"].([]any); ok {
		for _, e := range examples {
			fmt.Fprintf(&b, "\nexample:\n%s", indent(fmt.Sprint(e), "    "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// order is the schema's own "x-order" of keys, then the rest by name.
func order(node map[string]any) []string {
	known := keys(map[string]any{"properties": node["properties"]})
	rank := map[string]int{}
	if list, ok := node["x-order"].([]any); ok {
		for i, name := range texts(list) {
			rank[name] = i - len(list)
		}
	}
	sort.SliceStable(known, func(i, j int) bool { return rank[known[i]] < rank[known[j]] })
	return known
}

// description writes keys; parts of the schema that are referred to from
// several places are written once.
type description struct {
	*strings.Builder
	schema *Schema
	seen   map[string]bool
}

// resolve follows a reference; what stands beside it goes before what it
// refers to. again says that its keys were written before.
func (d *description) resolve(node map[string]any) (resolved map[string]any, again bool) {
	ref, ok := node["$ref"].(string)
	if !ok {
		return node, false
	}
	resolved = map[string]any{}
	for _, from := range []map[string]any{d.schema.at(ref), node} {
		for key, value := range from {
			resolved[key] = value
		}
	}
	again = d.seen[ref]
	d.seen[ref] = true
	return resolved, again
}

func (d *description) keys(node map[string]any, depth int) {
	properties, _ := node["properties"].(map[string]any)
	required := map[string]bool{}
	if list, ok := node["required"].([]any); ok {
		for _, name := range texts(list) {
			required[name] = true
		}
	}
	for _, name := range order(node) {
		inner, _ := properties[name].(map[string]any)
		d.key(name, inner, required[name], depth)
	}
	patterns, _ := node["patternProperties"].(map[string]any)
	words, _ := node["x-keys"].(string)
	for _, inner := range patterns {
		if inner, ok := inner.(map[string]any); ok {
			d.key("<"+words+">", inner, false, depth)
		}
	}
	if inner, ok := node["additionalProperties"].(map[string]any); ok {
		if words == "" {
			words = "name"
		}
		d.key("<"+words+">", inner, false, depth)
	}
}

func (d *description) key(name string, node map[string]any, required bool, depth int) {
	node, again := d.resolve(node)
	pad := strings.Repeat("  ", depth)
	facts := []string{allowed(node)}
	if required {
		facts = append(facts, "required")
	}
	if v, ok := node["default"]; ok {
		facts = append(facts, fmt.Sprintf("default %v", v))
	}
	fmt.Fprintf(d, "%s%s: (%s)\n", pad, name, strings.Join(facts, "; "))
	if text, ok := node["description"].(string); ok {
		for _, line := range wrap(text, 90-len(pad)-4) {
			fmt.Fprintf(d, "%s    %s\n", pad, line)
		}
	}
	if again && hasKeys(node) {
		fmt.Fprintf(d, "%s  keys as above\n", pad)
		return
	}
	d.keys(node, depth+1)
	if items, ok := node["items"].(map[string]any); ok && hasKeys(items) {
		fmt.Fprintf(d, "%s  each entry:\n", pad)
		d.keys(items, depth+2)
	}
}

func hasKeys(node map[string]any) bool {
	_, named := node["properties"]
	_, free := node["additionalProperties"].(map[string]any)
	return named || free
}

func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

func indent(text, pad string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return pad + strings.Join(lines, "\n"+pad) + "\n"
}
