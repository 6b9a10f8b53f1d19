package hosts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseEndpoint(t *testing.T) {
	tls := &TLSFiles{CA: "ca.pem", Cert: "cert.pem", Key: "key.pem"}
	cases := []struct {
		text  string
		tls   *TLSFiles
		want  Endpoint
		fault string
	}{
		{text: "", want: Endpoint{Kind: LocalDaemon}},
		{text: "unix:///var/run/docker.sock", want: Endpoint{Kind: UnixSocket, Path: "/var/run/docker.sock"}},
		{text: "ssh://server", want: Endpoint{Kind: SSH, Host: "server"}},
		{text: "ssh://bench@10.0.0.2:2222", want: Endpoint{Kind: SSH, User: "bench", Host: "10.0.0.2", Port: 2222}},
		{text: "ssh://bench@[fd00::2]:22", want: Endpoint{Kind: SSH, User: "bench", Host: "fd00::2", Port: 22}},
		{text: "tcp://server:2376", tls: tls, want: Endpoint{Kind: TCP, Host: "server", Port: 2376, TLS: tls}},
		{text: "my-server", want: Endpoint{Kind: DockerContext, Context: "my-server"}},
		{text: "tcp://server:2375", fault: "plain tcp"},
		{text: "tcp://127.0.0.1:2375", fault: "plain tcp"},
		{text: "tcp://server:2376", tls: &TLSFiles{CA: "ca.pem", Cert: "c"}, fault: "lacks the tls file key"},
		{text: "tcp://server", tls: tls, fault: "has no port"},
		{text: "ssh://server", tls: tls, fault: "for tcp:// only"},
		{text: "-oProxyCommand=touch", fault: "read as an option"},
		{text: "ssh://-oProxyCommand=touch", fault: "read as an option"},
		{text: "ssh://-user@server", fault: "read as an option"},
		{text: "ssh://user@-server", fault: "no valid host name"},
		{text: "ssh://%2DoProxyCommand=x@server", fault: "no valid user name"},
		{text: "ssh://user:secret@server", fault: "holds a password"},
		{text: "ssh://user:secret@server:nan", fault: "is not a URL"},
		{text: "ssh://server/path", fault: "goes on after"},
		{text: "ssh://server?x=1", fault: "goes on after"},
		{text: "ssh://server:0", fault: "port outside"},
		{text: "ssh://server:70000", fault: "port outside"},
		{text: "ssh://", fault: "no valid host name"},
		{text: "ssh://a b", fault: "blanks"},
		{text: "ssh://server\n", fault: "blanks"},
		{text: "http://server:2375", fault: "unknown scheme"},
		{text: "npipe:////./pipe/docker", fault: "unknown scheme"},
		{text: "fd://3", fault: "unknown scheme"},
		{text: "unix://docker.sock", fault: "absolute path"},
		{text: "unix:///run/../etc/x", fault: "absolute path"},
		{text: "a/b", fault: "neither a URL nor"},
		{text: "host:2375", fault: "neither a URL nor"},
	}
	for _, c := range cases {
		got, err := ParseEndpoint(c.text, c.tls)
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%q: %v", c.text, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%q: error %v, want %q", c.text, err, c.fault)
		case err != nil && strings.Contains(err.Error(), "secret"):
			t.Errorf("%q: the error tells the password: %v", c.text, err)
		}
		if diff := cmp.Diff(c.want, got); c.fault == "" && diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
		if c.fault == "" && got.String() != c.text {
			t.Errorf("%q is written as %q", c.text, got)
		}
	}
}

func TestTunable(t *testing.T) {
	for kind, want := range map[EndpointKind]bool{LocalDaemon: true, UnixSocket: true, SSH: true, TCP: false, DockerContext: false} {
		if ok, why := (Endpoint{Kind: kind}).Tunable(); ok != want || (why == "") != want {
			t.Errorf("%s: %v, %q, want %v", kind, ok, why, want)
		}
	}
}

func FuzzParseEndpoint(f *testing.F) {
	for _, seed := range []string{"ssh://a@b:1", "unix:///x", "tcp://a:1", "ctx", "ssh://[::1]", "ssh://-x", "-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseEndpoint(text, nil)
		if err != nil {
			return
		}
		for _, part := range []string{e.User, e.Host, e.Path, e.Context} {
			if strings.HasPrefix(part, "-") || strings.ContainsAny(part, " \n\x00") {
				t.Fatalf("%q gave %q, which a command could misread", text, part)
			}
		}
		if again, err := ParseEndpoint(e.String(), nil); err != nil || again != e {
			t.Fatalf("%q is written as %q, read as %+v, %v", text, e, again, err)
		}
	})
}
