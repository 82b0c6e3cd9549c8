//go:build !cudagen_nodriver && (amd64 || arm64)

package nvrtclib

import (
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// A sigaction is the kernel's struct sigaction on amd64 and arm64.
type sigaction struct {
	handler, flags, restorer, mask uintptr
}

// frontEndSignals are those that NVRTC's front end takes for itself while it runs. At its end it puts the handlers
// back with signal(3), which keeps the handler and drops its flags. Go's handler runs on any stack without SA_ONSTACK: from
// then on the program would not survive the signal that it means to shut down at.
//
// Seen in NVRTC 13.0 with strace.
var frontEndSignals = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}

// guardTick is how long a signal may have a handler that is not Go's. The compilation of an empty source takes
// some 10 ms.
const guardTick = time.Millisecond

// guard is that of all compilations that run: a second one, beside one that was abandoned, may begin while NVRTC has the signals.
var guard struct {
	sync.Mutex
	users         int
	signals       []syscall.Signal // that Go handled when there were no users
	ours          sigaction
	stop, stopped chan struct{}
}

// guardSignals keeps Go's handlers of frontEndSignals in place until the function that it returns is called.
// Signals that Go does not handle, as those of a C program that Go is a library of, and those that were ignored before, are not
// touched.
func guardSignals() (end func()) {
	guard.Lock()
	defer guard.Unlock()
	if guard.users++; guard.users == 1 {
		beginGuard()
	}
	return func() {
		guard.Lock()
		defer guard.Unlock()
		restoreSignals()
		if guard.users--; guard.users == 0 {
			close(guard.stop)
			<-guard.stopped
		}
	}
}

// beginGuard looks at the signals each guardTick until guard.stop is closed. guard is locked.
func beginGuard() {
	guard.signals = nil
	guard.ours, _ = action(syscall.SIGURG, nil) // Go handles SIGURG in every program, and all signals alike
	for _, signal := range frontEndSignals {
		if now, ok := action(signal, nil); ok && now.handler > ignored && now.handler == guard.ours.handler {
			guard.signals = append(guard.signals, signal)
		}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	guard.stop, guard.stopped = stop, stopped
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(guardTick)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				restoreSignals()
			case <-stop:
				return
			}
		}
	}()
}

// restoreSignals puts Go's handlers back. What it reads of guard does not change while guard has users.
func restoreSignals() {
	for _, signal := range guard.signals {
		if now, ok := action(signal, nil); ok && now != guard.ours && now.handler > ignored {
			action(signal, &guard.ours)
		}
	}
}

// ignored is SIG_IGN, the largest handler that is no function.
const ignored = 1

// action sets what happens at a signal, unless to is nil, and returns what did. The handler comes from the kernel, and goes
// back to it only.
//
// sigaction(2).
func action(signal syscall.Signal, to *sigaction) (before sigaction, ok bool) {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(&before)), unsafe.Sizeof(before.mask), 0, 0)
	return before, errno == 0
}
