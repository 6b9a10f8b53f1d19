package images

import (
	"cmp"
	"fmt"
	"regexp"
	"sort"
	"strconv"
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

// settingName and settingValue are what an override may look like. Values hold
// no quotes, line breaks or comment signs, so they cannot leave their line.
func settingName() *regexp.Regexp  { return regexp.MustCompile(`^[a-z_][a-z0-9_.]*$`) }
func settingValue() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.,:/+ -]{1,200}$`) }

func (o ConfigOptions) check(server string) error {
	var problems []string
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if o.MaxConnections < 10 || o.MaxConnections > 20000 {
		complain("max_connections %d: must be from 10 to 20000", o.MaxConnections)
	}
	switch o.Durability {
	case durable, relaxed, volatile:
	default:
		complain("durability %q: must be durable, relaxed or volatile", o.Durability)
	}
	if o.MemoryBytes < 256<<20 {
		complain("memory %d bytes: a server needs at least %d", o.MemoryBytes, 256<<20)
	}
	if !regexp.MustCompile(`^[0-9a-fA-F.:]+$`).MatchString(o.Listen) {
		complain("listen address %q: must be a numeric address", o.Listen)
	}
	if o.Port < 1 || o.Port > 65535 {
		complain("port %d: must be from 1 to 65535", o.Port)
	}
	reasons := owned(server)
	for n, v := range o.Overrides {
		switch reason := reasons[n]; {
		case !settingName().MatchString(n):
			complain("setting %q: a name has lower-case letters, digits, _ and .", n)
		case reason != "":
			complain("setting %q cannot be overridden: %s", n, reason)
		case !settingValue().MatchString(v):
			complain("setting %q = %q: a value has 1 to 200 letters, digits, spaces and _.,:/+-", n, v)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	sort.Strings(problems)
	return fmt.Errorf("configuring %q: %s", server, strings.Join(problems, "; "))
}

// owned lists the settings that a suite cannot override, and why.
func owned(server string) map[string]string {
	const (
		lab        = "the lab sets it itself"
		durability = "say durability: durable, relaxed or volatile instead"
		outside    = "it would run programs or load code"
	)
	if server == "postgres" {
		return map[string]string{
			"listen_addresses": lab, "port": lab, "data_directory": lab, "config_file": lab, "hba_file": lab,
			"ident_file": lab, "max_connections": lab, "unix_socket_directories": lab, "password_encryption": lab,
			"external_pid_file": lab, "ssl": lab, "include": lab, "include_dir": lab, "include_if_exists": lab,
			"logging_collector": lab, "log_destination": lab, "log_directory": lab, "log_statement": lab,
			"fsync": durability, "synchronous_commit": durability, "full_page_writes": durability,
			"archive_command": outside, "archive_library": outside, "restore_command": outside,
			"archive_cleanup_command": outside, "recovery_end_command": outside, "ssl_passphrase_command": outside,
			"dynamic_library_path": outside, "local_preload_libraries": outside, "session_preload_libraries": outside,
		}
	}
	return map[string]string{
		"bind_address": lab, "port": lab, "datadir": lab, "socket": lab, "pid_file": lab, "user": lab,
		"max_connections": lab, "init_file": lab, "skip_grant_tables": lab, "skip_networking": lab, "basedir": lab,
		"tmpdir": lab, "log_error": lab, "general_log": lab, "general_log_file": lab, "secure_file_priv": lab,
		"mysqlx": lab, "ssl": lab, "tls_version": lab, "authentication_policy": lab,
		"innodb_flush_log_at_trx_commit": durability, "sync_binlog": durability, "innodb_doublewrite": durability,
		"log_bin": durability, "skip_log_bin": durability, "disable_log_bin": durability,
		"plugin_load": outside, "plugin_load_add": outside, "plugin_dir": outside, "early_plugin_load": outside,
		"init_connect": outside,
	}
}

// printed is how the server prints a value that was written with a unit or as a
// word; other values are printed as they are written.
func printed(server, value string) string {
	lower := strings.ToLower(value)
	if server == "postgres" {
		switch lower {
		case "on", "true", "yes":
			return "on"
		case "off", "false", "no":
			return "off"
		}
		if bytes, ok := parseSize(value, map[string]int64{"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}); ok {
			return postgresSize(bytes)
		}
		if micros, ok := parseSize(value, postgresTimes()); ok {
			return postgresTime(micros)
		}
		return value
	}
	switch lower {
	case "on", "true":
		return "ON"
	case "off", "false":
		return "OFF"
	}
	units := map[string]int64{"K": 1 << 10, "k": 1 << 10, "M": 1 << 20, "m": 1 << 20, "G": 1 << 30, "g": 1 << 30}
	if bytes, ok := parseSize(value, units); ok {
		return strconv.FormatInt(bytes, 10)
	}
	return value
}

// parseSize reads a whole number with one of the units, such as "4GB".
func parseSize(value string, units map[string]int64) (int64, bool) {
	digits := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit, known := units[value[len(digits):]]
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || !known || n < 0 || n > (1<<62)/unit {
		return 0, false
	}
	return n * unit, true
}

// bufferPool is the part of the memory that the server manages itself.
func (o ConfigOptions) bufferPool() int64 {
	const step = 128 << 20
	return min(max(o.MemoryBytes/4/step*step, step), 4<<30)
}
