package images

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestMirror(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	tests := []struct {
		name, override string
		apt            fs.FS
		want, problem  string
	}{
		{name: "override", override: "http://mirror.example/debian/", apt: fstest.MapFS{}, want: "http://mirror.example/debian"},
		{name: "one-line form", apt: fstest.MapFS{"sources.list": file("# deb http://no.example/debian sid main\ndeb [signed-by=/k] https://a.example/debian/ sid main\n")}, want: "https://a.example/debian"},
		{name: "field form", apt: fstest.MapFS{
			"sources.list.d/a.sources": file("Types: deb\nURIs: http://b.example/debian-security http://b.example/pub/debian\nSuites: x\n"),
		}, want: "http://b.example/pub/debian"},
		{name: "other archives only", apt: fstest.MapFS{"sources.list.d/x.list": file("deb https://c.example/ubuntu noble main\n")}, problem: MirrorEnv},
		{name: "nothing", apt: fstest.MapFS{}, problem: "no Debian mirror"},
		{name: "not an address", override: "sid", apt: fstest.MapFS{}, problem: "not the address"},
		{name: "more than an address", override: "http://a.example/debian sid main\ndeb http://b", apt: fstest.MapFS{}, problem: "not the address"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Mirror(test.override, test.apt)
			if got != test.want || (err == nil) != (test.problem == "") {
				t.Fatalf("Mirror gives %q, %v, want %q", got, err, test.want)
			}
			if err != nil && !strings.Contains(err.Error(), test.problem) {
				t.Errorf("%v does not say %q", err, test.problem)
			}
		})
	}
}
