package images

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// settingName and settingValue are what an override may look like. Values hold
// no quotes, line breaks or comment signs, so they cannot leave their line.
func settingName() *regexp.Regexp  { return regexp.MustCompile(`^[a-z_][a-z0-9_.]*$`) }
func settingValue() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.,:/+ -]{1,200}$`) }

// optionPrefix is what MySQL strips from names in its option files; the rest
// could be a setting that is not to be overridden.
func optionPrefix() *regexp.Regexp {
	return regexp.MustCompile(`^(loose|skip|disable|enable|maximum)_`)
}

// check reports all problems of the options at once.
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
		case server != "postgres" && optionPrefix().MatchString(n):
			complain("setting %q: write the variable's own name, without the prefix", n)
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
		encryption = "say tls: on or off in the suite instead"
		durability = "say durability: durable, relaxed or volatile instead"
		outside    = "it would run programs or load code"
	)
	if server == "postgres" {
		return map[string]string{
			"listen_addresses": lab, "port": lab, "data_directory": lab, "config_file": lab, "hba_file": lab,
			"ident_file": lab, "max_connections": lab, "unix_socket_directories": lab, "password_encryption": lab,
			"external_pid_file": lab, "ssl": encryption, "ssl_cert_file": encryption, "ssl_key_file": encryption,
			"ssl_ca_file": encryption, "ssl_crl_file": encryption, "ssl_crl_dir": encryption, "ssl_min_protocol_version": encryption,
			"include": lab, "include_dir": lab, "include_if_exists": lab,
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
		"mysqlx": lab, "ssl": encryption, "tls_version": encryption, "ssl_cert": encryption, "ssl_key": encryption,
		"ssl_ca": encryption, "ssl_capath": encryption, "ssl_crl": encryption, "ssl_crlpath": encryption, "require_secure_transport": encryption,
		"authentication_policy":          lab,
		"innodb_flush_log_at_trx_commit": durability, "sync_binlog": durability, "innodb_doublewrite": durability,
		"log_bin": durability, "skip_log_bin": durability, "disable_log_bin": durability,
		"plugin_load": outside, "plugin_load_add": outside, "plugin_dir": outside, "early_plugin_load": outside,
		"init_connect": outside,
	}
}
