package hoststest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"path/filepath"
	"time"
)

// TCP is the machine's endpoint with mutual TLS; the files are TLSFiles.
func (m *Machine) TCP() string { return "tcp://" + net.JoinHostPort(m.Control, "2376") }

// TLSFiles are the controller's ca, cert and key.
func (m *Machine) TLSFiles() [3]string {
	return [3]string{filepath.Join(m.net.Dir, "ca.pem"), filepath.Join(m.net.Dir, "cert.pem"), filepath.Join(m.net.Dir, "key.pem")}
}

// StrangerFiles are the same with a certificate that another authority signed.
func (m *Machine) StrangerFiles() [3]string {
	return [3]string{filepath.Join(m.net.Dir, "ca.pem"), filepath.Join(m.net.Dir, "stranger", "cert.pem"), filepath.Join(m.net.Dir, "stranger", "key.pem")}
}

// authority signs certificates for a test's time.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

func (n *Net) layCertificates() {
	ca := n.newAuthority()
	n.write("ca.pem", block("CERTIFICATE", ca.cert.Raw), 0o644)
	n.issue(ca, "", nil, x509.ExtKeyUsageClientAuth)
	n.issue(n.newAuthority(), "stranger/", nil, x509.ExtKeyUsageClientAuth)
	for _, m := range n.Machines {
		n.issue(ca, m.Name+"/", net.ParseIP(m.Control), x509.ExtKeyUsageServerAuth)
	}
}

func (n *Net) newAuthority() authority {
	key := n.newKey()
	t := template("benchlab test authority")
	t.IsCA, t.BasicConstraintsValid, t.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		n.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		n.t.Fatal(err)
	}
	return authority{cert, key}
}

// issue writes a certificate and its key into a folder.
func (n *Net) issue(ca authority, folder string, address net.IP, usage x509.ExtKeyUsage) {
	key := n.newKey()
	t := template("benchlab test")
	t.ExtKeyUsage = []x509.ExtKeyUsage{usage}
	if address != nil {
		t.IPAddresses = []net.IP{address}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, ca.cert, key.Public(), ca.key)
	if err != nil {
		n.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		n.t.Fatal(err)
	}
	n.write(folder+"cert.pem", block("CERTIFICATE", der), 0o644)
	n.write(folder+"key.pem", block("PRIVATE KEY", secret), 0o600)
}

func (n *Net) newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		n.t.Fatal(err)
	}
	return key
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
}

func block(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
