package workloads_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"

	"benchlab/workloads"
	"benchlab/workloads/all"
)

// TestCatalog holds every workload to what the rest of the lab relies on.
func TestCatalog(t *testing.T) {
	servers := []string{workloads.Postgres, workloads.MySQL, workloads.MariaDB}
	seen := map[string]bool{}
	for _, w := range all.Workloads() {
		if seen[w.Name] || w.Name == "" || w.Version < 1 || w.About == "" || len(w.Kinds) == 0 {
			t.Errorf("workload %+v is incomplete or not unique", w)
		}
		seen[w.Name] = true
		for _, k := range w.Kinds {
			if k.Name == "" || k.About == "" || k.Verify == nil {
				t.Errorf("kind %s/%s is incomplete", w.Name, k.Name)
			}
			for _, server := range servers {
				if k.SQL[server] == "" {
					t.Errorf("kind %s/%s has no SQL for %s", w.Name, k.Name, server)
				}
			}
		}
		for _, table := range w.Tables {
			checkTable(t, w, table, servers)
		}
		for _, c := range w.Checks {
			low, high := c.Want(workloads.Expected{Data: workloads.Data{Rows: 10}, Written: 3, Unsure: 2})
			if low > high || c.SQL[workloads.Postgres] == "" || c.SQL[workloads.MySQL] == "" {
				t.Errorf("check %q of %s is incomplete", c.Name, w.Name)
			}
		}
	}
}

func checkTable(t *testing.T, w workloads.Workload, table workloads.Table, servers []string) {
	t.Helper()
	for _, server := range servers {
		if !strings.Contains(table.DDL[server], "CREATE TABLE IF NOT EXISTS "+table.Name+" ") {
			t.Errorf("table %s of %s has no DDL for %s that names it", table.Name, w.Name, server)
		}
	}
	d := workloads.Data{Seed: 3, Rows: 5}
	for i := range min(table.Rows(d), 2000) {
		row := table.Row(d, i, nil)
		if len(row) != len(table.Columns) {
			t.Errorf("row %d of %s has %d values, want %d", i, table.Name, len(row), len(table.Columns))
		}
		if again := table.Row(d, i, nil); fmt.Sprint(row) != fmt.Sprint(again) {
			t.Errorf("row %d of %s is %v and then %v", i, table.Name, row, again)
		}
	}
}

func TestKind(t *testing.T) {
	w, err := all.Find("select")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": "random", "random": "random", "first": "first"} {
		if k, err := w.Kind(name); err != nil || k.Name != want {
			t.Errorf("kind %q is %q, %v, want %q", name, k.Name, err, want)
		}
	}
	_, err = w.Kind("last")
	if want := `workload "select" has no kind "last" (it has random, first)`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := all.Find("selekt"); err == nil || !strings.Contains(err.Error(), "insert, select, sleep, fortunes") {
		t.Errorf("error %v names no known workloads", err)
	}
}

// TestPart loads of a workload's tables those that the kind needs.
func TestPart(t *testing.T) {
	for _, c := range []struct{ workload, kind, part, tables string }{
		{"select", "first", "select", "[world]"},
		{"reader", "", "reader/scalar", "[]"},
		{"reader", "thousand", "reader/thousand", "[thousand_rows]"},
		{"reader", "million", "reader/million", "[million_rows]"},
	} {
		w, err := all.Find(c.workload)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Part(c.kind); got != c.part {
			t.Errorf("the part of %s/%s is %q, want %q", c.workload, c.kind, got, c.part)
		}
		found, err := all.FindPart(c.part)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, table := range found.Tables {
			names = append(names, table.Name)
		}
		if got := fmt.Sprint(names); got != c.tables {
			t.Errorf("part %q has the tables %s, want %s", c.part, got, c.tables)
		}
	}
	for _, part := range []string{"reader/billion", "writer", "writer/one", ""} {
		if _, err := all.FindPart(part); err == nil {
			t.Errorf("part %q was found", part)
		}
	}
}

func TestClass(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, c := range []struct {
		err  error
		want string
	}{
		{context.Canceled, workloads.ClassCanceled},
		{context.DeadlineExceeded, workloads.ClassTimeout},
		{fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), workloads.ClassLost},
		{driver.ErrBadConn, workloads.ClassLost},
		{refused, workloads.ClassLost},
		{&workloads.CheckError{Err: errors.New("wrong row")}, workloads.ClassCheck},
		{errors.New("syntax error"), workloads.ClassOther},
	} {
		if got := workloads.Class(c.err); got != c.want {
			t.Errorf("class of %v is %q, want %q", c.err, got, c.want)
		}
	}
}

func TestRedact(t *testing.T) {
	err := fmt.Errorf("connecting as postgres://u:%s@h: %w", "pa55", io.EOF)
	got := workloads.Redact(err, "pa55")
	if strings.Contains(got.Error(), "pa55") || !errors.Is(got, io.EOF) {
		t.Errorf("redacted to %v", got)
	}
	if workloads.Redact(io.EOF, "pa55") != io.EOF || workloads.Redact(io.EOF, "") != io.EOF || workloads.Redact(nil, "x") != nil {
		t.Error("an error without the secret was changed")
	}
}

func TestGathering(t *testing.T) {
	const n = 10
	g := workloads.NewGathering(n)
	var mu sync.Mutex
	released := 0
	add := func() { g.Add(func() { mu.Lock(); released++; mu.Unlock() }) }
	for range n - 1 {
		add()
	}
	if released != 0 {
		t.Fatalf("%d were given back before all were there", released)
	}
	add()
	if released != n {
		t.Fatalf("%d of %d were given back with the last", released, n)
	}
	add()
	if released != n+1 {
		t.Error("one that came later was kept")
	}
	early := workloads.NewGathering(n)
	early.Add(func() { released = -1 })
	early.Release()
	if released != -1 {
		t.Error("an early release gave nothing back")
	}
}
