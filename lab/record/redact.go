package record

import (
	"net/url"
	"regexp"
	"sort"
	"strings"
)

// Redactor takes out of every text what a run folder must not hold. The zero
// value takes out nothing.
type Redactor struct {
	secrets *strings.Replacer
	names   []name
}

type name struct {
	text string
	word *regexp.Regexp
	mark string
}

// Private is what must not be written.
type Private struct {
	// Secrets are passwords, tokens and the like; they are taken out
	// wherever they occur, URL-encoded forms included.
	Secrets []string
	// HostNames (and addresses), Users and Paths (home, checkout, results
	// root) are taken out where they stand as words of their own, unless the
	// word is one of the plan's, such as a contender's name.
	HostNames []string
	Users     []string
	Paths     []string
}

// Words that are names of accounts or hosts almost everywhere: they identify
// nobody, and taking them out would maim server names and log texts.
var everywhere = map[string]bool{
	"": true, "root": true, "postgres": true, "mysql": true, "mariadb": true, "localhost": true,
	"nobody": true, "admin": true, "user": true, "docker": true, "benchlab": true, "127.0.0.1": true,
	// The first words of kernel settings, too: a machine named "vm" is nobody.
	"vm": true, "net": true, "kernel": true, "fs": true, "dev": true,
	"db": true, "app": true, "load": true, "server": true, "client": true, "local": true,
}

// NewRedactor prepares a redactor.
func NewRedactor(p Private) *Redactor {
	r := &Redactor{}
	var pairs []string
	for _, s := range longestFirst(p.Secrets) {
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s)} {
			pairs = append(pairs, form, "[secret]")
		}
	}
	if len(pairs) > 0 {
		r.secrets = strings.NewReplacer(pairs...)
	}
	r.add(p.Paths, "[path]")
	r.add(p.HostNames, "[host]")
	r.add(p.Users, "[user]")
	return r
}

func (r *Redactor) add(words []string, mark string) {
	for _, w := range longestFirst(words) {
		w = strings.TrimRight(w, "/")
		if everywhere[strings.ToLower(w)] || len(w) < 2 {
			continue
		}
		// A word ends where no letter, digit or underscore follows; \b does
		// not serve, since a path begins with a slash.
		before := `(^|[^\pL\pN_])`
		if strings.HasPrefix(w, "/") {
			before = `()`
		}
		expr := `(?i)` + before + regexp.QuoteMeta(w) + `($|[^\pL\pN_])`
		r.names = append(r.names, name{text: strings.ToLower(w), word: regexp.MustCompile(expr), mark: mark})
	}
}

// sparing is r without the names that are words of the manifest's own: taken
// out, they would leave a plan that nobody can read.
func (r *Redactor) sparing(m Manifest) *Redactor {
	if r == nil {
		return nil
	}
	own := map[string]bool{}
	add := func(words ...string) {
		for _, w := range words {
			own[strings.ToLower(w)] = true
		}
	}
	add(m.Plan.Suite, m.Plan.Size, m.Profile)
	for _, h := range m.Hosts {
		add(h.Label)
	}
	for _, s := range m.Plan.Servers {
		add(s.Label, s.Name)
	}
	for _, c := range m.Plan.Contenders {
		add(c.Label, c.Name)
	}
	for _, c := range m.Plan.Cells {
		add(c.Workload, c.Kind)
	}
	out := &Redactor{secrets: r.secrets}
	for _, n := range r.names {
		if !own[n.text] {
			out.names = append(out.names, n)
		}
	}
	return out
}

func longestFirst(words []string) []string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if len(out[i]) != len(out[j]) {
			return len(out[i]) > len(out[j])
		}
		return out[i] < out[j]
	})
	return out
}

// Text returns s without what must not be written.
func (r *Redactor) Text(s string) string {
	if r == nil || s == "" {
		return s
	}
	if r.secrets != nil {
		s = r.secrets.Replace(s)
	}
	for _, n := range r.names {
		// Twice, because neighbouring words share the character between.
		for range 2 {
			s = n.word.ReplaceAllString(s, "${1}"+n.mark+"${2}")
		}
	}
	return s
}
