package sim

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/coverage"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/queue"
)

// A primaryContext is what all parts of a device share.
type primaryContext struct {
	ordinal int
	dev     driver.Device // its handle, which no other simulated device has

	initialized atomic.Bool
	mem         *memory.Memory
	fault       atomic.Pointer[driver.Fault] // that ended the context
	sticky      atomic.Int32                 // its driver.Result, or 0
	ended       atomic.Uint64                // work of streams that has run
	running     atomic.Int32                 // kernels
	inHostFunc  atomic.Int32                 // host functions that run

	mu        sync.Mutex
	retained  int                     // of the primary context
	pushed    int                     // contexts current on any thread
	stop      atomic.Pointer[stopper] // of all work, until the context is made anew
	streams   map[driver.Stream]*queue.Queue
	ending    []*queue.Queue // that are destroyed and may have work left
	libraries map[driver.Library]*openLibrary
	kernels   map[driver.Kernel]*loaded
	refused   map[driver.Library]string // the logs of images that were refused, until they are read
	events    map[driver.Event]*event
	awaited   map[*primaryContext]int   // of other devices: streams that wait for their events
	hosts     map[unsafe.Pointer]uint64 // page-locked memory: its device address
	managed   map[uint64]bool           // device addresses of memory that MemFree frees: true for managed memory
	pools     map[driver.MemPool]*memory.Pool
	freed     []*freedMemory // in the order of their frees
	graphs    graphTable
	textures  textureTable

	output  output // of printf
	asked   atomic.Pointer[driver.Checks]
	covered coverage.Lines
	found   reports
	stalls  atomic.Int32 // kernels that make no progress

	othersQuiet func() (uint64, bool) // is quiet, made once

	defaultPool driver.MemPool // which MemAllocAsync allocates from
}

// check returns why no call on dev can succeed, or Success.
func (d *primaryContext) check(dev driver.Device) driver.Result {
	switch {
	case !d.initialized.Load():
		return driver.ErrorNotInitialized
	case dev != d.dev:
		return driver.ErrorInvalidDevice
	}
	return driver.Success
}

// usable returns why no work can be done: no driver, or a fault earlier on.
func (d *primaryContext) usable() driver.Result {
	if !d.initialized.Load() {
		return driver.ErrorNotInitialized
	}
	return driver.Result(d.sticky.Load())
}

// current is usable for calls that need a context. Threads are not told apart: it is
// enough that one has a context.
func (d *primaryContext) current() driver.Result {
	d.mu.Lock()
	pushed := d.pushed
	d.mu.Unlock()
	if r := d.usable(); r != driver.Success {
		return r
	}
	if pushed == 0 {
		return driver.ErrorInvalidContext
	}
	return driver.Success
}

// fail makes f the error of every later call, unless another failure was first: then it returns false.
func (d *primaryContext) fail(f *driver.Fault) bool {
	if !d.fault.CompareAndSwap(nil, f) {
		return false
	}
	d.sticky.Store(int32(f.Result))
	d.stop.Load().stop() // kernels of other streams end with the context
	return true
}

// Fault implements driver.Simulation.
func (d *primaryContext) Fault() *driver.Fault { return d.fault.Load() }

// capability returns the compute capability of d.
func (d *primaryContext) capability() int {
	if c := d.asked.Load(); c != nil && slices.Contains(driver.SimulatedCapabilities[:], c.Capability) {
		return c.Capability
	}
	return limits.Capability
}

// set puts a value into a map that may be nil.
func set[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[key] = value
}
