//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"runtime"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// inContextOf calls f on a thread where the context of s is current, and leaves the thread as it
// was. What f did before has failed with ErrorInvalidValue: that is what driver 580 returns for a
// copy of pooled memory if other code left the context of another device on the thread. If the
// stream has no context, the error stands.
func (d *Driver) inContextOf(s driver.Stream, f func() driver.Result) driver.Result {
	ctx, r := d.StreamGetCtx(s)
	if r != driver.Success {
		return driver.ErrorInvalidValue
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if d.CtxPushCurrent(ctx) != driver.Success {
		return driver.ErrorInvalidValue
	}
	r = f()
	if _, popped := d.CtxPopCurrent(); r == driver.Success {
		r = popped
	}
	return r
}

// ContextCalls returns the addresses of cuCtxPushCurrent and cuCtxPopCurrent, for what calls another library between them. They are 0
// while a Watcher sees each call.
func (d *Driver) ContextCalls() (push, pop uintptr) {
	return d.entry(driver.CtxPushCurrent), d.entry(driver.CtxPopCurrent)
}
