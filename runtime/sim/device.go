package sim

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/profiled"
	"github.com/cudagen/cudagen/runtime/sim/internal/debug"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/queue"
	"github.com/cudagen/cudagen/runtime/sim/internal/texture"
)

const (
	deviceName    = "cudagen simulated device"
	driverVersion = 13000
)

func init() {
	driver.RegisterSimulator(func(ordinal int) (driver.Driver, driver.Simulation) {
		debug.Attached() // which is how a debugger knows of the device
		d := newDevice(ordinal)
		return d, d
	})
}

// A device implements driver.Driver, with one device. It shares nothing with other devices
// but what they do to each other's memory and events. Its methods are those of its parts, which share
// the context.
type device struct {
	*primaryContext
	streamCalls
	eventCalls
	copyCalls
	allocationCalls
	textureCalls
	libraryCalls
	graphCalls
	peerCalls
}

var (
	_ driver.Driver     = (*device)(nil)
	_ driver.Simulation = (*device)(nil)
)

func newDevice(ordinal int) *device {
	d := &primaryContext{
		ordinal: ordinal, dev: number(), mem: new(memory.Memory), output: output{w: os.Stdout},
		streams:   make(map[driver.Stream]*queue.Queue),
		libraries: make(map[driver.Library]*openLibrary),
		refused:   make(map[driver.Library]string),
		kernels:   make(map[driver.Kernel]*loaded),
		events:    make(map[driver.Event]*event),
		awaited:   make(map[*primaryContext]int),
		hosts:     make(map[unsafe.Pointer]uint64),
		managed:   make(map[uint64]bool),
	}
	d.stop.Store(newStopper())
	d.othersQuiet = d.quiet
	d.resetPools()
	return &device{d, streamCalls{d}, eventCalls{d}, copyCalls{d}, allocationCalls{d}, textureCalls{d}, libraryCalls{d}, graphCalls{d}, peerCalls{d}}
}

func (d *primaryContext) Init() driver.Result {
	d.initialized.Store(true)
	return driver.Success
}

func (d *primaryContext) DriverGetVersion() (int, driver.Result) {
	return driverVersion, driver.Success
}

func (d *primaryContext) DeviceGetCount() (int, driver.Result) {
	if r := d.check(d.dev); r != driver.Success {
		return 0, r
	}
	return 1, driver.Success
}

// DeviceGet knows the ordinal that the device was made for.
func (d *primaryContext) DeviceGet(ordinal int) (driver.Device, driver.Result) {
	if r := d.check(d.dev); r != driver.Success {
		return 0, r
	}
	if ordinal != d.ordinal {
		return 0, driver.ErrorInvalidDevice
	}
	return d.dev, driver.Success
}

func (d *primaryContext) DeviceGetName(dev driver.Device) (string, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return "", r
	}
	return deviceName, driver.Success
}

func (d *primaryContext) DeviceGetUuid(dev driver.Device) (uuid [16]byte, r driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return uuid, r
	}
	copy(uuid[:], fmt.Sprintf("cudagen-sim-%04x", d.ordinal))
	return uuid, driver.Success
}

func (d *primaryContext) DeviceGetAttribute(attr driver.DeviceAttribute, dev driver.Device) (int, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return 0, r
	}
	switch attr {
	case driver.MultiprocessorCount:
		return interp.Multiprocessors(), driver.Success
	case driver.ComputeCapabilityMajor:
		return d.capability() / 10, driver.Success
	case driver.ComputeCapabilityMinor:
		return d.capability() % 10, driver.Success
	}
	for _, table := range []map[driver.DeviceAttribute]int{limits.Attributes, texture.Limits} {
		if value, known := table[attr]; known {
			return value, driver.Success
		}
	}
	if 0 < attr && attr <= limits.LastAttribute {
		return 0, driver.ErrorNotSupported
	}
	return 0, driver.ErrorInvalidValue
}

func (d *primaryContext) DeviceTotalMem(dev driver.Device) (uint64, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return 0, r
	}
	return limits.TotalMemory, driver.Success
}

func (d *primaryContext) DevicePrimaryCtxRetain(dev driver.Device) (driver.Context, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.retained++; d.retained == 1 {
		d.join()
		profiled.Opened()
	}
	return d.primary(), driver.Success
}

// DevicePrimaryCtxRelease destroys the context when the last user releases it: what
// runs is stopped, streams and memory are gone, and an error that stuck is forgotten: a
// GPU keeps it for the rest of the process, but here it would end the tests of all kernels.
func (d *primaryContext) DevicePrimaryCtxRelease(dev driver.Device) driver.Result {
	if r := d.check(dev); r != driver.Success {
		return r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.retained == 0 {
		return driver.ErrorInvalidContext
	}
	if d.retained--; d.retained == 0 {
		d.leave()
		d.destroyContext()
		profiled.Closed()
	}
	return driver.Success
}

// destroyContext stops what runs, and forgets streams, memory and an error that stuck.
// d.mu is held, but not while it waits for work, which may need it.
func (d *primaryContext) destroyContext() {
	d.stop.Load().stop()
	streams, ending := d.streams, d.ending
	d.streams, d.ending = make(map[driver.Stream]*queue.Queue), nil
	d.mu.Unlock()
	for _, s := range streams {
		s.Wait()
	}
	for _, s := range ending {
		s.Wait()
	}
	d.mu.Lock()
	d.stop.Store(newStopper())
	d.mem.Reset()
	clear(d.events)
	clear(d.hosts)
	clear(d.managed)
	d.freed = nil
	d.graphs = graphTable{}
	d.mem.Conditionals.Clear()
	d.forgetTextures()
	d.resetPools()
	for _, lib := range d.libraries {
		lib.Place(d.mem)
	}
	d.sticky.Store(0)
	d.fault.Store(nil)
}

func (d *primaryContext) CtxPushCurrent(ctx driver.Context) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	if ctx != d.primary() || d.retained == 0 {
		return driver.ErrorInvalidContext
	}
	d.pushed++
	return driver.Success
}

func (d *primaryContext) CtxPopCurrent() (driver.Context, driver.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pushed == 0 {
		return 0, driver.ErrorInvalidContext
	}
	d.pushed--
	return d.primary(), driver.Success
}

// CtxGetCurrent returns the context if any goroutine has pushed it: threads are not told apart.
func (d *primaryContext) CtxGetCurrent() (driver.Context, driver.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pushed == 0 {
		return 0, driver.Success
	}
	return d.primary(), driver.Success
}

// CtxSetCurrent is not supported, because threads are not told apart.
func (d *primaryContext) CtxSetCurrent(driver.Context) driver.Result { return driver.ErrorNotSupported }

// ProfilerStart has no effect: no tool profiles the device.
func (d *primaryContext) ProfilerStart() driver.Result { return d.current() }

// ProfilerStop has no effect.
func (d *primaryContext) ProfilerStop() driver.Result { return d.current() }

// Live returns how many objects were handed out and not given back. Tests ask it.
func (d *primaryContext) Live() (contexts, libraries, streams, allocations int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.retained, len(d.libraries), len(d.streams), d.mem.Live()
}
