package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"benchlab/lab"
)

// MaxLine is the longest line that is accepted from an agent, in bytes.
const MaxLine = 4 << 20

// LineError says what is wrong with a line from an agent.
type LineError struct {
	// Line counts from 1.
	Line int
	// Why says what is wrong, Excerpt shows the beginning of the line.
	Why     string
	Excerpt string
}

func (e *LineError) Error() string {
	if e.Excerpt == "" {
		return fmt.Sprintf("reading agent line %d: %s", e.Line, e.Why)
	}
	return fmt.Sprintf("reading agent line %d: %s: %q", e.Line, e.Why, e.Excerpt)
}

// Reader reads an agent's lines and trusts none of them.
type Reader struct {
	r    *bufio.Reader
	line int
}

// NewReader reads messages from r.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 64<<10)} }

// Read returns the next message, io.EOF after the last, or a [*LineError] for
// a line that is cut off, too long, no JSON or holds impossible numbers.
func (r *Reader) Read() (Message, error) {
	r.line++
	line, err := r.readLine()
	if err != nil {
		return Message{}, err
	}
	m, err := Parse(line)
	if err != nil {
		return Message{}, r.fault(err.Error(), line)
	}
	return m, nil
}

func (r *Reader) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := r.r.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			return nil, r.fault(fmt.Sprintf("longer than %d bytes", MaxLine), part)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, r.fault("cut off before its end", line)
		default:
			return nil, fmt.Errorf("reading from the agent: %w", err)
		}
	}
}

func (r *Reader) fault(why string, line []byte) error {
	const most = 80
	if len(line) > most {
		line = line[:most]
	}
	return &LineError{Line: r.line, Why: why, Excerpt: string(bytes.ToValidUTF8(line, []byte("?")))}
}

// Parse decodes and validates one line.
func Parse(line []byte) (Message, error) {
	var m Message
	if !utf8.Valid(line) {
		return m, errors.New("not UTF-8")
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return Message{}, fmt.Errorf("not a message: %w", err)
	}
	if err := m.check(); err != nil {
		return Message{}, err
	}
	return m, nil
}

// present says, for each type, whether the field that makes it is there.
func (m Message) present() (known, there bool) {
	switch m.Type {
	case "ready", "pong", "progress":
		return true, true
	case "sample":
		return true, m.Sample != nil
	case "outcome":
		return true, m.Outcome != nil
	case "done":
		return true, m.Done != nil
	case "described":
		return true, m.Described != nil
	case "facts":
		return true, len(m.Facts) > 0
	case "error":
		return true, m.Error != nil
	}
	return false, false
}

func (m Message) check() error {
	known, there := m.present()
	if !known {
		return fmt.Errorf("unknown type %q", m.Type)
	}
	if !there {
		return fmt.Errorf("type %q without its content", m.Type)
	}
	if m.ConnectNs < 0 || m.Operations < 0 || m.Sessions < 0 || m.ClockNs < 0 {
		return errors.New("negative count or time")
	}
	if m.Sample != nil {
		if err := checkSample(*m.Sample); err != nil {
			return err
		}
	}
	if m.Outcome != nil {
		return checkOutcome(*m.Outcome)
	}
	return nil
}

func checkOutcome(o lab.Outcome) error {
	if o.ConnectNs < 0 || o.OwnBytes < 0 || o.Issued < 0 || o.ForeignCPUNs < 0 {
		return errors.New("negative count or time in outcome")
	}
	if !finite(o.Go.GCShare, o.Client.CPUs, o.Client.PSISome) {
		return errors.New("number that is not finite in outcome")
	}
	if o.Client.CPUNs < 0 || o.Client.ElapsedNs < 0 || o.Client.Throttled < 0 {
		return errors.New("negative client counter in outcome")
	}
	for _, s := range o.Samples {
		if err := checkSample(s); err != nil {
			return err
		}
	}
	return nil
}

func checkSample(s lab.Sample) error {
	for _, v := range []int64{s.ElapsedNs, s.Operations, s.SumNs, s.MaxNs, s.P50Ns, s.P90Ns, s.P99Ns,
		s.P999Ns, s.LongestGapNs, s.DrainNs, s.OutOfRange} {
		if v < 0 {
			return errors.New("negative count or time in sample")
		}
	}
	for class, n := range s.Errors {
		if n < 0 {
			return fmt.Errorf("negative error count for %q", class)
		}
	}
	if !finite(s.SumSqNs2) || s.SumSqNs2 < 0 {
		return errors.New("sum of squares is not a positive number")
	}
	if s.P50Ns > s.P90Ns || s.P90Ns > s.P99Ns || s.P99Ns > s.P999Ns {
		return errors.New("percentiles that fall")
	}
	return nil
}

func finite(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
