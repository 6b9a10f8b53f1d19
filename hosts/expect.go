package hosts

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// anyValue is the wanted value of a fact that is only written down.
const anyValue = "any"

// wanted is a parsed expectation: an operator and a value.
type wanted struct {
	kind kind
	op   string // "", ">=", "<="
	text string
}

// parseWanted reads a wanted value. Numbers, amounts and versions may have a
// limit in front; an amount without one allows a tenth to both sides, because
// a kernel shows less memory than the machine has.
func parseWanted(kind kind, text string) (wanted, error) {
	w := wanted{kind: kind, text: strings.TrimSpace(text)}
	for _, op := range []string{">=", "<="} {
		if rest, ok := strings.CutPrefix(w.text, op); ok {
			w.op, w.text = op, strings.TrimSpace(rest)
		}
	}
	if w.text == anyValue && w.op == "" {
		return w, nil
	}
	var err error
	switch {
	case w.text == "" || strings.ContainsAny(w.text, "\n\r"):
		err = fmt.Errorf("is empty, allowed are values, limits such as \">= 4\", and any")
	case kind == numeric:
		if _, bad := strconv.ParseFloat(w.text, 64); bad != nil {
			err = fmt.Errorf("is no number, allowed are numbers and limits such as \">= 4\"")
		}
	case kind == amount:
		if _, bad := ParseBytes(w.text); bad != nil {
			err = fmt.Errorf("is no amount of memory, allowed are such as 14GiB and \">= 14GiB\"")
		}
	case kind == version:
		if len(versionParts(w.text)) == 0 {
			err = fmt.Errorf("is no version, allowed are such as \"5.15\" and \">= 5.15\"")
		}
	case w.op != "":
		err = fmt.Errorf("compares text by size, allowed are limits for numbers, amounts and versions")
	}
	return w, err
}

// String is the expectation as a person would write it.
func (w wanted) String() string { return strings.TrimSpace(w.op + " " + w.text) }

// met reports whether a found value is as wanted.
func (w wanted) met(found string) bool {
	if w.text == anyValue && w.op == "" {
		return true
	}
	switch w.kind {
	case containsText:
		return strings.Contains(fold(found), fold(w.text))
	case numeric:
		want, err := strconv.ParseFloat(w.text, 64)
		have, bad := strconv.ParseFloat(found, 64)
		return err == nil && bad == nil && w.holds(compareNumbers(have, want))
	case amount:
		return w.metAmount(found)
	case version:
		return w.metVersion(found)
	}
	return fold(found) == fold(w.text)
}

func (w wanted) metAmount(found string) bool {
	want, err := ParseBytes(w.text)
	have, bad := ParseBytes(strings.ReplaceAll(found, " ", ""))
	if err != nil || bad != nil {
		return false
	}
	const tolerance = 0.1
	if w.op == "" {
		return math.Abs(float64(have-want)) <= tolerance*float64(want)
	}
	if w.op == ">=" { // what the kernel keeps to itself does not count
		want = int64((1 - tolerance) * float64(want))
	}
	return w.holds(compareNumbers(float64(have), float64(want)))
}

// metVersion compares as many parts as are wanted: "5.15" is met by 5.15.2.
func (w wanted) metVersion(found string) bool {
	want, have := versionParts(w.text), versionParts(found)
	if len(have) == 0 {
		return false
	}
	for i, n := range want {
		other := 0
		if i < len(have) {
			other = have[i]
		}
		if other != n {
			return w.op != "" && w.holds(other-n)
		}
	}
	return true
}

func (w wanted) holds(comparison int) bool {
	switch w.op {
	case ">=":
		return comparison >= 0
	case "<=":
		return comparison <= 0
	}
	return comparison == 0
}

func compareNumbers(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// versionParts are the leading numbers of a version: 4.4.0-96 is 4, 4, 0.
func versionParts(text string) []int {
	var parts []int
	for part := range strings.SplitSeq(text, ".") {
		digits := part[:len(part)-len(strings.TrimLeft(part, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		parts = append(parts, n)
		if digits != part {
			break
		}
	}
	return parts
}

// fold makes texts equal that differ in blanks, case and trademark signs.
func fold(text string) string {
	text = strings.NewReplacer("(r)", "", "(tm)", "").Replace(strings.ToLower(text))
	return strings.Join(strings.Fields(text), " ")
}
