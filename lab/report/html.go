package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"benchlab/lab/record"
	"benchlab/lab/stats"
)

//go:embed page.html.tmpl
var pageTemplate string

//go:embed page.css
var pageCSS string

// view is the page as the template sees it.
type view struct {
	*Page
	CSS       template.CSS
	Legend    template.HTML
	Published []record.Published
}

// HTML writes the page as one file that needs nothing else: no script, no
// font, no picture from elsewhere, so that it works under a policy that allows
// nothing but inline styles. Plots are part of it where [Write] had them drawn.
func HTML(w io.Writer, p *Page) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"plain":    plain,
		"short":    func(s string) string { return short(s, MaxName) },
		"text":     func(s string) string { return short(s, textMax) },
		"sentence": func(s string) string { return short(s, noteMost) },
		"upper":    upper,
	}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("reading the page's template: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, view{
		Page: p, CSS: template.CSS(pageCSS), Legend: legendHTML(), Published: p.Run.Manifest.Published,
	})
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// Inline is the drawing for the inside of a page. It is safe: gonum/plot and
// xmlText have escaped every text in it.
func (p Plot) Inline() template.HTML { return template.HTML(p.SVG) }

// Meaning says what the note tells.
func (n Note) Meaning() string { return n.meaning() }

// Brief lists the cells that the note touches.
func (n Note) Brief() []string { return n.brief(8) }

// Class colours an entry by its verdict; the word stands there as well.
func (e Entry) Class() string {
	switch e.Verdict {
	case stats.Faster, stats.Slower, stats.Invalid:
		return string(e.Verdict)
	}
	return ""
}

// Answers counts the verdicts of the table in a few words.
func (t *Table) Answers() string {
	counts := map[stats.Verdict]int{}
	t.each(func(c *Cell) {
		for _, k := range c.comparisons() {
			counts[k.Verdict]++
		}
	})
	var out []string
	for _, v := range []stats.Verdict{stats.Faster, stats.Slower, stats.Equivalent, stats.Inconclusive, stats.Invalid} {
		if counts[v] > 0 {
			out = append(out, fmt.Sprintf("%d %s", counts[v], string(v)))
		}
	}
	return strings.Join(out, ", ")
}
