package attend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"benchlab/workloads"
)

// Await opens a connection to a server that may still be starting, and asks
// it two questions over it: a server that answers both is ready. It tries
// until ctx or the time is over; the last error says why in vain.
func Await(ctx context.Context, t workloads.Target, within time.Duration) (*Server, error) {
	const step = 50 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(step)
	defer tick.Stop()
	for {
		s, err := Open(ctx, t)
		if err == nil {
			if err = s.answers(ctx); err == nil {
				return s, nil
			}
			_ = s.Close() // it did not answer, and is tried again
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("no answer within %v: %w", within, err)
		}
	}
}

// answers asks the two questions.
func (s *Server) answers(ctx context.Context) error {
	for range 2 {
		var one int
		if err := s.conn.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
			return fmt.Errorf("asking the server: %w", err)
		}
		if one != 1 {
			return errors.New("asking the server: SELECT 1 is not 1")
		}
	}
	return nil
}
