package images

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sort"
	"strings"
)

// Labels that an image built here carries. They repeat what the content says
// and are not part of its identity.
const (
	// IdentityLabel holds the identity.
	IdentityLabel = "benchlab.identity"
	// PackagesLabel holds "name=version" of every package, one a line.
	PackagesLabel = "benchlab.packages"
	// SuiteLabel holds the Debian suite and the date of its release file.
	SuiteLabel = "benchlab.suite"
	// RecipeLabel holds the digest of the recipe; see [Recipe.Digest].
	RecipeLabel = "benchlab.recipe"
)

// Config is what an image says about how a container of it runs.
type Config struct {
	Entrypoint []string `json:"entrypoint,omitempty"`
	Cmd        []string `json:"cmd,omitempty"`
	// Env are "NAME=value" pairs.
	Env        []string `json:"env,omitempty"`
	User       string   `json:"user,omitempty"`
	WorkingDir string   `json:"working_dir,omitempty"`
	StopSignal string   `json:"stop_signal,omitempty"`
	// Ports and Volumes are those that the image declares.
	Ports   []string          `json:"ports,omitempty"`
	Volumes []string          `json:"volumes,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// Identity is the content address of an image, the same wherever it is stored:
// the sha256 over the diff IDs of its layers in order, and over its canonical
// configuration. Docker's own image ID would not do: it covers the labels and
// history too and differs between image stores.
func Identity(diffIDs []string, c Config) string {
	c.Env, c.Ports, c.Volumes = sorted(c.Env), sorted(c.Ports), sorted(c.Volumes)
	labels := make(map[string]string)
	for k, v := range c.Labels {
		if !strings.HasPrefix(k, "benchlab.") {
			labels[k] = v
		}
	}
	c.Labels = labels
	canonical := struct {
		Layers []string `json:"layers"`
		Config Config   `json:"config"`
	}{diffIDs, c}
	// A struct of strings cannot fail to encode, and encodes in one way: the
	// fields in order, the keys of maps sorted.
	text, _ := json.Marshal(canonical)
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func sorted(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	out := append([]string(nil), list...)
	sort.Strings(out)
	return out
}
