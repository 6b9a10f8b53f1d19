package workloadtest

import (
	"strings"
	"testing"
	"time"

	"benchlab/lab/provision"
	"benchlab/workloads"
)

// Encrypted holds a contender to TLS on a server of [StartTLS]: it does every
// kind of operation and can be cancelled, and it takes no other certificate and
// no way without.
func Encrypted(t *testing.T, s *Server, c Contender) {
	Operations(t, s, c, 2, 3)
	t.Run("encrypted", func(t *testing.T) { allEncrypted(t, s, c) })
	t.Run("cancel", func(t *testing.T) { cancelled(t, s, c) })
	t.Run("certificate", func(t *testing.T) { otherCertificate(t, s, c) })
}

// allEncrypted asks a server that can tell for everybody's sessions.
func allEncrypted(t *testing.T, s *Server, c Contender) {
	if s.Admin.Server != workloads.Postgres {
		t.Skip("the server tells a session's encryption to itself only; it refuses the others")
	}
	const n = 5
	s.quiet(t)
	w, k := find(t, "select", "random")
	_, list := openAll(t, c, s.target(w, k, n))
	if _, err := list[0].Do(t.Context(), workloads.Op{Kind: k.Name, Key: 1}); err != nil {
		t.Fatal(err)
	}
	db := open(t, s.Admin)
	defer db.Close()
	var encrypted int
	err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
		WHERE usename = '`+s.Contender.User+`' AND ssl AND version >= 'TLSv1.2'`).Scan(&encrypted)
	if err != nil || encrypted != n {
		t.Errorf("%d of %d sessions are encrypted, %v", encrypted, n, err)
	}
}

func otherCertificate(t *testing.T, s *Server, c Contender) {
	other, err := provision.NewCertificate(s.Admin.Host, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := provision.NewCertificate("192.0.2.1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	w, k := find(t, "select", "random")
	for what, ca := range map[string]string{
		"somebody else's": string(other.Cert), "of another address": string(elsewhere.Cert), "no": "", "a broken": "PEM",
	} {
		target := s.target(w, k, 1)
		target.CA = ca
		if _, _, err := openOne(t.Context(), t, c, target); err == nil {
			t.Errorf("connected with %s certificate", what)
		} else if strings.Contains(err.Error(), target.Password) {
			t.Errorf("%s certificate: the error holds the password: %v", what, err)
		}
	}
}
