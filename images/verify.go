package images

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sort"
)

// Verification is what building an image twice showed.
type Verification struct {
	// First and Second are the identities of the two builds.
	First, Second string
	// Differing are the first files in which they differ.
	Differing []string
	// Drift lists the packages that have another version than in the lock;
	// it says something about the mirror and nothing about the recipe.
	Drift []string
	// Locked says that the identity is the one in the lock.
	Locked bool
}

// Same reports whether both builds are the same to the bit.
func (v Verification) Same() bool { return v.First == v.Second }

// Verify builds an image twice and compares, and compares with the lock.
func Verify(ctx context.Context, image Image, mirror string, locked Entry) (v Verification, err error) {
	var builds [2]*Built
	for i := range builds {
		b, err := Build(ctx, image, mirror, locked)
		if err != nil {
			return Verification{}, err
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		builds[i] = b
	}
	v = Verification{
		First: builds[0].Identity, Second: builds[1].Identity,
		Drift:  Drift(locked.Packages, builds[0].Packages),
		Locked: builds[0].Identity == locked.Identity,
	}
	if !v.Same() {
		v.Differing, err = differing(builds[0].layer, builds[1].layer, 20)
	}
	return v, err
}

// differing names up to limit files that are not the same in two layers.
func differing(a, b plainLayer, limit int) ([]string, error) {
	first, err := digests(a)
	if err != nil {
		return nil, err
	}
	second, err := digests(b)
	if err != nil {
		return nil, err
	}
	var names []string
	for n, d := range first {
		if second[n] != d {
			names = append(names, n)
		}
	}
	for n := range second {
		if _, ok := first[n]; !ok {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	return names[:min(limit, len(names))], nil
}

// digests hashes every entry of a layer, its attributes included.
func digests(l plainLayer) (map[string][sha256.Size]byte, error) {
	file, err := l.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	entries := make(map[string][sha256.Size]byte)
	in := tar.NewReader(file)
	for {
		h, err := in.Next()
		if err == io.EOF {
			return entries, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading a layer: %w", err)
		}
		sum := sha256.New()
		fmt.Fprintln(sum, h.Typeflag, h.Linkname, h.Mode, h.Uid, h.Gid, h.ModTime.Unix(), h.PAXRecords)
		if _, err := io.Copy(sum, in); err != nil {
			return nil, fmt.Errorf("reading a layer: %w", err)
		}
		entries[h.Name] = [sha256.Size]byte(sum.Sum(nil))
	}
}
