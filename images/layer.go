package images

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// plainLayer is a layer that gives out its plain tar where a compressed one is
// asked for: its digest is its diff ID. Compressing would cost more time than
// everything else and buy nothing on one machine.
type plainLayer struct {
	open func() (io.ReadCloser, error)
	hash v1.Hash
	size int64
}

func (l plainLayer) Digest() (v1.Hash, error)             { return l.hash, nil }
func (l plainLayer) DiffID() (v1.Hash, error)             { return l.hash, nil }
func (l plainLayer) Size() (int64, error)                 { return l.size, nil }
func (l plainLayer) Compressed() (io.ReadCloser, error)   { return l.open() }
func (l plainLayer) Uncompressed() (io.ReadCloser, error) { return l.open() }
func (l plainLayer) MediaType() (types.MediaType, error) {
	return types.DockerUncompressedLayer, nil
}

// writeLayer copies a tree's tar to a file in canonical form, and returns it as
// a layer together with dpkg's status file from it. The canonical form does not
// depend on the tar program that made the tree's tar, and leaves out what varies.
func writeLayer(tree io.Reader, path string) (layer plainLayer, status []byte, err error) {
	file, err := os.Create(path)
	if err != nil {
		return plainLayer{}, nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	out := tar.NewWriter(io.MultiWriter(file, sum))
	in := tar.NewReader(tree)
	for {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return plainLayer{}, nil, fmt.Errorf("reading the tree's tar: %w", err)
		}
		if h = canonical(h); h == nil {
			continue
		}
		if err := out.WriteHeader(h); err != nil {
			return plainLayer{}, nil, fmt.Errorf("writing %q: %w", h.Name, err)
		}
		var content io.Reader = in
		var copied bytes.Buffer
		if h.Name == statusPath {
			content = io.TeeReader(in, &copied)
		}
		if _, err := io.Copy(out, content); err != nil {
			return plainLayer{}, nil, fmt.Errorf("writing %q: %w", h.Name, err)
		}
		if h.Name == statusPath {
			status = copied.Bytes()
		}
	}
	if err := out.Close(); err != nil {
		return plainLayer{}, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return plainLayer{}, nil, err
	}
	hash := v1.Hash{Algorithm: "sha256", Hex: fmt.Sprintf("%x", sum.Sum(nil))}
	open := func() (io.ReadCloser, error) { return os.Open(path) }
	return plainLayer{open, hash, info.Size()}, status, nil
}

// left lists what the layer leaves out of the tree: what differs between two
// builds of the same packages or between two build machines, and what no
// container reads. A trailing slash means everything below a folder.
func left() []string {
	return []string{
		"dev/", "tmp/", "var/tmp/", "run/",
		// A generated key.
		"etc/ssl/certs/ssl-cert-snakeoil.pem", "etc/ssl/private/ssl-cert-snakeoil.key",
		// Settings of the build machine: Docker mounts its own files here.
		"etc/hostname", "etc/resolv.conf", "etc/machine-id",
		// Settings, caches, locks and logs of apt, dpkg and debconf.
		"etc/apt/", "etc/dpkg/dpkg.cfg.d/99mmdebstrap", "var/lib/apt/", "var/cache/", "var/log/",
		"var/lib/dpkg/lock", "var/lib/dpkg/lock-frontend",
		// Backups.
		"etc/passwd-", "etc/group-", "etc/shadow-", "etc/gshadow-",
		"var/lib/dpkg/status-old", "var/lib/dpkg/diversions-old", "var/lib/dpkg/statoverride-old",
	}
}

// isLeft reports whether an entry is left out. Links to the generated key's
// certificate are named after a hash of the build machine's host name.
func isLeft(name, link string) bool {
	if name == "" || name == "." || link == "ssl-cert-snakeoil.pem" {
		return true
	}
	for _, l := range left() {
		if name == l && !strings.HasSuffix(l, "/") {
			return true
		}
		if strings.HasSuffix(l, "/") && strings.HasPrefix(name, l) && name != l {
			return true
		}
	}
	return false
}

// canonical returns the header in the one form that layers have, or nil for an
// entry that is left out.
func canonical(h *tar.Header) *tar.Header {
	name := strings.TrimPrefix(h.Name, "./")
	if isLeft(name, h.Linkname) {
		return nil
	}
	latest := time.Unix(buildDate, 0).UTC()
	c := &tar.Header{
		Typeflag: h.Typeflag, Name: name, Linkname: h.Linkname, Size: h.Size,
		Mode: h.Mode, Uid: h.Uid, Gid: h.Gid, Devmajor: h.Devmajor, Devminor: h.Devminor,
		ModTime: h.ModTime.UTC().Truncate(time.Second), Format: tar.FormatPAX,
	}
	if c.ModTime.After(latest) {
		c.ModTime = latest
	}
	if h.Typeflag == tar.TypeLink {
		c.Linkname = strings.TrimPrefix(h.Linkname, "./")
	}
	for k, v := range h.PAXRecords {
		if !strings.HasPrefix(k, "SCHILY.xattr.") {
			continue
		}
		if c.PAXRecords == nil {
			c.PAXRecords = make(map[string]string)
		}
		c.PAXRecords[k] = v
	}
	return c
}
