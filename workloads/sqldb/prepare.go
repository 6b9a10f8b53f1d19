package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/stdlib"
)

// PrepareOn prepares a pool's statement on a particular connection, by way of
// a transaction: nothing else of database/sql ties the two together.
func PrepareOn(ctx context.Context, conn *sql.Conn, stmt *sql.Stmt) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	// Closing it tells the error of preparing, and leaves the pool's alone.
	// The transaction did nothing, and servers count rollbacks as trouble.
	return errors.Join(tx.StmtContext(ctx, stmt).Close(), tx.Commit())
}

// PrepareText prepares a text on a connection of pgx, which is what its cache
// of statements holds after an application's first operation with the text.
func PrepareText(ctx context.Context, conn *sql.Conn, text string) error {
	return conn.Raw(func(driverConn any) error {
		c, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("preparing %q: the connection is a %T", text, driverConn)
		}
		_, err := c.Conn().Prepare(ctx, text, text)
		return err
	})
}

// Rehearse does something on a particular connection in a transaction that is
// rolled back, so that what it prepares there is prepared before a trial.
func Rehearse(ctx context.Context, conn *sql.Conn, do func(*sql.Tx) error) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback()
		return err
	}
	return tx.Rollback()
}

// Recorder stands in for a database where only the text is wanted that a
// library would send. It keeps the last one and answers with an error.
type Recorder struct{ Text string }

var errRecorded = errors.New("the text was recorded and not sent")

// ExecContext records a text.
func (r *Recorder) ExecContext(_ context.Context, text string, _ ...any) (sql.Result, error) {
	r.Text = text
	return nil, errRecorded
}

// QueryContext records a text.
func (r *Recorder) QueryContext(_ context.Context, text string, _ ...any) (*sql.Rows, error) {
	r.Text = text
	return nil, errRecorded
}
