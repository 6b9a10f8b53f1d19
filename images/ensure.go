package images

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Options say how Ensure may get an image.
type Options struct {
	// Lock says which image exactly is meant; see [Locked].
	Lock Lock
	// Mirror returns the Debian mirror to build from; it is asked only when
	// there is something to build.
	Mirror func() (string, error)
	// From are stores of other hosts: what the store lacks comes from the
	// first that has it.
	From []Store
	// Want, if not empty, is the identity of the image that is meant exactly:
	// where one with it can be had, no other is taken.
	Want string
	// Fetch, if not nil, brings the wanted image from elsewhere into the store
	// under a name. Its error wraps [ErrNotFound] where it has none.
	Fetch func(ctx context.Context, store Store, name string) error
	// Say is told about everything that takes long or is not as locked; nil
	// says nothing.
	Say func(string)
}

func (o Options) say(format string, args ...any) {
	if o.Say != nil {
		o.Say(fmt.Sprintf(format, args...))
	}
}

// Ensure sees to it that the store has an image: the one that is wanted by its
// content, else the one that is there, else the official one where a registry
// answers, else one built from Debian packages, which it says. A registry that answers no is an error, for the lock or the
// registry must then be wrong.
func Ensure(ctx context.Context, store Store, image Image, o Options) (Got, error) {
	locked := o.Lock[image.Key()]
	if o.Want != "" {
		if got, err := exactly(ctx, store, image, o); err == nil || !errors.Is(err, ErrNotFound) {
			return got, err
		}
	}
	got, err := present(ctx, store, image, locked)
	if err == nil {
		if text := DriftText(image, got.Drift); text != "" {
			o.say("%s", text)
		}
		return got, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return Got{}, err
	}
	if got, err := fromOthers(ctx, store, image, o); err == nil || !errors.Is(err, ErrNotFound) {
		return got, err
	}
	if image.Reference != "" {
		o.say("pulling %s", image.Reference)
		got, err := Pull(ctx, store, image, locked)
		if err == nil {
			if !got.Pinned {
				o.say("%s is not pinned: its digest is open in the lock, got %s", image.Reference, got.Digest)
			}
			return got, nil
		}
		if ctx.Err() != nil || !unreachable(err) {
			return Got{}, err
		}
		o.say("NOT THE OFFICIAL IMAGE: no registry answers for %s (%s); building %s from Debian %s packages, which takes about half a minute",
			image.Reference, lastLine(err.Error()), image.Key(), image.Recipe.Suite)
	}
	return FromDebian(ctx, store, image, o)
}

// FromDebian builds an image from Debian packages and loads it.
func FromDebian(ctx context.Context, store Store, image Image, o Options) (Got, error) {
	mirror, err := o.Mirror()
	if err != nil {
		return Got{}, fmt.Errorf("building %q: %w", image.Key(), err)
	}
	locked := o.Lock[image.Key()]
	built, err := Build(ctx, image, mirror, locked)
	if err != nil {
		return Got{}, err
	}
	defer func() { _ = built.Close() }()
	if err := built.Load(ctx, store); err != nil {
		return Got{}, err
	}
	info, err := store.Inspect(ctx, image.Tag())
	if err != nil {
		return Got{}, err
	}
	got, err := own(image, locked, info)
	if err != nil {
		return Got{}, err
	}
	got.Source = Debian
	if text := DriftText(image, got.Drift); text != "" {
		o.say("%s", text)
	}
	return got, nil
}

// present describes the image if the store has it: the locked official one, one
// built here, or one that was pulled by tag.
func present(ctx context.Context, store Store, image Image, locked Entry) (Got, error) {
	describe := func(ref string, as func(Image, Entry, Info) (Got, error)) (Got, error) {
		info, err := store.Inspect(ctx, ref)
		if err != nil {
			return Got{}, err
		}
		got, err := as(image, locked, info)
		got.Source = Present
		return got, err
	}
	if image.Reference != "" && locked.Digest != "" {
		ref, err := pullRef(image, locked)
		if err != nil {
			return Got{}, err
		}
		if got, err := describe(ref, official); err == nil || !errors.Is(err, ErrNotFound) {
			return got, err
		}
	}
	got, err := describe(image.Tag(), own)
	if err == nil || !errors.Is(err, ErrNotFound) || image.Reference == "" || locked.Digest != "" {
		return got, err
	}
	return describe(image.Reference, official)
}

// own describes an image that was built from packages. Its label must say what
// it is; an image of the same name that is something else is an error, and one
// that was made by an older recipe is not there.
func own(image Image, locked Entry, info Info) (Got, error) {
	identity := info.Identity()
	if label := info.Config.Labels[IdentityLabel]; label != identity {
		return Got{}, fmt.Errorf("image %q is %s, its label says %q: remove it or build it again", image.Tag(), identity, label)
	}
	if info.Config.Labels[RecipeLabel] != image.Recipe.Digest() {
		return Got{}, fmt.Errorf("image %q was made by another recipe than that of %q: %w", image.Tag(), image.Key(), ErrNotFound)
	}
	packages := parsePackages(info.Config.Labels[PackagesLabel])
	return Got{
		Ref: image.Tag(), ImageID: info.ID, Identity: identity, Packages: packages,
		Pinned: identity == locked.Identity, Drift: Drift(locked.Packages, packages),
	}, nil
}

func lastLine(text string) string {
	return text[strings.LastIndex(strings.TrimSpace(text), "\n")+1:]
}
