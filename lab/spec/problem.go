package spec

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a file: where, which value, what is
// allowed, what to do.
type Problem struct {
	// File is the file's name as the user gave it.
	File string
	// Line and Column count from 1; 0 where the whole file is meant.
	Line, Column int
	// Path leads to the value, such as "servers[0].version".
	Path string
	// Value is the value as written, quoted where it is text; may be empty.
	Value string
	// Text says what is wrong with it and what is allowed.
	Text string
	// Hint says what to do; may be empty.
	Hint string
}

// Error is the problem on one line.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		b.WriteString(":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column))
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	if p.Value != "" {
		b.WriteString(p.Value + " ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// Problems is every problem of a configuration, in the order of the files'
// lines.
type Problems struct{ All []Problem }

// Error lists all problems, one a line.
func (p *Problems) Error() string {
	lines := make([]string, len(p.All))
	for i, one := range p.All {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// ExitCode is that of a usage or configuration error.
func (p *Problems) ExitCode() int { return 2 }

// Hints are the problems' hints, each once.
func (p *Problems) Hints() []string {
	var hints []string
	seen := map[string]bool{}
	for _, one := range p.All {
		if one.Hint != "" && !seen[one.Hint] {
			seen[one.Hint] = true
			hints = append(hints, one.Hint)
		}
	}
	return hints
}

// Add appends problems.
func (p *Problems) Add(more ...Problem) { p.All = append(p.All, more...) }

// Err is the problems as an error, sorted by place, or nil where there are
// none.
func (p *Problems) Err() error {
	if p == nil || len(p.All) == 0 {
		return nil
	}
	sort.SliceStable(p.All, func(i, j int) bool {
		a, b := p.All[i], p.All[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	return p
}

// Quote shows text from a file: quoted, on one line and not too long.
func Quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return strconv.Quote(s)
}

// List words alternatives: a, b or c.
func List(words []string) string {
	switch len(words) {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	}
	last := len(words) - 1
	return fmt.Sprintf("%s or %s", strings.Join(words[:last], ", "), words[last])
}
