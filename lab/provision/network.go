package provision

import "strings"

// seedStep keeps the seeds of a cell's agents apart: an odd number whose
// multiples spread over 64 bits.
const seedStep = 0x9e3779b97f4a7c15

// serverNetwork is the server's: none on one host, so that nobody else can
// connect and nothing can clash; the host's on several.
func (o Options) serverNetwork() string {
	if o.Link != "" {
		return "host"
	}
	return "none"
}

// agentNetwork is that of agents: the server's own on one host.
func (o Options) agentNetwork(server string) string {
	if o.Link != "" {
		return "host"
	}
	return "container:" + server
}

// Address is where the server is reached.
func (o Options) Address() string {
	if o.Link != "" {
		return o.Link
	}
	return "127.0.0.1"
}

// inside are the sysctls that are set in the server's container: without those
// of the network where it uses its host's, whose profile then names them.
func (o Options) inside(sysctls map[string]string) map[string]string {
	if o.Link == "" {
		return sysctls
	}
	kept := map[string]string{}
	for name, value := range sysctls {
		if !strings.HasPrefix(name, "net.") {
			kept[name] = value
		}
	}
	return kept
}

// filler is where the tables are filled from: beside the server, since the
// rows need not cross the link.
func (b *Testbeds) filler() Seat {
	if b.Link != "" {
		return b.DB
	}
	return b.Loads[0]
}

// split spreads connections over hosts as evenly as can be, the first ones
// getting one more; hosts that would get none are left out.
func split(connections, hosts int) []int {
	hosts = max(1, min(hosts, connections))
	parts := make([]int, hosts)
	for i := range parts {
		parts[i] = connections / hosts
		if i < connections%hosts {
			parts[i]++
		}
	}
	return parts
}
