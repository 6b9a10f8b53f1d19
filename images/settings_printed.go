package images

import (
	"strconv"
	"strings"
)

// printed is how the server prints a value that was written with a unit or as a
// word; other values are printed as they are written.
func printed(server, value string) string {
	lower := strings.ToLower(value)
	if server == "postgres" {
		switch lower {
		case "on", "true", "yes":
			return "on"
		case "off", "false", "no":
			return "off"
		}
		if bytes, ok := parseSize(value, map[string]int64{"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}); ok {
			return postgresSize(bytes)
		}
		if micros, ok := parseSize(value, postgresTimes()); ok {
			return postgresTime(micros)
		}
		return value
	}
	switch lower {
	case "on", "true":
		return "ON"
	case "off", "false":
		return "OFF"
	}
	units := map[string]int64{"K": 1 << 10, "k": 1 << 10, "M": 1 << 20, "m": 1 << 20, "G": 1 << 30, "g": 1 << 30}
	if bytes, ok := parseSize(value, units); ok {
		return strconv.FormatInt(bytes, 10)
	}
	return value
}

// parseSize reads a whole number with one of the units, such as "4GB".
func parseSize(value string, units map[string]int64) (int64, bool) {
	digits := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit, known := units[value[len(digits):]]
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || !known || n < 0 || n > (1<<62)/unit {
		return 0, false
	}
	return n * unit, true
}
