package images

import (
	"errors"
	"strings"
	"testing"
)

func TestEnsureReference(t *testing.T) {
	store := newMemoryStore()
	store.names["me/app:1"] = Info{ID: "sha256:1", DiffIDs: []string{"sha256:2"}}
	got, err := EnsureReference(t.Context(), store, "me/app:1", Options{})
	if err != nil || got.ImageID != "sha256:1" || got.Source != Present || got.Identity != store.names["me/app:1"].Identity() {
		t.Errorf("an image that is there: %+v, %v", got, err)
	}
	var said []string
	_, err = EnsureReference(t.Context(), store, "127.0.0.1:1/nobody/app:1", Options{Say: func(s string) { said = append(said, s) }})
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "cannot be pulled") {
		t.Errorf("an image that nobody has: %v", err)
	}
	if len(said) != 1 || !strings.HasPrefix(said[0], "pulling ") {
		t.Errorf("said %q", said)
	}
}
