package hosts

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseBytes reads an amount of memory with a binary unit, such as 14GiB. The
// unit must be there; what it comes to must be 1 byte to 64 TiB.
func ParseBytes(text string) (int64, error) {
	digits := strings.TrimRight(text, "KMGTiB ")
	shift, ok := map[string]int{"B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}[strings.TrimSpace(text[len(digits):])]
	if !ok {
		return 0, fmt.Errorf("%q has no unit, allowed are B, KiB, MiB, GiB and TiB", clip(text))
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || strings.Trim(digits, "0123456789.") != "" {
		return 0, fmt.Errorf("%q is no amount of memory, allowed are amounts such as 512MiB or 14GiB", clip(text))
	}
	bytes := math.Round(n * float64(int64(1)<<shift))
	if bytes < 1 || bytes > 64<<40 {
		return 0, fmt.Errorf("%q is out of range, allowed are 1B to 64TiB", clip(text))
	}
	return int64(bytes), nil
}

// FormatBytes words an amount of memory in the largest unit of which it has
// one, with at most one decimal.
func FormatBytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	value, unit := float64(n), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0") + " " + units[unit]
}
