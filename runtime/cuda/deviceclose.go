package cuda

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/internal/ended"
)

// A closing is the end of a device, which one goroutine brings about. Close waits for that.
type closing struct {
	over   chan struct{} // closed when the device is released
	err    error         // of that; to be read when over is closed
	gaveUp atomic.Bool   // Close has waited, and does so again when it is called again
}

// hostFuncLimit is how long Close waits for one call of a host function.
var hostFuncLimit = 10 * time.Second

// Close waits for the device's work and for calls of other goroutines on d, closes
// everything that is still open on d, and releases the device. It returns the Fault of work
// that nobody has waited for, and what the checks of CUDAGEN_SIM_CHECKS have found. Later calls fail with ErrClosed. Close may be called more than
// once; a second call does not wait.
//
// Close does not wait longer than ten seconds for one call of a host function, which may itself wait for
// something that waits for the device. Then it returns an error that wraps ErrTimeout and names the function.
// No call works on d any more, and what is still open on d is closed, and the device released, as
// soon as the function returns: another Close waits for that again. CloseContext waits for as long as the
// caller likes.
//
// On the simulated device, Close stops a kernel that does not end: when none of its blocks,
// and no other work, has ended for two seconds. Calls that wait for it, and Close, then return
// a Fault with ErrLaunchTimeout that says where it was.
//
// Close runs a garbage collection, to know that no launch is in progress. On a simulated device it reads the stacks of up to 100 goroutines instead.
//
// CUDA Driver API, Primary Context Management, cuDevicePrimaryCtxRelease.
func (d *Device) Close() error { return d.close(context.Background(), hostFuncLimit) }

// CloseContext is Close until ctx is done, and waits until then for host functions, too. Then it returns an
// error that wraps ctx's and says what it has waited for, and d goes on to be closed as after Close.
func (d *Device) CloseContext(ctx context.Context) error { return d.close(ctx, 0) }

func (d *Device) close(ctx context.Context, limit time.Duration) error {
	if d.isUnmade() {
		return nil
	}
	if err := d.mayWait("close"); err != nil {
		return err
	}
	return d.closeWithin(ctx, limit)
}

// closeWithin is Close until ctx is done, or a host function has run for limit meanwhile, unless that is 0.
func (d *Device) closeWithin(ctx context.Context, limit time.Duration) error {
	d.mu.Lock()
	c := d.closing
	if c != nil {
		d.mu.Unlock()
		if !c.gaveUp.CompareAndSwap(true, false) {
			return nil
		}
		return d.awaitClosing(ctx, limit, c)
	}
	c = &closing{over: make(chan struct{})}
	d.closing = c
	d.closed.Store(true)
	streams, libraries := d.streams, d.libraries
	d.streams, d.libraries = nil, nil
	d.mu.Unlock()
	known := d.fault.Load()
	d.stopKernels()
	d.watch.end()
	for l := range libraries {
		if l := l.Value(); l != nil {
			l.shut()
		}
	}
	for s := range streams {
		if s := s.Value(); s != nil {
			s.shut()
		}
	}
	d.memory.seal()
	go func() {
		defer close(c.over)
		d.awaitBlocked(false)
		d.awaitCalls()
		d.awaitBlocked(true)
		c.err = d.giveUp(slices.Collect(maps.Values(streams)))
		if c.err == nil {
			c.err = d.unheard(known)
		}
		for s := range streams {
			if s := s.Value(); s != nil && c.err == nil {
				c.err = s.failures.untold()
			}
		}
		if c.err == nil {
			c.err = d.foundByChecks()
		}
	}()
	return d.awaitClosing(ctx, limit, c)
}

// awaitClosing waits for c. It says what it has waited for when ctx is done, or a host function has run for
// limit meanwhile, unless that is 0.
func (d *Device) awaitClosing(ctx context.Context, limit time.Duration, c *closing) error {
	began := time.Now()
	gaveUp := func(reason error) error {
		c.gaveUp.Store(true)
		return &Error{Op: "close", Device: d.String(), Driver: d.version, Detail: "it waits for " + d.awaited(), Err: reason,
			Hint: "no call works on the device any more, and it is released when that has ended: close it again to wait for that"}
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-c.over:
			return c.err
		case <-ctx.Done():
			return gaveUp(ended.Cause(ctx))
		case <-tick.C:
			if f := d.oldestHostFunc(); limit > 0 && f != nil && min(time.Since(f.began), time.Since(began)) > limit {
				return gaveUp(ErrTimeout)
			}
		}
	}
}

// awaited says what the end of d may wait for.
func (d *Device) awaited() string {
	var what []string
	if f := d.oldestHostFunc(); f != nil {
		what = append(what, fmt.Sprintf("the host function %s, which has run for %v", f.name(), time.Since(f.began).Round(time.Millisecond)))
	}
	if n := d.blocking.Load(); n > 0 {
		what = append(what, fmt.Sprintf("calls of other goroutines that wait for its work: %d", n))
	}
	if len(what) == 0 {
		return "its work"
	}
	return strings.Join(what, ", and for ")
}
