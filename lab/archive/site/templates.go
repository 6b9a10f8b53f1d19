package site

import (
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"benchlab/lab/record"
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
		"latency": latency, "date": date, "runFile": runFile, "publishedFile": publishedFile,
		"join":       func(words []string) string { return joined(words, ", ") },
		"semicolons": func(words []string) string { return joined(words, "; ") },
		"hosts":      processors, "machines": machines,
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

// joined is words of a run in one line.
func joined(words []string, by string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = short(w)
	}
	return strings.Join(out, by)
}

// machines describes hosts, those that are alike once.
func machines(hosts []string) string {
	count := map[string]int{}
	var kinds []string
	for _, h := range hosts {
		if count[h] == 0 {
			kinds = append(kinds, h)
		}
		count[h]++
	}
	for i, k := range kinds {
		if n := count[k]; n > 1 {
			kinds[i] = fmt.Sprintf("%d × %s", n, k)
		}
	}
	return plain(strings.Join(kinds, " + "))
}

// processors is the first words of what is known of hosts, for narrow columns.
func processors(hosts []string) string {
	out := make([]string, len(hosts))
	for i, h := range hosts {
		h, _, _ = strings.Cut(h, ";")
		out[i] = short(h)
	}
	return machines(out)
}

// runFile is the name of a run's page; ids are legal file names.
func runFile(run string) string { return "run-" + run + ".html" }

// publishedFile is the name of a published table's page.
func publishedFile(name string) string { return "published-" + slug(name) + ".html" }

// numericColumns reports which columns of a published table hold numbers, for
// the most part: those stand to the right. A row may be longer than the header.
func numericColumns(t record.Published) []bool {
	columns := len(t.Header)
	for _, row := range t.Rows {
		columns = max(columns, len(row))
	}
	out := make([]bool, columns)
	for i := range out {
		numbers, texts := 0, 0
		for _, row := range t.Rows {
			switch {
			case i >= len(row) || strings.TrimSpace(row[i]) == "":
			case numeric(row[i]):
				numbers++
			default:
				texts++
			}
		}
		out[i] = numbers > texts
	}
	return out
}

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
