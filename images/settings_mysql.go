package images

import "strconv"

// mysqlSettings configures MySQL 9 or MariaDB for benchmarks. The performance
// schema is off, which is not the server's default and is printed as such.
func mysqlSettings(server string, o ConfigOptions) []setting {
	same := func(name, value string) setting { return setting{name: name, value: value, want: value} }
	size := func(name string, bytes int64) setting {
		text := strconv.FormatInt(bytes, 10)
		return setting{name: name, value: text, want: text}
	}
	flush := map[string]string{durable: "1", relaxed: "2", volatile: "0"}[o.Durability]
	doublewrite := map[string]string{durable: "ON", relaxed: "ON", volatile: "OFF"}[o.Durability]
	settings := []setting{
		same("bind_address", o.Listen),
		same("port", strconv.Itoa(o.Port)),
		same("skip_name_resolve", "ON"),
		size("max_connections", int64(o.MaxConnections)),
		size("back_log", int64(max(o.MaxConnections, 1000))),
		size("thread_cache_size", int64(max(o.MaxConnections, 1000))),
		size("table_open_cache", tableCache(o.MaxConnections)),
		size("max_prepared_stmt_count", 1048576),
		size("max_connect_errors", 1000000),
		same("innodb_flush_log_at_trx_commit", flush),
		same("innodb_doublewrite", doublewrite),
		same("innodb_flush_method", "O_DIRECT"),
		size("innodb_buffer_pool_size", o.bufferPool()),
		// Neither warms the pool from an earlier trial nor writes it out.
		same("innodb_buffer_pool_load_at_startup", "OFF"),
		same("innodb_buffer_pool_dump_at_shutdown", "OFF"),
		same("performance_schema", "OFF"),
		same("local_infile", "OFF"),
		same("character_set_server", "utf8mb4"),
	}
	if server == "mariadb" {
		settings = append(settings, size("innodb_log_file_size", 256<<20))
	} else {
		settings = append(settings,
			size("innodb_redo_log_capacity", 512<<20),
			same("innodb_numa_interleave", "OFF"),
			same("log_error_verbosity", "1"),
			setting{name: "mysqlx", value: "OFF"},
			setting{name: "secure_file_priv", value: "NULL"},
		)
	}
	settings = append(settings, mysqlTLS(server, o.TLS)...)
	if o.Durability == durable {
		return append(settings, setting{name: "log_bin", value: "binlog", want: "ON"}, same("sync_binlog", "1"))
	}
	return append(settings, setting{name: "skip_log_bin", show: "log_bin", want: "OFF"})
}

func mysqlTLS(server string, on bool) []setting {
	same := func(name, value string) setting { return setting{name: name, value: value, want: value} }
	switch {
	case on:
		return []setting{same("ssl_cert", certFile), same("ssl_key", keyFile),
			same("tls_version", "TLSv1.2,TLSv1.3"), same("require_secure_transport", "ON")}
	case server == "mariadb":
		return []setting{{name: "skip_ssl"}}
	}
	// An empty list of versions is no TLS.
	return []setting{{name: "tls_version", value: "''"}}
}

// tableCache is enough for one open table a session and some to spare.
func tableCache(connections int) int64 { return int64(max(4000, connections+1000)) }
