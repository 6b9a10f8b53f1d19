package workloadtest

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"benchlab/hosts"
	"benchlab/images"
	"benchlab/lab/provision"
	"benchlab/lab/provision/docker"
	"benchlab/workloads"
)

// adminPassword is what the privileged role logs in with in containers.
const adminPassword = "in-tests-only-9b1c"

// version is the catalog version that tests run on, "" for none.
func version(name string) string {
	return map[string]string{workloads.Postgres: "18", workloads.MySQL: "9.7"}[name]
}

// ensure is the reference of an image, which is got or built first where it is
// not there.
func ensure(t *testing.T, image images.Image) string {
	t.Helper()
	store, err := docker.Open(t.Context(), hosts.Endpoint{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	lock, err := images.Locked()
	if err != nil {
		t.Fatal(err)
	}
	got, err := images.Ensure(t.Context(), store, image, images.Options{Lock: lock, Say: func(text string) { t.Log(text) },
		Mirror: func() (string, error) { return images.Mirror(os.Getenv(images.MirrorEnv), os.DirFS("/etc/apt")) }})
	if err != nil {
		t.Fatal(err)
	}
	return got.Ref
}

// container starts a container of one of the lab's images, with its data in
// memory and with TLS where there is a certificate, and gives the target of its
// privileged role.
func container(t *testing.T, name string, certificate *provision.Certificate) workloads.Target {
	t.Helper()
	// Without these the library dials an address outside of this machine and
	// asks for an image of its own.
	t.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	t.Setenv("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1")
	image, err := images.Find(name, version(name))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := images.Start(name)
	if err != nil {
		t.Fatal(err)
	}
	config, _, err := images.ServerConfig(name, images.ConfigOptions{
		MaxConnections: 220, Durability: "volatile", MemoryBytes: 512 << 20, Listen: "0.0.0.0", TLS: certificate != nil,
	})
	if err != nil {
		t.Fatal(err)
	}
	tmpfs := map[string]string{spec.DataPath: "rw,size=1g"}
	for path, options := range spec.Tmpfs {
		tmpfs[path] = options
	}
	file := func(path string, content []byte) testcontainers.ContainerFile {
		return testcontainers.ContainerFile{Reader: bytes.NewReader(content), ContainerFilePath: path, FileMode: 0o600}
	}
	target := workloads.Target{
		Server: name, Host: "127.0.0.1", User: "benchlab", Password: adminPassword, Database: spec.Database,
	}
	files := []testcontainers.ContainerFile{file(spec.ScriptPath, spec.Script), file(spec.ConfigPath, config),
		file(spec.SecretPath, []byte(adminPassword+"\n"+contenderPassword+"\n"))}
	if certificate != nil {
		target.CA = string(certificate.Cert)
		files = append(files, file(spec.CertPath, certificate.Cert), file(spec.KeyPath, certificate.Key))
	}
	port := strconv.Itoa(spec.Port) + "/tcp"
	c, err := testcontainers.Run(t.Context(), ensure(t, image),
		testcontainers.WithLogger(log.TestLogger(t)),
		testcontainers.WithEntrypoint(spec.Command...),
		testcontainers.WithLabels(map[string]string{"benchlab": "test-conformance"}),
		testcontainers.WithExposedPorts(port),
		testcontainers.WithTmpfs(tmpfs),
		testcontainers.WithFiles(files...))
	testcontainers.CleanupContainer(t, c, testcontainers.StopTimeout(0))
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := c.MappedPort(t.Context(), port)
	if err != nil {
		t.Fatal(err)
	}
	target.Port = int(mapped.Num())
	return target
}
