package site

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Written says what [Write] did.
type Written struct {
	// Pages is how many pages the site has, Drawn how many were drawn now.
	Pages, Drawn int
	// Histories and Changes count what the runs have in common.
	Histories, Changes int
}

// Write draws the site into dir, a new folder or one that it made before.
func Write(ctx context.Context, dir string, in Input) (Written, error) {
	f, err := openFiles(dir)
	if err != nil {
		return Written{}, err
	}
	published, err := tables(in.Published)
	if err != nil {
		return Written{}, err
	}
	s := &drawingSite{in: in, files: f, published: published, historyOf: map[key]string{}}
	s.all, s.byKind = lists(in.Runs)
	s.histories = histories(in.Runs)
	for _, draw := range []func(context.Context) error{s.drawHistories, s.drawRuns, s.drawLists, s.drawPublished, s.drawIndex} {
		if err := draw(ctx); err != nil {
			return Written{}, err
		}
	}
	w := Written{Pages: f.drawn + f.kept, Drawn: f.drawn, Histories: len(s.histories)}
	for _, h := range s.histories {
		w.Changes += h.Changed()
	}
	return w, f.close()
}

// drawingSite is the state of [Write].
type drawingSite struct {
	in        Input
	files     *files
	published []table
	all       *list
	byKind    map[string][]*list
	histories []*history
	historyOf map[key]string
}

func (h *history) key() key {
	return key{h.Host, h.Suite, h.Workload, h.Params, h.Server, h.Unit, h.Design, h.Connections, h.Operations}
}

// seriesView is a series with its drawing.
type seriesView struct {
	*series
	SVG     any
	Caption string
}

func (s *drawingSite) drawHistories(ctx context.Context) error {
	for _, h := range s.histories {
		if err := ctx.Err(); err != nil {
			return err
		}
		h.settle()
		s.historyOf[h.key()] = h.File()
		var input strings.Builder
		for _, one := range h.Series {
			fmt.Fprintf(&input, "%q %d", one.Contender, one.Older)
			for _, p := range one.Points {
				fmt.Fprintf(&input, " %s %v %v %v %d %q %q", p.Run.Run, p.Value, p.Low, p.High, p.Blocks, p.News, p.Findings)
			}
		}
		err := s.files.page(h.File(), "history", input.String(), func() (any, error) { return s.historyView(h) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *drawingSite) historyView(h *history) (any, error) {
	view := struct {
		head
		History *history
		Series  []seriesView
	}{head: head{Title: h.Title(), Crumbs: []crumb{home(), {(&list{Kind: "host", Value: h.Host}).First(), "Host"}}}, History: h}
	for i, one := range h.Series {
		d := draw(h, one)
		d.ID = "plot-" + strconv.Itoa(i)
		svg, err := d.svg(s.files.templates)
		if err != nil {
			return nil, err
		}
		view.Series = append(view.Series, seriesView{one, svg, d.Title})
	}
	return view, nil
}

// cellView is a cell with a link to its history.
type cellView struct {
	Cell
	History string
}

func (s *drawingSite) drawRuns(ctx context.Context) error {
	for i := range s.in.Runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := &s.in.Runs[i]
		cells := make([]cellView, len(r.Cells))
		for j, c := range r.Cells {
			k := key{r.Host, r.Suite, c.Workload, c.Params, c.Server, c.Unit, c.Design, c.Connections, c.Operations}
			cells[j] = cellView{c, s.historyOf[k]}
		}
		link := s.in.Reports[r.Run]
		input, err := json.Marshal([]any{r.Row, cells, r.Signature, link})
		if err != nil {
			return err
		}
		err = s.files.page(runFile(r.Run), "run", string(input), func() (any, error) {
			return struct {
				head
				Run    *Run
				Cells  []cellView
				Report string
			}{head{fmt.Sprintf("%s, size %s, %s", short(r.Suite), short(r.Size), date(r.Created)), []crumb{home()}}, r, cells, link}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inputOf is what lists show of runs.
func inputOf(runs []*Run) string {
	var b strings.Builder
	for _, r := range runs {
		fmt.Fprintf(&b, "%s %s %s %s\n", r.Run, r.Sums, r.Signature, r.Host)
	}
	return b.String()
}

func (s *drawingSite) drawLists(ctx context.Context) error {
	byHost := map[string][]*history{}
	for _, h := range s.histories {
		byHost[h.Host] = append(byHost[h.Host], h)
	}
	every := []*list{s.all}
	for _, kind := range kinds() {
		for _, l := range s.byKind[kind] {
			if kind == "host" {
				l.Histories = byHost[l.Value]
			}
			every = append(every, l)
		}
	}
	for _, l := range every {
		pages := max(1, (len(l.Runs)+perPage-1)/perPage)
		for n := 1; n <= pages; n++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.drawList(l, n, pages); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *drawingSite) drawList(l *list, n, pages int) error {
	runs := l.Runs[(n-1)*perPage : min(n*perPage, len(l.Runs))]
	input := fmt.Sprintf("%d of %d, %d runs\n%s", n, pages, len(l.Runs), inputOf(runs))
	var hs []*history
	if n == 1 {
		hs = l.Histories
		for _, h := range hs {
			input += fmt.Sprintf("%s %d %d\n", h.File(), h.Runs(), h.Changed())
		}
	}
	return s.files.page(l.File(n), "list", input, func() (any, error) {
		var links []crumb
		for i := 1; i <= pages; i++ {
			c := crumb{l.File(i), strconv.Itoa(i)}
			if i == n {
				c.Link = ""
			}
			links = append(links, c)
		}
		return struct {
			head
			Runs             []*Run
			Histories        []*history
			All, Page, Pages int
			Links            []crumb
		}{head{l.Title(), []crumb{home()}}, runs, hs, len(l.Runs), n, pages, links}, nil
	})
}

func (s *drawingSite) drawPublished(context.Context) error {
	for _, t := range s.published {
		input, err := json.Marshal(t)
		if err != nil {
			return err
		}
		err = s.files.page(t.File(), "published", string(input), func() (any, error) {
			return struct {
				head
				Table table
			}{head{"Published: " + short(t.Name), []crumb{home()}}, t}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

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
	input := digest(fmt.Sprint(len(s.in.Runs)), inputOf(s.all.Runs), fmt.Sprint(s.problems(), len(s.published)))
	for _, c := range changes {
		input += fmt.Sprintf("%s %q %s %v\n", c.History.File(), c.Contender, c.Change.Point.Run.Run, c.Change.Effect)
	}
	for _, t := range s.published {
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
			Published    []table
		}{head{Title: "Archive of runs"}, s.all.Runs, s.all.Runs[:min(latest, len(s.all.Runs))], s.span(), s.problems(),
			groups, changes, s.all.First(), s.published}, nil
	})
}

// span says from when to when the runs are.
func (s *drawingSite) span() string {
	runs := s.all.Runs
	if len(runs) == 0 {
		return ""
	}
	return "from " + runs[len(runs)-1].Created.Format("2006-01-02") + " to " + runs[0].Created.Format("2006-01-02")
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
