package workloadtest

import (
	"testing"

	"benchlab/workloads/attend"
)

// publish wants a further database that a user of known names reads like a
// contender, with plain rights, and whose work is counted.
func publish(t *testing.T, s *Server) {
	const name = "benchlab_published"
	w, k := find(t, "fortunes", "rows")
	admin := open(t, s.Admin)
	defer admin.Close()
	p := attend.Published{Database: name, User: name, Password: "known_to_all"}
	if err := s.Attend.Publish(t.Context(), w, s.Data, p); err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, q := range []string{"DROP DATABASE " + name, "DROP USER " + name} {
			if _, err := admin.ExecContext(t.Context(), q); err != nil {
				t.Error(err)
			}
		}
	}()
	target := s.Contender
	target.Database, target.User, target.Password = p.Database, p.User, p.Password
	db := open(t, target)
	defer db.Close()
	found := 0
	rows, err := db.QueryContext(t.Context(), k.SQL[target.Server])
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		found++
	}
	if err := rows.Err(); err != nil || found != 12 {
		t.Errorf("%d rows, %v, want 12", found, err)
	}
	if _, err := db.ExecContext(t.Context(), "DROP TABLE fortune"); err == nil {
		t.Error("a published user may drop tables")
	}
	if err := s.Attend.Publish(t.Context(), w, s.Data, attend.Published{Database: "x; DROP", User: name, Password: "y"}); err == nil {
		t.Error("a name that is no name was taken")
	}
}
