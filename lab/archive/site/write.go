package site

import (
	"context"
	"encoding/json"
	"fmt"
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
	s := &drawingSite{in: in, files: f, historyOf: map[key]string{}}
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
