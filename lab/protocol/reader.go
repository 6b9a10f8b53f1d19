package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
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
	if err := m.takeLatencies(line); err != nil {
		return Message{}, err
	}
	m.shorten()
	return m, nil
}

// Texts of an agent enter records and reports, so that they are bounded.
const (
	mostText   = 4000 // bytes
	mostChecks = 20
)

// shorten cuts the texts off that are meant for people.
func (m *Message) shorten() {
	if m.Error != nil {
		m.Error.Text = cutOff(m.Error.Text)
	}
	if m.Outcome != nil {
		m.Outcome.Checks = m.Outcome.Checks[:min(len(m.Outcome.Checks), mostChecks)]
		for i, text := range m.Outcome.Checks {
			m.Outcome.Checks[i] = cutOff(text)
		}
	}
}

func cutOff(text string) string {
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText], "") + "..."
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
	case "knobs":
		return true, len(m.Knobs) > 0
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
	if m.Error != nil && !slices.Contains(classes[:], m.Error.Class) {
		return errors.New("unknown class of an error")
	}
	if m.Sample != nil {
		if err := checkSample(*m.Sample); err != nil {
			return err
		}
	}
	if m.Outcome != nil {
		if err := checkOutcome(*m.Outcome); err != nil {
			return err
		}
	}
	if m.Done != nil {
		return checkDone(*m.Done)
	}
	if d := m.Described; d != nil && (!finite(d.NowNs, d.SinceNs) || d.NowNs < 0 || d.SinceNs < 0) {
		return errors.New("impossible cost of the clock")
	}
	return nil
}

func checkOutcome(o lab.Outcome) error {
	if o.ConnectNs < 0 || o.OwnBytes < 0 || o.Issued < 0 || o.Succeeded < 0 || o.ForeignCPUNs < 0 || o.DroppedSlices < 0 {
		return errors.New("negative count or time in outcome")
	}
	if !finite(o.Go.GCShare) || o.Go.SchedP99Ns < 0 {
		return errors.New("impossible number of the Go runtime in outcome")
	}
	if p := o.Pool; p != nil && (p.Open < 0 || p.Waits < 0 || p.Reconnects < 0) {
		return errors.New("negative count of the pool in outcome")
	}
	for _, c := range []*lab.Counters{&o.Client, o.App} {
		if err := checkCounters(c); err != nil {
			return err
		}
	}
	if err := checkHost(o.Host); err != nil {
		return err
	}
	if l := o.Open; l != nil {
		if !finite(l.Rate) || l.Rate < 0 || l.Unsent < 0 || l.PacerP99Ns < 0 || l.FirstLagNs < 0 || l.LastLagNs < 0 {
			return errors.New("impossible number of the open loop in outcome")
		}
	}
	for _, s := range o.Samples {
		if err := checkSample(s); err != nil {
			return err
		}
	}
	return nil
}

// checkCounters checks what a process or a cgroup counted; nil is nothing.
func checkCounters(c *lab.Counters) error {
	if c == nil {
		return nil
	}
	if !finite(c.CPUs, c.PSISome) {
		return errors.New("counter that is not finite")
	}
	if c.CPUNs < 0 || c.ElapsedNs < 0 || c.Throttled < 0 || c.OOMKills < 0 || c.MemoryBytes < 0 {
		return errors.New("negative counter")
	}
	return nil
}

// checkHost checks what a host counted; nil is nothing.
func checkHost(h *lab.HostCounters) error {
	if h != nil && (!(h.Steal >= 0 && h.Steal <= 1) || !(h.FrequencyDrop >= 0 && h.FrequencyDrop <= 1) || h.BusyKHz < 0 ||
		!(h.PSISome >= 0 && h.PSISome <= 1)) {
		return errors.New("impossible counter of the host")
	}
	return nil
}

func checkDone(d Done) error {
	for role, c := range d.Cgroups {
		if err := checkCounters(&c); err != nil {
			return fmt.Errorf("role %q: %w", role, err)
		}
	}
	if d.Sessions < 0 || d.WaitedNs < 0 {
		return errors.New("negative count or time in an answer")
	}
	return checkHost(d.Host)
}

// mostStretches bounds the course of a rate: a day of half seconds.
const mostStretches = 200_000

func checkSample(s lab.Sample) error {
	for _, v := range []int64{s.ElapsedNs, s.Operations, s.SumNs, s.MaxNs, s.P50Ns, s.P90Ns, s.P99Ns,
		s.P999Ns, s.LongestGapNs, s.DrainNs, s.OutOfRange, s.WindowNs} {
		if v < 0 {
			return errors.New("negative count or time in sample")
		}
	}
	for class, n := range s.Errors {
		if n < 0 {
			return fmt.Errorf("negative error count for %q", class)
		}
	}
	if len(s.Completions) > mostStretches {
		return fmt.Errorf("%d stretches in a sample, at most %d", len(s.Completions), mostStretches)
	}
	for _, n := range s.Completions {
		if n < 0 {
			return errors.New("negative count of completions in sample")
		}
	}
	if !finite(s.SumSqNs2) || s.SumSqNs2 < 0 {
		return errors.New("sum of squares is not a positive number")
	}
	if falls(s.P50Ns, s.P90Ns, s.P99Ns, s.P999Ns) {
		return errors.New("percentiles that fall")
	}
	for _, l := range []*lab.Latency{s.Service, s.Lag} {
		if l != nil && (l.Count < 0 || falls(0, l.P50Ns, l.P90Ns, l.P99Ns, l.P999Ns)) {
			return errors.New("percentiles that fall, or a negative count")
		}
	}
	return nil
}

// falls reports whether a value is below the one before it.
func falls(vs ...int64) bool {
	for i := 1; i < len(vs); i++ {
		if vs[i] < vs[i-1] {
			return true
		}
	}
	return false
}

func finite(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
