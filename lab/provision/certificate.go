package provision

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Certificate is what a run's servers prove themselves with, in PEM. It is made
// anew for each run, and its key goes to servers in a file and nowhere else.
type Certificate struct{ Cert, Key []byte }

// NewCertificate makes a self-signed certificate for servers at a numeric
// address. It is valid from a day before to a month after, since the clocks of
// hosts differ and runs are long.
func NewCertificate(address string, now time.Time) (*Certificate, error) {
	at := net.ParseIP(address)
	if at == nil {
		return nil, fmt.Errorf("making a certificate: %q is no numeric address", address)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	const day = 24 * time.Hour
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "benchlab server"},
		NotBefore: now.Add(-day), NotAfter: now.Add(30 * day), IPAddresses: []net.IP{at},
		// It is its own authority, as who trusts nobody else must take it.
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	return &Certificate{
		Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		Key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
	}, nil
}
