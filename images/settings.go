package images

import (
	"cmp"
	"fmt"
	"sort"
	"strings"
)

// Durability labels, as the plan has them; see lab.Durability.
const (
	durable  = "durable"
	relaxed  = "relaxed"
	volatile = "volatile"
)

// ConfigOptions say what a server is configured for.
type ConfigOptions struct {
	// MaxConnections is the server's limit of sessions, its reserved ones
	// included.
	MaxConnections int
	// Durability is durable, relaxed or volatile.
	Durability string
	// MemoryBytes is the memory that the server may use; a quarter of it,
	// at least 128 MiB and at most 4 GiB, becomes its buffer pool.
	MemoryBytes int64
	// Listen is the address to listen on; "" is 127.0.0.1.
	Listen string
	// TLS makes the server speak TLS, and refuse who does not.
	TLS bool
	// Port to listen on; 0 is the server's usual one.
	Port int
	// Overrides replace or add settings, in the server's names.
	Overrides map[string]string
}

// setting is a line of a configuration, and what the server then prints when it
// is asked for show, or for name where show is empty. Settings that the server
// does not print have no want.
type setting struct{ name, value, want, show string }

// ServerConfig makes the configuration file of a server (postgres, mysql or
// mariadb), and the settings to read back: by name, in the form that SHOW or
// SHOW GLOBAL VARIABLES prints. All problems of the options come in one error.
func ServerConfig(server string, o ConfigOptions) (file []byte, want map[string]string, err error) {
	spec, err := Start(server)
	if err != nil {
		return nil, nil, err
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1"
	}
	if o.Port == 0 {
		o.Port = spec.Port
	}
	if err := o.check(server); err != nil {
		return nil, nil, err
	}
	var settings []setting
	if server == "postgres" {
		settings = postgresSettings(o)
	} else {
		settings = mysqlSettings(server, o)
	}
	settings = override(server, settings, o.Overrides)
	want = make(map[string]string)
	var text strings.Builder
	if server != "postgres" {
		text.WriteString("[mysqld]\n")
	}
	for _, s := range settings {
		text.WriteString(line(server, s))
		if s.want != "" {
			want[cmp.Or(s.show, s.name)] = s.want
		}
	}
	return []byte(text.String()), want, nil
}

func line(server string, s setting) string {
	switch {
	case server == "postgres":
		return fmt.Sprintf("%s = '%s'\n", s.name, s.value)
	case s.value == "":
		return s.name + "\n"
	default:
		return fmt.Sprintf("%s = %s\n", s.name, s.value)
	}
}

// override applies the overrides, which were checked before, in sorted order.
func override(server string, settings []setting, overrides map[string]string) []setting {
	names := make([]string, 0, len(overrides))
	for n := range overrides {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		s := setting{name: n, value: overrides[n], want: printed(server, overrides[n])}
		found := false
		for i := range settings {
			if settings[i].name == n {
				settings[i], found = s, true
			}
		}
		if !found {
			settings = append(settings, s)
		}
	}
	return settings
}

// bufferPool is the part of the memory that the server manages itself.
func (o ConfigOptions) bufferPool() int64 {
	const step = 128 << 20
	return min(max(o.MemoryBytes/4/step*step, step), 4<<30)
}
