package main

import (
	"testing"

	"github.com/spf13/cobra"

	"benchlab/lab/plan"
	"benchlab/workloads/suites"
)

// Every suite that comes with the lab can be planned in every size, and its
// smoke size is over in a few minutes.
func TestEverySuitePlans(t *testing.T) {
	for _, suite := range suites.Names() {
		for _, size := range plan.SizeNames() {
			var flags planning
			flags.register(&cobra.Command{})
			flags.size, flags.seed = size, 1
			p, err := flags.make(suite)
			if err != nil {
				t.Errorf("%s, size %s: %v", suite, size, err)
				continue
			}
			if long := plan.EstimateOf(p.Plan).Total(); size == "smoke" && long.Minutes() > 5 {
				t.Errorf("%s, size %s: takes %v", suite, size, long)
			}
		}
	}
}
