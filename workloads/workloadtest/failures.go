package workloadtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"benchlab/workloads"
)

// openOne opens one session, wherever the error comes from.
func openOne(ctx context.Context, t *testing.T, c Contender, target workloads.Target) (workloads.Session, string, error) {
	t.Helper()
	opened, err := c.Open(ctx, target, c.Settings)
	if err != nil {
		return nil, workloads.Class(err), err
	}
	t.Cleanup(func() { _ = opened.Close() })
	session, err := opened.Session(ctx)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, class(opened, err), err
}

// class names a class as the agent does.
func class(opened workloads.Sessions, err error) string {
	if c, ok := opened.(workloads.Classifier); ok {
		if known := c.Class(err); known != "" {
			return known
		}
	}
	return workloads.Class(err)
}

// wrongPassword wants an error that says so without saying the password.
func wrongPassword(t *testing.T, s *Server, c Contender) {
	w, k := find(t, "select", "random")
	target := s.target(w, k, 1)
	target.Password = "sentinel-of-a-wrong-password"
	_, _, err := openOne(t.Context(), t, c, target)
	if err == nil {
		t.Fatal("a wrong password was accepted")
	}
	text := err.Error()
	if strings.Contains(text, target.Password) {
		t.Errorf("the error holds the password: %s", text)
	}
	if !strings.Contains(text, "password authentication failed") && !strings.Contains(text, "Access denied") {
		t.Errorf("the error does not say what is wrong: %s", text)
	}
}

// lost wants the class db_lost when the server goes away, and when it is not
// there.
func lost(t *testing.T, s *Server, c Contender) {
	w, k := find(t, "select", "random")
	between, target := newRelay(t, s.target(w, k, 2), nil)
	opened, list := openAll(t, c, target)
	op := workloads.Op{Kind: k.Name, Key: 1}
	if _, err := list[0].Do(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	between.cut()
	for range 3 {
		_, err := list[0].Do(t.Context(), op)
		if err == nil {
			t.Fatal("an operation succeeded without a server")
		}
		if got := class(opened, err); got != workloads.ClassLost {
			t.Errorf("class %q of %v, want %q", got, err, workloads.ClassLost)
		}
	}
	_, got, err := openOne(t.Context(), t, c, target)
	if err == nil || got != workloads.ClassLost {
		t.Errorf("connecting to no server gave class %q of %v, want %q", got, err, workloads.ClassLost)
	}
}

// unsupported wants a kind that nobody does to be refused by name.
func unsupported(t *testing.T, s *Server, c Contender) {
	target := s.Contender
	target.Workload, target.Kind, target.Connections = "select", "nothing", 1
	_, _, err := openOne(t.Context(), t, c, target)
	var refused *workloads.UnsupportedError
	if !errors.As(err, &refused) || refused.Kind != "nothing" {
		t.Errorf("an unknown kind gave %v", err)
	}
}

// cancelled wants an operation to end soon after its context.
func cancelled(t *testing.T, s *Server, c Contender) {
	w, k := find(t, "sleep", "sleep")
	opened, list := openAll(t, c, s.target(w, k, 1))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := list[0].Do(ctx, workloads.Op{Kind: k.Name, Duration: 1500 * time.Millisecond})
	if took := time.Since(start); took > time.Second {
		t.Errorf("an operation ended %v after its start, its context after 50 ms", took)
	}
	if got := class(opened, err); err == nil || (got != workloads.ClassTimeout && got != workloads.ClassCanceled) {
		t.Errorf("class %q of %v", got, err)
	}
}
