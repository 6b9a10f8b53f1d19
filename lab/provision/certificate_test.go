package provision

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"
)

func TestCertificate(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c, err := NewCertificate("10.0.0.2", now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tls.X509KeyPair(c.Cert, c.Key); err != nil {
		t.Fatalf("certificate and key do not belong together: %v", err)
	}
	block, _ := pem.Decode(c.Cert)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(c.Cert)
	for _, tt := range []struct {
		what, address string
		at            time.Duration
		good          bool
	}{
		{"now", "10.0.0.2", 0, true},
		{"a clock that is behind", "10.0.0.2", -20 * time.Hour, true},
		{"a long run", "10.0.0.2", 20 * 24 * time.Hour, true},
		{"another address", "10.0.0.3", 0, false},
		{"next year", "10.0.0.2", 365 * 24 * time.Hour, false},
	} {
		_, err := cert.Verify(x509.VerifyOptions{Roots: trusted, DNSName: tt.address, CurrentTime: now.Add(tt.at)})
		if (err == nil) != tt.good {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
	again, err := NewCertificate("10.0.0.2", now)
	if err != nil || string(again.Key) == string(c.Key) {
		t.Errorf("two runs have one key, %v", err)
	}
	if _, err := NewCertificate("db.example", now); err == nil {
		t.Error("a name was taken for an address")
	}
}
