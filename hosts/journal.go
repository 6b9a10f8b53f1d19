package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// State is what became of a change.
type State string

// The states of a change in the journal.
const (
	// Intended is written, and on disk, before the value is.
	Intended State = "intended"
	// Applied was read back as it was written.
	Applied State = "applied"
	// Restored is the saved value again.
	Restored State = "restored"
	// Foreign was changed by somebody else meanwhile, and left alone.
	Foreign State = "foreign"
	// Reset went back by itself: the host was rebooted, or the file is gone.
	Reset State = "reset"
)

// Entry is one line of a journal.
type Entry struct {
	// Seq numbers changes from 1; later lines of the same number say what
	// became of the change.
	Seq int `json:"seq"`
	// Key is the knob, File the kernel's file without the leading slash.
	Key  string `json:"key"`
	File string `json:"file"`
	// Saved is the text before, New the text that is written.
	Saved string `json:"saved"`
	New   string `json:"new"`
	// Boot is the hash of the boot id.
	Boot string `json:"boot_hash"`
	// Owner says for whom, such as a run's id; Time when (UTC).
	Owner string    `json:"owner"`
	Time  time.Time `json:"time"`
	State State     `json:"state"`
}

// Journal is how host changes are undone: one line a change, on disk before
// the change is made. It lies in a folder that only its user can open.
type Journal struct {
	file *os.File
	lock *os.File
	dir  string
	// open are the changes that are not undone yet, in order.
	open []Entry
	seq  int
}

const (
	journalName = "knobs.jsonl"
	lockName    = "knobs.lock"
	maxJournal  = 8 << 20
)

// DamagedJournal is an error about a journal that cannot be trusted.
type DamagedJournal struct {
	Path string
	Line int
	Why  string
}

func (d *DamagedJournal) Error() string {
	return fmt.Sprintf("journal %s:%d is damaged: %s", d.Path, d.Line, d.Why)
}

// Hints say what to do.
func (d *DamagedJournal) Hints() []string {
	return []string{"put the values in its readable lines back by hand, or reboot, and then remove the file"}
}

// load reads the entries and checks each. A last line without its end is one
// whose change was never made, since the line comes first: it is cut off.
func (j *Journal) load() error {
	data, err := io.ReadAll(io.LimitReader(j.file, maxJournal+1))
	if err != nil {
		return fmt.Errorf("reading journal: %w", err)
	}
	if len(data) > maxJournal {
		return j.damaged(0, fmt.Sprintf("longer than %s", FormatBytes(maxJournal)))
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if whole < len(data) {
		if err := j.file.Truncate(int64(whole)); err != nil {
			return fmt.Errorf("mending journal: %w", err)
		}
	}
	at := map[int]int{} // seq -> index in open, of changes not undone
	number := 0
	for line := range bytes.Lines(data[:whole]) {
		number++
		var e Entry
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&e); err != nil {
			return j.damaged(number, "not an entry")
		}
		if err := j.take(e, at); err != "" {
			return j.damaged(number, err)
		}
	}
	return nil
}

func (j *Journal) take(e Entry, at map[int]int) (fault string) {
	index, known := at[e.Seq]
	switch {
	case !allowedFile(e.Key, e.File):
		return "names a file that no knob has"
	case e.State == Intended && e.Seq != j.seq+1, e.State != Intended && !known:
		return "entries are missing before it"
	case e.State == Intended:
		j.seq = e.Seq
		at[e.Seq] = len(j.open)
		j.open = append(j.open, e)
	case e.State == Applied:
		j.open[index].State = Applied
	case e.State == Restored || e.State == Foreign || e.State == Reset:
		j.open[index].State = e.State
	default:
		return "has an unknown state"
	}
	return ""
}

func (j *Journal) damaged(line int, why string) error {
	return &DamagedJournal{Path: filepath.Join(j.dir, journalName), Line: line, Why: why}
}

// pending are the changes that are not undone.
func (j *Journal) pending() []Entry {
	var entries []Entry
	for _, e := range j.open {
		if e.State == Intended || e.State == Applied {
			entries = append(entries, e)
		}
	}
	return entries
}

// write appends a line and returns when it is on disk.
func (j *Journal) write(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("writing journal: %w", err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("writing journal: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("syncing journal: %w", err)
	}
	if e.State == Intended {
		j.seq = e.Seq
		j.open = append(j.open, e)
		return nil
	}
	for i := range j.open {
		if j.open[i].Seq == e.Seq {
			j.open[i].State = e.State
		}
	}
	return nil
}

// close removes a journal in which nothing is pending, and gives up its lock.
func (j *Journal) close() error {
	var err error
	if len(j.pending()) == 0 {
		err = errors.Join(os.Remove(filepath.Join(j.dir, journalName)), syncDir(j.dir))
	}
	return errors.Join(err, j.release())
}

func (j *Journal) release() error { return errors.Join(j.file.Close(), j.lock.Close()) }
