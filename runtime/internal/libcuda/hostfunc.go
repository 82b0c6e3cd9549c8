//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/ebitengine/purego"
)

// hostFuncs holds the functions that the driver is to call. The driver is given a
// number: what it holds is never a Go pointer.
var hostFuncs struct {
	sync.Mutex
	next    uintptr
	waiting map[uintptr]hostFunc
}

// A hostFunc is called once, or, if it is kept, until it is dropped.
type hostFunc struct {
	run  func()
	kept bool
}

// hostFuncCallback returns the address of the C function that the driver calls with such
// a number. purego makes 2000 callbacks at most and frees none: there is this one.
var hostFuncCallback = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(number uintptr) uintptr {
		if f := takeHostFunc(number); f != nil {
			f()
		}
		return 0
	})
})

func addHostFunc(f func(), kept bool) uintptr {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	if hostFuncs.waiting == nil {
		hostFuncs.waiting = map[uintptr]hostFunc{}
	}
	hostFuncs.next++
	hostFuncs.waiting[hostFuncs.next] = hostFunc{f, kept}
	return hostFuncs.next
}

// takeHostFunc returns the function to call for number, or nil.
func takeHostFunc(number uintptr) func() {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	f := hostFuncs.waiting[number]
	if !f.kept {
		delete(hostFuncs.waiting, number)
	}
	return f.run
}

// LaunchHostFunc holds on to f until the driver has called it.
func (d *Driver) LaunchHostFunc(s driver.Stream, f func()) driver.Result {
	callback := hostFuncCallback()
	number := addHostFunc(f, false)
	r := d.callPlain(driver.LaunchHostFunc, uintptr(s), callback, number)
	if r != driver.Success {
		takeHostFunc(number)
	}
	return r
}

func (d *Driver) KeepHostFunc(f func()) driver.HostFunc { return driver.HostFunc(addHostFunc(f, true)) }

func (d *Driver) DropHostFunc(h driver.HostFunc) bool {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	_, there := hostFuncs.waiting[uintptr(h)]
	delete(hostFuncs.waiting, uintptr(h))
	return there
}
