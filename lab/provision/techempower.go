package provision

import (
	"context"
	"errors"
	"slices"

	"benchlab/lab/protocol"
)

// What TechEmpower publishes: the names under which the images of its benchmark
// look for their database.
const (
	techEmpowerHost     = "tfb-database"
	techEmpowerDatabase = "hello_world"
	techEmpowerUser     = "benchmarkdbuser"
	techEmpowerPassword = "benchmarkdbpass"
)

// errPublished says why published names stay within one host.
var errPublished = errors.New("a database whose password everybody knows is for a server without a network: run on one host")

// hosts are the further names in the server's hosts file, which all that join
// its network have in common.
func (s Server) hosts() []string {
	if !s.TechEmpower {
		return s.Hosts
	}
	return append(slices.Clone(s.Hosts), techEmpowerHost+":127.0.0.1")
}

// publish makes the database under its published names, where it is asked for:
// in this testbed alone, never in prepared data.
func (t *Testbed) publish(ctx context.Context) error {
	if !t.server.TechEmpower {
		return nil
	}
	_, err := t.Do(ctx, protocol.ActPublish, map[string]string{"workload": "fortunes",
		"database": techEmpowerDatabase, "user": techEmpowerUser, "password": techEmpowerPassword})
	return err
}

// TechEmpowerTarget is where programs with the published names find the server.
func (t *Testbed) TechEmpowerTarget() protocol.Target {
	target := t.Target()
	target.Host, target.Database = techEmpowerHost, techEmpowerDatabase
	target.User, target.Password = techEmpowerUser, techEmpowerPassword
	return target
}
