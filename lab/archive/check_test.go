package archive

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"benchlab/lab"
	"benchlab/lab/archive/archivetest"
	"benchlab/lab/record"
)

func rewrite(t *testing.T, path, old, new string) {
	t.Helper()
	doc, err := os.ReadFile(path)
	must(t, err)
	if !strings.Contains(string(doc), old) {
		t.Fatalf("%s does not hold %q", path, old)
	}
	must(t, os.WriteFile(path, []byte(strings.Replace(string(doc), old, new, 1)), 0o644))
}

func TestCheckFinds(t *testing.T) {
	id := archivetest.Options{N: 1}.ID()
	tests := map[string]struct {
		change func(t *testing.T, root, run string)
		deep   bool
		want   string
	}{
		"a changed byte": {func(t *testing.T, _, run string) {
			rewrite(t, filepath.Join(run, record.TrialsFile), `"operations":`, `"operations": `)
		}, false, id + ": trials.jsonl: was changed"},
		"a file that is gone": {func(t *testing.T, _, run string) {
			must(t, os.Remove(filepath.Join(run, record.EventsFile)))
		}, false, id + ": events.jsonl: missing"},
		"no sums": {func(t *testing.T, _, run string) {
			must(t, os.Remove(filepath.Join(run, record.SumsFile)))
		}, false, id + ": SHA256SUMS: missing"},
		"a line cut off": {func(t *testing.T, _, run string) {
			doc, err := os.ReadFile(filepath.Join(run, record.TrialsFile))
			must(t, err, os.WriteFile(filepath.Join(run, record.TrialsFile), doc[:len(doc)-9], 0o644))
			archivetest.Resum(t, run)
		}, false, "cut off"},
		"a newer schema": {func(t *testing.T, _, run string) {
			rewrite(t, filepath.Join(run, record.ManifestFile), `"schema":1`, `"schema":99`)
			archivetest.Resum(t, run)
		}, false, "schema 99"},
		"percentiles that fall": {func(t *testing.T, _, run string) {
			rewrite(t, filepath.Join(run, record.TrialsFile), `"p50_ns":`, `"p50_ns":9`)
			archivetest.Resum(t, run)
		}, false, id + ": trials.jsonl:1: cell \"postgres-18/select/random/pgx/10\", window: percentiles fall"},
		"counts that do not add up": {func(t *testing.T, _, run string) {
			rewrite(t, filepath.Join(run, record.TrialsFile), `"operations":1`, `"operations":2`)
			archivetest.Resum(t, run)
		}, true, "latencies in its histogram"},
		"a number that is none": {func(t *testing.T, _, run string) {
			rewrite(t, filepath.Join(run, record.TrialsFile), `"sum_ns":`, `"sum_ns":1e999,"x":`)
			archivetest.Resum(t, run)
		}, false, id + ": trials.jsonl"},
		"a histogram that is none": {func(t *testing.T, _, run string) {
			rewrite(t, filepath.Join(run, record.TrialsFile), `"histogram":"HIST`, `"histogram":"HISU`)
			archivetest.Resum(t, run)
		}, true, "cannot be read"},
		"an orphan in a run": {func(t *testing.T, _, run string) {
			must(t, os.WriteFile(filepath.Join(run, "core"), nil, 0o644))
		}, false, id + ": core: is an orphan"},
		"a link": {func(t *testing.T, _, run string) {
			must(t, os.Symlink("/etc", filepath.Join(run, "report")))
		}, false, id + ": report: is a link"},
		"an orphan at the root": {func(t *testing.T, root, _ string) {
			must(t, os.Mkdir(filepath.Join(root, incoming+"1234"), 0o755))
		}, false, ".incoming-1234: is an orphan"},
		"a folder of another name": {func(t *testing.T, root, run string) {
			must(t, os.Rename(run, filepath.Join(root, archivetest.Options{N: 3}.ID())))
		}, false, "manifest.json: is of run"},
		"the same run twice": {func(t *testing.T, root, run string) {
			must(t, os.CopyFS(filepath.Join(root, archivetest.Options{N: 3}.ID()), os.DirFS(run)))
		}, false, "is a duplicate of run " + id},
		"an image that no run has": {func(t *testing.T, root, _ string) {
			must(t, os.Mkdir(filepath.Join(root, ImagesDir), 0o755),
				os.WriteFile(filepath.Join(root, ImagesDir, "x.tar.zst"), nil, 0o644))
		}, false, "images/x.tar.zst: is an orphan"},
		"a list of images that is none": {func(t *testing.T, _, run string) {
			must(t, os.WriteFile(filepath.Join(run, ImagesFile), []byte(`{"images":[{"file":"../x"}]}`), 0o644))
		}, false, id + ": images.json"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			tt.change(t, root, archivetest.Write(t, root, archivetest.Options{N: 1, Histograms: true}))
			archivetest.Write(t, root, archivetest.Options{N: 2})
			s, err := Open(t.Context(), root, Options{})
			must(t, err)
			c, err := Check(t.Context(), s, CheckOptions{ReadData: tt.deep})
			must(t, err)
			var all []string
			for _, trouble := range c.Troubles {
				all = append(all, trouble.String())
			}
			if text := strings.Join(all, "\n"); !strings.Contains(text, tt.want) {
				t.Errorf("troubles:\n%s\nwant %q", text, tt.want)
			} else if strings.Contains(text, root) {
				t.Errorf("troubles name the folder:\n%s", text)
			}
		})
	}
}

func TestCheckImages(t *testing.T) {
	root := t.TempDir()
	s, err := Open(t.Context(), root, Options{})
	must(t, err)
	path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1, Image: "lab/pg:18"})
	must(t, push(t, s, path, func(o *SpoolOptions) { o.Engine = fakeEngine{saved: "image"} }))
	items, err := s.List(t.Context(), ImagesDir)
	must(t, err)
	image := filepath.Join(root, ImagesDir, items[0].Name)
	look := func(deep bool) string {
		c, err := Check(t.Context(), s, CheckOptions{ReadData: deep})
		must(t, err)
		if len(c.Troubles) == 0 {
			return ""
		}
		return c.Troubles[0].String()
	}
	if got := look(true); got != "" {
		t.Fatalf("trouble with a good image: %s", got)
	}
	must(t, os.WriteFile(image, []byte("other"), 0o644))
	if got := look(true); !strings.Contains(got, "images/"+items[0].Name) {
		t.Errorf("a changed image: %q", got)
	}
	list, err := ReadImages(t.Context(), s, filepath.Base(path))
	must(t, err)
	if loaded, err := load(t, s, list.Images[0]); err == nil || loaded != "" {
		t.Errorf("a changed image was loaded: %v", err)
	}
	must(t, os.Remove(image))
	if got := look(false); !strings.Contains(got, "missing") {
		t.Errorf("an image that is gone: %q", got)
	}
}

func TestSignatures(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed (openssh-client)")
	}
	dir := t.TempDir()
	for _, who := range []string{"alice", "mallory"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", who, "-f", filepath.Join(dir, who)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	pub, err := os.ReadFile(filepath.Join(dir, "alice.pub"))
	must(t, err)
	signers := filepath.Join(dir, "allowed_signers")
	must(t, os.WriteFile(signers, []byte(`lab@example namespaces="benchlab" `+string(pub)), 0o644))
	root := t.TempDir()
	s, err := Open(t.Context(), root, Options{})
	must(t, err)
	for i, who := range []string{"alice", "mallory", ""} {
		path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: i})
		must(t, push(t, s, path, func(o *SpoolOptions) {
			if who != "" {
				o.Key = filepath.Join(dir, who)
			}
		}))
	}
	verify := func(n int, signers string) Signature {
		run := filepath.Join(root, archivetest.Options{N: n}.ID())
		sums, err := os.ReadFile(filepath.Join(run, record.SumsFile))
		must(t, err)
		signature, _ := os.ReadFile(filepath.Join(run, SignatureFile))
		got, err := VerifySignature(t.Context(), signers, sums, signature)
		must(t, err)
		return got
	}
	for n, want := range []Signature{{GoodSignature, "lab@example"}, {State: UnknownSigner}, {State: Unsigned}} {
		if got := verify(n, signers); got != want {
			t.Errorf("run %d: %v, want %v", n, got, want)
		}
	}
	if got := verify(0, ""); got.State != UnknownSigner {
		t.Errorf("without signers: %v", got)
	}
	c, err := Check(t.Context(), s, CheckOptions{Signers: signers})
	must(t, err)
	if len(c.Troubles) != 1 || !strings.Contains(c.Troubles[0].String(), "somebody unknown") {
		t.Errorf("check: %v", c.Troubles)
	}
	// Whoever changes a run makes new hashes, but no new signature.
	run := filepath.Join(root, archivetest.Options{N: 0}.ID())
	rewrite(t, filepath.Join(run, record.ManifestFile), `"tool":"v0.1.0"`, `"tool":"v0.9.0"`)
	archivetest.Resum(t, run)
	if got := verify(0, signers); got.State != BadSignature {
		t.Errorf("forged: %v", got)
	}
	if _, err := Sign(t.Context(), "-oProxyCommand=x", strings.NewReader("")); err == nil {
		t.Error("a key that is an option")
	}
}

// TestHistogramsOfSlices: a slice that was left out is in no sum, and its
// latencies stay in the histogram.
func TestHistogramsOfSlices(t *testing.T) {
	run := openRun(t, archivetest.Write(t, t.TempDir(), archivetest.Options{Histograms: true, Rate: 100}))
	var whole lab.Sample
	must(t, record.Each(run.Path, func(_ int, tr lab.TrialRecord) error {
		whole = tr.Outcomes[0].Samples[0]
		return nil
	}))
	wrong := func(o lab.Outcome, s lab.Sample) string {
		var all []string
		for _, h := range histogramsOf(o, s) {
			all = append(all, h.wrong())
		}
		return strings.Join(all, "")
	}
	n := whole.Operations
	// In an open loop, what the response time is made of.
	loop := whole
	loop.Lag = &lab.Latency{Count: n + 1, Histogram: whole.Histogram}
	if text := wrong(lab.Outcome{}, loop); !strings.Contains(text, "latencies in its histogram") {
		t.Errorf("a lag without its latency: %q", text)
	}
	whole.Kind, whole.Span = lab.Slice, -1
	o := lab.Outcome{DroppedSlices: 1, Samples: []lab.Sample{{Kind: lab.Slice, Operations: n - 10}, {Kind: lab.Slice, Operations: 10}, whole}}
	whole.Operations = n - 10
	if text := wrong(o, whole); text != "" {
		t.Errorf("with a slice left out: %s", text)
	}
	o.DroppedSlices = 0
	if text := wrong(o, whole); !strings.Contains(text, "latencies in its histogram") {
		t.Errorf("with no slice left out: %q", text)
	}
	whole.Operations = n + 1
	if text := wrong(lab.Outcome{}, whole); text == "" {
		t.Error("an operation without a latency")
	}
}
