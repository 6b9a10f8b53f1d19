package images

import (
	"context"
	"errors"
	"fmt"
)

// Ship brings an image from a store that has it to one that lacks it, through
// this process and without a registry, and makes sure by content that it
// arrived. The error wraps [ErrNotFound] where the first store lacks it too.
func Ship(ctx context.Context, from, to Store, image Image, o Options) (Got, error) {
	got, err := present(ctx, from, image, o.Lock[image.Key()])
	if err != nil {
		return Got{}, err
	}
	name := shippedName(image, got)
	if arrived, err := shipped(ctx, to, name, got); err == nil {
		return arrived, nil
	}
	o.say("bringing %s to a host that lacks it", image.Key())
	if name != got.Ref {
		if err := from.Tag(ctx, got.ImageID, name); err != nil {
			return Got{}, err
		}
	}
	return carry(ctx, from, to, name, got)
}

// carry copies an image from one store to another.
func carry(ctx context.Context, from, to Store, name string, sent Got) (Got, error) {
	tar, err := from.Save(ctx, name)
	if err != nil {
		return Got{}, err
	}
	defer func() { _ = tar.Close() }()
	if err := to.Load(ctx, tar); err != nil {
		return Got{}, err
	}
	return shipped(ctx, to, name, sent)
}

// shipped is the image as it is in the store that it was brought to.
func shipped(ctx context.Context, to Store, name string, sent Got) (Got, error) {
	info, err := to.Inspect(ctx, name)
	if err != nil {
		return Got{}, err
	}
	if info.Identity() != sent.Identity {
		return Got{}, fmt.Errorf("bringing image %q: it arrived as %s, it was sent as %s", name, info.Identity(), sent.Identity)
	}
	sent.ImageID, sent.Source = info.ID, Present
	return sent, nil
}

// shippedName is the name of an image under way. One that was built here keeps
// its own; one that was pulled by digest would lose that name, so that it gets
// one of which its content is part.
func shippedName(image Image, got Got) string {
	if got.Ref == image.Tag() {
		return got.Ref
	}
	return ContentName(image, got.Identity)
}

// fromOthers ships an image from the first of the other hosts that has it.
func fromOthers(ctx context.Context, store Store, image Image, o Options) (Got, error) {
	for _, other := range o.From {
		got, err := Ship(ctx, other, store, image, o)
		if err == nil || !errors.Is(err, ErrNotFound) {
			return got, err
		}
	}
	return Got{}, ErrNotFound
}
