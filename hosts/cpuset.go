package hosts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxCPU is the largest processor number that is accepted: the largest that
// Linux can be built for is 8191.
const maxCPU = 8191

// CPUSet is a set of logical processors in ascending order, without
// duplicates. Its text form is the kernel's list format, such as "0-3,8".
type CPUSet []int

// ParseCPUSet reads the kernel's list format. Blanks around numbers are
// allowed, empty items, reversed ranges and numbers above 8191 are not. The
// empty text is an error: an empty processor set would mean "no pinning" to a
// container runtime.
func ParseCPUSet(text string) (CPUSet, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("cpuset is empty, want a list such as 0-3,8")
	}
	var set CPUSet
	for item := range strings.SplitSeq(text, ",") {
		lo, hi, err := parseRange(strings.TrimSpace(item))
		if err != nil {
			return nil, fmt.Errorf("cpuset %q: %w", clip(text), err)
		}
		for cpu := lo; cpu <= hi; cpu++ {
			set = append(set, cpu)
		}
		if len(set) > 8*maxCPU {
			return nil, fmt.Errorf("cpuset %q names processors over and over", clip(text))
		}
	}
	return NewCPUSet(set...), nil
}

// NewCPUSet makes a set of the given processors.
func NewCPUSet(cpus ...int) CPUSet {
	set := slices.Clone(cpus)
	slices.Sort(set)
	return slices.Compact(set)
}

func parseRange(item string) (lo, hi int, err error) {
	first, last, isRange := strings.Cut(item, "-")
	if lo, err = parseCPU(first); err != nil {
		return 0, 0, err
	}
	if !isRange {
		return lo, lo, nil
	}
	if hi, err = parseCPU(last); err != nil {
		return 0, 0, err
	}
	if hi < lo {
		return 0, 0, fmt.Errorf("range %q runs backwards", item)
	}
	return lo, hi, nil
}

func parseCPU(text string) (int, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a processor number", clip(text))
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > maxCPU {
		return 0, fmt.Errorf("processor %s is above %d", clip(text), maxCPU)
	}
	return n, nil
}

// String is the kernel's list format with ranges, "" for the empty set.
func (s CPUSet) String() string {
	var b strings.Builder
	for i := 0; i < len(s); {
		j := i
		for j+1 < len(s) && s[j+1] == s[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(s[i]))
		if j > i {
			b.WriteString("-" + strconv.Itoa(s[j]))
		}
		i = j + 1
	}
	return b.String()
}

// Contains reports whether the set holds the processor.
func (s CPUSet) Contains(cpu int) bool {
	_, found := slices.BinarySearch(s, cpu)
	return found
}

// Intersect is the set of processors in both sets.
func (s CPUSet) Intersect(other CPUSet) CPUSet {
	var both CPUSet
	for _, cpu := range s {
		if other.Contains(cpu) {
			both = append(both, cpu)
		}
	}
	return both
}

// Minus is the set of processors that are not in the other set.
func (s CPUSet) Minus(other CPUSet) CPUSet {
	var rest CPUSet
	for _, cpu := range s {
		if !other.Contains(cpu) {
			rest = append(rest, cpu)
		}
	}
	return rest
}

// Union is the set of processors in either set.
func (s CPUSet) Union(other CPUSet) CPUSet {
	return NewCPUSet(append(slices.Clone(s), other...)...)
}

// MarshalText makes the JSON form the list format.
func (s CPUSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the list format; the empty text is the empty set.
func (s *CPUSet) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*s = nil
		return nil
	}
	set, err := ParseCPUSet(string(text))
	if err != nil {
		return err
	}
	*s = set
	return nil
}

// clip keeps quoted input short in messages.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}
