package provision

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"benchlab/lab/protocol"
)

// SettingsError says which settings are not what was asked for. Servers cut
// limits without failing, so that this is looked at and not believed.
type SettingsError struct {
	Server string
	// Differences are "name: asked X, found Y", sorted.
	Differences []string
}

func (e *SettingsError) Error() string {
	return fmt.Sprintf("server %q is not as asked: %s", e.Server, strings.Join(e.Differences, "; "))
}

// ExitCode is that of a server that is not as asked.
func (e *SettingsError) ExitCode() int { return 4 }

// Hints say what to do.
func (e *SettingsError) Hints() []string {
	return []string{"lower the connections, raise the limit on the host, or change the setting in the suite"}
}

// readBack compares the server's settings and its container's limits with
// what was asked for.
func (t *Testbed) readBack(ctx context.Context) error {
	names := map[string]string{protocol.SettingTLS: ""}
	for name := range t.server.Want {
		names[name] = ""
	}
	got, err := t.Do(ctx, protocol.ActSettings, names)
	if err != nil {
		return fmt.Errorf("reading settings back: %w", err)
	}
	sysctls := map[string]string{}
	for name := range t.server.Sysctls {
		sysctls[name] = ""
	}
	limits, err := t.Do(ctx, protocol.ActLimits, sysctls)
	if err != nil {
		return fmt.Errorf("reading limits back: %w", err)
	}
	t.Settings = got.Settings
	if t.Settings == nil {
		t.Settings = map[string]string{}
	}
	var differences []string
	compare := func(name, want, got string) {
		if want != got {
			differences = append(differences, fmt.Sprintf("%s: asked %s, found %s", name, want, orNothing(got)))
		}
	}
	if on := t.o.Certificate != nil; on == (got.Settings[protocol.SettingTLS] == protocol.SettingTLSOff) {
		compare(protocol.SettingTLS, map[bool]string{true: "on", false: protocol.SettingTLSOff}[on], got.Settings[protocol.SettingTLS])
	}
	for name, want := range t.server.Want {
		compare(name, want, got.Settings[name])
	}
	for name, want := range t.wantLimits() {
		compare(name, want, limits.Settings[name])
		t.Settings[name] = limits.Settings[name]
	}
	for name := range t.server.Sysctls { // those of the host too, where it is the host's
		t.Settings[name] = limits.Settings[name]
	}
	if len(differences) == 0 {
		return nil
	}
	slices.Sort(differences)
	return &SettingsError{Server: t.server.Label, Differences: differences}
}

// wantLimits are the container's limits as an attendant reads them.
func (t *Testbed) wantLimits() map[string]string {
	want := map[string]string{}
	for name, value := range t.o.inside(t.server.Sysctls) {
		want[name] = value
	}
	if t.o.DB.CPUs != "" {
		want[protocol.LimitCPUs] = t.o.DB.CPUs
	}
	if t.o.DB.MemoryBytes > 0 {
		want[protocol.LimitMemory] = strconv.FormatInt(t.o.DB.MemoryBytes, 10)
	}
	if n := max(t.o.DB.NoFile, t.server.NoFile); n > 0 {
		want[protocol.LimitNoFile] = strconv.FormatInt(n, 10)
	}
	return want
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
