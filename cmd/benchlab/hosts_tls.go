package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/hosts"
)

// tlsFlags are the files that a tcp:// endpoint on the command line needs, by
// the names that Docker's own command line gives them.
type tlsFlags hosts.TLSFiles

func (f *tlsFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.CA, "tlscacert", "", "the authority's certificate, for --host tcp://")
	c.Flags().StringVar(&f.Cert, "tlscert", "", "this side's certificate, for --host tcp://")
	c.Flags().StringVar(&f.Key, "tlskey", "", "this side's key, for --host tcp://")
}

// at are the hosts at endpoints, those by tcp:// with the files.
func (f tlsFlags) at(endpoints ...string) ([]hosts.Host, error) {
	given := f != tlsFlags{}
	var list []hosts.Host
	used := false
	for _, text := range endpoints {
		h := hosts.Host{Name: cmp.Or(text, "this machine"), Docker: text}
		if given && strings.HasPrefix(text, "tcp://") {
			files := hosts.TLSFiles(f)
			h.TLS, used = &files, true
		}
		if _, err := hosts.ParseEndpoint(h.Docker, h.TLS); err != nil {
			return nil, usagef("", "--host: %w", err)
		}
		list = append(list, h)
	}
	if given && !used {
		return nil, usagef("leave them out, or name a tcp:// endpoint with --host", "--tlscacert, --tlscert and --tlskey are for tcp:// endpoints only")
	}
	return list, nil
}
