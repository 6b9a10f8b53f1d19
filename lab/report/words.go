package report

import (
	"fmt"
	"io"

	"benchlab/lab/stats"
)

// What other tables of the lab need to look like those of a report.

// RatioEntry is a judged difference with its interval, and below it the
// verdict, the MDE and what is missing.
func RatioEntry(k *stats.Comparison) Entry {
	e := Entry{Text: Change(k.Effect, k.Interval), Second: k.Text(), Verdict: k.Verdict}
	if k.Verdict != stats.None && k.MDE > 0 {
		e.Second += ", MDE " + percent(k.MDE, 1)
	}
	if k.Verdict == stats.Inconclusive && k.More > 0 {
		e.Second += ", needs " + more(k.More)
	}
	return e
}

// Change is a difference with its interval where it has one:
// "-12.3 % (-14.0 to -10.6)".
func Change(effect float64, i stats.Interval) string {
	if !i.OK {
		return signed(effect)
	}
	return fmt.Sprintf("%s (%s to %s)", signed(effect), signedBare(i.Low), signedBare(i.High))
}

// Percent writes a share with so many places: 0.0123 is "1.2 %".
func Percent(share float64, places int) string { return percent(share, places) }

// Number writes a number with three significant digits: "24,310", "0.0456".
func Number(x float64) string { return digits(x) }

// Things writes a number of things: "1 block", "12,345 blocks".
func Things(n int, word string) string { return plural(n, word) }

// Text writes the grid for a terminal, under its title.
func (g Grid) Text(w io.Writer) error {
	if g.Title != "" {
		if _, err := fmt.Fprintf(w, "  %s\n", plain(g.Title)); err != nil {
			return err
		}
	}
	return g.render(w, lined(), plain, "\n")
}
