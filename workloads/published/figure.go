package published

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"benchlab/lab/spec"
)

// Figure is a printed number. Its text says more than its value: with how many
// places it was rounded.
type Figure struct {
	// Text is the number as printed, "" where there is none.
	Text string
	// Value is the number, NaN where there is none.
	Value float64
}

var decimal = regexp.MustCompile(`^-?[0-9]{1,15}(\.[0-9]{1,9})?$`)

// NewFigure reads a printed decimal number.
func NewFigure(text string) (Figure, error) {
	if text == "" {
		return Figure{Value: math.NaN()}, nil
	}
	if !decimal.MatchString(text) {
		return Figure{}, fmt.Errorf("%s is no decimal number", spec.Quote(text))
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Figure{}, fmt.Errorf("%s is no decimal number", spec.Quote(text))
	}
	return Figure{Text: text, Value: v}, nil
}

// Known reports whether there is a number.
func (f Figure) Known() bool { return f.Text != "" }

// Half is half a unit of the last printed place: 0.005 for "0.09".
func (f Figure) Half() float64 {
	_, places, _ := strings.Cut(f.Text, ".")
	return 0.5 * math.Pow10(-len(places))
}

// Bounds are the ends of the interval that the printed number stands for.
func (f Figure) Bounds() (low, high float64) { return f.Value - f.Half(), f.Value + f.Half() }

// figure reads a value that was checked when the table was read.
func (t Table) figure(row []string, name string) Figure {
	f, err := NewFigure(t.text(row, name))
	if err != nil {
		return Figure{Value: math.NaN()}
	}
	return f
}

// whole reads a whole number that was checked when the table was read.
func (t Table) whole(row []string, name string) int {
	n, err := strconv.Atoi(t.text(row, name))
	if err != nil {
		return 0
	}
	return n
}
