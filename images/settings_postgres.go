package images

import "strconv"

// postgresSettings configures PostgreSQL 15 to 18 for benchmarks: what the
// server would do on its own account at a time of its choosing (autovacuum,
// frequent checkpoints, just-in-time compilation) is off or rare, so that it
// does not fall into one trial and not into the next.
func postgresSettings(o ConfigOptions) []setting {
	same := func(name, value string) setting { return setting{name: name, value: value, want: value} }
	durability := map[string][3]string{
		durable:  {"on", "on", "on"},
		relaxed:  {"on", "off", "on"},
		volatile: {"off", "off", "off"},
	}[o.Durability]
	settings := []setting{
		same("listen_addresses", o.Listen),
		same("port", strconv.Itoa(o.Port)),
		// An empty value means no socket.
		{name: "unix_socket_directories"},
		same("password_encryption", "scram-sha-256"),
		same("max_connections", strconv.Itoa(o.MaxConnections)),
		same("superuser_reserved_connections", "3"),
		same("fsync", durability[0]),
		same("synchronous_commit", durability[1]),
		same("full_page_writes", durability[2]),
		same("shared_buffers", postgresSize(o.bufferPool())),
		same("huge_pages", "try"),
		same("max_wal_size", "4GB"),
		same("checkpoint_timeout", "15min"),
		same("autovacuum", "off"),
		same("jit", "off"),
		same("track_io_timing", "off"),
		same("max_prepared_transactions", "0"),
		same("dynamic_shared_memory_type", "posix"),
		// The catalog of settings spells it TimeZone.
		{name: "timezone", value: "UTC"},
		same("log_timezone", "UTC"),
		same("log_statement", "none"),
		same("log_min_error_statement", "panic"),
		same("logging_collector", "off"),
	}
	if !o.TLS {
		return append(settings, same("ssl", "off"))
	}
	return append(settings, same("ssl", "on"), same("ssl_cert_file", certFile), same("ssl_key_file", keyFile),
		same("ssl_min_protocol_version", "TLSv1.2"))
}

// postgresSize prints bytes as SHOW does: in the largest unit that divides them.
func postgresSize(bytes int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 40, "TB"}, {1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "kB"}} {
		if bytes != 0 && bytes%u.size == 0 {
			return strconv.FormatInt(bytes/u.size, 10) + u.name
		}
	}
	if bytes == 0 {
		return "0"
	}
	return strconv.FormatInt(bytes, 10) + "B"
}

// postgresTimes are the units of time in microseconds.
func postgresTimes() map[string]int64 {
	return map[string]int64{"us": 1, "ms": 1e3, "s": 1e6, "min": 60e6, "h": 3600e6, "d": 86400e6}
}

// postgresTime prints microseconds as SHOW does.
func postgresTime(micros int64) string {
	if micros == 0 {
		return "0"
	}
	for _, unit := range []string{"d", "h", "min", "s", "ms"} {
		if size := postgresTimes()[unit]; micros%size == 0 {
			return strconv.FormatInt(micros/size, 10) + unit
		}
	}
	return strconv.FormatInt(micros, 10) + "us"
}
