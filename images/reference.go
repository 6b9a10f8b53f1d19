package images

import (
	"context"
	"errors"
	"fmt"
)

// EnsureReference sees to it that the store has somebody else's image, which
// the catalog does not know: the one that is there, else that of another host,
// else the one that its registry gives. The error wraps [ErrNotFound] where
// nobody has it.
func EnsureReference(ctx context.Context, store Store, ref string, o Options) (Got, error) {
	got, err := described(ctx, store, ref)
	if !errors.Is(err, ErrNotFound) {
		return got, err
	}
	for _, other := range o.From {
		if got, err := shipReference(ctx, other, store, ref, o); !errors.Is(err, ErrNotFound) {
			return got, err
		}
	}
	o.say("pulling %s", ref)
	if err := store.Pull(ctx, ref); err != nil {
		if ctx.Err() != nil {
			return Got{}, err
		}
		return Got{}, fmt.Errorf("%w, and it cannot be pulled: %w", ErrNotFound, err)
	}
	got, err = described(ctx, store, ref)
	got.Source = Registry
	return got, err
}

// described tells about an image by what the store knows of it.
func described(ctx context.Context, store Store, ref string) (Got, error) {
	info, err := store.Inspect(ctx, ref)
	if err != nil {
		return Got{}, err
	}
	return Got{Ref: ref, ImageID: info.ID, Identity: info.Identity(), Source: Present}, nil
}

// shipReference brings the image from a store that has it.
func shipReference(ctx context.Context, from, to Store, ref string, o Options) (Got, error) {
	sent, err := described(ctx, from, ref)
	if err != nil {
		return Got{}, err
	}
	o.say("bringing %s to a host that lacks it", ref)
	return carry(ctx, from, to, ref, sent)
}
