package lab

// Rank says what a finding does to a number.
type Rank string

const (
	// Invalid findings replace the verdict; the trial is void.
	Invalid Rank = "invalid"
	// Qualifies findings stand beside the verdict.
	Qualifies Rank = "qualifies"
)

// Finding is something that weakens a number, attached to it and footnoted in
// every format. Codes are stable: other tools may match on them.
type Finding struct {
	// Code is the stable name, such as "client-bound".
	Code string `json:"code"`
	// Rank is what it does to the number.
	Rank Rank `json:"rank"`
	// Cell is the cell's ID, or empty where all of the trial is touched.
	Cell string `json:"cell,omitempty"`
	// Text is one sentence with the figures, worded as advice.
	Text string `json:"text"`
}
