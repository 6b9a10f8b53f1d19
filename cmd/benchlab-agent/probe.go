package main

import (
	"context"
	"fmt"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/workloads/fortunes"
	"benchlab/workloads/fortunes/load"
)

// probe asks an application for its page until it answers, and says what is
// wrong with the page.
func probe(c *conversation, r protocol.Request) error {
	within, err := time.ParseDuration(r.Params[protocol.ProbeWithin])
	if err != nil {
		return fault(classSetup, fmt.Errorf("reading how long to probe: %w", err))
	}
	app, err := load.Open(r.Target.URL)
	if err != nil {
		return fault(classSetup, err)
	}
	begin := c.clock.Now()
	page, wrong, err := awaitPage(c.ctx, app, within)
	if err != nil {
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		return fault(protocol.ClassSilent, fmt.Errorf("no answer to GET %s within %s: %w", fortunes.Path, within, err))
	}
	if len(wrong) == 0 && page.Header.Get("Content-Length") == "" {
		// The load reads answers whose length it knows before.
		wrong = []string{"header Content-Length is missing: the lab reads no chunked pages"}
	}
	c.send(protocol.Message{Type: "outcome", Outcome: &lab.Outcome{ConnectNs: int64(c.clock.Now() - begin), Checks: wrong}})
	return nil
}

// awaitPage tries again and again until a page comes or the time is over; the
// last error says why in vain.
func awaitPage(ctx context.Context, app *load.Sessions, within time.Duration) (fortunes.Page, []string, error) {
	const step = 50 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var last error
	for {
		page, wrong, err := app.Verify(ctx)
		if err == nil {
			return page, wrong, nil
		}
		if last == nil || ctx.Err() == nil {
			last = err // what the end of the time itself does to a request says nothing
		}
		timer := time.NewTimer(step)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fortunes.Page{}, nil, last
		}
	}
}
