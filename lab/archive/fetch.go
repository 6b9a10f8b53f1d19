package archive

import (
	"context"
	"errors"
	"fmt"
	"path"
)

// Fetch takes a run of a store onto the stage.
func (s *Stage) Fetch(ctx context.Context, store Store, run string) error {
	items, err := store.List(ctx, run)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return &Refusal{Text: fmt.Sprintf("pulling run %q: the archive has none of that id", Shown(run)),
			Advice: "benchlab archive list shows its runs"}
	}
	return s.fetch(ctx, store, run, "", items)
}

func (s *Stage) fetch(ctx context.Context, store Store, run, dir string, items []Item) error {
	for _, item := range items {
		name := path.Join(dir, item.Name)
		switch {
		case item.Odd:
			return rejected("pulling run %q: %q is a link, a device or the like", run, Shown(name))
		case item.Dir:
			if err := s.Folder(name); err != nil {
				return err
			}
			inner, err := store.List(ctx, run+"/"+name)
			if err != nil {
				return err
			}
			if err := s.fetch(ctx, store, run, name, inner); err != nil {
				return err
			}
			continue
		}
		if _, derived := legalFile(name); derived {
			continue
		}
		r, err := store.Open(ctx, run+"/"+name)
		if err != nil {
			return err
		}
		if err := errors.Join(s.Add(name, r), r.Close()); err != nil {
			return err
		}
	}
	return nil
}
