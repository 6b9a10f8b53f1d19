package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"benchlab/hosts"
)

// thisSystem is the machine that the command runs on.
func thisSystem() hosts.System {
	uid := os.Geteuid()
	return hosts.System{State: hosts.StateDir(uid, os.Getenv), UID: uid, Now: time.Now}
}

// knobs asks a host's knobs for something: here, or through the agent's program
// over ssh. Other endpoints reach only containers, which cannot change their
// host.
func (s *hostSite) knobs(ctx context.Context, agent *agentProgram, r hosts.KnobRequest) (hosts.KnobReport, error) {
	if s.local() {
		return localKnobs(r)
	}
	if why := s.untunable(); why != "" {
		return hosts.KnobReport{}, coded(exitHost, fmt.Errorf("host %q: %s", s.Name, why))
	}
	report, err := sshKnobs(ctx, s.endpoint, agent, r)
	if err != nil {
		return report, fmt.Errorf("host %q: %w", s.Name, err)
	}
	return report, nil
}

// untunable says why the host's knobs are out of reach, and nothing where they
// are not.
func (s *hostSite) untunable() string {
	ok, why := s.endpoint.Tunable()
	switch {
	case s.local():
		return ""
	case !ok:
		return why
	case s.endpoint.Kind != hosts.SSH:
		return "it can be checked, not tuned, by what Docker's settings name: give its ssh:// endpoint"
	}
	return ""
}

func localKnobs(r hosts.KnobRequest) (report hosts.KnobReport, err error) {
	switch r.Action {
	case hosts.ActionApply:
		report.Outcomes, err = hosts.Apply(thisSystem(), r.Owner, r.Knobs)
	case hosts.ActionRestore:
		report.Outcomes, err = hosts.RestoreFor(thisSystem(), r.Owner)
	case hosts.ActionShow:
		report.Pending, err = hosts.Pending(thisSystem())
	}
	return report, err
}

// reportError is what went wrong on the host itself, as it says.
func reportError(report hosts.KnobReport) error {
	if report.Error == "" {
		return nil
	}
	const most = 2000
	return coded(exitHost, errors.New(report.Error[:min(len(report.Error), most)]), report.Hints...)
}

// readReport reads an agent's answer.
func readReport(text json.RawMessage) (report hosts.KnobReport, err error) {
	if err := json.Unmarshal(text, &report); err != nil {
		return report, fmt.Errorf("reading the answer on knobs: %w", err)
	}
	return report, reportError(report)
}
