package record

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"
)

// MaxLog is how much of one log is kept, in bytes; of a longer one the end,
// which is where errors stand.
const MaxLog = 1 << 20

// Log writes text to logs/name: redacted, valid UTF-8, without control
// characters, at most MaxLog bytes. A name that was used gets a number.
func (f *Folder) Log(name string, text []byte) error {
	if !legalName(name) {
		return fmt.Errorf("writing log %q: a name is made of letters, digits, dashes, dots and underscores", name)
	}
	// Redacting comes before cutting, so that no half of a secret is left.
	doc := f.redact.Text(printable(string(text)))
	if over := len(doc) - MaxLog; over > 0 {
		doc = fmt.Sprintf("[the first %d bytes are left out]\n", over) + strings.ToValidUTF8(doc[over:], "")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return fmt.Errorf("writing log %q: run %q is finished", name, f.manifest.Run)
	}
	return f.writeOnce(LogsDir+"/"+f.freeLog(name), []byte(doc))
}

// freeLog is name, or name with the first number that is free.
func (f *Folder) freeLog(name string) string {
	ext := path.Ext(name)
	free := name
	for n := 2; ; n++ {
		if _, err := f.root.Lstat(LogsDir + "/" + free); errors.Is(err, fs.ErrNotExist) {
			return free
		}
		free = fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, ext), n, ext)
	}
}

// printable strips what could move a terminal's cursor or colour.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// legalName reports whether s can be a file name anywhere.
func legalName(s string) bool {
	if s == "" || len(s) > 120 || s[0] == '.' || s[0] == '-' {
		return false
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
		default:
			return false
		}
	}
	return true
}
