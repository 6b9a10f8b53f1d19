package site

import (
	"benchlab/lab/archive"
	"benchlab/lab/record"
)

// Input is what a site is made of.
type Input struct {
	// Runs are the archive's runs, oldest first.
	Runs []Run
	// Unpublished and Broken are runs that stand in no list.
	Unpublished []string
	Broken      []archive.Trouble
	// Published are published tables, quoted; none for no pages of them.
	Published []record.Published
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

// SignedText says in words whether the run is signed.
func (r Run) SignedText() string { return r.Signature.String() }
