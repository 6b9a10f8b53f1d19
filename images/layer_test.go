package images

import (
	"archive/tar"
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tree makes a tar of a small Debian tree as it comes out of a build on a
// machine of a name, in a format and at a time.
func tree(t *testing.T, format tar.Format, machine string, at time.Time) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h tar.Header, content string) {
		h.Size, h.Format, h.ModTime, h.Uname = int64(len(content)), format, at, machine
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	add(tar.Header{Typeflag: tar.TypeDir, Name: "./"}, "")
	add(tar.Header{Typeflag: tar.TypeDir, Name: "./dev/", Mode: 0o755}, "")
	add(tar.Header{Typeflag: tar.TypeChar, Name: "./dev/null"}, "")
	add(tar.Header{Name: "./etc/hostname"}, machine)
	add(tar.Header{Name: "./etc/ssl/private/ssl-cert-snakeoil.key"}, "key made on "+machine)
	add(tar.Header{Typeflag: tar.TypeSymlink, Name: "./etc/ssl/certs/" + machine + ".0", Linkname: "ssl-cert-snakeoil.pem"}, "")
	add(tar.Header{Name: "./usr/bin/perl", Mode: 0o755}, "program")
	add(tar.Header{Typeflag: tar.TypeLink, Name: "./usr/bin/perl5", Linkname: "./usr/bin/perl"}, "")
	add(tar.Header{Name: "./var/cache/debconf/config.dat"}, "built on "+machine)
	add(tar.Header{Typeflag: tar.TypeDir, Name: "./var/log/"}, "")
	add(tar.Header{Name: "./var/log/dpkg.log"}, at.String())
	add(tar.Header{Name: "./" + statusPath}, someStatus)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWriteLayer(t *testing.T) {
	day := time.Unix(buildDate, 0).Add(24 * time.Hour)
	first, status, err := writeLayer(bytes.NewReader(tree(t, tar.FormatGNU, "here", day)), filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := writeLayer(bytes.NewReader(tree(t, tar.FormatPAX, "there", day.Add(time.Hour))), filepath.Join(t.TempDir(), "b"))
	if err != nil {
		t.Fatal(err)
	}
	if first.hash != second.hash {
		t.Error("the layer depends on the tar format, the time or the build machine")
	}
	if string(status) != someStatus {
		t.Errorf("dpkg's status reads %q", status)
	}
	entries, err := digests(first)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for n := range entries {
		names = append(names, n)
	}
	want := []string{"dev/", "usr/bin/perl", "usr/bin/perl5", statusPath, "var/log/"}
	if diff := cmp.Diff(sorted(want), sorted(names)); diff != "" {
		t.Error(diff)
	}
	whole := tree(t, tar.FormatPAX, "here", day)
	if _, _, err := writeLayer(bytes.NewReader(whole[:len(whole)/2+100]), filepath.Join(t.TempDir(), "c")); err == nil {
		t.Error("half a tar makes a layer")
	}
}

func TestDiffering(t *testing.T) {
	build := func(change func(string) string) plainLayer {
		text := change(string(tree(t, tar.FormatGNU, "here", time.Unix(buildDate, 0))))
		l, _, err := writeLayer(strings.NewReader(text), filepath.Join(t.TempDir(), "layer"))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	first := build(func(s string) string { return s })
	second := build(func(s string) string { return strings.Replace(s, "program", "Program", 1) })
	names, err := differing(first, second, 20)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"usr/bin/perl"}, names); diff != "" {
		t.Error(diff)
	}
	if names, err := differing(first, first, 20); err != nil || len(names) != 0 {
		t.Errorf("a layer differs from itself in %v, %v", names, err)
	}
}
