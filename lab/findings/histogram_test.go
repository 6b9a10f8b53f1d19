package findings

import (
	"encoding/base64"
	"testing"
)

// Histograms come from agents, which are not trusted.
func FuzzHistogram(f *testing.F) {
	for _, s := range []string{"", "AAAA", "HISTFAAAACB42pNpmSzMwMBgxQABTDCEEQgAAP//"} {
		f.Add([]byte(s))
	}
	raw, err := base64.StdEncoding.DecodeString("HISTFAAAACB42pNpmSzMwMBgxQABTDCEEQgAAP//")
	if err == nil {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, s := range []string{string(b), base64.StdEncoding.EncodeToString(b)} {
			if p := timeWeightedP99(s); p < 0 {
				t.Errorf("a damaged histogram has the percentile %d", p)
			}
		}
	})
}
