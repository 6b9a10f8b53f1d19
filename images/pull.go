package images

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Source says where an image came from.
type Source string

const (
	// Registry is an official image, pulled now.
	Registry Source = "registry"
	// Debian is an image built now from Debian packages.
	Debian Source = "debian"
	// Present is an image that was there already.
	Present Source = "present"
)

// Got is the image that the lab will run, for the record.
type Got struct {
	// Ref is what to start containers from.
	Ref string
	// ImageID is the store's own name of it.
	ImageID string
	// Identity of the image; see [Identity].
	Identity string
	// Source says where it came from.
	Source Source
	// Digest is the registry digest, "" for an image built from packages.
	Digest string
	// Pinned says that it is the one in the lock.
	Pinned bool
	// Drift lists the packages that have another version than in the lock.
	Drift []string
	// Packages are the versions of its packages, where they are known.
	Packages map[string]string
}

// Pull fetches the official image: by the locked digest, or by its tag while the
// digest is open. Such a result says what it got and is not pinned.
func Pull(ctx context.Context, store Store, image Image, locked Entry) (Got, error) {
	if image.Reference == "" {
		return Got{}, fmt.Errorf("pulling %q: it has no official image: build it", image.Key())
	}
	ref, err := pullRef(image, locked)
	if err != nil {
		return Got{}, err
	}
	if err := store.Pull(ctx, ref); err != nil {
		return Got{}, err
	}
	info, err := store.Inspect(ctx, ref)
	if err != nil {
		return Got{}, err
	}
	got, err := official(image, locked, info)
	if err != nil {
		return Got{}, fmt.Errorf("pulling %q: %w", ref, err)
	}
	got.Source = Registry
	return got, nil
}

// pullRef is the image's reference by digest, or by tag if the lock has none.
func pullRef(image Image, locked Entry) (string, error) {
	if locked.Digest == "" {
		return image.Reference, nil
	}
	repo, err := repository(image.Reference)
	if err != nil {
		return "", err
	}
	ref := repo + "@" + locked.Digest
	if _, err := name.NewDigest(ref); err != nil {
		return "", fmt.Errorf("reading the image lock: %q: %w", image.Key(), err)
	}
	return ref, nil
}

// repository is a reference without its tag.
func repository(ref string) (string, error) {
	tag, err := name.NewTag(ref)
	if err != nil {
		return "", fmt.Errorf("parsing %q: %w", ref, err)
	}
	return strings.TrimSuffix(ref, ":"+tag.TagStr()), nil
}

// official describes an image that a registry gave out.
func official(image Image, locked Entry, info Info) (Got, error) {
	repo, err := repository(image.Reference)
	if err != nil {
		return Got{}, err
	}
	for _, d := range info.Digests {
		digest, ok := strings.CutPrefix(d, repo+"@")
		if !ok || (locked.Digest != "" && digest != locked.Digest) {
			continue
		}
		return Got{
			Ref: d, ImageID: info.ID, Identity: info.Identity(), Digest: digest,
			Pinned: digest == locked.Digest,
		}, nil
	}
	return Got{}, fmt.Errorf("image %s has no digest of %q", info.ID, repo)
}

// unreachable reports whether a pull failed because no registry answered, or
// none that serves us. Any other failure is an answer: another source would then
// hide a wrong lock or a damaged registry. Docker tells the difference in words
// only.
func unreachable(err error) bool {
	text := strings.ToLower(err.Error())
	for _, sign := range []string{
		"no such host", "server misbehaving", "name resolution", "connection refused", "connection reset",
		"no route to host", "network is unreachable", "timeout", "timed out", "deadline exceeded", "tls: ", "x509: ",
		"proxyconnect", ": eof", "too many requests", "toomanyrequests", "service unavailable", "bad gateway",
		"internal server error",
	} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// Lookup asks the registry for the digest that the image's tag means now.
func Lookup(ctx context.Context, image Image) (string, error) {
	if image.Reference == "" {
		return "", errors.New("there is no official image")
	}
	ref, err := name.ParseReference(image.Reference)
	if err != nil {
		return "", fmt.Errorf("parsing %q: %w", image.Reference, err)
	}
	d, err := remote.Head(ref, remote.WithContext(ctx))
	if err != nil {
		return "", fmt.Errorf("looking up %q: %w", image.Reference, err)
	}
	return d.Digest.String(), nil
}
