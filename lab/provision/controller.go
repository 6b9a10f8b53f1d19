package provision

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// bootID names the kernel's boot: it is the same for every process until the
// machine starts anew.
const bootID = "/proc/sys/kernel/random/boot_id"

// Controller names the process that commands a run, so that a later one on the
// same machine can tell that it has ended: a mark of the boot and the process
// id namespace, the id in it, and the process's start in clock ticks, since ids
// are given again. Empty where there is no /proc.
type Controller string

// ThisController is the process that asks.
func ThisController() Controller {
	space, ok := processSpace()
	if !ok {
		return ""
	}
	start, err := processStart(os.Getpid())
	if err != nil {
		return ""
	}
	return Controller(fmt.Sprintf("%s.%d.%d", space, os.Getpid(), start))
}

// Ended reports whether the process is known to be over. One on another
// machine, in another container or before the last boot cannot be seen from
// here, and is taken for going on.
func (c Controller) Ended() bool {
	there, rest, _ := strings.Cut(string(c), ".")
	id, ticks, _ := strings.Cut(rest, ".")
	pid, err := strconv.Atoi(id)
	if err != nil {
		return false
	}
	start, err := strconv.ParseUint(ticks, 10, 64)
	if err != nil {
		return false
	}
	if here, ok := processSpace(); !ok || here != there {
		return false
	}
	now, err := processStart(pid)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return now != start
}

// processSpace marks what process ids are of: a boot and a namespace. It is a
// hash, so that no id goes where others read it.
func processSpace() (string, bool) {
	boot, err := os.ReadFile(bootID)
	if err != nil {
		return "", false
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "", false
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "benchlab controller %s %s", boot, space))
	return hex.EncodeToString(sum[:6]), true
}

// processStart is when a process started, in clock ticks since the boot.
func processStart(pid int) (uint64, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, err
	}
	stat, err := p.Stat()
	return stat.Starttime, err
}
