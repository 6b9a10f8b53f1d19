package report

import (
	"strings"
	"unicode"
)

// MaxName is how many characters of a name or text are shown in a table; CSV
// keeps all of it.
const MaxName = 80

// noteMost is how many characters of a sentence in a table are shown.
const noteMost = 120

// textMax is how many characters of a whole line are shown.
const textMax = 1000

// plain makes a text from a run safe to show as one line: no control
// characters, and none that reorder their surroundings (Unicode calls them
// bidirectional formatting characters).
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t', r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), r == '\uFEFF', r == '\u200E', r == '\u200F', r == '\u061C',
			r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(s)
}

// short cuts a text to n characters and says so with an ellipsis.
func short(s string, n int) string {
	s = plain(s)
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `[`, `\[`, `]`, `\]`, `|`, `\|`, `~`, `\~`,
	`<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`, `$`, `\$`,
)

// markdown escapes a text for the inside of a line or a table cell.
func markdown(s string) string {
	s = markdownEscapes.Replace(plain(s))
	// An underscore within a word is only that; at its edge it is emphasis.
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if r == '_' && (i == 0 || i == len(runes)-1 || !wordy(runes[i-1]) || !wordy(runes[i+1])) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// defuse keeps a text from being taken for a formula by a spreadsheet: a text
// that starts with = + - @, a tab or a carriage return gets an apostrophe in
// front. Numeric columns are never touched.
func defuse(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// superscript writes the numbers of notes: " ¹ ²".
func superscript(marks []int) string {
	var b strings.Builder
	for _, n := range marks {
		b.WriteByte(' ')
		for _, d := range count(n) {
			if d >= '0' && d <= '9' {
				b.WriteRune([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[d-'0'])
			}
		}
	}
	return b.String()
}
