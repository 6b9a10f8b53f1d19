package site

import (
	"io/fs"

	"benchlab/lab/archive"
)

// Input is what a site is made of.
type Input struct {
	// Runs are the archive's runs, oldest first.
	Runs []Run
	// Unpublished and Broken are runs that stand in no list.
	Unpublished []string
	Broken      []archive.Trouble
	// Published holds the published tables as *.csv at its root, each with
	// a header; nil or empty for none.
	Published fs.FS
	// Reports says of which runs a report was written, by id: a path from
	// the site's root.
	Reports map[string]string
}

// Run is a run with what the site keeps of it.
type Run struct {
	archive.Row
	Measures
	Signature archive.Signature
}

// signed says in words whether the run is signed.
func (r Run) SignedText() string { return r.Signature.String() }
