// Package record keeps what a run was and what came of it, in a folder that
// anybody can read without this program:
//
//	manifest.json   what the run is, written before the first trial
//	events.jsonl    what happened around the trials
//	trials.jsonl    one line a trial
//	logs/           logs of what went wrong
//	SHA256SUMS      hashes of the files above, written once at the end
//
// It is the only writer of what is hashed. A line is appended and synced before
// the run goes on, so that a crash loses the trial in progress and nothing
// else; a reader tolerates a last line that was cut off and says so.
//
// Nothing that identifies a person, a place or a machine beyond its hardware
// is written: every string passes a [Redactor]. SHA256SUMS finds damage, not
// forgery; a signature over that file is what finds the latter.
package record
