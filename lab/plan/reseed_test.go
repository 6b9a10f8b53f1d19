package plan_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/plan"
)

// TestReseedIsTheSuiteWithAnotherSeed: who has only the manifest gets the plan
// that the suite would have given.
func TestReseedIsTheSuiteWithAnotherSeed(t *testing.T) {
	for _, suite := range []string{small, compared} {
		for name, o := range map[string]plan.Options{
			"as it is": {}, "alternated": {Set: []string{"design=alternated"}}, "sliced": {Set: []string{"design=sliced"}},
			"7 blocks": {Blocks: 7}, "verdict": {Size: "verdict"}, "open loop": {Rate: "2000"}, "share": {Rate: "70%"},
		} {
			o.Seed = 5
			first := made(t, suite, o)
			o.Seed = 99
			want := made(t, suite, o)
			got, err := plan.Reseed(first, 99)
			if err != nil {
				t.Fatal(err)
			}
			if diff := differ(want, got); diff != "" {
				t.Errorf("%s: reseeded plan (-made +reseeded):\n%s", name, diff)
			}
			again, err := plan.Reseed(got, 5)
			if err != nil {
				t.Fatal(err)
			}
			if diff := differ(first, again); diff != "" {
				t.Errorf("%s: there and back (-first +again):\n%s", name, diff)
			}
		}
	}
}

// differ is cmp.Diff for what is nearly always equal, and large.
func differ(a, b lab.Plan) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b)
}

// TestReseedLeavesItsArgument: a manifest's plan is not changed by it.
func TestReseedLeavesItsArgument(t *testing.T) {
	p, same := made(t, compared, plan.Options{Seed: 5}), made(t, compared, plan.Options{Seed: 5})
	if _, err := plan.Reseed(p, 6); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(same, p); diff != "" {
		t.Errorf("the plan was changed:\n%s", diff)
	}
}

func TestReseedRefusesWhatDoesNotFit(t *testing.T) {
	turn := func(p *lab.Plan) *lab.Turn { return &p.Blocks[0].Turns[0] }
	for want, spoil := range map[string]func(*lab.Plan){
		"has not got":     func(p *lab.Plan) { turn(p).Trials[0].Cells = []int{12345} },
		"has 0 cells":     func(p *lab.Plan) { turn(p).Trials[0].Cells = nil },
		"no server":       func(p *lab.Plan) { turn(p).Server = "elsewhere" },
		"has two turns":   func(p *lab.Plan) { p.Blocks[0].Turns = append(p.Blocks[0].Turns, *turn(p)) },
		"it has not got":  func(p *lab.Plan) { turn(p).Trials[0].Spans = []lab.Span{{Cell: 7}} },
		"pair 77 has 1 c": func(p *lab.Plan) { turn(p).Trials[0].Design, turn(p).Trials[0].Pair = lab.Alternated, 77 },
	} {
		p := made(t, small, plan.Options{Seed: 5})
		spoil(&p)
		_, err := plan.Reseed(p, 6)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}
