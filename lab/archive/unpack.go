package archive

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// BundleSuffix ends the name of a run that was packed into one file.
const BundleSuffix = ".tar.zst"

// Unpack takes a tar.zst of one run onto the stage: one folder named by the
// run's id, or the run's files without it.
func (s *Stage) Unpack(ctx context.Context, r io.Reader) error {
	in := &counted{r: r}
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(128<<20), zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		return fmt.Errorf("unpacking a run: %w", err)
	}
	defer z.Close()
	entries := tar.NewReader(&bounded{r: z, in: in, limits: s.limits})
	top := ""
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unpackError(err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(h.Name, "./"), "/")
		if first {
			top, _, _ = strings.Cut(name, "/")
		}
		if IsRunID(top) {
			name = strings.TrimPrefix(strings.TrimPrefix(name, top), "/")
		}
		if err := s.entry(h, name, entries); err != nil {
			return unpackError(err)
		}
	}
}

// entry takes one entry of a tar.
func (s *Stage) entry(h *tar.Header, name string, r io.Reader) error {
	switch {
	case name != "" && (!fs.ValidPath(name) || path.IsAbs(h.Name)):
		return rejected("taking in a run: %q would leave the run's folder", Shown(h.Name))
	case h.Typeflag == tar.TypeDir && (name == "" || name == "."):
		return nil
	case h.Typeflag == tar.TypeDir:
		return s.Folder(name)
	case h.Typeflag != tar.TypeReg || sparse(h):
		return rejected("taking in a run: %q is a link, a device or the like", Shown(h.Name))
	}
	return s.Add(name, r)
}

// sparse files hold zeros that were never sent.
func sparse(h *tar.Header) bool {
	for k := range h.PAXRecords {
		if strings.HasPrefix(k, "GNU.sparse.") {
			return true
		}
	}
	return false
}

func unpackError(err error) error {
	var r *Refusal
	if errors.As(err, &r) {
		return r
	}
	return rejected("unpacking a run: %s", Shown(err.Error()))
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// bounded stops a stream that unpacks to far more than it was.
type bounded struct {
	r      io.Reader
	in     *counted
	n      int64
	limits Limits
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	const free = 16 << 20
	switch {
	case b.n > free && b.n > b.in.n*b.limits.Ratio:
		return 0, rejected("taking in a run: it unpacks to more than %d times its size", b.limits.Ratio)
	case b.n > b.limits.TotalBytes+int64(b.limits.Files)*1024:
		return 0, rejected("taking in a run: it unpacks to more than %d bytes", b.limits.TotalBytes)
	}
	return n, err
}

// Copy takes a run folder onto the stage.
func (s *Stage) Copy(ctx context.Context, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening %q: %w", dir, err)
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case name == ".":
			return nil
		case d.IsDir():
			return s.Folder(name)
		case !d.Type().IsRegular():
			return rejected("taking in a run: %q is a link, a device or the like", Shown(name))
		}
		file, err := root.Open(name)
		if err != nil {
			return err
		}
		return errors.Join(s.Add(name, file), file.Close())
	})
}

// Pack writes a parcel without images as a tar.zst.
func Pack(w io.Writer, p *Parcel) error {
	b := bufio.NewWriter(w)
	z, err := zstd.NewWriter(b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range p.Files {
		if f.isImage() {
			continue
		}
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.Name, Size: f.Bytes, Mode: 0o644, Format: tar.FormatPAX}); err != nil {
			return fmt.Errorf("packing %q: %w", f.Name, err)
		}
		in, err := p.Open(f)
		if err != nil {
			return err
		}
		_, err = io.Copy(t, in)
		if err := errors.Join(err, in.Close()); err != nil {
			return fmt.Errorf("packing %q: %w", f.Name, err)
		}
	}
	return errors.Join(t.Close(), z.Close(), b.Flush())
}
