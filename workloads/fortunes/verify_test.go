package fortunes

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"
)

// goodPage is a page as TechEmpower's specification shows it.
func goodPage() Page {
	messages := map[int32]string{0: ExtraMessage}
	for _, r := range Rows() {
		messages[r.ID] = r.Message
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html><head><title>Fortunes</title></head><body><table>\n<tr><th>id</th><th>message</th></tr>\n")
	for _, id := range Order() {
		fmt.Fprintf(&b, "<tr><td>%d</td><td>%s</td></tr>\n", id, html.EscapeString(messages[id]))
	}
	b.WriteString("</table></body></html>")
	return page(b.String())
}

func page(body string) Page {
	h := http.Header{}
	h.Set("Server", "x")
	h.Set("Date", "Mon, 02 Jan 2006 15:04:05 GMT")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", fmt.Sprint(len(body)))
	return Page{Status: 200, Header: h, Body: []byte(body)}
}

func TestVerifyPage(t *testing.T) {
	good := string(goodPage().Body)
	for name, c := range map[string]struct {
		old, new string
		want     string // part of what is wrong, "" for nothing
	}{
		"as specified":          {"", "", ""},
		"attributes":            {"<table>", `<table class="x">`, ""},
		"optional elements":     {"<table>", `<table><tbody>`, ""},
		"meta and link":         {"<head>", `<head><meta charset="utf-8"><link rel="x">`, ""},
		"doctype in lower case": {"<!DOCTYPE html>", "<!doctype html>", ""},
		"named quotes":          {"&#34;", "&quot;", ""},
		"hexadecimal quotes":    {"&#34;", "&#x22;", ""},
		"raw apostrophe":        {"aren&#39;t", "aren't", ""},
		"raw greater-than":      {"&gt;", ">", ""},
		"escaped solidus":       {"&lt;/script", "&lt;&#x2F;script", ""},
		"named dash":            {"—", "&mdash;", ""},
		"script not escaped":    {"&lt;script&gt;", "<script>", "part 23 is"},
		"script not escaped at all": {"&lt;script&gt;alert(&#34;This should not be displayed in a browser alert box.&#34;);&lt;/script&gt;",
			`<script>alert("This should not be displayed in a browser alert box.");</script>`, "part 23 is"},
		"other reference":        {"フ", "&#12501;", `reference "&#12501;" is not allowed`},
		"doubly escaped":         {"&lt;script", "&amp;lt;script", "part 23 is"},
		"another order":          {"<td>11</td>", "<td>12</td>", "part 20 is"},
		"row missing":            {"<tr><td>0</td><td>Additional fortune added at request time.</td></tr>", "", "is"},
		"no title":               {"<title>Fortunes</title>", "", "part 4 is"},
		"question marks":         {"フレームワーク", "???????", "part"},
		"text in another case":   {"Fortunes", "fortunes", "part 5 is"},
		"reference without end":  {"&lt;/script&gt;</td>", "&lt;/script&gt</td>", "without an end"},
		"cut off within a tag":   {"</html>", "</html", "without an end"},
		"cut off at the end":     {"</body></html>", "", "parts, want"},
		"something at the end":   {"</html>", "</html>more", "parts, want"},
		"not UTF-8":              {"フ", "\xe3", "not UTF-8"},
		"header cell of the id":  {"<th>id</th>", "<td>id</td>", "part 11 is"},
		"white space in a table": {"<table>", "<table>\r\n\t ", ""},
	} {
		p := page(strings.Replace(good, c.old, c.new, -1))
		got := strings.Join(VerifyPage(p), "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}

func TestVerifyHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Page)
		want   string
	}{
		"status":         {func(p *Page) { p.Status = 500 }, "status is 500, want 200"},
		"server":         {func(p *Page) { p.Header.Del("Server") }, "header Server is missing"},
		"date":           {func(p *Page) { p.Header.Del("Date") }, "header Date is missing"},
		"date's form":    {func(p *Page) { p.Header.Set("Date", "today") }, `header Date is "today", which is no date`},
		"type":           {func(p *Page) { p.Header.Set("Content-Type", "text/html") }, `header Content-Type is "text/html", want text/html; charset=utf-8`},
		"type missing":   {func(p *Page) { p.Header.Del("Content-Type") }, "header Content-Type is missing"},
		"type's case":    {func(p *Page) { p.Header.Set("Content-Type", "text/html;charset=UTF-8") }, ""},
		"length":         {func(p *Page) { p.Header.Set("Content-Length", "3") }, `header Content-Length is "3", the body has`},
		"length missing": {func(p *Page) { p.Header.Del("Content-Length") }, "headers Content-Length and Transfer-Encoding are both missing"},
		"chunked":        {func(p *Page) { p.Header.Del("Content-Length"); p.Header.Set("Transfer-Encoding", "chunked") }, ""},
		"compressed":     {func(p *Page) { p.Header.Set("Content-Encoding", "gzip") }, `header Content-Encoding is "gzip", want none`},
	} {
		p := goodPage()
		c.change(&p)
		got := strings.Join(VerifyPage(p), "; ")
		if (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
	same := goodPage()
	if got := VerifyDates(same, same); len(got) != 1 {
		t.Errorf("a date that stands still: %q", got)
	}
	later := goodPage()
	later.Header.Set("Date", "Mon, 02 Jan 2006 15:04:06 GMT")
	if got := VerifyDates(same, later); got != nil {
		t.Errorf("a date that moved: %q", got)
	}
}

// TestOrder compares the order of the specification with the byte order of the
// messages.
func TestOrder(t *testing.T) {
	messages := map[int32]string{0: ExtraMessage}
	for _, r := range Rows() {
		messages[r.ID] = r.Message
	}
	order := Order()
	if len(order) != len(messages) {
		t.Fatalf("%d ids, %d messages", len(order), len(messages))
	}
	for i := 1; i < len(order); i++ {
		if messages[order[i-1]] >= messages[order[i]] {
			t.Errorf("row %d does not come before row %d", order[i-1], order[i])
		}
	}
}

func FuzzVerifyPage(f *testing.F) {
	f.Add(goodPage().Body)
	f.Add([]byte("<!doctype html><p a='>'>&#x2f;&amp;</p>"))
	f.Add([]byte("<"))
	f.Add([]byte("&"))
	f.Add([]byte("</ >< ><!doctype>"))
	good := string(goodPage().Body)
	f.Fuzz(func(t *testing.T, body []byte) {
		wrong := VerifyPage(page(string(body)))
		for _, w := range wrong {
			if len(w) > 2500 {
				t.Errorf("a text of %d bytes", len(w))
			}
		}
		if len(wrong) == 0 && len(body) < len(good)/2 {
			t.Errorf("accepted %q", body)
		}
	})
}
