//go:build !cudagen_nodriver && (amd64 || arm64)

package nvrtclib

import (
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

// guardSignals keeps Go's handlers of frontEndSignals in place until the function that it returns is called.
// Signals that Go does not handle, as those of a C program that Go is a library of, and those that were ignored before, are not
// touched.
func guardSignals() (end func()) {
	// Go handles SIGURG in every program, and all signals alike.
	ours, ok := action(syscall.SIGURG, nil)
	if !ok {
		return func() {}
	}
	var guarded []syscall.Signal
	for _, signal := range frontEndSignals {
		if now, ok := action(signal, nil); ok && now.handler == ours.handler {
			guarded = append(guarded, signal)
		}
	}
	restore := func() {
		for _, signal := range guarded {
			if now, ok := action(signal, nil); ok && now != ours && now.handler > ignored {
				action(signal, &ours)
			}
		}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(guardTick)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				restore()
			case <-stop:
				restore()
				return
			}
		}
	}()
	return func() { close(stop); <-stopped }
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
