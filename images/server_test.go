package images

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/volume"
	"github.com/docker/docker/pkg/stdcopy"
	"github.com/google/go-cmp/cmp"
)

// testbed is one container of a server, with what the lab would give it.
type testbed struct {
	t     *testing.T
	store dockerStore
	spec  StartSpec
	id    string
	name  string
	// tls says that the server speaks nothing else.
	tls bool
}

func labels(t *testing.T) map[string]string {
	return map[string]string{"benchlab": "test-" + strings.ReplaceAll(t.Name(), "/", "-")}
}

func (s dockerStore) volume(t *testing.T) string {
	t.Helper()
	v, err := s.api.VolumeCreate(t.Context(), volume.CreateOptions{Labels: labels(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.api.VolumeRemove(context.WithoutCancel(t.Context()), v.Name, true) })
	return v.Name
}

// create makes a container with the data volume, and the prepared one if named.
func (s dockerStore) create(t *testing.T, image Image, data, prepared string) *testbed {
	t.Helper()
	spec, err := Start(image.Name)
	if err != nil {
		t.Fatal(err)
	}
	mounts := []mount.Mount{{Type: mount.TypeVolume, Source: data, Target: spec.DataPath}}
	if prepared != "" {
		mounts = append(mounts, mount.Mount{Type: mount.TypeVolume, Source: prepared, Target: spec.PreparedPath, ReadOnly: true})
	}
	files := Files(image.Name, 2000)
	c, err := s.api.ContainerCreate(t.Context(),
		&container.Config{Image: image.Tag(), Entrypoint: spec.Command, Cmd: []string{}, User: "0", Labels: labels(t), StopSignal: spec.StopSignal},
		&container.HostConfig{
			NetworkMode: "none", Mounts: mounts, Tmpfs: spec.Tmpfs, ShmSize: spec.ShmBytes,
			CapDrop: []string{"ALL"}, CapAdd: spec.Capabilities, SecurityOpt: []string{"no-new-privileges"},
			Resources: container.Resources{Ulimits: []*container.Ulimit{{Name: "nofile", Soft: files, Hard: files}}},
			Sysctls:   spec.Sysctls,
		}, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	b := &testbed{t: t, store: s, spec: spec, id: c.ID, name: image.Name}
	t.Cleanup(b.remove)
	return b
}

func (b *testbed) remove() {
	_ = b.store.api.ContainerRemove(context.WithoutCancel(b.t.Context()), b.id, container.RemoveOptions{Force: true, RemoveVolumes: true})
}

// put copies the script, configuration and passwords into the container.
func (b *testbed) put(conf []byte, admin, contender string) {
	b.t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	files := map[string][]byte{
		b.spec.ScriptPath: b.spec.Script, b.spec.ConfigPath: conf,
		b.spec.SecretPath: []byte(admin + "\n" + contender + "\n"),
	}
	if b.tls {
		files[b.spec.CertPath], files[b.spec.KeyPath] = certificate(b.t)
	}
	for path, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: path[1:], Mode: 0o600, Size: int64(len(content))}); err != nil {
			b.t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.t.Fatal(err)
	}
	if err := b.store.api.CopyToContainer(b.t.Context(), b.id, "/", &out, container.CopyToContainerOptions{}); err != nil {
		b.t.Fatal(err)
	}
}

// certificate is a certificate and its key that are good for tests.
func certificate(t *testing.T) (cert, key []byte) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pair := s.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// start starts the container and waits until a role may log in; it returns how
// long that took.
func (b *testbed) start(password string) time.Duration {
	b.t.Helper()
	begin := time.Now()
	if err := b.store.api.ContainerStart(b.t.Context(), b.id, container.StartOptions{}); err != nil {
		b.t.Fatal(err)
	}
	for {
		if _, err := b.query("benchlab", password, "SELECT 1"); err == nil {
			return time.Since(begin)
		}
		i, err := b.store.api.ContainerInspect(b.t.Context(), b.id)
		if err != nil || !i.State.Running || time.Since(begin) > 90*time.Second {
			b.t.Fatalf("the server is not there: %v %+v\n%s", err, i.State, b.logs())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// stop stops the server, requires a clean end and returns how long it took.
func (b *testbed) stop() time.Duration {
	b.t.Helper()
	begin, seconds := time.Now(), 30
	if err := b.store.api.ContainerStop(b.t.Context(), b.id, container.StopOptions{Timeout: &seconds}); err != nil {
		b.t.Fatal(err)
	}
	i, err := b.store.api.ContainerInspect(b.t.Context(), b.id)
	if err != nil {
		b.t.Fatal(err)
	}
	if i.State.ExitCode != 0 {
		b.t.Errorf("the server ended with %d\n%s", i.State.ExitCode, b.logs())
	}
	return time.Since(begin)
}

func (b *testbed) logs() string {
	body, err := b.store.api.ContainerLogs(b.t.Context(), b.id, container.LogsOptions{ShowStdout: true, ShowStderr: true})
	if err != nil {
		return err.Error()
	}
	defer body.Close()
	var out bytes.Buffer
	_, _ = stdcopy.StdCopy(&out, &out, body)
	return out.String()
}

// query runs SQL over TCP with the image's own client.
func (b *testbed) query(user, password, sql string) (string, error) {
	var argv, env []string
	switch b.name {
	case "postgres":
		argv = []string{"psql", "-h", "127.0.0.1", "-U", user, "-d", "benchlab", "-qAt", "-v", "ON_ERROR_STOP=1", "-c", sql}
		env = []string{"PGPASSWORD=" + password, "PGSSLMODE=" + map[bool]string{true: "require", false: "disable"}[b.tls]}
	case "mysql":
		mode := map[bool]string{true: "REQUIRED", false: "DISABLED"}[b.tls]
		argv = []string{"mysql", "-h", "127.0.0.1", "-u", user, "--get-server-public-key", "--ssl-mode=" + mode, "-N", "-D", "benchlab", "-e", sql}
		env = []string{"MYSQL_PWD=" + password}
	default:
		argv = []string{"mariadb", "-h", "127.0.0.1", "-u", user, "--skip-ssl", "-N", "-D", "benchlab", "-e", sql}
		if b.tls {
			argv = append(argv[:5], append([]string{"--ssl", "--skip-ssl-verify-server-cert"}, argv[6:]...)...)
		}
		env = []string{"MYSQL_PWD=" + password}
	}
	out, code, err := b.exec(argv, env)
	if err == nil && code != 0 {
		err = fmt.Errorf("exit %d: %s", code, out)
	}
	return strings.TrimSpace(out), err
}

func (b *testbed) exec(argv, env []string) (string, int, error) {
	api, ctx := b.store.api, b.t.Context()
	e, err := api.ContainerExecCreate(ctx, b.id, container.ExecOptions{Cmd: argv, Env: env, AttachStdout: true, AttachStderr: true})
	if err != nil {
		return "", 0, err
	}
	a, err := api.ContainerExecAttach(ctx, e.ID, container.ExecAttachOptions{})
	if err != nil {
		return "", 0, err
	}
	defer a.Close()
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, a.Reader); err != nil && err != io.EOF {
		return "", 0, err
	}
	i, err := api.ContainerExecInspect(ctx, e.ID)
	return out.String(), i.ExitCode, err
}

// ask is query that must succeed.
func (b *testbed) ask(user, password, sql string) string {
	b.t.Helper()
	out, err := b.query(user, password, sql)
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", sql, err, b.logs())
	}
	return out
}

// settings reads those settings back that are wanted.
func (b *testbed) settings(want map[string]string, password string) map[string]string {
	b.t.Helper()
	sql := "SHOW GLOBAL VARIABLES"
	if b.name == "postgres" {
		sql = "SELECT name || chr(9) || current_setting(name) FROM pg_settings"
	}
	got := make(map[string]string)
	for _, line := range strings.Split(b.ask("benchlab", password, sql), "\n") {
		name, value, _ := strings.Cut(line, "\t")
		if _, ok := want[name]; ok {
			got[name] = value
		}
	}
	return got
}

func TestServers(t *testing.T) {
	store := newDockerStore(t)
	for _, image := range Catalog() {
		if image.Kind != ServerImage {
			continue
		}
		t.Run(image.Key(), func(t *testing.T) {
			if _, err := store.Inspect(t.Context(), image.Tag()); err != nil {
				t.Skipf("%v: run benchlab images build %s", err, image.Key())
			}
			testServer(t, store, image)
		})
	}
}

func testServer(t *testing.T, store dockerStore, image Image) {
	filled := store.volume(t)
	var cold, warm time.Duration
	for _, durability := range []string{durable, relaxed, volatile} {
		tls := durability == relaxed // one of the three is enough
		conf, want, err := ServerConfig(image.Name, ConfigOptions{MaxConnections: 2020, Durability: durability, MemoryBytes: 2 << 30, TLS: tls})
		if err != nil {
			t.Fatal(err)
		}
		data, prepared := filled, ""
		if durability != durable {
			data, prepared = store.volume(t), filled
		}
		b := store.create(t, image, data, prepared)
		b.tls = tls
		b.put(conf, "adminFirst", "contenderFirst")
		took := b.start("adminFirst")
		if diff := cmp.Diff(want, b.settings(want, "adminFirst")); diff != "" {
			t.Errorf("%s: asked for (-), has (+):\n%s", durability, diff)
		}
		if prepared == "" {
			cold = took
			testRoles(b)
			b.put(conf, "adminSecond", "contenderSecond")
			stop := b.stop()
			again := b.start("adminSecond")
			if _, err := b.query("contender", "contenderFirst", "SELECT 1"); err == nil {
				t.Error("the first password is still good")
			}
			t.Logf("clean stop %v, start again %v", stop, again)
		} else {
			warm = took
			if got := b.ask("contender", "contenderFirst", "SELECT title FROM post WHERE id = 2"); got != "two" {
				t.Errorf("the prepared row reads %q", got)
			}
			b.tls = false
			if _, err := b.query("contender", "contenderFirst", "SELECT 1"); tls && err == nil {
				t.Error("a server with TLS lets in who does not speak it")
			}
		}
		b.stop()
		if strings.Contains(b.logs(), "PRIVATE KEY") || strings.Contains(b.logs(), "adminFirst") || strings.Contains(b.logs(), "adminSecond") {
			t.Error("a secret is in the log")
		}
		b.remove()
	}
	t.Logf("%s: ready after %v from nothing, after %v from prepared data", image.Key(), cold, warm)
}

// testRoles makes a table as the administrator and tries the contender's rights.
func testRoles(b *testbed) {
	b.t.Helper()
	id := "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
	if b.name != "postgres" {
		id = "id bigint AUTO_INCREMENT PRIMARY KEY"
	}
	b.ask("benchlab", "adminFirst", "CREATE TABLE post ("+id+", title varchar(100))")
	b.ask("contender", "contenderFirst", "INSERT INTO post (title) VALUES ('one'), ('two')")
	b.ask("contender", "contenderFirst", "UPDATE post SET title = 'uno' WHERE id = 1")
	b.ask("contender", "contenderFirst", "DELETE FROM post WHERE id = 1")
	for _, sql := range []string{"TRUNCATE TABLE post", "DROP TABLE post", "CREATE TABLE mine (id int)"} {
		if _, err := b.query("contender", "contenderFirst", sql); err == nil {
			b.t.Errorf("the contender may do %q", sql)
		}
	}
	for user, password := range map[string]string{"benchlab": "wrong", "contender": "", "root": "", "postgres": ""} {
		if _, err := b.query(user, password, "SELECT 1"); err == nil {
			b.t.Errorf("%s may log in with password %q", user, password)
		}
	}
	ps, _, err := b.exec([]string{"sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' ' '; stat -c %U /proc/1"}, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	if strings.Contains(ps, "adminFirst") || strings.Contains(ps, "contenderFirst") {
		b.t.Errorf("a password is on a command line or in an environment:\n%s", ps)
	}
	if strings.HasSuffix(strings.TrimSpace(ps), "root") {
		b.t.Error("the server runs as root")
	}
}
