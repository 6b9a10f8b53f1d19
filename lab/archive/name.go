package archive

import (
	"path"
	"regexp"
	"strings"

	"benchlab/lab/record"
)

// The files of an archived run beside those of record.
const (
	// SignatureFile is an SSH signature over SHA256SUMS.
	SignatureFile = record.SumsFile + ".sig"
	// ImagesFile lists the images that travel with the run.
	ImagesFile = "images.json"
	// ImagesDir holds images, beside the runs, by the hash of their content.
	ImagesDir = "images"
)

var (
	runID     = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-[a-z0-9-]{1,50}-[0-9a-f]{6}$`)
	plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,149}$`)
	imageName = regexp.MustCompile(`^[0-9a-f]{64}\.tar\.zst$`)
)

// IsRunID reports whether s has the form of a run's id.
func IsRunID(s string) bool { return runID.MatchString(s) }

// legalFile reports whether a run may hold a file of that name; derived ones
// are those of report/, which are not kept when a run is pulled.
func legalFile(name string) (ok, derived bool) {
	switch name {
	case record.ManifestFile, record.EventsFile, record.TrialsFile, record.SumsFile, SignatureFile, ImagesFile:
		return true, false
	}
	dir, base := path.Split(name)
	if !plainName.MatchString(base) {
		return false, false
	}
	switch dir {
	case record.LogsDir + "/":
		return true, false
	case record.ReportDir + "/":
		return true, true
	}
	return false, false
}

// legalFolder reports whether a run may hold a folder of that name.
func legalFolder(name string) bool { return name == record.LogsDir || name == record.ReportDir }

// Shown makes a name from elsewhere fit for a message: one line, no control
// characters, not long.
func Shown(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if runes := []rune(s); len(runes) > 120 {
		s = string(runes[:119]) + "…"
	}
	return s
}
