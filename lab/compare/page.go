package compare

import "benchlab/lab/report"

// page is a sheet with what comparisons have in common.
type page struct{ *report.Sheet }

// identity writes in what two things differ.
func (p page) identity(list []Difference, none string) {
	if len(list) == 0 {
		p.Line("identity: %s", none)
		return
	}
	g := report.Grid{Title: "what differs", Header: []string{"what", "first", "second", "for the comparison"}, Words: 4}
	for _, d := range list {
		g.Rows = append(g.Rows, report.Words(d.What, d.First, d.Second, string(d.Weight)))
	}
	p.Grid(g)
}

// mixed warns where more than one thing may have changed speed.
func (p page) mixed(list []Difference) {
	subjects := 0
	for _, d := range list {
		if d.Weight == Subject {
			subjects++
		}
	}
	if subjects > 1 {
		p.Line("%d things differ that may change speed: what is found below cannot be put down to one of them alone", subjects)
	}
}
