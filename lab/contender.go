package lab

import (
	"slices"
	"time"
)

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
	// Checkouts are the folders of modules that are built from one, by module
	// path; Versions then holds their names only. They are never recorded.
	Checkouts map[string]string `json:"-"`
	// Go is the Go version that its agent is built with, such as "1.26.1";
	// empty is that of the agent built together with the controller.
	Go string `json:"go,omitempty"`
	// Image is what the contender comes in where it is not code in an agent
	// of ours: the catalog key or the reference of an image. Interface says
	// how the lab talks to it.
	Image     string    `json:"image,omitempty"`
	Interface Interface `json:"interface,omitempty"`
	// Credentials say how a contender of the HTTP interface learns where the
	// database is.
	Credentials Credentials `json:"credentials,omitempty"`
	// Port is where an application listens whatever it is told; 0 is one that
	// listens where its target file says.
	Port int `json:"port,omitempty"`
	// ReadyWithin is how long an application may take until it answers.
	ReadyWithin time.Duration `json:"ready_within_ns,omitempty"`
	// Settings are the contender's own settings, completed with defaults.
	Settings map[string]string `json:"settings,omitempty"`
	// Slow, in self-tests and proofs only, makes every Slow-th operation two;
	// 0 is off.
	Slow int `json:"slow,omitempty"`
	// Servers are the catalog names of the servers it can talk to.
	Servers []string `json:"servers"`
}

// CheckoutVersion begins the version of a module that is built from a folder.
const CheckoutVersion = "checkout"

// firstPort is where the first of several applications listens.
const firstPort = 8080

// PortOf is where the i-th of several contenders listens that serve at the same
// time: where it always does, or at a port that no other needs.
func PortOf(list []Contender, i int) int {
	if list[i].Port > 0 {
		return list[i].Port
	}
	port := firstPort + i
	for slices.ContainsFunc(list, func(c Contender) bool { return c.Port == port }) {
		port += len(list)
	}
	return port
}

// Interface is how the lab talks to a contender.
type Interface string

const (
	// AgentInterface is the protocol of package lab/protocol on standard
	// input and output; the only one that measures itself.
	AgentInterface Interface = ""
	// HTTPInterface is an application that serves GET /fortunes; an agent of
	// ours loads it.
	HTTPInterface Interface = "http"
	// ToolInterface is one of the field's own load generators, which is
	// started with a command line and whose printed figures are read.
	ToolInterface Interface = "tool"
)

// AppSetting is the setting of a tool that loads an application: the label of
// the contender whose application that is.
const AppSetting = "app"

// Tool reports whether the contender is one of the field's own load generators.
func (c Contender) Tool() bool { return c.Interface == ToolInterface }

// App is the label of the contender whose application a tool loads; false where
// the contender is no such tool.
func (c Contender) App() (label string, loads bool) {
	label, loads = c.Settings[AppSetting]
	return label, loads && c.Tool()
}

// Credentials is how an application from outside learns where the database is.
type Credentials string

const (
	// TargetFile puts address, user and password of this run into
	// /run/benchlab/target.json of its container.
	TargetFile Credentials = ""
	// TechEmpower has the database under the name, user and password that
	// TechEmpower publishes, which many images have built in. They are known
	// to everybody, so that this is allowed only in a namespace without a
	// network, and said in the table's title.
	TechEmpower Credentials = "techempower"
)

// Outside reports whether the contender is a program of somebody else's, in an
// image of its own, and no tool of the field.
func (c Contender) Outside() bool { return !c.Ours() && !c.Tool() }

// Ours reports whether the contender is code in an agent of ours, which the
// others, in images of their own, are not.
func (c Contender) Ours() bool { return c.Image == "" }

// Speaks reports whether the contender can talk to the named server.
func (c Contender) Speaks(server string) bool {
	for _, s := range c.Servers {
		if s == server {
			return true
		}
	}
	return false
}
