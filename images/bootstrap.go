package images

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// bootstrap runs mmdebstrap and turns the tar on its output into a layer.
func bootstrap(ctx context.Context, args []string, path string) (plainLayer, []byte, error) {
	cmd := exec.CommandContext(ctx, "mmdebstrap", args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", buildDate), "LC_ALL=C.UTF-8")
	// A group of its own, so that cancelling reaches all its processes and
	// lets them take down their mounts.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, err := cmd.StdoutPipe()
	if err != nil {
		return plainLayer{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return plainLayer{}, nil, fmt.Errorf("starting mmdebstrap: %w", err)
	}
	layer, status, readErr := writeLayer(out, path)
	// What tar pads its output with must be read for mmdebstrap to end well.
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return plainLayer{}, nil, ctx.Err()
		}
		return plainLayer{}, nil, fmt.Errorf("running mmdebstrap: %w\n%s", err, tail(messages.String(), 12))
	}
	return layer, status, readErr
}

// releaseDate is the date in a suite's release file, "" if there is none.
func releaseDate(release []byte) string {
	lines := bufio.NewScanner(bytes.NewReader(release))
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "Date: ")
		if !ok {
			continue
		}
		if t, err := time.Parse(time.RFC1123, text); err == nil {
			return t.UTC().Format(time.RFC3339)
		}
	}
	return ""
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
