package sim

import (
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/debug"
	"github.com/cudagen/cudagen/runtime/sim/internal/images"
)

// libraryCalls is the calls about libraries, and the kernels in them.
type libraryCalls struct{ *primaryContext }

// An openLibrary is the library of a driver.Library.
type openLibrary struct {
	*bytecode.Library
	handles map[string]driver.Kernel

	image string // for profiles; empty unless there was a profiler when it was loaded

	mu  sync.Mutex
	log string // why variables were refused; under mu
}

// loaded is the kernel of a driver.Kernel.
type loaded struct {
	*bytecode.Kernel
	lib   *bytecode.Library
	title atomic.Pointer[string] // what Simulation.Name was told

	image      string // as in openLibrary
	describing sync.Once
	described  *driver.ProfiledKernel // of profiles
}

// named returns what Simulation.Name was told, or nothing.
func (k *loaded) named() string {
	if name := k.title.Load(); name != nil {
		return *name
	}
	return ""
}

// LibraryLoadData decodes the whole module. PTX that is wrong is refused, as a device's
// compiler would. What the simulated device does not support is an error of the launch of
// the kernel that has it.
func (d *libraryCalls) LibraryLoadData(image []byte) (driver.Library, driver.Result) {
	if r := d.usable(); r != driver.Success {
		return 0, r
	}
	lib, refused := d.load(image)
	d.mu.Lock()
	defer d.mu.Unlock()
	if refused != nil {
		unused := driver.Library(handle())
		d.refused[unused] = refused.Log
		return unused, refused.Result
	}
	created := driver.Library(handle())
	opened := &openLibrary{Library: lib, handles: make(map[string]driver.Kernel)}
	if driver.TheProfiler() != nil {
		opened.image = string(image)
	}
	d.libraries[created] = opened
	d.coverLibrary(lib)
	return created, driver.Success
}

// load loads an image, or what a debugger has in its place.
func (d *libraryCalls) load(image []byte) (*bytecode.Library, *bytecode.Refusal) {
	if s := debug.Attached(); s != nil {
		return s.Load(image, func(image []byte) (*bytecode.Library, *bytecode.Refusal) {
			return images.LoadNamed(bytecode.ImageName, image, d.mem, d.capability())
		}, func(lib *bytecode.Library) { lib.Release(d.mem) })
	}
	return images.Load(bytecode.ImageName, image, d.mem, d.capability())
}

// LibraryUnload frees the library's variables. Launches that were enqueued keep the
// code that they need.
func (d *libraryCalls) LibraryUnload(handle driver.Library) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	lib := d.libraries[handle]
	if lib == nil {
		return driver.ErrorInvalidHandle
	}
	delete(d.libraries, handle)
	for _, k := range lib.handles {
		delete(d.kernels, k)
	}
	lib.Release(d.mem)
	return driver.Success
}

func (d *libraryCalls) LibraryGetKernel(in driver.Library, name string) (driver.Kernel, driver.Result) {
	if r := d.usable(); r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	lib := d.libraries[in]
	if lib == nil {
		return 0, driver.ErrorInvalidHandle
	}
	k := lib.Kernels[name]
	if k == nil {
		return 0, driver.ErrorNotFound
	}
	if h, ok := lib.handles[name]; ok {
		return h, driver.Success
	}
	h := driver.Kernel(handle())
	lib.handles[name] = h
	d.kernels[h] = &loaded{Kernel: k, lib: lib.Library, image: lib.image}
	return h, driver.Success
}

// LibraryLog also has the reason why a variable was refused.
func (d *libraryCalls) LibraryLog(handle driver.Library) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if text, ok := d.refused[handle]; ok {
		delete(d.refused, handle)
		return text
	}
	if lib := d.libraries[handle]; lib != nil {
		lib.mu.Lock()
		defer lib.mu.Unlock()
		return lib.log
	}
	return ""
}

// Unsupported implements driver.Simulation.
func (d *libraryCalls) Unsupported(handle driver.Kernel) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.kernels[handle]; k != nil {
		return k.Unsupported
	}
	return ""
}

// Name implements driver.Simulation.
func (d *libraryCalls) Name(handle driver.Kernel, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.kernels[handle]; k != nil {
		k.title.Store(&name)
	}
}

// launchable is kernel for kernels that can be launched.
func (d *primaryContext) launchable(handle driver.Kernel) (*loaded, driver.Result) {
	k, r := d.kernel(handle)
	if r == driver.Success && k.Unsupported != "" {
		return nil, driver.ErrorNotSupported
	}
	return k, r
}

func (d *primaryContext) kernel(handle driver.Kernel) (*loaded, driver.Result) {
	if r := d.usable(); r != driver.Success {
		return nil, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	k := d.kernels[handle]
	if k == nil {
		return nil, driver.ErrorInvalidHandle
	}
	return k, driver.Success
}

// Coverage implements driver.Simulation.
func (d *libraryCalls) Coverage() []driver.CoveredLine { return d.covered.All() }

// coverLibrary notes the lines of kernels that are loaded, executed or not.
func (d *libraryCalls) coverLibrary(lib *bytecode.Library) {
	if c := d.asked.Load(); c == nil || !c.Coverage {
		return
	}
	for _, k := range lib.Kernels {
		d.covered.See(k.Program, nil)
	}
}
