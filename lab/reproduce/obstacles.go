package reproduce

import (
	"fmt"
	"strings"

	"benchlab/hosts"
	"benchlab/lab/compare"
	"benchlab/lab/record"
)

// Obstacles are what is not as it was.
type Obstacles struct {
	// Class is how alike the hosts are.
	Class hosts.Class
	// Refused are differences that make another experiment, Said those that
	// do not.
	Refused, Said []compare.Difference
}

// Find compares what a run was made with and what is at hand: now is the
// manifest that the second run would have. anyHost allows another host; then
// also places, limits and what settings follow from them may differ.
func Find(was, now record.Manifest, anyHost bool) Obstacles {
	var o Obstacles
	o.Class, _ = compare.HostClass(was, now)
	for _, d := range compare.Differences(was, now) {
		if refuses(d, anyHost) {
			o.Refused = append(o.Refused, d)
		} else {
			o.Said = append(o.Said, d)
		}
	}
	return o
}

func refuses(d compare.Difference, anyHost bool) bool {
	switch {
	case d.Weight == compare.Forbids:
		return true
	case d.Weight == compare.RatiosOnly:
		return !anyHost
	case d.Of == compare.OfServer:
		// Sizes of buffers follow from the memory of the host.
		return !anyHost || !strings.HasPrefix(d.What, "setting ")
	}
	return false
}

// Err is the refusal that the obstacles make, or nil.
func (o Obstacles) Err(run string) error {
	if len(o.Refused) == 0 {
		return nil
	}
	var texts []string
	advice := "use the images, the version of benchlab and the profile that the run was made with"
	for _, d := range o.Refused {
		texts = append(texts, d.String())
		switch {
		case strings.HasPrefix(d.What, "image "):
			advice = "get the image by content: from the registry by its digest, or from a run folder that carries its images"
		case d.Weight == compare.RatiosOnly:
			advice = "on another host only ratios can be reproduced: --allow-different-host"
		}
	}
	return &record.Refusal{Text: fmt.Sprintf("reproducing run %q: what it was made with cannot be had: %s", run, strings.Join(texts, "; ")),
		Advice: advice, Code: codeHost}
}
