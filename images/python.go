package images

import (
	_ "embed"
	"path"
)

//go:embed python/database.py
var pythonDatabase string

//go:embed python/fortunes.py
var pythonFortunes string

//go:embed python/agent.py
var pythonAgent string

// python is one of the two small contenders in Python, which show what a
// contender from outside has to do: an application, and one that speaks the
// agent protocol.
func python(program string) Image {
	const version, folder = "3.13", "/benchlab"
	text := map[string]string{"fortunes": pythonFortunes, "agent": pythonAgent}[program]
	file := path.Join(folder, program+".py")
	return Image{
		Name: "python-" + program, Version: version, Title: "Python " + version + " (" + program + ")", Kind: ContenderImage,
		Recipe: Recipe{
			Suite: "trixie",
			// MySQL's way to log in without TLS needs the last one.
			Packages: []string{"python3", "python3-psycopg2", "python3-pymysql", "python3-cryptography"},
			Main:     "python3",
			Files:    map[string]string{file: text, path.Join(folder, "database.py"): pythonDatabase},
			Config:   Config{Entrypoint: []string{"/usr/bin/python3", "-u", file}, User: "65532:65532", StopSignal: "SIGTERM"},
		},
	}
}
