package site

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

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
