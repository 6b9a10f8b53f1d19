package dial

import (
	"crypto/tls"
	"crypto/x509"
	"errors"

	"benchlab/workloads"
)

// TLS is the configuration that trusts a target's certificate and no other, and
// compares the address with it. It is nil where the target speaks no TLS.
func TLS(t workloads.Target) (*tls.Config, error) {
	if t.CA == "" {
		return nil, nil
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(t.CA)) {
		return nil, errors.New("configuring TLS: the target's ca holds no certificate in PEM")
	}
	return &tls.Config{RootCAs: roots, ServerName: t.Host, MinVersion: tls.VersionTLS12}, nil
}
