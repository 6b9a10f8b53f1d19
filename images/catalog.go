package images

// Catalog lists every image that the lab knows, servers first.
func Catalog() []Image {
	return []Image{
		postgres("18", "sid"),
		postgres("17", "trixie"),
		postgres("15", "bookworm"),
		{
			Name: "mysql", Version: "9.7", Title: "MySQL 9.7", Kind: ServerImage,
			Reference: "mysql:9.7",
			Recipe: Recipe{
				Suite: "sid",
				// The core package is the server alone; mysql-server would
				// add perl, an init system and a filled data directory.
				Packages: []string{"mysql-server-core", "mysql-client-core"},
				Main:     "mysql-server-core",
				Omit:     []string{"/usr/bin/*my*", "/usr/bin/ibd2sdi", "/usr/bin/innochecksum", "/usr/bin/perror"},
				Keep:     []string{"/usr/bin/mysql", "/usr/bin/mysqladmin", "/usr/bin/mysqldump"},
				User:     "mysql",
				Config:   Config{Cmd: []string{"/usr/sbin/mysqld"}, StopSignal: "SIGTERM"},
			},
		},
		{
			Name: "mariadb", Version: "11.8", Title: "MariaDB 11.8", Kind: ServerImage,
			Reference: "mariadb:11.8",
			Recipe: Recipe{
				Suite:    "trixie",
				Packages: []string{"mariadb-server-core", "mariadb-client-core"},
				Main:     "mariadb-server-core",
				User:     "mysql",
				Config:   Config{Cmd: []string{"/usr/sbin/mariadbd"}, StopSignal: "SIGTERM"},
			},
		},
		python("fortunes"),
		python("agent"),
		tool("pgbench", "18", "/usr/lib/postgresql/18/bin/pgbench", postgresRecipe("18", "sid")),
		tool("sysbench", "1.0", "/usr/bin/sysbench", Recipe{Suite: "trixie", Packages: []string{"sysbench"}, Main: "sysbench"}),
		tool("wrk", "4.1", "/usr/bin/wrk", Recipe{Suite: "trixie", Packages: []string{"wrk"}, Main: "wrk"}),
	}
}

func postgres(version, suite string) Image {
	recipe := postgresRecipe(version, suite)
	recipe.Config = Config{Cmd: []string{"/usr/lib/postgresql/" + version + "/bin/postgres"}, StopSignal: "SIGINT"}
	return Image{
		Name: "postgres", Version: version, Title: "PostgreSQL " + version, Kind: ServerImage,
		Reference: "postgres:" + version, Recipe: recipe,
	}
}

func postgresRecipe(version, suite string) Recipe {
	return Recipe{
		Suite: suite,
		// The small one of the two programs that can add the server's user.
		Packages: []string{"postgresql-" + version, "systemd-standalone-sysusers"},
		Main:     "postgresql-" + version,
		// Without this the package would fill a database, with a new
		// system identifier in each build.
		Files: map[string]string{
			"/etc/postgresql-common/createcluster.conf": "create_main_cluster = false\n",
		},
		Omit: []string{"/usr/share/i18n/*"},
	}
}

// tool is an established load generator that is run as it is, unprivileged.
func tool(name, version, program string, recipe Recipe) Image {
	recipe.Config = Config{Entrypoint: []string{program}, User: "65532:65532"}
	return Image{Name: name, Version: version, Title: name + " " + version, Kind: ToolImage, Recipe: recipe}
}
