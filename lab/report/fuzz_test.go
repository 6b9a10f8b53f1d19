package report

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"benchlab/lab"
	"benchlab/lab/record"
)

// FuzzBuild renders whatever can be read as a run: others' folders are no
// reason to crash.
func FuzzBuild(f *testing.F) {
	for _, s := range []*synth{describing(), working()} {
		manifest, err := json.Marshal(record.Manifest{Schema: 1, Run: "x", Plan: s.manifest.Plan, Roles: s.manifest.Roles})
		if err != nil {
			f.Fatal(err)
		}
		trial, err := json.Marshal(s.trials[0])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(manifest, trial)
	}
	f.Add([]byte(`{"schema":1,"run":"x","plan":{"cells":[{"connections":-1},{"connections":5}],"blocks":[{"turns":[{"trials":[{"id":"a","cells":[0,1,7,-1]}]}]}]}}`),
		[]byte(`{"id":"a","block":1,"status":"ok","outcomes":[{"samples":[{"kind":"window","elapsed_ns":1,"operations":9223372036854775807}]}]}`))
	f.Fuzz(func(t *testing.T, manifest, trial []byte) {
		m, err := record.ParseManifest(manifest)
		if err != nil {
			return
		}
		var tr lab.TrialRecord
		if err := json.Unmarshal(trial, &tr); err != nil {
			return
		}
		if len(m.Plan.Blocks) > 100 || len(m.Plan.Cells) > 100 {
			return
		}
		second := tr
		second.Block++
		p := Build(&record.Run{Manifest: m, Trials: []lab.TrialRecord{tr, second}})
		for _, table := range p.Tables {
			table.Plots = table.ratePlots()
			for _, i := range table.levels() {
				table.Plots = append(table.Plots, table.blockPlots(i)...)
			}
		}
		for _, write := range []func(io.Writer, *Page) error{Markdown, HTML, CSV, Bench, Text} {
			var b bytes.Buffer
			if err := write(&b, p); err != nil {
				t.Error(err)
			}
		}
	})
}
