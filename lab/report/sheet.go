package report

import (
	"fmt"
	"io"
)

// Sheet writes lines and grids for a terminal until one cannot be written.
type Sheet struct {
	w   io.Writer
	err error
}

// NewSheet begins a sheet.
func NewSheet(w io.Writer) *Sheet { return &Sheet{w: w} }

// Line writes a line.
func (s *Sheet) Line(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format+"\n", args...)
	}
}

// Grid writes an empty line and a grid under its title.
func (s *Sheet) Grid(g Grid) {
	s.Line("")
	if s.err == nil {
		s.err = g.Text(s.w)
	}
}

// Err is why something could not be written, nil where all was.
func (s *Sheet) Err() error { return s.err }

// Words makes entries of texts.
func Words(texts ...string) []Entry {
	out := make([]Entry, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}
