package images

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func update() bool { return flag.Lookup("update").Value.String() == "true" }

func TestMain(m *testing.M) {
	flag.Bool("update", false, "rewrite the golden files")
	flag.Parse()
	os.Exit(m.Run())
}

func someOptions() ConfigOptions {
	return ConfigOptions{MaxConnections: 1020, Durability: durable, MemoryBytes: 3 << 30}
}

func TestServerConfigGolden(t *testing.T) {
	for _, server := range []string{"postgres", "mysql", "mariadb"} {
		for _, durability := range []string{durable, relaxed, volatile, "tls"} {
			t.Run(server+"-"+durability, func(t *testing.T) {
				o := someOptions()
				if o.TLS = durability == "tls"; !o.TLS {
					o.Durability = durability
				}
				file, want, err := ServerConfig(server, o)
				if err != nil {
					t.Fatal(err)
				}
				var back []string
				for n, v := range want {
					back = append(back, fmt.Sprintf("%s=%s\n", n, v))
				}
				sort.Strings(back)
				got := string(file) + "--- read back\n" + strings.Join(back, "")
				path := filepath.Join("testdata", server+"-"+durability+".golden")
				if update() {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				golden, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(golden), got); diff != "" {
					t.Errorf("%s (-update rewrites it):\n%s", path, diff)
				}
			})
		}
	}
}

func TestOverrides(t *testing.T) {
	tests := []struct{ server, name, value, line, want string }{
		{"postgres", "shared_buffers", "4096MB", "shared_buffers = '4096MB'", "4GB"},
		{"postgres", "work_mem", "1536kB", "work_mem = '1536kB'", "1536kB"},
		{"postgres", "checkpoint_timeout", "3600s", "checkpoint_timeout = '3600s'", "1h"},
		{"postgres", "jit", "true", "jit = 'true'", "on"},
		{"postgres", "io_method", "io_uring", "io_method = 'io_uring'", "io_uring"},
		{"postgres", "pg_stat_statements.max", "100", "pg_stat_statements.max = '100'", "100"},
		{"mysql", "innodb_buffer_pool_size", "4G", "innodb_buffer_pool_size = 4G", "4294967296"},
		{"mysql", "performance_schema", "on", "performance_schema = on", "ON"},
		{"postgres", "ssl_ciphers", "HIGH", "ssl_ciphers = 'HIGH'", "HIGH"},
		{"mariadb", "innodb_io_capacity", "2000", "innodb_io_capacity = 2000", "2000"},
	}
	for _, test := range tests {
		o := someOptions()
		o.Overrides = map[string]string{test.name: test.value}
		file, want, err := ServerConfig(test.server, o)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if n := strings.Count("\n"+string(file), "\n"+test.name+" = "); n != 1 || !strings.Contains(string(file), "\n"+test.line+"\n") {
			t.Errorf("%s: the file has it %d times:\n%s", test.name, n, file)
		}
		if want[test.name] != test.want {
			t.Errorf("%s %s = %s is to read back as %q, want %q", test.server, test.name, test.value, want[test.name], test.want)
		}
	}
}

func TestServerConfigProblems(t *testing.T) {
	all := ConfigOptions{
		MaxConnections: 3, Durability: "perhaps", MemoryBytes: 1, Listen: "db.example", Port: 70000,
		Overrides: map[string]string{
			"Fsync": "off", "fsync": "off", "work_mem": "4MB'\nfsync = 'off", "archive_command": "rm", "wal_level": "", "ssl_key_file": "/x",
		},
	}
	_, _, err := ServerConfig("postgres", all)
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{
		"max_connections 3", `durability "perhaps"`, "memory 1 bytes", `"db.example"`, "port 70000", `setting "Fsync"`,
		`setting "fsync" cannot be overridden: say durability`, `setting "work_mem" = "4MB'\nfsync`, `"archive_command"`, `"wal_level"`, `"ssl_key_file" cannot be overridden: say tls`,
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q:\n%v", part, err)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has more than one line: %q", err)
	}
	if _, _, err := ServerConfig("oracle", someOptions()); err == nil || !strings.Contains(err.Error(), "postgres, mysql and mariadb") {
		t.Errorf("an unknown server gives %v", err)
	}
}

// FuzzOverride looks for an override that changes more than its own line.
func FuzzOverride(f *testing.F) {
	f.Add("work_mem", "4MB")
	f.Add("a_b.c", "1,2 3:4/5-6+7")
	f.Add("work_mem", "4MB'\nfsync = 'off")
	f.Add("x\ny", "1")
	f.Add("x", "1 # y")
	f.Fuzz(func(t *testing.T, name, value string) {
		for _, server := range []string{"postgres", "mysql"} {
			plain, _, err := ServerConfig(server, someOptions())
			if err != nil {
				t.Fatal(err)
			}
			o := someOptions()
			o.Overrides = map[string]string{name: value}
			file, _, err := ServerConfig(server, o)
			if err != nil {
				continue
			}
			changed := 0
			kept := strings.Split(string(plain), "\n")
			for _, line := range strings.Split(string(file), "\n") {
				if !contains(kept, line) {
					changed++
				}
			}
			if changed > 1 || strings.ContainsAny(value, "'\"\\#;\n") {
				t.Errorf("%s: %q = %q changes %d lines", server, name, value, changed)
			}
		}
	})
}

func contains(list []string, line string) bool {
	for _, l := range list {
		if l == line {
			return true
		}
	}
	return false
}
