package main

import (
	"slices"
	"strings"
	"testing"

	"benchlab/workloads"
	"benchlab/workloads/contenders"
	"benchlab/workloads/workloadtest"
)

// TestConformanceOverTLS holds every contender, and the privileged side, to TLS
// on every server.
func TestConformanceOverTLS(t *testing.T) {
	list, err := contenders.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{workloads.Postgres, workloads.MySQL, workloads.MariaDB} {
		t.Run(server, func(t *testing.T) {
			s := workloadtest.StartTLS(t, server)
			if got, err := s.Attend.Encryption(t.Context()); err != nil || !strings.HasPrefix(got, "TLSv1.3 ") {
				t.Errorf("the attendant's session has %q, %v", got, err)
			}
			for _, c := range list {
				if !slices.Contains(c.Servers, server) || c.Interface != "" {
					continue
				}
				t.Run(c.Name, func(t *testing.T) {
					open, settings, err := findContender(constructors(), c.Name, nil)
					if err != nil {
						t.Fatal(err)
					}
					workloadtest.Encrypted(t, s, workloadtest.Contender{Open: open, Settings: settings, Workloads: c.Workloads})
				})
			}
		})
	}
}
