package site

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// plain makes a text from a run safe to show as one line: no control
// characters, and none that reorder their surroundings.
func plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t', r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), r == '\uFEFF', r == '\u200E', r == '\u200F', r == '\u061C',
			r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

// short is plain, cut to 80 characters; long to 160.
func short(s string) string { return cutTo(s, 80) }
func long(s string) string  { return cutTo(s, 160) }

func cutTo(s string, most int) string {
	runes := []rune(plain(s))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// slug makes a file name of a text that may hold anything: what is readable of
// it, and six digits of its hash, so that no two texts share one.
func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case b.Len() >= 40:
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	sum := sha256.Sum256([]byte(s))
	return strings.Trim(b.String()+"-"+hex.EncodeToString(sum[:3]), "-")
}

// number writes a value with three or four significant digits and thin groups.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	if math.Abs(x) >= 999.5 {
		return group(strconv.FormatFloat(x, 'f', 0, 64))
	}
	digits := 3 - 1
	if a := math.Abs(x); a > 0 {
		digits = max(0, 2-int(math.Floor(math.Log10(a))))
	}
	return strconv.FormatFloat(x, 'f', min(digits, 9), 64)
}

// group parts thousands by a no-break space.
func group(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u00a0" + digits[i:]
	}
	return sign + digits
}

func percent(x float64) string {
	s := strconv.FormatFloat(math.Abs(x)*100, 'f', 1, 64) + "\u00a0%"
	if x < 0 {
		return "−" + s
	}
	return "+" + s
}

// pvalue writes a probability.
func pvalue(p float64) string {
	if p < 1e-6 {
		return "< 0.000001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

// latency writes ns as milliseconds.
func latency(ns float64) string {
	if !(ns > 0) {
		return "–"
	}
	return number(ns / 1e6)
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
