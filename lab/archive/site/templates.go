package site

import (
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

//go:embed pages.html.tmpl
var pagesTemplate string

//go:embed page.css
var pageCSS string

// parse reads the templates.
func parse() (*template.Template, error) {
	t, err := template.New("pages").Funcs(template.FuncMap{
		"css":   func() template.CSS { return template.CSS(pageCSS) },
		"plain": plain, "short": short, "long": long, "number": number, "percent": percent, "pvalue": pvalue,
		"latency": latency, "date": date, "runFile": runFile, "numeric": numeric, "publishedFile": publishedFile,
		"join": func(words []string) string {
			out := make([]string, len(words))
			for i, w := range words {
				out[i] = short(w)
			}
			return strings.Join(out, ", ")
		},
		"hosts":    processors,
		"listFile": func(kind, value string) string { return (&list{Kind: kind, Value: value}).First() },
		"count": func(n int, noun string) string {
			if n == 1 {
				return "1 " + noun
			}
			return group(strconv.Itoa(n)) + " " + noun + "s"
		},
	}).Parse(pagesTemplate)
	if err != nil {
		return nil, fmt.Errorf("reading the site's templates: %w", err)
	}
	return t, nil
}

// processors is the first words of what is known of hosts, for narrow columns.
func processors(hosts []string) string {
	out := make([]string, len(hosts))
	for i, h := range hosts {
		h, _, _ = strings.Cut(h, ";")
		out[i] = short(h)
	}
	return strings.Join(out, " + ")
}

// runFile is the name of a run's page; ids are legal file names.
func runFile(run string) string { return "run-" + run + ".html" }

// publishedFile is the name of a published table's page.
func publishedFile(name string) string { return "published-" + slug(name) + ".html" }

// numeric reports whether a published cell is a number, perhaps with a unit of
// percent.
func numeric(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s), "%"), 64)
	return err == nil
}

// crumb is a link to a page above.
type crumb struct{ Link, Text string }

// head is what every page has.
type head struct {
	Title  string
	Crumbs []crumb
}

func home() crumb { return crumb{"index.html", "Archive"} }
