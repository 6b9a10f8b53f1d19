package report

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"benchlab/lab"
	"benchlab/lab/findings"
)

// Note is a numbered note under a table: what is said of one finding code.
type Note struct {
	// Number is what stands at the numbers that it touches.
	Number int
	// Code and Rank are the finding's.
	Code string
	Rank lab.Rank
	// Cells are where it was found, each with its text.
	Cells []NoteCell
}

// NoteCell is what a note says of one cell.
type NoteCell struct {
	Server, Contender string
	// At is the column: connections, and in the work form operations.
	At string
	// Trials says in how many trials, Text what.
	Trials, Text string
}

func (n NoteCell) String() string {
	return fmt.Sprintf("%s, %s at %s%s: %s", n.Server, short(n.Contender, MaxName), n.At, n.Trials, n.Text)
}

// brief is the first cells in full, and where the others are.
func (n Note) brief(most int) []string {
	var out []string
	for i, c := range n.Cells {
		if i == most && len(n.Cells) > most+1 {
			return append(out, "likewise "+places(n.Cells[i:]))
		}
		out = append(out, c.String())
	}
	return out
}

// places lists cells without their texts, by contender.
func places(cells []NoteCell) string {
	var out []string
	for i := 0; i < len(cells); {
		c := cells[i]
		var at []string
		for ; i < len(cells) && cells[i].Server == c.Server && cells[i].Contender == c.Contender; i++ {
			at = append(at, cells[i].At)
		}
		out = append(out, fmt.Sprintf("%s, %s at %s", c.Server, short(c.Contender, MaxName), list(slices.Compact(at))))
	}
	return strings.Join(out, "; ")
}

// meaning is what a code tells a reader, "" for codes that the catalog of
// findings does not have.
func meaning(code string) string {
	for _, e := range findings.Catalog() {
		if e.Code == code {
			return e.Meaning
		}
	}
	return ""
}

// notebook numbers the notes of a table, by code in order of appearance.
type notebook struct {
	notes []Note
	index map[string]int
}

// mark returns the numbers to stand at the cell's values and files its lines.
func (n *notebook) mark(c *Cell) []int {
	var marks []int
	for _, f := range c.Findings {
		i, ok := n.index[f.Code]
		if !ok {
			i = len(n.notes)
			n.index[f.Code] = i
			n.notes = append(n.notes, Note{Number: i + 1, Code: f.Code, Rank: f.Rank})
		}
		if f.Rank == lab.Invalid {
			n.notes[i].Rank = lab.Invalid
		}
		n.notes[i].Cells = append(n.notes[i].Cells, NoteCell{
			Server: c.Server, Contender: c.Contender, At: c.place(), Trials: f.times(), Text: f.Text,
		})
		marks = append(marks, i+1)
	}
	sort.Ints(marks)
	return slices.Compact(marks) // one code may be there of two comparisons
}

// place is the cell's column, and in the work form its operations.
func (c *Cell) place() string {
	if c.Form == lab.WorkForm {
		return fmt.Sprintf("%s (%sx)", count(c.Connections), count(c.Cell.Operations))
	}
	return count(c.Connections)
}

func (f Finding) times() string {
	if f.Of == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s of %s)", count(f.Trials), plural(f.Of, "trial"))
}
