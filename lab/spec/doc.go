// Package spec reads the YAML files that people write: suites, host profiles,
// contender files and image catalogs. It is strict, since a file may come from
// somebody else and a misread one costs hours of measuring:
//
//  1. At most [MaxBytes], one document, valid UTF-8.
//  2. No anchors, aliases, merge keys, tags or directives, at most [MaxDepth]
//     levels; this is checked on the tokens, before anything is built.
//  3. No duplicate keys; numbers in plain decimal digits; true and false only.
//  4. A JSON schema (draft 2020-12) reports every violation with its line.
//  5. Only then is the Go value filled.
//
// All problems of a file are reported at once, as a [*Problems].
package spec

// Limits of a file, checked before it is parsed.
const (
	// MaxBytes is the largest file that is read, in bytes.
	MaxBytes = 1 << 20
	// MaxDepth is how deep mappings and lists may be nested.
	MaxDepth = 20
	// maxTokens bounds the work on a file that is small but dense.
	maxTokens = 50_000
)
