package archive

import (
	"context"
	"path"
)

// runImages looks at the images that travel with the run: there, of the right
// size, and with ReadData of the right content.
func (c *check) runImages(ctx context.Context, id string) error {
	list, err := ReadImages(ctx, c.store, id)
	if err != nil {
		c.wrong(id, "%s: %s", ImagesFile, Shown(err.Error()))
		return ctx.Err()
	}
	if list == nil {
		return nil
	}
	for _, i := range list.Images {
		known := c.images[path.Base(i.File)]
		c.images[path.Base(i.File)] = true
		if known {
			continue
		}
		r, err := c.store.Open(ctx, i.File)
		if err != nil {
			c.wrong(id, "%s: missing (%s)", i.File, Shown(err.Error()))
			continue
		}
		if c.o.ReadData {
			if err := sameContent(r, File{Name: i.File, Bytes: i.Bytes, SHA256: i.SHA256}); err != nil {
				c.wrong(id, "%s", err)
			}
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	return nil
}

// orphanImages are images that no run lists.
func (c *check) orphanImages(ctx context.Context) error {
	items, err := c.store.List(ctx, ImagesDir)
	if err != nil {
		return err
	}
	for _, i := range items {
		if !c.images[i.Name] {
			c.wrong("", "%s/%s: is an orphan: no run lists it", ImagesDir, Shown(i.Name))
		}
	}
	return nil
}
