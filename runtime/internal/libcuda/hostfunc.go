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
	waiting map[uintptr]func()
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

func addHostFunc(f func()) uintptr {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	if hostFuncs.waiting == nil {
		hostFuncs.waiting = map[uintptr]func(){}
	}
	hostFuncs.next++
	hostFuncs.waiting[hostFuncs.next] = f
	return hostFuncs.next
}

func takeHostFunc(number uintptr) func() {
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	f := hostFuncs.waiting[number]
	delete(hostFuncs.waiting, number)
	return f
}

// LaunchHostFunc holds on to f until the driver has called it.
func (d *Driver) LaunchHostFunc(s driver.Stream, f func()) driver.Result {
	callback := hostFuncCallback()
	number := addHostFunc(f)
	r := d.callPlain(driver.LaunchHostFunc, uintptr(s), callback, number)
	if r != driver.Success {
		takeHostFunc(number)
	}
	return r
}
