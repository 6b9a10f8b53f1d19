package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"benchlab/lab"
	"benchlab/lab/record"
)

// Markdown writes the page as Markdown with tables (GitHub's dialect).
func Markdown(w io.Writer, p *Page) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", markdown(p.Title))
	lines(&b, p.Head)
	for _, s := range p.Problems {
		fmt.Fprintf(&b, "- **Note**: %s\n", markdown(s))
	}
	b.WriteString("\nThe same figures: [report.html](report.html) as a page, [report.csv](report.csv), [results.bench](results.bench) for benchstat.\n")
	for _, t := range p.Tables {
		if err := t.markdown(&b); err != nil {
			return err
		}
	}
	for _, t := range p.Run.Manifest.Published {
		if err := published(&b, t); err != nil {
			return err
		}
	}
	b.WriteString("\n## How to read this\n\n" + legendMarkdown() + "\n")
	_, err := w.Write(b.Bytes())
	return err
}

func lines(b *bytes.Buffer, lines []Line) {
	for _, l := range lines {
		fmt.Fprintf(b, "- **%s**: %s\n", markdown(short(l.Name, MaxName)), markdown(short(l.Text, textMax)))
	}
}

func (t *Table) markdown(b *bytes.Buffer) error {
	fmt.Fprintf(b, "\n## %s\n", markdown(t.heading()))
	for _, g := range t.Grids {
		fmt.Fprintf(b, "\n**%s**\n\n", markdown(upper(g.Title)))
		if err := g.render(b, renderer.NewMarkdown(), markdown, "<br>"); err != nil {
			return fmt.Errorf("writing table %q: %w", t.Slug, err)
		}
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, n := range t.Notes {
		fmt.Fprintf(b, "-%s **%s**: %s\n", superscript([]int{n.Number}), markdown(short(n.Code, MaxName)), markdown(n.meaning()))
		for _, l := range n.brief(4) {
			fmt.Fprintf(b, "  - %s\n", markdown(short(l, textMax)))
		}
	}
	b.WriteString("\n")
	for _, p := range t.Plots {
		fmt.Fprintf(b, "![%s](%s)\n", markdown(p.Title), p.File)
	}
	if len(t.Plots) > 0 {
		b.WriteString("\n")
	}
	lines(b, t.Foot)
	return nil
}

// published writes a table of figures from elsewhere.
func published(b *bytes.Buffer, t record.Published) error {
	fmt.Fprintf(b, "\n## Published: %s\n\n%s, %s", markdown(short(t.Name, MaxName)), markdown(t.Source), markdown(t.Date))
	if t.Hardware != "" {
		fmt.Fprintf(b, "; %s", markdown(t.Hardware))
	}
	b.WriteString(". Other hardware and versions: no verdict is claimed across hosts.\n\n")
	g := Grid{Header: t.Header, Words: 1}
	for _, row := range t.Rows {
		// Rows of another length than the header would break the table.
		entries := make([]Entry, len(t.Header))
		for i := range min(len(entries), len(row)) {
			entries[i].Text = row[i]
		}
		g.Rows = append(g.Rows, entries)
	}
	if err := g.render(b, renderer.NewMarkdown(), markdown, "<br>"); err != nil {
		return fmt.Errorf("writing published table %q: %w", t.Name, err)
	}
	for i, n := range t.Notes {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "- %s\n", markdown(n))
	}
	return nil
}

// heading is the title line with what must be known before the numbers.
func (t *Table) heading() string {
	s := t.Title
	if len(t.Labels) > 0 {
		s += " (" + strings.Join(t.Labels, "; ") + ")"
	}
	return s
}

// meaning says what the note does to the numbers.
func (n Note) meaning() string {
	rank := "qualifies the numbers"
	if n.Rank == lab.Invalid {
		rank = "makes trials void"
	}
	if m := meaning(n.Code); m != "" {
		return m + " (" + rank + ")"
	}
	return rank
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// render writes a grid with tablewriter: words to the left, numbers to the
// right, nothing formatted or wrapped on its own.
func (g Grid) render(w io.Writer, r tw.Renderer, escape func(string) string, newline string) error {
	align := make(tw.Alignment, len(g.Header))
	for i := range align {
		align[i] = tw.AlignLeft
		if g.Numeric(i) {
			align[i] = tw.AlignRight
		}
	}
	table := tablewriter.NewTable(w, tablewriter.WithRenderer(r),
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithAlignment(align),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone))
	table.Header(texts(g.Header, escape))
	for _, row := range g.Rows {
		cells := make([]string, len(row))
		for i, e := range row {
			cells[i] = escape(short(e.Text, g.Most(i))) + superscript(e.Marks)
			if e.Second != "" {
				cells[i] += newline + escape(short(e.Second, MaxName))
			}
		}
		if err := table.Append(cells); err != nil {
			return err
		}
	}
	return table.Render()
}

func texts(in []string, escape func(string) string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = escape(s)
	}
	return out
}
