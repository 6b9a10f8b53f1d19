package site

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"time"

	"benchlab/lab/record"
)

// groupView is one way to list runs.
type groupView struct {
	Kind  string
	Lists []*list
}

// changeView is a change with where it is.
type changeView struct {
	Change    change
	Contender string
	History   *history
}

func (s *drawingSite) drawIndex(context.Context) error {
	const latest, mostChanges = 50, 20
	var groups []groupView
	for _, kind := range kinds() {
		if len(s.byKind[kind]) > 0 {
			groups = append(groups, groupView{kind, s.byKind[kind]})
		}
	}
	var changes []changeView
	for _, h := range s.histories {
		for _, one := range h.Series {
			for _, c := range one.Changes {
				changes = append(changes, changeView{c, one.Contender, h})
			}
		}
	}
	sort.SliceStable(changes, func(i, j int) bool { return changes[i].Change.Point.Time.After(changes[j].Change.Point.Time) })
	changes = changes[:min(len(changes), mostChanges)]
	// The index is drawn each time: it is one page.
	input := digest(fmt.Sprint(len(s.in.Runs)), inputOf(s.all.Runs), fmt.Sprint(s.problems(), len(s.in.Published)))
	for _, c := range changes {
		input += fmt.Sprintf("%s %q %s %v\n", c.History.File(), c.Contender, c.Change.Point.Run.Run, c.Change.Effect)
	}
	for _, t := range s.in.Published {
		input += fmt.Sprintf("%q %d\n", t.Name, len(t.Rows))
	}
	return s.files.page("index.html", "index", input, func() (any, error) {
		return struct {
			head
			Runs, Latest []*Run
			Span         string
			Problems     []string
			Groups       []groupView
			Changed      []changeView
			AllFile      string
			Published    []record.Published
		}{head{Title: "Archive of runs"}, s.all.Runs, s.all.Runs[:min(latest, len(s.all.Runs))], s.span(), s.problems(),
			groups, changes, s.all.First(), s.in.Published}, nil
	})
}

// span says from when to when the runs are.
func (s *drawingSite) span() string {
	runs := s.all.Runs
	if len(runs) == 0 {
		return ""
	}
	first, last := runs[len(runs)-1].Created.Format(time.DateOnly), runs[0].Created.Format(time.DateOnly)
	if first == last {
		return "on " + first
	}
	return "from " + first + " to " + last
}

// problems says which runs stand in no list; archive check says more.
func (s *drawingSite) problems() []string {
	var out []string
	if n := len(s.in.Unpublished); n > 0 {
		out = append(out, fmt.Sprintf("%d without SHA256SUMS are left out: they did not end, or a push was cut off", n))
	}
	for _, t := range s.in.Broken {
		out = append(out, t.String())
	}
	return out
}

func (s *drawingSite) drawPublished(context.Context) error {
	for _, t := range s.in.Published {
		input, err := json.Marshal(t)
		if err != nil {
			return err
		}
		err = s.files.page(publishedFile(t.Name), "published", string(input), func() (any, error) {
			return struct {
				head
				Table   record.Published
				Numeric []bool
			}{head{"Published: " + short(t.Name), []crumb{home()}}, t, numericColumns(t)}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
