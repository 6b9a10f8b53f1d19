package plan

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"benchlab/lab"
	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
)

// A contender's name may say which version of its library is meant, after an @:
// a released version (pgx@v5.12.0), a commit or branch (gorm@1a2b3c4), or a
// folder with a checkout of it (pgx@../pgx), where the version begins with a dot
// or a slash. Contenders that ask for the same versions share one agent, built
// with them and with nobody else linked.

var (
	// moduleVersion is what Go takes after a module's @, but for queries such
	// as "<v2", which mean another version tomorrow.
	moduleVersion = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_/-]*$`)
	modulePath    = regexp.MustCompile(`^[a-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9._~-]+)*$`)
	goVersion     = regexp.MustCompile(`^1\.[0-9]+(\.[0-9]+|rc[0-9]+)?$`)
)

const noGoVersion = "is no Go version, allowed are those such as 1.26.1"

// cutVersion takes a contender's name apart; asked says that there is an @.
func cutVersion(name string) (contender, version string, asked bool) {
	return strings.Cut(name, "@")
}

// IsCheckout tells a folder with a module from a version of it.
func IsCheckout(version string) bool {
	return strings.HasPrefix(version, ".") || filepath.IsAbs(version)
}

// resolveVersion completes a contender with the versions that an entry of the
// suite asks for, and with the agent that has them. place is where it stands.
func (d *draft) resolveVersion(place []any, e Entrant, known contenders.Contender, c *lab.Contender) {
	_, version, asked := cutVersion(e.Name)
	if !asked && len(e.Versions) == 0 && e.Go == "" {
		return
	}
	versions := maps.Clone(e.Versions)
	if versions == nil {
		versions = map[string]string{}
	}
	if len(known.Library) == 0 {
		d.fault(spec.Quote(e.Name), "has no library of which there could be a version", "leave the version out", place...)
		return
	}
	if asked {
		if was, twice := versions[known.Library[0]]; twice {
			d.fault(spec.Quote(was), fmt.Sprintf("is a second version beside %s", spec.Quote(e.Name)),
				"leave one of them out", at(place, "versions")...)
			return
		}
		versions[known.Library[0]] = version
	}
	for _, module := range slices.Sorted(maps.Keys(versions)) {
		d.checkVersion(place, e, module, versions[module])
	}
	if e.Go != "" && !goVersion.MatchString(e.Go) {
		d.fault(spec.Quote(e.Go), noGoVersion, "", at(place, "go")...)
	}
	c.Go = e.Go
	c.Versions = map[string]string{}
	for module, version := range versions {
		c.Versions[module] = version
		if IsCheckout(version) {
			// Where a checkout lies is nobody else's business, and means
			// nothing on another machine.
			if c.Checkouts == nil {
				c.Checkouts = map[string]string{}
			}
			c.Checkouts[module] = version
			c.Versions[module] = lab.CheckoutVersion + " " + checkoutName(version)
		}
	}
	c.Agent = agentOf(*c)
}

// checkVersion says what is wrong with one version.
func (d *draft) checkVersion(place []any, e Entrant, module, version string) {
	path, value := at(place, "versions", module), spec.Quote(version)
	if _, own := e.Versions[module]; !own {
		path, value = at(place, "name"), spec.Quote(e.Name)
	}
	if !modulePath.MatchString(module) {
		value = spec.Quote(module)
	}
	if text, hint := versionFault(module, version); text != "" {
		d.fault(value, text, hint, path...)
	}
}

// versionFault says what is wrong with a module's version, "" for nothing.
func versionFault(module, version string) (text, hint string) {
	switch {
	case !modulePath.MatchString(module):
		return "is no module path", "write it as go.mod does: github.com/jackc/pgx/v5"
	case !IsCheckout(version) && !moduleVersion.MatchString(version):
		return "names no version, allowed are a version (pgx@v5.12.0), a commit (pgx@1a2b3c4) and a folder (pgx@../pgx)", ""
	}
	return "", ""
}

// checkoutName is the part of a checkout's path that tables may show.
func checkoutName(path string) string {
	name := filepath.Base(filepath.Clean(path))
	if name == "." || name == ".." || name == "/" {
		return lab.CheckoutVersion
	}
	return name
}

// labelOf is how tables name a contender that has no label of its own.
func labelOf(e Entrant) string {
	name, version, asked := cutVersion(e.Name)
	label := name
	if asked {
		if IsCheckout(version) {
			version = checkoutName(version)
		}
		label += "@" + version
	}
	if e.Go != "" {
		label += " go" + e.Go
	}
	return cmp.Or(e.Label, label)
}

// agentOf names the agent of a contender with versions of its own: the same
// name for the same contender, versions and Go. Checkouts may have one name and
// lie apart, so that each contender with one has its own agent.
func agentOf(c lab.Contender) string {
	parts := []string{c.Name}
	for _, module := range slices.Sorted(maps.Keys(c.Versions)) {
		parts = append(parts, module+"@"+c.Versions[module])
	}
	if c.Go != "" {
		parts = append(parts, "go"+c.Go)
	}
	if len(c.Checkouts) > 0 {
		parts = append(parts, "for "+c.Label)
	}
	return strings.Join(parts, " ")
}
