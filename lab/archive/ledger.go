package archive

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"golang.org/x/sync/errgroup"
)

// Ledger keeps what was read of an archive's runs, so that the next list need
// not read them again: runs never change. It is a private file of lines, one a
// run, and derived: without it, or where a line cannot be read, runs are read
// anew.
type Ledger[T any] struct {
	path string
	rows map[string]T
	new  []string
}

// ledgerVersion is part of the file's name: another version reads anew.
const ledgerVersion = "v1"

// entry is a line of a ledger.
type entry[T any] struct {
	Run string `json:"run"`
	Row T      `json:"row"`
}

// OpenLedger reads the ledger of that name for a store's location.
func OpenLedger[T any](cache, location, name string) (*Ledger[T], error) {
	dir := cacheDir(cache, location)
	if err := privateDir(dir); err != nil {
		return nil, err
	}
	l := &Ledger[T]{path: filepath.Join(dir, name+"."+ledgerVersion+".jsonl"), rows: map[string]T{}}
	file, err := os.Open(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading ledger: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 64<<10), 64<<20)
	for lines.Scan() {
		var e entry[T]
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Run != "" {
			l.rows[e.Run] = e.Row
		}
	}
	return l, nil
}

// Get returns what is known of a run.
func (l *Ledger[T]) Get(run string) (T, bool) {
	row, ok := l.rows[run]
	return row, ok
}

// Put notes what was read of a run.
func (l *Ledger[T]) Put(run string, row T) {
	if _, known := l.rows[run]; !known {
		l.new = append(l.new, run)
	}
	l.rows[run] = row
}

// Read gives what is known of runs and reads the others, so many at once. What
// could be read is saved, also when ctx ends, which is an error; why a run could
// not be read is told by run.
func (l *Ledger[T]) Read(ctx context.Context, runs []string, atOnce int, read func(run string) (T, error)) ([]T, []error, error) {
	rows, errs := make([]T, len(runs)), make([]error, len(runs))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, run := range runs {
		known := false
		if rows[i], known = l.Get(run); known {
			continue
		}
		group.Go(func() error {
			if errs[i] = ctx.Err(); errs[i] == nil {
				rows[i], errs[i] = read(run)
			}
			return nil
		})
	}
	_ = group.Wait() // errors are kept by run
	for i, run := range runs {
		if errs[i] == nil {
			l.Put(run, rows[i])
		}
	}
	return rows, errs, errors.Join(context.Cause(ctx), l.Save())
}

// Save appends what is new, each line with one write, so that two lists at
// once do no harm.
func (l *Ledger[T]) Save() error {
	if len(l.new) == 0 {
		return nil
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("writing ledger: %w", err)
	}
	sort.Strings(l.new)
	var buf []byte
	for _, run := range l.new {
		line, err := json.Marshal(entry[T]{run, l.rows[run]})
		if err != nil {
			return errors.Join(fmt.Errorf("writing ledger: %w", err), file.Close())
		}
		if buf = append(append(buf, line...), '\n'); len(buf) < 1<<20 {
			continue
		}
		if _, err := file.Write(buf); err != nil {
			return errors.Join(fmt.Errorf("writing ledger: %w", err), file.Close())
		}
		buf = buf[:0]
	}
	_, err = file.Write(buf)
	l.new = nil
	return errors.Join(err, file.Close())
}

// Listing is what [List] found.
type Listing struct {
	// Rows are the published runs, oldest first.
	Rows []Row
	// Unpublished are runs without SHA256SUMS: pushes that were cut off, or
	// runs that did not end.
	Unpublished []string
	// Broken says of which runs no row could be read, and why.
	Broken []Trouble
}

// Trouble is something wrong with an archive.
type Trouble struct {
	// Run is the run's id, or empty where the archive as a whole is meant.
	Run string
	// Text names the file and says what is wrong.
	Text string
}

func (t Trouble) String() string {
	if t.Run == "" {
		return t.Text
	}
	return t.Run + ": " + t.Text
}

// readers is how many runs are read at once: a store may be far away, and most
// of the time of reading is waiting for it.
const readers = 8

// List lists the runs of a store. Those in the ledger are not read again.
func List(ctx context.Context, s Store, l *Ledger[Row]) (Listing, error) {
	ids, err := Runs(ctx, s)
	if err != nil {
		return Listing{}, err
	}
	rows, errs, err := l.Read(ctx, ids, readers, func(id string) (Row, error) { return readRow(ctx, s, id) })
	if err != nil {
		return Listing{}, err
	}
	var out Listing
	for i, id := range ids {
		switch err := errs[i]; {
		case err == nil:
			out.Rows = append(out.Rows, rows[i])
		case errors.Is(err, errUnpublished):
			out.Unpublished = append(out.Unpublished, id)
		default:
			out.Broken = append(out.Broken, Trouble{id, Shown(err.Error())})
		}
	}
	return out, nil
}

// Local gives visit the folder of a run: in place where the store is a folder,
// else fetched into a temporary one with the limits of a pull.
func Local(ctx context.Context, s Store, run string, limits Limits, visit func(path string) error) error {
	if f, ok := s.(interface{ Path(run string) string }); ok {
		return visit(f.Path(run))
	}
	dir, err := os.MkdirTemp("", "benchlab-run-")
	if err != nil {
		return fmt.Errorf("fetching run %q: %w", run, err)
	}
	defer os.RemoveAll(dir)
	stage, err := NewStage(dir, limits)
	if err != nil {
		return err
	}
	defer stage.Close()
	if err := stage.Fetch(ctx, s, run); err != nil {
		return err
	}
	// Not looked at on purpose: it may be looked at because it is damaged.
	path := filepath.Join(dir, run)
	if err := os.Rename(filepath.Join(stage.temp, "run"), path); err != nil {
		return fmt.Errorf("fetching run %q: %w", run, err)
	}
	return visit(path)
}
