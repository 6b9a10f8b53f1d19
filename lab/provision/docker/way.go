package docker

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/docker/cli/cli/connhelper"
	"github.com/docker/docker/client"

	"benchlab/hosts"
)

// way is how a daemon is reached, with the endpoint as the user gave it.
type way struct {
	kind  hosts.EndpointKind
	shown string
	// url is a unix, ssh or tcp URL; pem holds the TLS material of tcp.
	url string
	pem *pem
}

// pem is the TLS material of a tcp endpoint, as text.
type pem struct{ ca, cert, key []byte }

// find turns an endpoint into a way.
func find(e hosts.Endpoint) (way, error) {
	switch e.Kind {
	case hosts.UnixSocket, hosts.SSH:
		return way{kind: e.Kind, shown: e.String(), url: e.String()}, nil
	case hosts.TCP:
		return tcpWay(e)
	case hosts.DockerContext:
		return contextWay(e.Context)
	}
	return defaultWay()
}

// tcpWay reads the files of a tcp endpoint.
func tcpWay(e hosts.Endpoint) (way, error) {
	w := way{kind: hosts.TCP, shown: e.String(), url: e.String(), pem: &pem{}}
	if e.TLS == nil {
		return w, &UnavailableError{Host: w.shown, Why: plainTCP, Fix: "add tls: {ca, cert, key}, or use ssh://"}
	}
	for _, one := range []struct {
		file string
		into *[]byte
	}{{e.TLS.CA, &w.pem.ca}, {e.TLS.Cert, &w.pem.cert}, {e.TLS.Key, &w.pem.key}} {
		text, err := os.ReadFile(one.file)
		if err != nil {
			return w, &UnavailableError{Host: w.shown, Why: "reading its TLS files: " + err.Error(),
				Fix: "give readable files as tls: {ca, cert, key}", err: err}
		}
		*one.into = text
	}
	return w, nil
}

const plainTCP = "plain tcp gives root to everyone who reaches it"

// options are the Docker client's for this way.
func (w way) options() ([]client.Opt, error) {
	switch w.kind {
	case hosts.SSH:
		helper, err := connhelper.GetConnectionHelperWithSSHOpts(w.url, hosts.SSHOptions())
		if err != nil {
			return nil, err
		}
		return []client.Opt{client.WithHost(helper.Host), client.WithDialContext(helper.Dialer)}, nil
	case hosts.TCP:
		config, err := w.pem.config()
		if err != nil {
			return nil, err
		}
		dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
		return []client.Opt{client.WithHTTPClient(&http.Client{
			Transport:     &http.Transport{TLSClientConfig: config, DialContext: dialer.DialContext, ForceAttemptHTTP2: false},
			CheckRedirect: client.CheckRedirect,
		}), client.WithHost(w.url)}, nil
	}
	return []client.Opt{client.WithHost(w.url)}, nil
}

// config is mutual TLS: the daemon proves its name and this side itself.
func (p *pem) config() (*tls.Config, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(p.ca) {
		return nil, errors.New("its ca holds no certificate")
	}
	pair, err := tls.X509KeyPair(p.cert, p.key)
	if err != nil {
		return nil, fmt.Errorf("reading its client certificate: %w", err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, Certificates: []tls.Certificate{pair}}, nil
}

// fix is what to do where nothing more is known.
func (w way) fix() string {
	switch w.kind {
	case hosts.SSH:
		return "try it by hand: ssh HOST docker system dial-stdio"
	case hosts.TCP:
		return "start dockerd there with --tlsverify, and check the route and the firewall"
	}
	return "start the daemon (systemctl start docker) or set DOCKER_HOST to where one listens"
}
