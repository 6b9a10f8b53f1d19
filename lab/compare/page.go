package compare

import (
	"fmt"
	"io"

	"benchlab/lab/report"
)

func words(texts ...string) []report.Entry {
	out := make([]report.Entry, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

// page writes lines and tables until one cannot be written.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *page) grid(g report.Grid) {
	p.line("")
	if p.err == nil {
		p.err = g.Text(p.w)
	}
}

// identity writes in what two things differ.
func (p *page) identity(list []Difference, none string) {
	if len(list) == 0 {
		p.line("identity: %s", none)
		return
	}
	g := report.Grid{Title: "what differs", Header: []string{"what", "first", "second", "for the comparison"}, Words: 4}
	for _, d := range list {
		g.Rows = append(g.Rows, words(d.What, d.First, d.Second, string(d.Weight)))
	}
	p.grid(g)
}

// mixed warns where more than one thing may have changed speed.
func (p *page) mixed(list []Difference) {
	subjects := 0
	for _, d := range list {
		if d.Weight == Subject {
			subjects++
		}
	}
	if subjects > 1 {
		p.line("%d things differ that may change speed: what is found below cannot be put down to one of them alone", subjects)
	}
}
