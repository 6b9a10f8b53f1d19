package sqlc

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/workloads"
	"benchlab/workloads/all"
)

// TestQueries holds the statements that code is generated from to those of the
// workloads, and the generated code to the statements.
func TestQueries(t *testing.T) {
	known := map[string]map[string]bool{workloads.Postgres: operationNames(postgresOperations()), workloads.MySQL: operationNames(mysqlOperations())}
	for server, operations := range known {
		text := read(t, server+"/queries.sql")
		generated := read(t, server+"/gen/queries.sql.go")
		got, want := map[string]string{}, map[string]string{}
		for _, m := range regexp.MustCompile(`(?m)^-- name: (\w+) :\w+\n([^;]+);`).FindAllStringSubmatch(text, -1) {
			got[m[1]] = m[2]
			if !strings.Contains(generated, m[2]+"\n`") {
				t.Errorf("%s: the generated code has no %q: run go generate", server, m[2])
			}
		}
		for _, w := range all.Workloads() {
			for _, k := range w.Kinds {
				if operations[w.Name+"/"+k.Name] {
					want[title(w.Name)+title(k.Name)] = k.SQL[server]
				}
			}
		}
		if server == workloads.MySQL {
			want["SleepSleep"] = "SELECT SLEEP(CAST(? AS double))"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", server, diff)
		}
	}
}

func operationNames[O any](list map[string]O) map[string]bool {
	names := map[string]bool{}
	for name := range list {
		names[name] = true
	}
	return names
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
