package app

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"strconv"

	"benchlab/workloads"
)

//go:embed page.html
var pageText string

// The ways of writing the page.
const (
	// Template is html/template, which is interpreted for every page.
	Template = "template"
	// Code is Go code that appends fixed texts and escaped values, which is
	// what compilers of templates make.
	Code = "code"
)

// writer appends the page of rows to a buffer.
type writer func(to *bytes.Buffer, rows []workloads.Fortune) error

func newWriter(render string) (writer, error) {
	switch render {
	case "", Template:
		page, err := template.New("page").Parse(pageText)
		if err != nil {
			return nil, fmt.Errorf("reading the page's template: %w", err)
		}
		return func(to *bytes.Buffer, rows []workloads.Fortune) error { return page.Execute(to, rows) }, nil
	case Code:
		return writePage, nil
	}
	return nil, fmt.Errorf("making the page's writer: %q is no way of writing it, want %s or %s", render, Template, Code)
}

// writePage writes what page.html says.
func writePage(to *bytes.Buffer, rows []workloads.Fortune) error {
	to.WriteString("<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>")
	for _, r := range rows {
		to.WriteString("<tr><td>")
		to.Write(strconv.AppendInt(to.AvailableBuffer(), int64(r.ID), 10))
		to.WriteString("</td><td>")
		to.WriteString(html.EscapeString(r.Message))
		to.WriteString("</td></tr>")
	}
	to.WriteString("</table></body></html>")
	return nil
}
