package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"benchlab/hosts"
)

// Host is a machine of a run: a label, never a name, and what it is.
type Host struct {
	// Label is the profile's word for the host, such as "local" or "server".
	Label string `json:"label"`
	// Fingerprint is what decides whether two runs were on the same host.
	Fingerprint hosts.Fingerprint `json:"fingerprint"`
	// Facts is everything else that was observed of the host.
	Facts json.RawMessage `json:"facts,omitempty"`
}

// hostsDiffer says in what the hosts of a run differ from those of today, one
// text each.
func hostsDiffer(was, now []Host) []string {
	today := map[string]hosts.Fingerprint{}
	for _, h := range now {
		today[h.Label] = h.Fingerprint
	}
	var out []string
	for _, h := range was {
		f, ok := today[h.Label]
		if !ok {
			out = append(out, fmt.Sprintf("host %q is not there any more", h.Label))
			continue
		}
		_, differ := h.Fingerprint.Compare(f)
		for _, d := range differ {
			out = append(out, fmt.Sprintf("host %q is not what it was (%s)", h.Label, d))
		}
	}
	return out
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
