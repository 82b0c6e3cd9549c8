package cuda

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/cudagen/cudagen/runtime/cuda/internal/hostcopy"
	"github.com/cudagen/cudagen/runtime/cuda/internal/inuse"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// A Device is one opened GPU, or the simulated device.
//
// After a kernel fails with an error that the driver cannot recover from, such as
// ErrIllegalAddress, every call on the device fails with ErrDeviceLost and reports that first
// error. Opening a GPU again does not help: restart the process (docs/faults.md). The simulated
// device can be closed and opened again; its memory is lost.
//
// CUDA Driver API, Data types used by CUDA driver, CUresult, CUDA_ERROR_ILLEGAL_ADDRESS.
//
// Any goroutine may call any method, also while others close it.
//
// # Contexts
//
// The null stream is never used. Calls that need a current context set it for their duration,
// on a locked thread; launches, copies and stream-ordered allocation need no context. A
// context that other code has left on a thread does not matter. Do calls code of other
// libraries in the context of a device.
//
// # Ownership
//
// The caller must Close what it opens: devices, streams, buffers and other objects. Close is
// idempotent. Any goroutine may call it, in any order, even while other goroutines use the object:
// later calls fail with ErrClosed, and the driver's object is destroyed when no call and no queued
// work can use it. There is one exception: do not close a Buffer while another goroutine launches a
// kernel with it. A launch that begins after Close fails.
//
// Close of nil and of zero values does nothing. Their other methods return errors, or
// zero values.
//
// Unclosed objects live until Device.Close. Tests on a device of simtest.New fail on them.
// With CUDAGEN_LEAKS=1, or in tests that use simtest.Main, an unreachable object that was
// not closed is reported with the stack that opened it, and destroyed after the next
// Device.Synchronize.
type Device struct {
	drv       driver.Driver
	sim       driver.Simulation // nil for a GPU
	simulated bool
	dev       driver.Device
	ctx       driver.Context
	ordinal   int
	name      string
	version   int // of the driver: 1000*major + 10*minor
	limits    limits
	waits     *waiter
	staging   *hostcopy.Staging
	spare     driver.Stream // for frees whose own stream is gone
	indirect  bool          // launches go through drv, not to libcuda
	foreign   contextCalls  // drv, if it is one, on a GPU
	leaks     *leak.Scope   // of handles; that of d itself is in no scope
	watch     watch
	counts    counts

	redZones atomic.Bool // slices know what they cover
	checked  bool        // Close returns what checks have found; set before d is used
	stale    func(error) // unless nil, is called with the error of stale generated code; set before d is used

	epoch atomic.Pointer[epoch]
	peers sync.Map // *Device → true: those whose memory kernels on this one can use
	pools poolList

	accessors sync.Map              // *Device → true: those that have this one in peers, or will
	fault     atomic.Pointer[Error] // the first one that ended the context

	hostFailed atomic.Bool  // a host function has failed
	blocking   atomic.Int64 // calls that hold no epoch
	users      atomic.Int64 // of the context: d until it closes, and calls of Do

	mu        sync.Mutex
	closed    atomic.Bool                            // changes while mu is held
	libraries map[weak.Pointer[Library]]*loadedImage // open
	images    map[string]*loadedImage                // what they share, by SHA-256
	launched  map[*loadedImage][]string              // names of kernels that were launched
	streams   map[weak.Pointer[Stream]]*queue        // open
	memory    memoryList                             // allocated
	owned     map[any]owned                          // open events and pools, by weak pointer
	bits      inuse.Bits                             // of streams
	parked    []func()                               // of lost handles
	retiring  int                                    // calls of retire that are not done
	retired   sync.Cond                              // when retiring or blocking becomes 0
	due       []retirement                           // for the end of the next epoch
	epochEnds []*epochEnd                            // of epochs that have ended, on a simulated device
	ending    bool                                   // calls of an ended epoch are awaited for what was due
	freeing   hostcopy.Semaphore                     // calls of what was retired
	idle      idleQueues
	closing   *closing      // from Close on
	ends      bool          // no call begins that waits for work
	quiet     chan struct{} // closed when all work has run, after that
}

// limits are the launch limits of a device, by dimension x, y, z.
type limits struct {
	grid, block     [3]int
	threadsPerBlock int
	sharedBytes     int // of a block, without opting in
}

// openDevice opens a device of drv. sim and leaks are nil for a GPU; leaks is nil for a
// simulated device that is not watched.
func openDevice(drv driver.Driver, sim driver.Simulation, ordinal int, leaks *leak.Scope) (*Device, error) {
	simulated := sim != nil
	op := fmt.Sprintf("open device %d", ordinal)
	if _, asked, err := simulatedChecks(); err == nil && asked && !simulated {
		return nil, unchecked(op)
	}
	dev, r := drv.DeviceGet(ordinal)
	if r != driver.Success {
		return nil, &Error{Op: op, Err: Code(r)}
	}
	d := &Device{
		drv: drv, sim: sim, leaks: leaks, simulated: simulated, indirect: simulated, dev: dev, ordinal: ordinal,
		libraries: make(map[weak.Pointer[Library]]*loadedImage),
		images:    make(map[string]*loadedImage),
		launched:  make(map[*loadedImage][]string),
		freeing:   make(hostcopy.Semaphore, 4),
		streams:   make(map[weak.Pointer[Stream]]*queue),
		owned:     make(map[any]owned),
		bits:      inuse.Bits{Tag: inuse.NewTag()},
		quiet:     make(chan struct{}),
	}
	d.waits = &waiter{dev: d, streams: make(map[*Stream]*pendings), events: make(map[*Event]*pending)}
	d.staging = d.newStaging()
	d.retired.L = &d.mu
	d.epoch.Store(new(epoch))
	d.name, r = drv.DeviceGetName(dev)
	if r != driver.Success {
		return nil, &Error{Op: op, Detail: "read its name", Err: Code(r), said: true}
	}
	d.version, r = drv.DriverGetVersion()
	if r != driver.Success {
		return nil, d.fail(op, r)
	}
	err := d.readLimits(op)
	if err != nil {
		return nil, err
	}
	if d.ctx, r = drv.DevicePrimaryCtxRetain(dev); r != driver.Success {
		return nil, d.fail(op, r)
	}
	d.users.Store(1)
	if d.spare, err = d.createStream(op, func() (driver.Stream, driver.Result) { return drv.StreamCreate(streamNonBlocking) }); err != nil {
		drv.DevicePrimaryCtxRelease(dev)
		return nil, err
	}
	switch r := drv.StreamSynchronize(d.spare); r { // the calls like it fail alike
	case driver.Success:
	case driver.ErrorInvalidContext:
		d.drv, d.indirect = driver.InContext(drv, d.ctx), true
	default:
		err := d.fail(op, r)
		d.given(drv.StreamDestroy(d.spare))
		drv.DevicePrimaryCtxRelease(dev)
		return nil, err
	}
	if !simulated {
		d.foreign, _ = d.drv.(contextCalls)
	}
	d.watch.record = (*leak.Scope)(nil).Opened(d.String())
	if err := d.noteOpen(); err != nil {
		return nil, errors.Join(err, d.closeWithin(context.Background(), 0))
	}
	return d, nil
}

// unchecked is the error of opening a GPU where checks are asked for, which it does not have.
func unchecked(op string) error {
	return &Error{Op: op, Detail: checksVariable + " is set, and a GPU checks nothing", Hint: "set CUDAGEN_DEVICE=sim, too, or unset it", Err: ErrInvalidValue}
}

func (d *Device) readLimits(op string) error {
	for _, want := range []struct {
		attr driver.DeviceAttribute
		into *int
	}{
		{driver.MaxGridDimX, &d.limits.grid[0]}, {driver.MaxGridDimY, &d.limits.grid[1]}, {driver.MaxGridDimZ, &d.limits.grid[2]},
		{driver.MaxBlockDimX, &d.limits.block[0]}, {driver.MaxBlockDimY, &d.limits.block[1]}, {driver.MaxBlockDimZ, &d.limits.block[2]},
		{driver.MaxThreadsPerBlock, &d.limits.threadsPerBlock},
		{driver.MaxSharedMemoryPerBlock, &d.limits.sharedBytes},
	} {
		v, r := d.drv.DeviceGetAttribute(want.attr, d.dev)
		if r != driver.Success {
			return d.fail(op, r)
		}
		*want.into = v
	}
	return nil
}

// Name returns the driver's name of the device, such as "NVIDIA H200".
func (d *Device) Name() string {
	if d == nil {
		return ""
	}
	return d.name
}

// Ordinal returns the device's number, counted from 0 as the driver does.
func (d *Device) Ordinal() int {
	if d == nil {
		return 0
	}
	return d.ordinal
}

// IsSimulated reports whether d is the simulated device, which is slower than a GPU by
// orders of magnitude.
func (d *Device) IsSimulated() bool { return d != nil && d.simulated }

// DriverVersion returns the CUDA version that the driver supports, such as 13, 0.
func (d *Device) DriverVersion() (major, minor int) {
	version := d.driverVersion()
	return version / 1000, version % 1000 / 10
}

func (d *Device) driverVersion() int {
	if d == nil {
		return 0
	}
	return d.version
}

// String returns "device 0 (NVIDIA H200)".
func (d *Device) String() string {
	if d == nil || d.drv == nil {
		return "no device"
	}
	return fmt.Sprintf("device %d (%s)", d.ordinal, d.name)
}

// besides returns the name of d in an error that also names other. A GPU that was opened twice
// and separate simulated devices have equal names; then besides says that d is another device.
func (d *Device) besides(other *Device) string {
	if d.String() == other.String() {
		return d.String() + ", which was opened separately"
	}
	return d.String()
}

// ComputeCapability returns the version of the device's architecture, such as 9, 0.
func (d *Device) ComputeCapability() (major, minor int, err error) {
	version, err := ask(d, "read the compute capability", func() (v [2]int, r driver.Result) {
		if v[0], r = d.drv.DeviceGetAttribute(driver.ComputeCapabilityMajor, d.dev); r == driver.Success {
			v[1], r = d.drv.DeviceGetAttribute(driver.ComputeCapabilityMinor, d.dev)
		}
		return v, r
	})
	return version[0], version[1], err
}

// ask returns what f asks the driver of d for op, and nothing with an error.
func ask[T any](d *Device, op string, f func() (T, driver.Result)) (none T, err error) {
	defer d.hold().release()
	if d.isClosed() {
		return none, d.closedError(op, "")
	}
	answer, r := f()
	if r != driver.Success {
		return none, d.fail(op, r)
	}
	return answer, nil
}

// UUID returns the device's identifier, as nvidia-smi prints it and CUDAGEN_DEVICE takes it.
func (d *Device) UUID() (string, error) {
	return ask(d, "read the UUID", func() (string, driver.Result) {
		uuid, r := d.drv.DeviceGetUuid(d.dev)
		return formatUUID(uuid), r
	})
}

// TotalMemory returns the bytes of memory on the device.
func (d *Device) TotalMemory() (uint64, error) {
	return ask(d, "read the memory size", func() (uint64, driver.Result) { return d.drv.DeviceTotalMem(d.dev) })
}

// Synchronize blocks until all work that this process queued on d has run, and returns
// the first error of that work, whichever goroutine queued it. It blocks a thread.
//
// CUDA Driver API, Context Management, cuCtxSynchronize.
func (d *Device) Synchronize() error {
	const op = "synchronize"
	if d == nil || d.drv == nil || !d.pin() {
		return d.closedError(op, "")
	}
	defer d.unpin()
	if err := d.mayWait(op); err != nil {
		return err
	}
	lost := d.unpark()
	if r := d.inContext(d.drv.CtxSynchronize); r != driver.Success {
		d.restore(lost)
		return d.fail(op, r)
	}
	if len(lost) > 0 {
		d.retire(func() { callAll(lost) })
	}
	return d.hostFailure()
}

// Wait parks the goroutine until all work queued so far on the open streams of d has run
// or ctx is done, and returns the first error of a stream. The rules of Stream.Wait apply. Of a stream that
// captures it is what was queued before.
func (d *Device) Wait(ctx context.Context) error {
	const op = "wait for a device"
	if d.isClosed() {
		return d.closedError(op, "")
	}
	if err := d.mayWait(op); err != nil {
		return err
	}
	d.mu.Lock()
	var streams []*Stream
	for s, q := range d.streams {
		if s := s.Value(); s != nil && !q.captures {
			streams = append(streams, s)
		}
	}
	d.mu.Unlock()
	for _, s := range streams {
		if err := s.waitForWork(ctx); err != nil && !errors.Is(err, ErrClosed) { // whose Close waits
			return err
		}
	}
	return nil
}

// A DeviceAttribute is a CUdevice_attribute. Any value that the driver knows is valid;
// common ones are constants of this package.
type DeviceAttribute driver.DeviceAttribute

// Device attributes. CUDA Driver API, CUdevice_attribute, defines their meaning and
// units.
const (
	MaxThreadsPerBlock      = DeviceAttribute(driver.MaxThreadsPerBlock)
	MaxSharedMemoryPerBlock = DeviceAttribute(driver.MaxSharedMemoryPerBlock)
	MaxSharedMemoryOptIn    = DeviceAttribute(driver.MaxSharedMemoryPerBlockOpt)
	WarpSize                = DeviceAttribute(driver.WarpSize)
	MultiprocessorCount     = DeviceAttribute(driver.MultiprocessorCount)
	ManagedMemory           = DeviceAttribute(driver.ManagedMemory)
	ConcurrentManagedAccess = DeviceAttribute(driver.ConcurrentManagedAccess)
	MemoryPoolsSupported    = DeviceAttribute(driver.MemoryPoolsSupported)
)

// Attribute returns the value of a device attribute; yes is 1 and no is 0. Unknown
// attributes are ErrInvalidValue. Simulated devices know what holds for each device of their compute capability;
// the clock, caches and buses of one are ErrNotSupported.
//
// CUDA Driver API, Device Management, cuDeviceGetAttribute.
func (d *Device) Attribute(attr DeviceAttribute) (int, error) {
	return ask(d, fmt.Sprintf("read attribute %d", attr), func() (int, driver.Result) {
		return d.drv.DeviceGetAttribute(driver.DeviceAttribute(attr), d.dev)
	})
}

// MemoryInfo returns the device's memory in bytes: free, which no process uses, and
// total.
//
// CUDA Driver API, Memory Management, cuMemGetInfo.
func (d *Device) MemoryInfo() (free, total uint64, err error) {
	bytes, err := ask(d, "read the memory in use", d.memoryInfo)
	return bytes[0], bytes[1], err
}

// memoryInfo returns what is free, and all memory.
func (d *Device) memoryInfo() (bytes [2]uint64, r driver.Result) {
	r = d.inContext(func() (r driver.Result) {
		bytes[0], bytes[1], r = d.drv.MemGetInfo()
		return r
	})
	return bytes, r
}

// PCIBusID returns the device's PCI bus ID, such as 0000:01:00.0: domain, bus, device,
// function.
//
// CUDA Driver API, Device Management, cuDeviceGetPCIBusId.
func (d *Device) PCIBusID() (string, error) {
	return ask(d, "read the PCI bus id", func() (string, driver.Result) { return d.drv.DeviceGetPCIBusId(d.dev) })
}

func callAll(functions []func()) {
	for _, f := range functions {
		f()
	}
}

// giveUp releases the driver's objects of d. No call on d may be in progress.
func (d *Device) giveUp(streams []*queue) error {
	callAll(d.unpark())
	for _, q := range streams {
		d.given(d.drv.StreamSynchronize(q.handle))
	}
	d.noteClosed()
	close(d.quiet)
	d.waits.close()
	d.staging.Close()
	for _, destroy := range d.disownAll() {
		d.given(destroy())
	}
	var failed error
	for _, m := range slices.Backward(d.memory.rest()) { // textures before what they read
		if m.done != nil {
			callApart(m.done, func(value any) { failed = cmp.Or(failed, error(hostFuncError(d, "free adopted memory", value))) })
			continue
		}
		waited, freed := m.free(d, d.spare)
		d.given(waited)
		d.given(freed)
	}
	for _, q := range streams {
		q.release()
	}
	d.noteGone()
	d.forgetPeers()
	d.given(d.drv.StreamDestroy(d.spare))
	d.mu.Lock()
	images := d.images
	d.images = nil
	d.mu.Unlock()
	for _, image := range images {
		d.given(d.drv.LibraryUnload(image.handle))
	}
	if r := d.unuseContext(); r != driver.Success {
		return d.fail("close", r)
	}
	return failed
}

// isClosed reports whether d is closed, as nil and the zero Device are.
func (d *Device) isClosed() bool { return d == nil || d.drv == nil || d.closed.Load() }

// counts are what a device counts beside what it has anyway. Launches are not counted: an atomic
// addition would cost each of them as much as all that it does in Go.
type counts struct {
	trims     atomic.Uint64
	imageHits atomic.Uint64
}

// formatUUID writes a device's UUID as nvidia-smi does: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.
func formatUUID(u [16]byte) string {
	h := hex.EncodeToString(u[:])
	return "GPU-" + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// newStaging returns page-locked memory for copies while their streams are busy. Its Take wants an epoch.
func (d *Device) newStaging() *hostcopy.Staging {
	return hostcopy.NewStaging(func(bytes uint64) (host unsafe.Pointer) {
		d.given(d.inContext(func() (r driver.Result) {
			host, r = d.drv.MemHostAlloc(bytes, driver.HostAllocPortable)
			return r
		}))
		return host
	}, func(host unsafe.Pointer) {
		d.given(d.inContext(func() driver.Result { return d.drv.MemFreeHost(host) }))
	})
}

// opened are the devices of the process that are open.
var opened struct {
	mu      sync.Mutex
	devices map[weak.Pointer[Device]]bool
}

func openDevices() (devices []*Device) {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	for w := range opened.devices {
		if d := w.Value(); d != nil && !d.isClosed() {
			devices = append(devices, d)
		} else if d == nil {
			delete(opened.devices, w)
		}
	}
	return devices
}
