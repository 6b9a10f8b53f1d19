package images

import (
	"bufio"
	"fmt"
	"io"
	"sort"
	"strings"
)

// statusPath is where dpkg keeps what is installed.
const statusPath = "var/lib/dpkg/status"

// installed reads the versions of all installed packages from dpkg's status
// file.
func installed(status io.Reader) (map[string]string, error) {
	packages := make(map[string]string)
	lines := bufio.NewScanner(status)
	lines.Buffer(nil, 1<<20)
	var name, version string
	var there bool
	end := func() {
		if name != "" && there {
			packages[name] = version
		}
		name, version, there = "", "", false
	}
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "":
			end()
		case "Package":
			name = value
		case "Version":
			version = value
		case "Status":
			there = strings.HasSuffix(value, " installed")
		}
	}
	end()
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading dpkg's status: %w", err)
	}
	return packages, nil
}

// listPackages is the form of PackagesLabel.
func listPackages(packages map[string]string) string {
	lines := make([]string, 0, len(packages))
	for n, v := range packages {
		lines = append(lines, n+"="+v)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// parsePackages reads what listPackages wrote; nil if there is nothing.
func parsePackages(list string) map[string]string {
	var packages map[string]string
	for _, line := range strings.Split(list, "\n") {
		n, v, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		if packages == nil {
			packages = make(map[string]string)
		}
		packages[n] = v
	}
	return packages
}

// Drift tells which packages have another version than the lock says, such as
// "mysql-server 9.7.4-2 -> 9.7.5-1". Nothing is said against an empty lock.
func Drift(locked, got map[string]string) []string {
	if len(locked) == 0 {
		return nil
	}
	var drift []string
	for n, want := range locked {
		switch have, ok := got[n]; {
		case !ok:
			drift = append(drift, fmt.Sprintf("%s %s -> absent", n, want))
		case have != want:
			drift = append(drift, fmt.Sprintf("%s %s -> %s", n, want, have))
		}
	}
	for n, have := range got {
		if _, ok := locked[n]; !ok {
			drift = append(drift, fmt.Sprintf("%s absent -> %s", n, have))
		}
	}
	sort.Strings(drift)
	return drift
}

// DriftText says drift in one line, the server's own package first: "mysql-9.7
// drifted: mysql-server-core 9.7.4-2 -> 9.7.5-1 and 12 more". It is empty when
// there is none.
func DriftText(image Image, drift []string) string {
	if len(drift) == 0 {
		return ""
	}
	first := drift[0]
	for _, d := range drift {
		if strings.HasPrefix(d, image.Recipe.Main+" ") {
			first = d
		}
	}
	text := image.Key() + " drifted: " + first
	if more := len(drift) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
