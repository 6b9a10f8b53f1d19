package measure

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// PreciseSleep gives the calling goroutine a thread of its own and a sleep
// that wakes within some 10 µs: the runtime's timers may be a millisecond late
// on an idle process, and the kernel adds 50 µs unless told not to. release
// gives the thread back.
func PreciseSleep() (sleep func(time.Duration), release func()) {
	runtime.LockOSThread()
	// Where the kernel refuses, sleeps are a little longer; the pacer counts it.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return nanosleep, func() {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // 0: the default again
		runtime.UnlockOSThread()
	}
}

func nanosleep(d time.Duration) {
	left := unix.NsecToTimespec(int64(d))
	for {
		wait := left
		if err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &wait, &left); err != unix.EINTR {
			return
		}
	}
}
