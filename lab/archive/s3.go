package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"benchlab/lab/record"
)

// Bucket is an archive in an S3-compatible store. It needs the rights to list,
// read and put, and never deletes. An object appears as a whole, and only where
// there is none of that name (If-None-Match); a run counts once its SHA256SUMS
// is there, which is put last.
type Bucket struct {
	client   *minio.Client
	bucket   string
	prefix   string
	location string
}

// mostObject is the largest object that can be put in one piece.
const mostObject = 5 << 30

// Location is the URL without secrets.
func (b *Bucket) Location() string { return b.location }

// Close does nothing.
func (b *Bucket) Close() error { return nil }

// List reads one level of names.
func (b *Bucket) List(ctx context.Context, dir string) ([]Item, error) {
	prefix := b.prefix
	if dir != "" {
		prefix += dir + "/"
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var out []Item
	for o := range b.client.ListObjects(ctx, b.bucket, minio.ListObjectsOptions{Prefix: prefix}) {
		if o.Err != nil {
			return nil, b.explain("listing", dir, o.Err)
		}
		name := strings.TrimPrefix(o.Key, prefix)
		folder := strings.HasSuffix(name, "/")
		if name = strings.TrimSuffix(name, "/"); name != "" {
			out = append(out, Item{Name: name, Dir: folder, Size: o.Size})
		}
	}
	return out, nil
}

// Open reads an object.
func (b *Bucket) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	o, err := b.client.GetObject(ctx, b.bucket, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, b.explain("reading", name, err)
	}
	// Nothing is asked of the server before this.
	if _, err := o.Stat(); err != nil {
		return nil, errors.Join(b.explain("reading", name, err), o.Close())
	}
	return o, nil
}

// Publish puts the files one by one, SHA256SUMS last, and reads each back.
func (b *Bucket) Publish(ctx context.Context, p *Parcel) error {
	if err := b.probe(ctx); err != nil {
		return err
	}
	err := compareRun(ctx, b, p)
	if !errors.Is(err, ErrTaken) {
		return err
	}
	// Without a SHA256SUMS the name is free, or a push of this very run was
	// cut off; every file tells.
	if _, err := b.Open(ctx, p.Run+"/"+record.SumsFile); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(ErrTaken, err)
	}
	for _, f := range p.Files {
		if err := b.put(ctx, p, f); err != nil {
			return err
		}
	}
	return nil
}

// put makes one object, unless it is there with the same content.
func (b *Bucket) put(ctx context.Context, p *Parcel, f File) error {
	if f.Bytes > mostObject {
		return &Refusal{Text: fmt.Sprintf("putting %q: %d bytes are more than one object holds (%d)", f.Name, f.Bytes, int64(mostObject)),
			Advice: "push without images, or to a folder"}
	}
	in, err := p.Open(f)
	if err != nil {
		return err
	}
	defer in.Close()
	err = b.create(ctx, f.Name, in, f.Bytes)
	if err != nil && !exists(err) {
		return b.explain("putting", f.Name, err)
	}
	back, openErr := b.Open(ctx, f.Name)
	if openErr != nil {
		return openErr
	}
	defer back.Close()
	if same := sameContent(back, f); same != nil && exists(err) {
		return fmt.Errorf("%w (%s)", ErrTaken, f.Name)
	} else if same != nil {
		return same
	}
	return nil
}

func (b *Bucket) create(ctx context.Context, name string, r io.Reader, n int64) error {
	o := minio.PutObjectOptions{ContentType: "application/octet-stream", SendContentMd5: true, DisableMultipart: true}
	o.SetMatchETagExcept("*")
	_, err := b.client.PutObject(ctx, b.bucket, b.prefix+name, r, n, o)
	return err
}

// probe makes sure that the server keeps objects from being overwritten: some
// ignore If-None-Match and would lose the older one.
func (b *Bucket) probe(ctx context.Context) error {
	const name, text = ".probe", "benchlab asks here whether objects can be overwritten\n"
	for range 2 {
		err := b.create(ctx, name, bytes.NewReader([]byte(text)), int64(len(text)))
		if err == nil {
			continue
		}
		if exists(err) {
			return nil
		}
		return b.explain("putting", name, err)
	}
	return &Refusal{
		Text:   fmt.Sprintf("opening archive %q: the server overwrites objects in spite of If-None-Match", b.location),
		Advice: "use a server that supports conditional writes, or archive to a folder or a git repository",
	}
}

// exists reports whether a put was refused because the name is taken.
func exists(err error) bool {
	var r minio.ErrorResponse
	if !errors.As(err, &r) {
		return false
	}
	switch r.StatusCode {
	case http.StatusPreconditionFailed, http.StatusConflict, http.StatusNotModified:
		return true
	}
	return r.Code == minio.PreconditionFailed
}

// explain words what a server answered, with advice.
func (b *Bucket) explain(doing, name string, err error) error {
	var r minio.ErrorResponse
	if !errors.As(err, &r) {
		return fmt.Errorf("%s %q in bucket %q: %w", doing, name, b.bucket, err)
	}
	text := fmt.Sprintf("%s %q in bucket %q: %s (%s)", doing, name, b.bucket, Shown(r.Message), Shown(r.Code))
	switch {
	case r.Code == minio.NoSuchKey:
		return fmt.Errorf("%s %q in bucket %q: %w", doing, name, b.bucket, fs.ErrNotExist)
	case r.Code == minio.NoSuchBucket:
		return &Refusal{Text: text, Advice: "make the bucket first; benchlab makes none"}
	case r.StatusCode == http.StatusForbidden || r.Code == minio.AccessDenied:
		return &Refusal{Text: text, Advice: "the credentials need the rights to list, read and put; they come from " +
			"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws/credentials"}
	}
	return errors.New(text)
}
