package docker

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/cli/cli/context/store"

	"benchlab/hosts"
)

// daemon answers the first questions of a Docker daemon on a socket.
func daemon(t *testing.T, api string) (socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bl") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket = filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", api)
		if strings.HasSuffix(r.URL.Path, "/info") {
			_ = json.NewEncoder(w).Encode(map[string]any{"ServerVersion": "20.10.24", "CgroupVersion": "1", "DockerRootDir": "/data"})
		}
	}))
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	return socket
}

// settings are Docker's own, and nothing of the user's.
func settings(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"} {
		t.Setenv(name, "")
	}
	t.Setenv("DOCKER_CONFIG", dir)
	return dir
}

// newContext makes a Docker context as its command line would.
func newContext(t *testing.T, dir, name, host string, skip bool) {
	t.Helper()
	s := store.New(filepath.Join(dir, "contexts"), store.NewConfig(func() any { return &map[string]any{} },
		store.EndpointTypeGetter(dockerEndpoint, func() any { return &contextMeta{} })))
	err := s.CreateOrUpdate(store.Metadata{Name: name, Metadata: map[string]any{},
		Endpoints: map[string]any{dockerEndpoint: contextMeta{Host: host, SkipTLSVerify: skip}}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpen(t *testing.T) {
	socket := daemon(t, "1.41")
	for name, c := range map[string]struct {
		set   func(dir string)
		e     hosts.Endpoint
		shown string
	}{
		"a socket":    {nil, hosts.Endpoint{Kind: hosts.UnixSocket, Path: socket}, "unix://" + socket},
		"DOCKER_HOST": {func(string) { t.Setenv("DOCKER_HOST", "unix://"+socket) }, hosts.Endpoint{}, "unix://" + socket},
		"a context":   {func(dir string) { newContext(t, dir, "lab", "unix://"+socket, false) }, hosts.Endpoint{Kind: hosts.DockerContext, Context: "lab"}, "lab"},
		"its variable": {func(dir string) {
			newContext(t, dir, "lab", "unix://"+socket, false)
			t.Setenv("DOCKER_CONTEXT", "lab")
		}, hosts.Endpoint{}, "lab"},
		"the current one": {func(dir string) {
			newContext(t, dir, "lab", "unix://"+socket, false)
			if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"currentContext":"lab"}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, hosts.Endpoint{Kind: hosts.LocalDaemon}, "lab"},
	} {
		dir := settings(t)
		if c.set != nil {
			c.set(dir)
		}
		d, err := Open(t.Context(), c.e)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.Host != c.shown || !d.Local() || d.Facts.Version != "20.10.24" || d.Facts.API != "1.41" || d.Root != "/data" {
			t.Errorf("%s: %+v, want %q", name, d, c.shown)
		}
		_ = d.Close()
	}
}

func TestOpenRefuses(t *testing.T) {
	old := daemon(t, "1.40")
	for name, c := range map[string]struct {
		set  func(dir string)
		e    hosts.Endpoint
		want string
	}{
		"an old daemon":          {nil, hosts.Endpoint{Kind: hosts.UnixSocket, Path: old}, "1.41 or newer"},
		"nobody":                 {nil, hosts.Endpoint{Kind: hosts.UnixSocket, Path: "/nowhere/docker.sock"}, "nobody answers"},
		"plain tcp":              {nil, hosts.Endpoint{Kind: hosts.TCP, Host: "localhost", Port: 1}, "plain tcp"},
		"plain tcp in a setting": {func(string) { t.Setenv("DOCKER_HOST", "tcp://localhost:1") }, hosts.Endpoint{}, "plain tcp"},
		"an option as a host":    {func(string) { t.Setenv("DOCKER_HOST", "ssh://-oProxyCommand=x") }, hosts.Endpoint{}, `begins with "-"`},
		"missing files": {nil, hosts.Endpoint{Kind: hosts.TCP, Host: "localhost", Port: 1,
			TLS: &hosts.TLSFiles{CA: "/nowhere", Cert: "/nowhere", Key: "/nowhere"}}, "TLS files"},
		"no such context":     {nil, hosts.Endpoint{Kind: hosts.DockerContext, Context: "nowhere"}, "no Docker context"},
		"plain tcp, context":  {func(dir string) { newContext(t, dir, "c", "tcp://localhost:1", false) }, hosts.Endpoint{Kind: hosts.DockerContext, Context: "c"}, "plain tcp"},
		"no check, context":   {func(dir string) { newContext(t, dir, "c", "tcp://localhost:1", true) }, hosts.Endpoint{Kind: hosts.DockerContext, Context: "c"}, "skips the check"},
		"an option, context":  {func(dir string) { newContext(t, dir, "c", "ssh://-oProxyCommand=x", false) }, hosts.Endpoint{Kind: hosts.DockerContext, Context: "c"}, `begins with "-"`},
		"a context in a host": {func(string) { t.Setenv("DOCKER_HOST", "lab") }, hosts.Endpoint{}, "no URL"},
	} {
		dir := settings(t)
		if c.set != nil {
			c.set(dir)
		}
		d, err := Open(t.Context(), c.e)
		if err == nil {
			_ = d.Close()
			t.Errorf("%s: no error", name)
			continue
		}
		var u *UnavailableError
		if !errors.As(err, &u) || u.Fix == "" || u.ExitCode() != 2 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error = %v, want %q and a hint", name, err, c.want)
		}
	}
}

func TestSSHTroubles(t *testing.T) {
	w := way{kind: hosts.SSH, shown: "ssh://a@b"}
	for said, want := range map[string]string{
		"@@@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @@@ Host key verification failed.": "not the one in known_hosts",
		"Host key verification failed.":                                       "not in known_hosts",
		"a@b: Permission denied (publickey).":                                 "refuses the login",
		"bash: line 1: docker: command not found":                             "no docker program",
		"ssh: connect to host b port 22: Connection refused":                  "nobody answers ssh",
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock.": "no Docker daemon runs",
	} {
		var u *UnavailableError
		if err := w.explain(errors.New("stderr=" + said)); !errors.As(err, &u) || !strings.Contains(u.Why, want) || !strings.Contains(err.Error(), "ssh://a@b") {
			t.Errorf("%q: said %v, want %q", said, err, want)
		}
	}
}
