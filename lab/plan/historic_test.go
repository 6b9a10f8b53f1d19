package plan_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"benchlab/lab"
	"benchlab/lab/plan"
	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
)

const working = `
name: working
servers: [{postgres: "18"}]
workloads: [{workload: insert, form: work, operations: [1, 10]}, select]
contenders: [{name: pgx, settings: {access: held}}, gorm]
connections: [10]
layout: speedup
published: old
`

// renting is the small world with a pgx that can hold or rent.
func renting() plan.Catalog {
	c := catalog()
	c.Published = []string{"old"}
	for i := range c.Contenders {
		if c.Contenders[i].Name == "pgx" {
			c.Contenders[i].Settings["access"] = contenders.Setting{Type: "enum", Default: "held", Allowed: []string{"held", "pool"}}
		}
	}
	return c
}

func TestHistorical(t *testing.T) {
	for name, c := range map[string]struct {
		set    []string
		access string
		cold   bool
	}{
		"warm":       {nil, "held", false},
		"historical": {[]string{"historical=true"}, "pool", true},
		"both":       {[]string{"historical=true", "historical=false"}, "held", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := plan.Make(read(t, working), renting(), plan.Options{Seed: 1, Set: c.set})
			if err != nil {
				t.Fatal(err)
			}
			if p.Layout != lab.SpeedupLayout || p.Published != "old" {
				t.Errorf("layout %q, published %q", p.Layout, p.Published)
			}
			if got := p.Contenders[0].Settings["access"]; got != c.access {
				t.Errorf("access is %q, want %q", got, c.access)
			}
			for _, cell := range p.Cells {
				cold := c.cold && cell.Form == lab.WorkForm
				if cell.Cold != cold || strings.Contains(cell.ID(), "/cold/") != cold {
					t.Errorf("cell %s: cold is %v", cell.ID(), cell.Cold)
				}
			}
			for _, tr := range p.Blocks[0].Turns[0].Trials {
				warm := tr.Spans[0].Kind == lab.Warmup
				if cell := p.Cells[tr.Cells[0]]; warm == cell.Cold {
					t.Errorf("cell %s: warm-up is %v", cell.ID(), warm)
				}
			}
		})
	}
}

// A workload with a window of its own has it where the size's is shorter, and
// its contenders do not take turns.
func TestWindowOfAWorkload(t *testing.T) {
	text := `
name: slow
servers: [{postgres: "18"}]
workloads: [{workload: select, window: 3s}, {workload: select, kind: first}]
contenders: [pgx, gorm]
connections: [10]
compare: {design: sliced}
`
	for _, trial := range made(t, text, plan.Options{Size: "smoke", Seed: 1, Set: []string{"contenders=all"}}).Blocks[0].Turns[0].Trials {
		cell := made(t, text, plan.Options{Size: "smoke", Seed: 1, Set: []string{"contenders=all"}}).Cells[trial.Cells[0]]
		last := trial.Spans[len(trial.Spans)-1]
		if long := last.Kind == lab.Window && last.End-last.Start == 3*time.Second; long != (cell.Kind == "random") {
			t.Errorf("%s of %s ends with %+v", trial.Design, cell.ID(), last)
		}
		if cell.Kind == "random" && trial.Design == lab.Sliced {
			t.Errorf("%s takes turns", cell.ID())
		}
	}
	wrong := strings.Replace(text, "window: 3s", "window: 3s, form: work, operations: [1]", 1)
	if _, err := plan.Make(read(t, wrong), catalog(), plan.Options{}); err == nil || !strings.Contains(err.Error(), "workloads[0].window: ") {
		t.Errorf("error %v", err)
	}
}

func TestFormsWithoutMeaning(t *testing.T) {
	text := `
name: wrong
servers: [{postgres: "18"}]
workloads: [select]
contenders: [pgx]
layout: speedup
historical: true
published: odl
`
	_, err := plan.Make(read(t, text), renting(), plan.Options{Seed: 1})
	var problems *spec.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{
		`mine.yaml:6:9: layout: "speedup" has no meaning: no workload has the work form`,
		`mine.yaml:7:13: historical: true has no meaning: no workload has the work form`,
		`mine.yaml:8:12: published: "odl" is no known published table, allowed are old`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("problems lack %q:\n%v", want, err)
		}
	}
}
