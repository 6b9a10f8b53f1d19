package docker

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	dockercontext "github.com/docker/cli/cli/context"
	"github.com/docker/cli/cli/context/store"

	"benchlab/hosts"
)

// dockerEndpoint is the name under which a context keeps its daemon.
const dockerEndpoint = "docker"

// defaultContext is Docker's word for no context.
const defaultContext = "default"

// configDir is where Docker's command line keeps its configuration.
func configDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "/"
	}
	return cmp.Or(os.Getenv("DOCKER_CONFIG"), filepath.Join(home, ".docker"))
}

// defaultWay is what Docker's command line would use: DOCKER_HOST, else
// DOCKER_CONTEXT, else the current context, else the default socket.
func defaultWay() (way, error) {
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		return environmentWay(host)
	}
	name := os.Getenv("DOCKER_CONTEXT")
	if name == "" {
		var config struct {
			CurrentContext string `json:"currentContext"`
		}
		// Without a readable configuration there is no current context.
		if text, err := os.ReadFile(filepath.Join(configDir(), "config.json")); err == nil {
			_ = json.Unmarshal(text, &config)
		}
		name = config.CurrentContext
	}
	if name != "" && name != defaultContext {
		return contextWay(name)
	}
	const socket = "unix:///var/run/docker.sock"
	return way{kind: hosts.UnixSocket, shown: socket, url: socket}, nil
}

// environmentWay is DOCKER_HOST with, for tcp, the files of DOCKER_CERT_PATH.
func environmentWay(host string) (way, error) {
	var files *hosts.TLSFiles
	if strings.HasPrefix(host, "tcp://") && os.Getenv("DOCKER_TLS_VERIFY") != "" {
		dir := cmp.Or(os.Getenv("DOCKER_CERT_PATH"), configDir())
		files = &hosts.TLSFiles{CA: filepath.Join(dir, "ca.pem"), Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	}
	e, err := hosts.ParseEndpoint(host, files)
	if err != nil {
		return way{}, &UnavailableError{Host: host, Why: "DOCKER_HOST: " + err.Error(),
			Fix: "set DOCKER_HOST to unix:///path or ssh://user@host, or tcp:// together with DOCKER_TLS_VERIFY and DOCKER_CERT_PATH", err: err}
	}
	if e.Kind == hosts.DockerContext {
		return way{}, &UnavailableError{Host: host, Why: "DOCKER_HOST is no URL", Fix: "set DOCKER_CONTEXT for a context's name"}
	}
	return find(e)
}

// contextMeta is what a context says of its daemon.
type contextMeta = dockercontext.EndpointMetaBase

// contextWay looks a context up by name.
func contextWay(name string) (way, error) {
	fault := func(why, fix string, err error) (way, error) {
		return way{}, &UnavailableError{Host: name, Why: why, Fix: fix, err: err}
	}
	if name == defaultContext {
		return find(hosts.Endpoint{Kind: hosts.UnixSocket, Path: "/var/run/docker.sock"})
	}
	s := store.New(filepath.Join(configDir(), "contexts"), store.NewConfig(
		func() any { return &map[string]any{} },
		store.EndpointTypeGetter(dockerEndpoint, func() any { return &contextMeta{} })))
	meta, err := s.GetMetadata(name)
	if err != nil {
		return fault("there is no Docker context of this name", "see: docker context ls", err)
	}
	// The store fills in a value or a pointer, by version.
	var endpoint contextMeta
	switch e := meta.Endpoints[dockerEndpoint].(type) {
	case contextMeta:
		endpoint = e
	case *contextMeta:
		endpoint = *e
	default:
		return fault("the context names no Docker daemon", "make it with: docker context create --docker host=...", nil)
	}
	if endpoint.SkipTLSVerify {
		return fault("the context skips the check of the daemon's certificate", "make it again without skip-tls-verify", nil)
	}
	w, err := contextTarget(s, name, endpoint.Host)
	if err != nil {
		return fault("context: "+err.Error(), "correct it with: docker context update --docker host=...", err)
	}
	w.shown = name
	return w, nil
}

// contextTarget is the way that a context's URL and TLS files describe.
func contextTarget(s store.Reader, name, host string) (way, error) {
	if !strings.HasPrefix(host, "tcp://") {
		e, err := hosts.ParseEndpoint(host, nil)
		if err != nil {
			return way{}, err
		}
		if e.Kind != hosts.UnixSocket && e.Kind != hosts.SSH {
			return way{}, fmt.Errorf("its host %q is neither unix, ssh nor tcp", host)
		}
		return find(e)
	}
	data, err := dockercontext.LoadTLSData(s, name, dockerEndpoint)
	if err != nil {
		return way{}, fmt.Errorf("reading its TLS files: %w", err)
	}
	if data == nil || len(data.CA) == 0 || len(data.Cert) == 0 || len(data.Key) == 0 {
		return way{}, errors.New(plainTCP + ": it needs ca, cert and key")
	}
	return way{kind: hosts.TCP, url: host, pem: &pem{ca: data.CA, cert: data.Cert, key: data.Key}}, nil
}
