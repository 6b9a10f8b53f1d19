package fortunes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tokens cuts a page into its tags, written "<name>" and "</name>", and its
// texts, written "=text". As in TechEmpower's parser, attributes, the optional
// elements meta, link, script, thead and tbody, and white space between tags
// do not count. The content of an element that does not count still does.
func tokens(page []byte) ([]string, error) {
	if !utf8.Valid(page) {
		return nil, errors.New("not UTF-8")
	}
	var out []string
	for rest := string(page); rest != ""; {
		if rest[0] != '<' {
			text, after := cut(rest, '<')
			rest = after
			if strings.TrimSpace(text) == "" {
				continue
			}
			plain, err := unescape(text)
			if err != nil {
				return nil, err
			}
			out = append(out, "="+strings.TrimSpace(plain))
			continue
		}
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			return nil, fmt.Errorf("tag %q without an end", shorten(rest))
		}
		if tag := tagName(rest[1:end]); tag != "" {
			out = append(out, "<"+tag+">")
		}
		rest = rest[end+1:]
	}
	return out, nil
}

// cut splits before the first c, which stays with what comes after.
func cut(s string, c byte) (before, after string) {
	if i := strings.IndexByte(s, c); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// tagName is a tag's name in lower case, with its slash where it closes, or ""
// for one that does not count.
func tagName(inside string) string {
	lower := strings.ToLower(strings.TrimSpace(inside))
	if strings.HasPrefix(lower, "!doctype") {
		return strings.Join(strings.Fields(lower), " ")
	}
	name := strings.TrimSuffix(lower, "/")
	if fields := strings.Fields(name); len(fields) > 0 {
		name = fields[0]
	}
	if slices.Contains([]string{"meta", "link", "script", "thead", "tbody"}, strings.TrimPrefix(name, "/")) {
		return ""
	}
	return name
}

// unescape resolves the references that a page may hold. Others are refused,
// since the verifier would drop them and find the text different.
func unescape(text string) (string, error) {
	var out strings.Builder
	for {
		before, after := cut(text, '&')
		out.WriteString(before)
		if after == "" {
			return out.String(), nil
		}
		end := strings.IndexByte(after, ';')
		if end < 0 {
			return "", fmt.Errorf("reference %q without an end", shorten(after))
		}
		c, err := reference(after[1:end])
		if err != nil {
			return "", err
		}
		out.WriteRune(c)
		text = after[end+1:]
	}
}

func reference(name string) (rune, error) {
	named := map[string]rune{"quot": '"', "apos": '\'', "lt": '<', "gt": '>', "amp": '&', "mdash": '—'}
	if c, ok := named[name]; ok {
		return c, nil
	}
	digits, base := strings.TrimPrefix(name, "#"), 10
	if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 16)
	if !strings.HasPrefix(name, "#") || err != nil || !strings.ContainsRune(`"'+></()`, rune(n)) {
		return 0, fmt.Errorf("reference %q is not allowed", "&"+shorten(name)+";")
	}
	return rune(n), nil
}

// shorten keeps error texts to a line.
func shorten(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
