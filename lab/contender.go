package lab

// Contender is one way of talking to a database: an agent image and the code
// in it that is meant. Its settings are data and are printed with the table.
type Contender struct {
	// Label names the contender in tables and is unique within a plan.
	Label string `json:"label"`
	// Name is the name of the code in the agent, such as "pgx".
	Name string `json:"name"`
	// Agent names the agent build that holds the code; empty is the agent
	// that was built together with the controller.
	Agent string `json:"agent,omitempty"`
	// Versions are module versions asked for by the label ("pgx@v5.12.0"),
	// by module path; empty means those of the agent's own go.mod.
	Versions map[string]string `json:"versions,omitempty"`
	// Settings are the contender's own settings, completed with defaults.
	Settings map[string]string `json:"settings,omitempty"`
	// Slow, in self-tests and proofs only, makes every Slow-th operation two;
	// 0 is off.
	Slow int `json:"slow,omitempty"`
	// Servers are the catalog names of the servers it can talk to.
	Servers []string `json:"servers"`
}

// Speaks reports whether the contender can talk to the named server.
func (c Contender) Speaks(server string) bool {
	for _, s := range c.Servers {
		if s == server {
			return true
		}
	}
	return false
}
