package tools

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// most bounds every figure that is read: beyond it something else was printed.
const most = 1e15

// text is what a tool printed, read line by line of its own wording. The first
// thing that is missing is kept, so that reading goes on without checking.
type text struct {
	printed string
	err     error
}

// find gives the groups of the only match of a line's pattern.
func (t *text) find(what, pattern string) []string {
	all := regexp.MustCompile(`(?m)^`+pattern+`$`).FindAllStringSubmatch(t.printed, 2)
	switch {
	case len(all) == 1:
		return all[0][1:]
	case t.err == nil && len(all) == 0:
		t.err = fmt.Errorf("no line tells the %s", what)
	case t.err == nil:
		t.err = fmt.Errorf("several lines tell the %s", what)
	}
	return nil
}

// optional is find where there may be no such line.
func (t *text) optional(pattern string) []string {
	if m := regexp.MustCompile(`(?m)^` + pattern + `$`).FindStringSubmatch(t.printed); m != nil {
		return m[1:]
	}
	return nil
}

// numbers are find's groups as numbers of 0 or more, or as many zeros.
func (t *text) numbers(what, pattern string, n int) []float64 {
	out := make([]float64, n)
	for i, word := range t.find(what, pattern) {
		out[i] = t.number(what, word)
	}
	return out
}

func (t *text) number(what, word string) float64 {
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsNaN(x) || x < 0 || x > most {
		if t.err == nil {
			t.err = fmt.Errorf("the %s is %q, no number of 0 or more", what, brief(word))
		}
		return 0
	}
	return x
}

// wrong keeps an error unless there is one.
func (t *text) wrong(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

// whole is a count: a whole number.
func (t *text) whole(what, pattern string) int64 {
	x := t.numbers(what, pattern, 1)[0]
	if x != math.Trunc(x) {
		t.wrong("the %s is %v, no whole number", what, x)
	}
	return int64(x)
}

// gist is the first line in which a process tells of an error, else the last
// one, on standard error before standard output.
func (o Output) gist() string {
	for _, s := range []string{o.Errors, o.Text} {
		last := ""
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); line != "" {
				last = line
			}
			if strings.Contains(line, "error:") || strings.Contains(line, "FATAL") {
				break
			}
		}
		if last != "" {
			return brief(last)
		}
	}
	return "it printed nothing"
}

// brief cuts a text that came from outside.
func brief(s string) string {
	const enough = 200
	s = strings.ToValidUTF8(s, "?")
	if len(s) > enough {
		s = strings.ToValidUTF8(s[:enough], "") + " ..."
	}
	return s
}

// ns rounds a time in ns.
func ns(x float64) int64 { return int64(math.Round(x)) }

// errorsOf are n errors that are told without a class.
func errorsOf(n int64) map[string]int64 {
	if n <= 0 {
		return nil
	}
	return map[string]int64{"other": n}
}
