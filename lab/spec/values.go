package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Duration is a time with its unit, such as 400ms, 1.5s or 2m.
type Duration time.Duration

// UnmarshalText reads a duration; one without a unit is an error.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := ParseDuration(string(text))
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes the duration as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// ParseDuration reads a duration of zero or more that has a unit.
func ParseDuration(s string) (time.Duration, error) {
	if plainNumber.MatchString(s) && s != "0" {
		return 0, fmt.Errorf("has no unit, allowed are times such as %ss or %sms", s, s)
	}
	d, err := time.ParseDuration(s)
	if err != nil || strings.ContainsAny(s, "+") {
		return 0, fmt.Errorf("is not a time, allowed are numbers with a unit such as 400ms, 1.5s or 2m")
	}
	if d < 0 {
		return 0, fmt.Errorf("is negative, allowed are times of 0s and more")
	}
	return d, nil
}

var plainNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?$`)

// Scalar is a setting's value: text, number or true/false, kept as written.
type Scalar string

// UnmarshalJSON keeps numbers and booleans in their own words.
func (s *Scalar) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) > 0 && data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return fmt.Errorf("reading a setting: %w", err)
		}
		*s = Scalar(text)
		return nil
	}
	*s = Scalar(data)
	return nil
}

// Strings turns settings into plain strings; nil stays nil.
func Strings(settings map[string]Scalar) map[string]string {
	if settings == nil {
		return nil
	}
	out := make(map[string]string, len(settings))
	for name, v := range settings {
		out[name] = string(v)
	}
	return out
}
