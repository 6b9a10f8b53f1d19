package images

import (
	"context"
	"errors"
	"fmt"
)

// exactly finds the image that is wanted by its content: under its usual names,
// under the name of what was brought from elsewhere, or where it can be fetched.
// The error wraps [ErrNotFound] where it is in none of these places.
func exactly(ctx context.Context, store Store, image Image, o Options) (Got, error) {
	locked := o.Lock[image.Key()]
	// An image of the usual name that is something else is nobody's concern here.
	if got, err := present(ctx, store, image, locked); err == nil && got.Identity == o.Want {
		return got, nil
	}
	name := ContentName(image, o.Want)
	info, err := store.Inspect(ctx, name)
	if errors.Is(err, ErrNotFound) && o.Fetch != nil {
		o.say("fetching %s by its content", image.Key())
		if err := o.Fetch(ctx, store, name); err != nil {
			return Got{}, err
		}
		info, err = store.Inspect(ctx, name)
	}
	if err != nil {
		return Got{}, err
	}
	if got := info.Identity(); got != o.Want {
		return Got{}, fmt.Errorf("image %q is %s, its name says %s: remove it", name, got, o.Want)
	}
	return brought(locked, name, info), nil
}

// brought describes an image that came from elsewhere by its content. The
// labels of one that was built from packages came along.
func brought(locked Entry, name string, info Info) Got {
	got := Got{Ref: name, ImageID: info.ID, Identity: info.Identity(), Source: Present}
	if info.Config.Labels[IdentityLabel] != got.Identity {
		got.Source = Registry
		return got
	}
	got.Packages = parsePackages(info.Config.Labels[PackagesLabel])
	got.Pinned, got.Drift = got.Identity == locked.Identity, Drift(locked.Packages, got.Packages)
	return got
}
