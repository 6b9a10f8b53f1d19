package images

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	_ "embed"
)

//go:embed lock.json
var lockFile []byte

// Lock says which images exactly the lab was tried with, by Image.Key.
type Lock map[string]Entry

// Entry is what the lock holds of an image.
type Entry struct {
	// Digest is the official image's, "sha256:..."; "" while it is open.
	Digest string `json:"digest"`
	// Suite and SuiteDate name the Debian release that the recipe was last
	// built from; the date is that of its release file, RFC 3339 in UTC.
	Suite     string `json:"suite"`
	SuiteDate string `json:"suite_date"`
	// Identity of the image built from it; see [Identity].
	Identity string `json:"identity"`
	// Packages are all its packages and their versions.
	Packages map[string]string `json:"packages"`
}

// Locked returns the lock that this program was built with.
func Locked() (Lock, error) { return ParseLock(lockFile) }

// ParseLock reads a lock file.
func ParseLock(text []byte) (Lock, error) {
	lock := make(Lock)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&lock); err != nil {
		return nil, fmt.Errorf("reading the image lock: %w", err)
	}
	return lock, nil
}

// Text is the lock as its file holds it: sorted, one field a line.
func (l Lock) Text() ([]byte, error) {
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the image lock: %w", err)
	}
	return append(text, '\n'), nil
}

// Relock makes a lock entry of today: the digest that the registry gives, and an
// image built from the newest packages. A digest that cannot be looked up stays
// as it was, which say is told.
func Relock(ctx context.Context, image Image, mirror string, old Entry, say func(string)) (e Entry, err error) {
	e.Digest = old.Digest
	if image.Reference != "" {
		digest, err := Lookup(ctx, image)
		switch {
		case ctx.Err() != nil:
			return Entry{}, ctx.Err()
		case err != nil && old.Digest == "":
			say(fmt.Sprintf("%s: its digest stays open: %v", image.Key(), err))
		case err != nil:
			say(fmt.Sprintf("%s: its digest stays as it was: %v", image.Key(), err))
		default:
			e.Digest = digest
		}
	}
	b, err := Build(ctx, image, mirror, Entry{})
	if err != nil {
		return Entry{}, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	e.Suite, e.SuiteDate, e.Identity, e.Packages = b.Suite, b.SuiteDate, b.Identity, b.Packages
	return e, nil
}
