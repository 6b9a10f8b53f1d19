package lab

import "sort"

// Durability says what a crash of the server may lose.
type Durability string

const (
	// Durable loses nothing that was acknowledged, if the disk honours flushes.
	Durable Durability = "durable"
	// Relaxed may lose the last moments of commits, never consistency.
	Relaxed Durability = "relaxed"
	// Volatile may lose the database; data on tmpfs is always volatile.
	Volatile Durability = "volatile"
)

// Server is one database server of a plan: a product, a version and the
// settings in which it differs from the lab's own configuration. Two variants
// of one version are two Servers with different labels.
type Server struct {
	// Label names the server in tables and is unique within a plan, such as
	// "postgres-18" or "postgres-18 shared_buffers=4GB".
	Label string `json:"label"`
	// Name is the catalog name: postgres, mysql or mariadb.
	Name string `json:"name"`
	// Version is the catalog version, such as "18" or "9.7".
	Version string `json:"version"`
	// Durability is what insert rows are labelled with.
	Durability Durability `json:"durability"`
	// Settings override the lab's configuration of this server, in the
	// server's own names and units.
	Settings map[string]string `json:"settings,omitempty"`
}

// SettingNames lists the overridden settings in a stable order.
func (s Server) SettingNames() []string {
	names := make([]string, 0, len(s.Settings))
	for n := range s.Settings {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
