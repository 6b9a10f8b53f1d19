package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"sort"
	"strings"

	"benchlab/lab/record"
)

// Parcel is what is published at once: the files of one run, and images.
type Parcel struct {
	// Run is the id.
	Run string
	// Files are in the order in which they are to be published: images,
	// manifest, the others, SHA256SUMS last.
	Files []File

	root *os.Root
}

// File is a file of a parcel, by its name in the archive.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Open reads a file of the parcel.
func (p *Parcel) Open(f File) (*os.File, error) { return p.root.Open(f.Name) }

// sums is the parcel's SHA256SUMS.
func (p *Parcel) sums() (File, error) {
	want := p.Run + "/" + record.SumsFile
	for _, f := range p.Files {
		if f.Name == want {
			return f, nil
		}
	}
	return File{}, fmt.Errorf("publishing run %q: it has no %s", p.Run, record.SumsFile)
}

// sort puts the files in the order of publication.
func (p *Parcel) sort() {
	rank := func(f File) int {
		switch {
		case path.Dir(f.Name) == ImagesDir:
			return 0
		case f.Name == p.Run+"/"+record.ManifestFile:
			return 1
		case f.Name == p.Run+"/"+record.SumsFile:
			return 3
		}
		return 2
	}
	sort.Slice(p.Files, func(i, j int) bool {
		a, b := p.Files[i], p.Files[j]
		if rank(a) != rank(b) {
			return rank(a) < rank(b)
		}
		return a.Name < b.Name
	})
}

// verify hashes the parcel's files again.
func (p *Parcel) verify() error {
	for _, f := range p.Files {
		file, err := p.Open(f)
		if err != nil {
			return fmt.Errorf("reading %q: %w", f.Name, err)
		}
		err = errors.Join(sameContent(file, f), file.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

// sameContent reads all of r and compares it with what a file should hold.
func sameContent(r io.Reader, f File) error {
	sum, n, err := hashOf(r)
	switch {
	case err != nil:
		return fmt.Errorf("reading %q: %w", f.Name, err)
	case n != f.Bytes || sum != f.SHA256:
		return fmt.Errorf("%q is not what was sent: %d bytes with hash %.12s, not %d bytes with hash %.12s",
			f.Name, n, sum, f.Bytes, f.SHA256)
	}
	return nil
}

func hashOf(r io.Reader) (string, int64, error) {
	h := sha256.New()
	n, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), n, err
}

func hexDigest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// isImage reports whether the file is an image, which is named by its content.
func (f File) isImage() bool { return strings.HasPrefix(f.Name, ImagesDir+"/") }
