package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// cleaner walks a value before it is encoded: it redacts texts, makes them
// valid UTF-8 and replaces numbers that JSON cannot hold by 0, so that no
// single bad number can lose a document. Values are changed in place; callers
// pass copies.
type cleaner struct {
	redact *Redactor
	// broken are the JSON names of the numbers that were not finite.
	broken []string
}

// clean returns a cleaned deep copy of v.
func clean[T any](r *Redactor, v T) (T, []string) {
	c := cleaner{redact: r}
	out := c.value(reflect.ValueOf(&v).Elem(), "")
	return out.Interface().(T), c.broken
}

func (c *cleaner) value(v reflect.Value, path string) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		return c.text(v)
	case reflect.Float32, reflect.Float64:
		return c.number(v, path)
	case reflect.Struct:
		return c.structure(v, path)
	case reflect.Map:
		return c.table(v, path)
	case reflect.Slice:
		return c.list(v, path)
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(c.value(v.Elem(), path))
		return p
	}
	return v
}

// text redacts plain strings. Named string types are our own words, such as a
// status, and stay: a user called "ok" must not break a record.
func (c *cleaner) text(v reflect.Value) reflect.Value {
	s := v.String()
	if v.Type() == reflect.TypeFor[string]() {
		s = c.redact.Text(s)
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	out := reflect.New(v.Type()).Elem()
	out.SetString(s)
	return out
}

func (c *cleaner) number(v reflect.Value, path string) reflect.Value {
	if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
		c.broken = append(c.broken, fmt.Sprintf("%s is %v", path, f))
		return reflect.Zero(v.Type())
	}
	return v
}

func (c *cleaner) structure(v reflect.Value, path string) reflect.Value {
	if v.Type() == reflect.TypeFor[time.Time]() {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Name == "Histogram" {
			// Base64: three letters of it may look like somebody's name.
			out.Field(i).Set(v.Field(i))
			continue
		}
		out.Field(i).Set(c.value(v.Field(i), join(path, f)))
	}
	return out
}

func join(path string, f reflect.StructField) string {
	if f.Anonymous {
		return path
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		name = f.Name
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func (c *cleaner) table(v reflect.Value, path string) reflect.Value {
	if v.IsNil() {
		return v
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for it := v.MapRange(); it.Next(); {
		at := fmt.Sprintf("%s[%q]", path, fmt.Sprint(it.Key()))
		out.SetMapIndex(c.value(it.Key(), at), c.value(it.Value(), at))
	}
	return out
}

func (c *cleaner) list(v reflect.Value, path string) reflect.Value {
	if v.IsNil() {
		return v
	}
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		return reflect.ValueOf(c.raw(v.Bytes(), path))
	}
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		out.Index(i).Set(c.value(v.Index(i), fmt.Sprintf("%s[%d]", path, i)))
	}
	return out
}

// raw redacts the texts and keys inside a JSON document and leaves its numbers
// as they are written.
func (c *cleaner) raw(doc json.RawMessage, path string) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		c.broken = append(c.broken, fmt.Sprintf("%s is not JSON (%v)", path, err))
		return json.RawMessage("null")
	}
	out, err := json.Marshal(c.tree(tree))
	if err != nil {
		c.broken = append(c.broken, fmt.Sprintf("%s is not JSON (%v)", path, err))
		return json.RawMessage("null")
	}
	return out
}

func (c *cleaner) tree(node any) any {
	switch n := node.(type) {
	case string:
		return c.redact.Text(n)
	case []any:
		for i := range n {
			n[i] = c.tree(n[i])
		}
	case map[string]any:
		out := make(map[string]any, len(n))
		for k, v := range n {
			out[c.redact.Text(k)] = c.tree(v)
		}
		return out
	}
	return node
}
