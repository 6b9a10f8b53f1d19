package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The actions of a knob request.
const (
	ActionApply   = "apply"
	ActionRestore = "restore"
	ActionShow    = "show"
)

// KnobRequest is what the controller asks of the agent's verb knobs, one JSON
// object. It is read as coming from a stranger: every key is checked against
// the fixed list on the host itself.
type KnobRequest struct {
	// Action is apply, restore or show.
	Action string `json:"action"`
	// Owner, for apply, says for whom: a run's id. For restore it leaves
	// alone what is set for others; empty restores everything.
	Owner string `json:"owner,omitempty"`
	// Knobs, for apply, are set in this order.
	Knobs []Knob `json:"knobs,omitempty"`
}

// KnobReport is the answer, one JSON object.
type KnobReport struct {
	// Outcomes say what became of each knob.
	Outcomes []Outcome `json:"outcomes"`
	// Pending, for show, are the changes that are not undone.
	Pending []Entry `json:"pending,omitempty"`
	// Error is empty where all is well; Hints say what to do otherwise.
	Error string   `json:"error,omitempty"`
	Hints []string `json:"hints,omitempty"`
}

// maxRequest bounds a request; the longest that makes sense, all knobs at
// once, has a few kilobytes.
const maxRequest = 64 << 10

// ServeKnobs reads one request and answers it. The error is about reading and
// writing; what went wrong with the knobs is in the report.
func ServeKnobs(sys System, in io.Reader, out io.Writer) error {
	report := serveKnobs(sys, in)
	if err := json.NewEncoder(out).Encode(report); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}

func serveKnobs(sys System, in io.Reader) (report KnobReport) {
	request, err := readRequest(in)
	if err == nil {
		switch request.Action {
		case ActionApply:
			report.Outcomes, err = Apply(sys, request.Owner, request.Knobs)
		case ActionRestore:
			report.Outcomes, err = RestoreFor(sys, request.Owner)
		case ActionShow:
			report.Pending, err = Pending(sys)
		default:
			err = fmt.Errorf("action %q is unknown, allowed are apply, restore and show", clip(request.Action))
		}
	}
	if report.Outcomes == nil {
		report.Outcomes = []Outcome{}
	}
	if err != nil {
		report.Error = err.Error()
	}
	var hinted interface{ Hints() []string }
	if errors.As(err, &hinted) {
		report.Hints = hinted.Hints()
	}
	return report
}

func readRequest(in io.Reader) (KnobRequest, error) {
	var request KnobRequest
	data, err := io.ReadAll(io.LimitReader(in, maxRequest+1))
	if err != nil {
		return request, fmt.Errorf("reading the request: %w", err)
	}
	if len(data) > maxRequest {
		return request, fmt.Errorf("reading the request: longer than %s", FormatBytes(maxRequest))
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil {
		return request, fmt.Errorf("reading the request: %w", err)
	}
	if decoder.More() {
		return request, fmt.Errorf("reading the request: more than one object")
	}
	return request, nil
}
