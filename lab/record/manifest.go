package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"benchlab/hosts"
	"benchlab/lab"
)

// Schema is the version of the run folder's format that this package writes.
// It reads every older one.
const Schema = 1

// Manifest is the identity of a run. It is written before the first trial and
// never changed afterwards.
type Manifest struct {
	// Schema is the version of the format, 1 or more.
	Schema int `json:"schema"`
	// Run is the run's id and the name of its folder.
	Run string `json:"run"`
	// Created is when the folder was made, by the controller's clock (UTC).
	Created time.Time `json:"created"`
	// Tool is the version of benchlab that made the run.
	Tool string `json:"tool"`
	// Profile is the label of the profile that describes the hosts.
	Profile string `json:"profile"`
	// Hosts are the machines, in the profile's order.
	Hosts []Host `json:"hosts"`
	// Roles say where db, app and load run, by role.
	Roles map[string]Role `json:"roles"`
	// Labels are words that every table's title must carry, such as
	// "scaled"; usually empty.
	Labels []string `json:"labels,omitempty"`
	// Images are the servers' images, by server label, and those that
	// contenders come in, by contender label.
	Images map[string]Image `json:"images"`
	// Agents are the agent builds, by the name that contenders give.
	Agents map[string]Agent `json:"agents"`
	// Settings are the effective settings asked of each server, by server
	// label and then by setting, in the server's own names and units.
	Settings map[string]map[string]string `json:"settings,omitempty"`
	// Workloads are the versions of the workloads, by name.
	Workloads map[string]int `json:"workloads,omitempty"`
	// Plan is everything that was to be done, in order.
	Plan lab.Plan `json:"plan"`
	// Reproduces is the id of the run that this one was made to reproduce;
	// empty for none.
	Reproduces string `json:"reproduces,omitempty"`
	// SelfTest quotes the latest self-test of the same host, if any.
	SelfTest *SelfTest `json:"selftest,omitempty"`
	// Published are published rows that the report sets beside the run's.
	Published []Published `json:"published,omitempty"`
	// Extra is what a suite quotes beyond this, by name; it is kept as is.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// Role is a place on a host.
type Role struct {
	// Host is the label of one of the manifest's hosts.
	Host string `json:"host"`
	// CPUs is the list of processors, such as "0-1,4"; empty is all.
	CPUs string `json:"cpus"`
	// MemoryBytes is the memory limit, 0 for none.
	MemoryBytes int64 `json:"memory_bytes,omitempty"`
}

// Image identifies a server's image.
type Image struct {
	// Ref is the catalog's reference, with a digest where it has one.
	Ref string `json:"ref"`
	// ID is Docker's image id, which differs between image stores.
	ID string `json:"id,omitempty"`
	// DiffID is the sha256 of the (last) layer's tar and Config the sha256
	// of the canonical configuration: together the identity by content.
	DiffID string `json:"diff_id"`
	Config string `json:"config,omitempty"`
	// Source says how it was got: registry, debian, or present where it was
	// there already.
	Source string `json:"source"`
	// Pinned is true where content was compared with the lock.
	Pinned bool `json:"pinned"`
	// Drift lists what differs from the lock, one text each.
	Drift []string `json:"drift,omitempty"`
	// Packages are versions of the packages inside, by name.
	Packages map[string]string `json:"packages,omitempty"`
	// Version is the server's own version text, where it is known.
	Version string `json:"version,omitempty"`
}

// Identity is the image's identity by content, for comparison.
func (i Image) Identity() string { return i.DiffID + "+" + i.Config }

// Agent identifies a build of the agent.
type Agent struct {
	// Digest is the sha256 of the agent's binary or image.
	Digest string `json:"digest"`
	// GoVersion is the Go release that built it.
	GoVersion string `json:"go_version"`
	// Versions are the module versions in it, by module path.
	Versions map[string]string `json:"versions,omitempty"`
}

// SelfTest is the summary of a self-test, quoted in reports of the same host.
type SelfTest struct {
	// Run is the self-test's run id.
	Run string `json:"run"`
	// Host is what it was made on, for which it holds.
	Host hosts.Fingerprint `json:"host"`
	// Same counts A/A comparisons and Alarms the verdicts faster or slower
	// among them; AlarmsUpper is the upper 95 % bound of the rate, 0 to 1.
	Same        int     `json:"same"`
	Alarms      int     `json:"alarms"`
	AlarmsUpper float64 `json:"alarms_upper"`
	// Slowed counts comparisons with an injected slowdown and Detected the
	// verdicts slower; DetectedLower is the lower 95 % bound, 0 to 1.
	Slowed        int     `json:"slowed"`
	Detected      int     `json:"detected"`
	DetectedLower float64 `json:"detected_lower"`
	// SD is the standard deviation of block log-ratios on this host.
	SD float64 `json:"sd"`
	// Text is the one-sentence summary.
	Text string `json:"text"`
}

// Published is a published table, quoted beside the run's own.
type Published struct {
	// Name is the table's name in the archive of published figures.
	Name string `json:"name"`
	// Source, Date and Hardware say where the figures are from.
	Source   string `json:"source"`
	Date     string `json:"date"`
	Hardware string `json:"hardware,omitempty"`
	// Header and Rows are the table as published.
	Header []string   `json:"header"`
	Rows   [][]string `json:"rows"`
	// Notes are known inconsistencies of the published figures.
	Notes []string `json:"notes,omitempty"`
}

// NewID makes a run's id from the time, the suite, the host and the seed:
// "20260102T030405Z-lab-1a2b3c". It is a legal folder, label and object name.
func NewID(now time.Time, suite, host string, seed uint64) string {
	hex := digest(fmt.Sprintf("%s/%d", host, seed))
	return fmt.Sprintf("%s-%s-%s", now.UTC().Format("20060102T150405Z"), slug(suite), hex[:6])
}

// slug keeps lower-case letters, digits and dashes, at most 40 bytes.
func slug(s string) string {
	const most = 40
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if b.Len() >= most {
			break
		}
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "suite"
}
