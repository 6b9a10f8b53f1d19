package record

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"benchlab/lab"
)

// TestSchemaIsDocumented: every field of a run folder stands in the archive's
// README.
func TestSchemaIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../results/README.md")
	must(t, err)
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(string(doc), func(r rune) bool { return strings.ContainsRune("`[]{}(),; \n", r) }) {
		words[w] = true
	}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(typ.Elem())
		case reflect.Struct:
			if seen[typ] || !strings.HasPrefix(typ.PkgPath(), "benchlab") {
				return
			}
			seen[typ] = true
			for i := range typ.NumField() {
				f := typ.Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if name != "" && !words[name] && typ != reflect.TypeFor[SelfTest]() && typ != reflect.TypeFor[Published]() {
					t.Errorf("%s.%s: the field %q is not in results/README.md", typ, f.Name, name)
				}
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[Manifest]())
	walk(reflect.TypeFor[lab.TrialRecord]())
	walk(reflect.TypeFor[Event]())
}
