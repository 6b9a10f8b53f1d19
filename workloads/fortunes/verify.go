package fortunes

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
)

// Page is an answer of the application.
type Page struct {
	Status int
	Header http.Header
	Body   []byte
}

// VerifyPage says everything that is wrong with a page, one text each, by the
// rules of the TechEmpower verifier: the same elements and texts in the same
// order, characters escaped, and the required headers.
func VerifyPage(p Page) []string {
	wrong := verifyHeaders(p)
	got, err := tokens(p.Body)
	if err != nil {
		return append(wrong, "page: "+err.Error())
	}
	want := canonical()
	if slices.Equal(got, want) {
		return wrong
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return append(wrong, fmt.Sprintf("page: part %d is %q, want %q", i+1, got[i], want[i]))
		}
	}
	return append(wrong, fmt.Sprintf("page: %d parts, want %d", len(got), len(want)))
}

// contentType is what the specification demands, give or take a space.
var contentType = regexp.MustCompile(`(?i)^text/html; ?charset=utf-8$`)

func verifyHeaders(p Page) []string {
	var wrong []string
	if p.Status != http.StatusOK {
		wrong = append(wrong, fmt.Sprintf("status is %d, want 200", p.Status))
	}
	for _, name := range []string{"Server", "Date", "Content-Type"} {
		if p.Header.Get(name) == "" {
			wrong = append(wrong, fmt.Sprintf("header %s is missing", name))
		}
	}
	if got := p.Header.Get("Content-Type"); got != "" && !contentType.MatchString(got) {
		wrong = append(wrong, fmt.Sprintf("header Content-Type is %q, want text/html; charset=utf-8", got))
	}
	if got := p.Header.Get("Content-Encoding"); got != "" {
		wrong = append(wrong, fmt.Sprintf("header Content-Encoding is %q, want none", got))
	}
	length := p.Header.Get("Content-Length")
	switch n, err := strconv.Atoi(length); {
	case length == "" && p.Header.Get("Transfer-Encoding") == "":
		wrong = append(wrong, "headers Content-Length and Transfer-Encoding are both missing")
	case length != "" && (err != nil || n != len(p.Body)):
		wrong = append(wrong, fmt.Sprintf("header Content-Length is %q, the body has %d bytes", length, len(p.Body)))
	}
	if _, err := http.ParseTime(p.Header.Get("Date")); err != nil && p.Header.Get("Date") != "" {
		wrong = append(wrong, fmt.Sprintf("header Date is %q, which is no date", p.Header.Get("Date")))
	}
	return wrong
}

// VerifyDates says what is wrong with the dates of two pages that were asked
// for more than a second apart: a date that stands still was cached.
func VerifyDates(earlier, later Page) []string {
	if a, b := earlier.Header.Get("Date"), later.Header.Get("Date"); a == b {
		return []string{fmt.Sprintf("header Date is %q in two pages asked for more than a second apart", a)}
	}
	return nil
}

// canonical is the page as the specification shows it, as tokens.
func canonical() []string {
	messages := map[int32]string{0: ExtraMessage}
	for _, r := range Rows() {
		messages[r.ID] = r.Message
	}
	out := []string{
		"<!doctype html>", "<html>", "<head>", "<title>", "=Fortunes", "</title>", "</head>",
		"<body>", "<table>", "<tr>", "<th>", "=id", "</th>", "<th>", "=message", "</th>", "</tr>",
	}
	for _, id := range Order() {
		out = append(out, "<tr>", "<td>", "="+strconv.Itoa(int(id)), "</td>",
			"<td>", "="+messages[id], "</td>", "</tr>")
	}
	return append(out, "</table>", "</body>", "</html>")
}
