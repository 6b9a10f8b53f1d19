package hosts

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxFile bounds what is read of one file of a tree; the longest that is of
// interest, cpuinfo of a large machine, has a few hundred kilobytes.
const maxFile = 4 << 20

// tree reads single values below a root: "/" on a host, a folder with copies
// of /proc and /sys in tests.
type tree struct {
	root string
	// cards are the host's network cards; nil where nothing is known of them.
	cards cards
}

// hostTree is a tree whose cards are the kernel's where it is the host's own.
func hostTree(root string) tree {
	if root == "/" {
		return tree{root: root, cards: kernelCards{}}
	}
	return tree{root: root}
}

func (t tree) path(name string) string { return filepath.Join(t.root, name) }

// read gives a file's text without surrounding blanks; false where it is
// missing, unreadable or empty.
func (t tree) read(name string) (string, bool) {
	f, err := os.Open(t.path(name))
	if err != nil {
		return "", false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	text := strings.TrimSpace(strings.ToValidUTF8(string(b), "?"))
	return text, err == nil && text != ""
}

// text is read, or NotApplicable.
func (t tree) text(name string) string {
	if s, ok := t.read(name); ok {
		return strings.Join(strings.Fields(s), " ")
	}
	return NotApplicable
}

// number is the file's number, or the fallback.
func (t tree) number(name string, fallback int64) int64 {
	s, _ := t.read(name)
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return fallback
	}
	return n
}

// chosen is the bracketed word of a file such as "always [madvise] never".
func (t tree) chosen(name string) string {
	s, ok := t.read(name)
	if !ok {
		return NotApplicable
	}
	return bracketed(s)
}

// bracketed is the word in brackets, or all of the text where there is none.
func bracketed(text string) string {
	_, rest, ok := strings.Cut(text, "[")
	if word, _, closed := strings.Cut(rest, "]"); ok && closed {
		return word
	}
	return text
}

// list names the entries of a folder whose names start with prefix; those
// that end in a number are sorted by it.
func (t tree) list(name, prefix string) []string {
	entries, err := os.ReadDir(t.path(name))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, byNumber)
	return names
}

// exists reports whether the name is there.
func (t tree) exists(name string) bool {
	_, err := os.Stat(t.path(name))
	return err == nil
}

// base is the last element of what a symbolic link points at.
func (t tree) base(name string) string {
	target, err := os.Readlink(t.path(name))
	if err != nil {
		return NotApplicable
	}
	return filepath.Base(target)
}

// byNumber orders names by their text and then by the number at their end.
func byNumber(a, b string) int {
	textA, numberA := splitNumber(a)
	textB, numberB := splitNumber(b)
	if textA != textB {
		return strings.Compare(textA, textB)
	}
	return numberA - numberB
}

func splitNumber(name string) (text string, number int) {
	text = strings.TrimRight(name, "0123456789")
	number, err := strconv.Atoi(name[len(text):])
	if err != nil {
		return name, 0
	}
	return text, number
}
