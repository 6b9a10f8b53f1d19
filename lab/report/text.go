package report

import (
	"bytes"
	"fmt"
	"io"

	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Text writes the page for a terminal: the tables and notes, without what
// stays the same under every table.
func Text(w io.Writer, p *Page) error {
	var b bytes.Buffer
	for _, t := range p.Tables {
		fmt.Fprintf(&b, "\n%s\n", plain(t.heading()))
		for _, g := range t.Grids {
			fmt.Fprintf(&b, "  %s\n", plain(g.Title))
			if err := g.render(&b, lined(), plain, "\n"); err != nil {
				return fmt.Errorf("writing table %q: %w", t.Slug, err)
			}
		}
		for _, n := range t.Notes {
			fmt.Fprintf(&b, " %s %s: %s\n", superscript([]int{n.Number}), short(n.Code, MaxName), n.meaning())
			for _, l := range n.brief(2) {
				fmt.Fprintf(&b, "     %s\n", short(l, textMax))
			}
		}
	}
	b.WriteString("\n")
	for _, l := range p.Head {
		fmt.Fprintf(&b, "%-10s %s\n", l.Name, short(l.Text, textMax))
	}
	for _, s := range p.Problems {
		fmt.Fprintf(&b, "%-10s %s\n", "Note", plain(s))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// lined draws a line under the header and nothing else.
func lined() tw.Renderer {
	none := tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off}
	return renderer.NewBlueprint(tw.Rendition{
		Borders: none,
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{ShowHeader: tw.On, BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On},
		},
	})
}
