package archive

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

	"github.com/klauspost/compress/zstd"

	"benchlab/lab/record"
)

// Images is images.json: the images that travel with a run.
type Images struct {
	// Schema is the version of the format, now 1.
	Schema int `json:"schema"`
	// Images are in order of their first server.
	Images []Image `json:"images"`
}

// Image is one image that travels with a run. Its identity is in the manifest,
// which SHA256SUMS covers: whoever loads it compares.
type Image struct {
	// Servers are labels of the manifest's servers that ran from it.
	Servers []string `json:"servers"`
	// Ref is the name that it had where it was saved.
	Ref string `json:"ref"`
	// File is its name in the archive: images/<sha256>.tar.zst, as docker
	// save writes it, packed.
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

const mostImagesDoc = 1 << 20

// ReadImages reads which images travel with a run; nil where none do.
func ReadImages(ctx context.Context, s Store, run string) (*Images, error) {
	doc, err := readSmall(ctx, s, run+"/"+ImagesFile, mostImagesDoc)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseImages(doc)
}

func parseImages(doc []byte) (*Images, error) {
	var out Images
	if err := json.Unmarshal(doc, &out); err != nil {
		return nil, fmt.Errorf("reading %s: %w", ImagesFile, err)
	}
	for _, i := range out.Images {
		if i.File != ImagesDir+"/"+i.SHA256+".tar.zst" || !imageName.MatchString(i.SHA256+".tar.zst") || i.Bytes < 0 {
			return nil, fmt.Errorf("reading %s: %q is no image of an archive", ImagesFile, Shown(i.File))
		}
	}
	return &out, nil
}

// Engine is where the images of a run are.
type Engine interface {
	// Save writes an image as docker save does.
	Save(ctx context.Context, ref string) (io.ReadCloser, error)
}

// saveImages writes the images of a run into dir, packed and named by their
// content.
func saveImages(ctx context.Context, m record.Manifest, engine Engine, dir string) (*Images, []File, error) {
	byRef := map[string]*Image{}
	for label, i := range m.Images {
		if byRef[i.Ref] == nil {
			byRef[i.Ref] = &Image{Ref: i.Ref}
		}
		byRef[i.Ref].Servers = append(byRef[i.Ref].Servers, label)
	}
	list := &Images{Schema: 1}
	files := map[string]File{}
	for ref, image := range byRef {
		sort.Strings(image.Servers)
		f, err := saveImage(ctx, engine, ref, dir)
		if err != nil {
			return nil, nil, fmt.Errorf("saving image %q: %w", Shown(ref), err)
		}
		image.File, image.SHA256, image.Bytes = f.Name, f.SHA256, f.Bytes
		files[f.Name] = f
		list.Images = append(list.Images, *image)
	}
	sort.Slice(list.Images, func(i, j int) bool { return list.Images[i].Servers[0] < list.Images[j].Servers[0] })
	out := make([]File, 0, len(files))
	for _, f := range files {
		out = append(out, f)
	}
	return list, out, nil
}

func saveImage(ctx context.Context, engine Engine, ref, dir string) (File, error) {
	in, err := engine.Save(ctx, ref)
	if err != nil {
		return File{}, err
	}
	defer in.Close()
	temp, err := os.CreateTemp(dir, incoming)
	if err != nil {
		return File{}, err
	}
	defer os.Remove(temp.Name())
	if err := packImage(temp, in); err != nil {
		return File{}, errors.Join(err, temp.Close())
	}
	if _, err := temp.Seek(0, io.SeekStart); err != nil {
		return File{}, errors.Join(err, temp.Close())
	}
	sum, n, err := hashOf(temp)
	if err := errors.Join(err, temp.Close()); err != nil {
		return File{}, err
	}
	f := File{Name: ImagesDir + "/" + sum + ".tar.zst", Bytes: n, SHA256: sum}
	return f, os.Rename(temp.Name(), filepath.Join(dir, sum+".tar.zst"))
}

// packImage compresses with one goroutine: the same image gives the same bytes
// everywhere, and is stored once.
func packImage(w io.Writer, r io.Reader) error {
	b := bufio.NewWriterSize(w, 1<<20)
	z, err := zstd.NewWriter(b, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return err
	}
	_, err = io.Copy(z, r)
	return errors.Join(err, z.Close(), b.Flush())
}

// LoadImage fetches an image, compares its hash, unpacks it, and only then gives
// the file to take, which goes away when take returns. It is what somebody sent:
// take compares it with the manifest. A missing file is fs.ErrNotExist.
func LoadImage(ctx context.Context, s Store, i Image, limits Limits, take func(path string) error) error {
	if i.Bytes > limits.ImageBytes {
		return rejected("loading image %q: %d bytes are more than %d", Shown(i.Ref), i.Bytes, limits.ImageBytes)
	}
	dir, err := os.MkdirTemp("", "benchlab-image-")
	if err != nil {
		return fmt.Errorf("loading image %q: %w", Shown(i.Ref), err)
	}
	defer os.RemoveAll(dir)
	packed, plain := filepath.Join(dir, "packed"), filepath.Join(dir, "image.tar")
	if err := fetchImage(ctx, s, i, packed); err != nil {
		return err
	}
	if err := unpackImage(packed, plain, limits); err != nil {
		return fmt.Errorf("loading image %q: %w", Shown(i.Ref), err)
	}
	if err := take(plain); err != nil {
		return fmt.Errorf("loading image %q: %w", Shown(i.Ref), err)
	}
	return nil
}

func fetchImage(ctx context.Context, s Store, i Image, to string) error {
	in, err := s.Open(ctx, i.File)
	if err != nil {
		return fmt.Errorf("loading image %q: %w", Shown(i.Ref), err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	err = sameContent(io.TeeReader(io.LimitReader(in, i.Bytes+1), out), File{Name: i.File, Bytes: i.Bytes, SHA256: i.SHA256})
	if err != nil {
		err = rejected("loading image %q: %v", Shown(i.Ref), err)
	}
	return errors.Join(err, out.Close())
}

// unpackImage unpacks within the limits.
func unpackImage(packed, plain string, limits Limits) error {
	from, err := os.Open(packed)
	if err != nil {
		return err
	}
	defer from.Close()
	in := &counted{r: from}
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		return err
	}
	defer z.Close()
	out, err := os.Create(plain)
	if err != nil {
		return err
	}
	all := Limits{TotalBytes: 8 * limits.ImageBytes, Ratio: limits.Ratio}
	_, err = io.Copy(out, &bounded{r: z, in: in, limits: all})
	return errors.Join(err, out.Close())
}
