package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Store is where runs are kept. Names are slash-separated, relative to the
// archive's root, and checked by the caller.
type Store interface {
	// List tells what stands directly in a folder, in order of name; the
	// root is "". A folder that is not there is empty.
	List(ctx context.Context, dir string) ([]Item, error)
	// Open reads a file; a missing one is fs.ErrNotExist.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Publish makes a parcel visible as a whole. Where its run is there
	// already, it returns [ErrSame] if the content is the same and [ErrTaken]
	// if it is not. Published anew after a failure, it goes on.
	Publish(ctx context.Context, p *Parcel) error
	// Location is how the store was named; it holds no secret.
	Location() string
	// Close ends its use.
	Close() error
}

// Item is a file or folder of a store.
type Item struct {
	// Name is the last part of its name.
	Name string
	// Dir is true for folders; Odd for links, devices and the like.
	Dir, Odd bool
	// Size in bytes, of files.
	Size int64
}

var (
	// ErrTaken says that the archive has another run under the same id.
	ErrTaken = errors.New("the archive has another run under this id, and runs are never overwritten")
	// ErrSame says that the archive has this very run already.
	ErrSame = errors.New("the archive has this run already")
)

// Refusal is an error with advice.
type Refusal struct {
	// Text is the error, Advice the hint that follows it.
	Text, Advice string
	// Code is the exit code of a command that ends with it; 0 stands for 1.
	Code int
}

func (r *Refusal) Error() string { return r.Text }

// Hints are printed after the error.
func (r *Refusal) Hints() []string {
	if r.Advice == "" {
		return nil
	}
	return []string{r.Advice}
}

// ExitCode is the exit code of a command that ends with it.
func (r *Refusal) ExitCode() int { return max(1, r.Code) }

// refuse is a Refusal for what was asked wrongly.
func refuse(advice, format string, args ...any) error {
	return &Refusal{Text: fmt.Sprintf(format, args...), Advice: advice, Code: 2}
}

// Options are what stores need of their surroundings.
type Options struct {
	// Cache is a private folder for clones; required for git.
	Cache string
	// Create makes a folder that is not there.
	Create bool
	// Transport carries HTTP to S3; nil is the usual one.
	Transport http.RoundTripper
	// Retries is how often a request to S3 is tried; 0 is 5.
	Retries int
}

const locationHelp = "name a folder, s3://BUCKET/PREFIX?endpoint=https://HOST, " +
	"or git+https://HOST/REPOSITORY?branch=BRANCH&folder=FOLDER (also git+ssh://, git+file://)"

// Open opens a store by its location: a folder, s3://bucket/prefix or
// git+https://host/repository.
func Open(ctx context.Context, location string, o Options) (Store, error) {
	switch {
	case location == "" || strings.HasPrefix(location, "-"):
		return nil, refuse(locationHelp, "opening archive %q: that is no location", Shown(location))
	case !strings.Contains(location, "://"):
		return openFolder(location, o)
	}
	u, err := url.Parse(location)
	if err != nil {
		return nil, refuse(locationHelp, "opening archive %q: it is no URL", Shown(withoutQuery(location)))
	}
	if _, secret := u.User.Password(); secret {
		return nil, refuse("take the password out; credentials come from the environment and the usual files",
			"opening archive %q: a location holds no password", u.Redacted())
	}
	switch {
	case u.Scheme == "file":
		return openFolder(u.Path, o)
	case u.Scheme == "s3":
		return openS3(ctx, u, o)
	case strings.HasPrefix(u.Scheme, "git+"):
		return openGit(ctx, u, o)
	}
	return nil, refuse(locationHelp, "opening archive %q: %q is no kind of archive", Shown(location), u.Scheme)
}

func withoutQuery(s string) string {
	s, _, _ = strings.Cut(s, "?")
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		if _, host, user := strings.Cut(rest, "@"); user {
			return scheme + "://" + host
		}
	}
	return s
}

// known refuses parameters of a location that mean nothing.
func known(u *url.URL, names ...string) error {
	for k := range u.Query() {
		found := false
		for _, n := range names {
			found = found || n == k
		}
		if !found {
			return refuse("known are "+strings.Join(names, ", "), "opening archive %q: parameter %q is unknown",
				Shown(withoutQuery(u.String())), Shown(k))
		}
	}
	return nil
}

// privateDir makes a folder that only this user can read, and refuses one that
// belongs to somebody else.
func privateDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("making %q: %w", path, err)
	}
	return own(path)
}

// CacheDir is the private folder in which a store of that location keeps what
// it would otherwise fetch again.
func cacheDir(root, location string) string {
	return filepath.Join(root, hexDigest([]byte(location))[:24])
}
