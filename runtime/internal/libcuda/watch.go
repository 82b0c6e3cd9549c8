//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/ebitengine/purego"
)

// Watch has the open driver, and one that is opened later, tell driver.Watching of the calls that it
// watches, or no longer. Calls that nobody watches cost what they cost without (docs/decisions,
// "Where does a trace listen?").
//
// Launches of kernels and graphs by the functions of this package are not among them.
func Watch() {
	process.Lock()
	defer process.Unlock()
	if process.driver != nil {
		process.driver.setAside(driver.Watching())
	}
}

// setAside has the calls that w watches go by callAside, and all others go directly.
func (d *Driver) setAside(w driver.Watcher) {
	for e := range driver.EntryPoint(driver.NumEntryPoints) {
		state := uintptr(0) // which entry finds out
		if w != nil && w.Watches(e) {
			state = aside
		}
		d.entries[e].Store(state)
	}
}

// callAside calls e as r says, but for the address, if the library exports e, and tells the Watcher.
//
//go:noinline
func (d *Driver) callAside(e driver.EntryPoint, r *callRecord) driver.Result {
	if r.fn = d.address(e); r.fn == 0 {
		return driver.ErrorCallRequiresNewerDriver
	}
	w := driver.Watching()
	if w == nil || !w.Watches(e) {
		return invoke(r)
	}
	call := driver.WatchedCall{Entry: e, Args: r.args}
	call = w.Begin(call)
	result := invoke(r)
	w.End(call, result)
	return result
}

// callFrameAside is callAside for the first n arguments of f.
//
//go:noinline
func (d *Driver) callFrameAside(e driver.EntryPoint, f *frame, n int) driver.Result {
	fn := d.address(e)
	if fn == 0 {
		return driver.ErrorCallRequiresNewerDriver
	}
	w := driver.Watching()
	watched := w != nil && w.Watches(e)
	var call driver.WatchedCall
	if watched {
		call = w.Begin(driver.WatchedCall{Entry: e, Args: [6]uintptr(f.args[:6])})
	}
	r, _, _ := purego.SyscallN(fn, f.args[:n]...)
	if watched {
		w.End(call, driver.Result(int32(r)))
	}
	return driver.Result(int32(r))
}
