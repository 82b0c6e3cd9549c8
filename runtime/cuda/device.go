package cuda

import (
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Device is one opened GPU, or the simulated device.
type Device struct {
	drv       driver.Driver
	simulated bool
	dev       driver.Device
	ctx       driver.Context
	ordinal   int
	name      string
	version   int // of the driver: 1000*major + 10*minor
	limits    limits
	waits     *waiter

	mu        sync.Mutex
	closed    bool
	libraries map[*Library]bool       // loaded
	images    map[string]*loadedImage // what they share, by SHA-256
	streams   map[*Stream]bool        // open, but for spare
	spare     *Stream                 // for work whose own stream is gone
}

// limits are the launch limits of a device, by dimension x, y, z.
type limits struct {
	grid, block     [3]int
	threadsPerBlock int
	sharedBytes     int // of a block, without opting in
}

func openDevice(drv driver.Driver, simulated bool, ordinal int) (*Device, error) {
	dev, r := drv.DeviceGet(ordinal)
	if r != driver.Success {
		return nil, &Error{Op: fmt.Sprintf("open device %d", ordinal), Err: Code(r)}
	}
	d := &Device{drv: drv, simulated: simulated, dev: dev, ordinal: ordinal, libraries: make(map[*Library]bool), images: make(map[string]*loadedImage), streams: make(map[*Stream]bool)}
	d.waits = &waiter{dev: d, streams: make(map[*Stream][]*pending), events: make(map[*Event]*pending)}
	d.name, r = drv.DeviceGetName(dev)
	if r != driver.Success {
		return nil, d.fail("read the name", r)
	}
	d.version, r = drv.DriverGetVersion()
	if r != driver.Success {
		return nil, d.fail("read the driver version", r)
	}
	err := d.readLimits()
	if err != nil {
		return nil, err
	}
	d.ctx, r = drv.DevicePrimaryCtxRetain(dev)
	if r != driver.Success {
		return nil, d.fail("retain the primary context", r)
	}
	if d.spare, err = d.NewStream(); err != nil {
		drv.DevicePrimaryCtxRelease(dev)
		return nil, err
	}
	return d, nil
}

func (d *Device) readLimits() error {
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
			return d.fail("read the limits", r)
		}
		*want.into = v
	}
	return nil
}

// Name returns the driver's name of the device, such as "NVIDIA H200".
func (d *Device) Name() string { return d.name }

// Ordinal returns the device's number among those that its driver shows.
func (d *Device) Ordinal() int { return d.ordinal }

// IsSimulated reports whether d is the simulated device: right, but slower than a
// GPU by orders of magnitude.
func (d *Device) IsSimulated() bool { return d.simulated }

// DriverVersion returns the CUDA version that the driver supports, such as 13, 0.
func (d *Device) DriverVersion() (major, minor int) { return d.version / 1000, d.version % 1000 / 10 }

// String returns "device 0 (NVIDIA H200)".
func (d *Device) String() string {
	if d == nil {
		return "no device"
	}
	return fmt.Sprintf("device %d (%s)", d.ordinal, d.name)
}

// ComputeCapability returns the version of the device's architecture, such as 9, 0.
func (d *Device) ComputeCapability() (major, minor int, err error) {
	major, r := d.drv.DeviceGetAttribute(driver.ComputeCapabilityMajor, d.dev)
	if r == driver.Success {
		minor, r = d.drv.DeviceGetAttribute(driver.ComputeCapabilityMinor, d.dev)
	}
	if r != driver.Success {
		return 0, 0, d.fail("read the compute capability", r)
	}
	return major, minor, nil
}

// UUID returns the device's identifier, as nvidia-smi prints it and CUDAGEN_DEVICE takes it.
func (d *Device) UUID() (string, error) {
	uuid, r := d.drv.DeviceGetUuid(d.dev)
	if r != driver.Success {
		return "", d.fail("read the UUID", r)
	}
	return formatUUID(uuid), nil
}

// TotalMemory returns the bytes of memory on the device.
func (d *Device) TotalMemory() (uint64, error) {
	bytes, r := d.drv.DeviceTotalMem(d.dev)
	if r != driver.Success {
		return 0, d.fail("read the memory size", r)
	}
	return bytes, nil
}

// Synchronize blocks until all work queued on d, by anyone in this process, has
// run. It returns the first error of that work, which need not be of this caller.
//
// CUDA Driver API, Context Management, cuCtxSynchronize.
func (d *Device) Synchronize() error {
	if d.isClosed() {
		return &Error{Op: "synchronize", Device: d.String(), Err: ErrClosed}
	}
	if r := d.inContext(d.drv.CtxSynchronize); r != driver.Success {
		return d.failWork("synchronize", r)
	}
	return nil
}

// Close gives the device up. Streams, buffers and libraries of d that are still open
// are closed with it, their work unfinished or not. It may be called more than once.
//
// CUDA Driver API, Primary Context Management, cuDevicePrimaryCtxRelease.
func (d *Device) Close() error {
	d.mu.Lock()
	closed := d.closed
	d.closed = true
	streams, libraries := d.streams, d.libraries
	d.streams, d.libraries = nil, nil
	d.mu.Unlock()
	if closed {
		return nil
	}
	for s := range streams {
		s.Close() // an error would be of work whose result nobody has asked for
	}
	for l := range libraries {
		l.Close()
	}
	d.spare.Close() // an error would be of work whose own stream has reported it
	d.waits.close()
	if r := d.drv.DevicePrimaryCtxRelease(d.dev); r != driver.Success {
		return d.fail("close", r)
	}
	return nil
}

func (d *Device) isClosed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

// inContext calls f on a thread where d's context is current, and leaves the
// thread as it was.
func (d *Device) inContext(f func() driver.Result) driver.Result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r := d.drv.CtxPushCurrent(d.ctx); r != driver.Success {
		return r
	}
	r := f()
	if _, popped := d.drv.CtxPopCurrent(); r == driver.Success {
		r = popped
	}
	return r
}

func (d *Device) fail(op string, r driver.Result) error {
	return &Error{Op: op, Device: d.String(), Err: Code(r)}
}

// failWork is the error of an operation that waited for work on the device. The
// simulator knows which kernel, instruction and thread went wrong, and says so in the
// log of the kernel's library.
func (d *Device) failWork(op string, r driver.Result) error {
	e := &Error{Op: op, Device: d.String(), Err: Code(r)}
	if !d.simulated {
		return e
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for lib := range d.libraries {
		if log := strings.TrimSpace(d.drv.LibraryLog(driver.Library(lib.handle.Load()))); log != "" {
			e.Detail = log
		}
	}
	return e
}

// formatUUID writes a device's UUID as nvidia-smi does: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.
func formatUUID(u [16]byte) string {
	h := hex.EncodeToString(u[:])
	return "GPU-" + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
