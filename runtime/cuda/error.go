package cuda

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// An Error describes a failed operation: what was tried, where, what went wrong, and what
// to do. It wraps a Code, a Fault or an error such as ErrClosed; errors.Is and errors.As
// find them. The text has a Code that the driver returned; where this package found the
// mistake, Detail is all that there is to say.
type Error struct {
	Op     string       // operation: launch, allocate, load kernels.ptx
	Kernel string       // C++ name of the kernel, also of one that has failed before the operation; or empty
	Config LaunchConfig // of a launch; zero otherwise
	Device string       // "device 0 (NVIDIA H200)", or empty
	Driver int          // CUDA version of the driver, 1000*major + 10*minor; 0 if the error belongs to no device
	Detail string       // what is wrong, or empty
	Hint   string       // what to do, or empty
	First  *Error       // the error that made the device unusable, or nil
	Err    error        // a Code, a *Fault, an error such as ErrClosed, or the reason why the driver cannot be loaded

	late bool // Kernel is the Fault's: it was launched before
	said bool // the driver has returned Err, a Code
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("cuda: " + e.Op)
	if e.Kernel != "" && !e.late {
		b.WriteString(" " + launchText(e.Kernel, &e.Config))
	}
	if e.Device != "" {
		b.WriteString(" on " + e.Device)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if fault, ok := e.Err.(*Fault); ok && e.First != nil {
		b.WriteString(": " + fault.Code.Error()) // First has the rest
	} else if _, isCode := e.Err.(Code); e.Err != nil && (!isCode || e.said || e.Detail == "") {
		b.WriteString(": " + e.Err.Error())
	}
	if e.First != nil {
		fmt.Fprintf(&b, "; the device is unusable since [%v]", e.First)
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// launchText returns a kernel's name and configuration as in a CUDA launch. Either may be zero.
func launchText(kernel string, cfg *LaunchConfig) string {
	if cfg.Block == (Dim3{}) && cfg.Grid == (Dim3{}) {
		return kernel
	}
	shared := ""
	if cfg.SharedBytes > 0 {
		shared = fmt.Sprintf(",%d", cfg.SharedBytes)
	}
	return fmt.Sprintf("%s<<<%v,%v%s>>>", kernel, cfg.Grid, cfg.Block, shared)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports that errors after a fault are ErrDeviceLost, for errors.Is.
func (e *Error) Is(target error) bool { return target == ErrDeviceLost && e.First != nil }

// failed completes e, the error of an operation on d that the driver has answered
// with r. The first one that ends the context is kept, and all later ones name it.
func (d *Device) failed(e *Error, r driver.Result) error {
	e.Device, e.Driver, e.Err, e.said = d.String(), d.version, Code(r), true
	if r.EndsContext() {
		fault := d.faultOf(r)
		e.Err = fault
		if e.Kernel == "" {
			e.Kernel, e.late = fault.Kernel, true
		}
	}
	if e.Hint == "" {
		e.Hint = d.hint(r)
	}
	first := d.fault.Load()
	if first == nil && r.EndsContext() {
		if d.fault.CompareAndSwap(nil, e) {
			return e
		}
		first = d.fault.Load()
	}
	if e.First = first; first != nil {
		e.Hint = d.afterFault()
	}
	return e
}

// afterFault says what helps when a kernel's error has ended the context.
func (d *Device) afterFault() string {
	if d.simulated {
		return "close the device and open it again"
	}
	return "start the process again: CUDA does not recover from it"
}

// given takes r, the result of releasing an object, which no caller receives. If r means
// that the context has ended, later calls on d report it.
func (d *Device) given(r driver.Result) {
	if r.EndsContext() {
		d.fail("give back", r)
	}
}

// hint says what helps against r.
func (d *Device) hint(r driver.Result) string {
	switch {
	case r == driver.ErrorOutOfMemory:
		return "close buffers that are not needed, or work in parts"
	case r == driver.ErrorIllegalAddress && !d.simulated:
		return d.afterFault() + "; the simulated device (CUDAGEN_DEVICE=sim) names the instruction and the thread"
	case r == driver.ErrorCallRequiresNewerDriver:
		return "update NVIDIA's driver"
	case r.EndsContext():
		return d.afterFault()
	}
	return ""
}

func (d *Device) fail(op string, r driver.Result) error { return d.failed(&Error{Op: op}, r) }

// closedError is the error of an operation on d whose object, or d itself with "",
// was closed, or never made.
func (d *Device) closedError(op, object string) error {
	if d.isUnmade() {
		return unmade(op, cmp.Or(object, "the device"))
	}
	return &Error{Op: op, Device: d.String(), Driver: d.driverVersion(), Detail: d.closedObject(object), Err: ErrClosed}
}

// closedObject returns what errors say is closed: object, or the device with which it was closed.
func (d *Device) closedObject(object string) string {
	if d.isClosed() {
		return "the device"
	}
	return object
}

// invalid is the error of an operation on d that is not tried.
func (d *Device) invalid(op, detail string, err error) error {
	return &Error{Op: op, Device: d.String(), Driver: d.driverVersion(), Detail: detail, Err: err}
}

// There is one rule for values that no constructor has returned: Close of nil and of
// a zero value does nothing, and everything else with them is an ErrInvalidValue that says what
// makes such an object. What was closed is an ErrClosed.

// makers are what makes the objects that errors name, or returns them.
var makers = map[string]string{
	"the device": "OpenDefault", "the stream": "Device.NewStream", "the event": "Device.NewEvent", "the pool": "Device.NewPool",
	"the buffer": "Alloc or Upload", "the graph": "BuildGraph", "the batch": "NewBatch", "its library": "Device.LoadLibrary",
	"the array": "NewArray", "the texture": "NewTexture", "the surface": "NewSurface",
	"its event": "Device.NewEvent", "its buffer": "Alloc or Upload",
}

// unmade is the error of op with an object that is nil or a zero value.
func unmade(op, object string) error {
	return &Error{Op: op, Detail: unmadeDetail(object), Err: ErrInvalidValue}
}

func unmadeDetail(object string) string { return unmadeFor(object, "") }

// unmadeFor is unmadeDetail of an object that belongs to something, such as " of x", or to nothing.
func unmadeFor(object, of string) string {
	if object == "the "+noMemory.what {
		return object + of + ", which SliceAt was given, is at address 0: that is NULL"
	}
	detail := object + of + " is nil or a zero value"
	if maker := makers[object]; maker != "" {
		detail += ": make one with " + maker
	}
	return detail
}

// isUnmade reports whether d is nil or a zero value.
func (d *Device) isUnmade() bool { return d == nil || d.drv == nil }

// closedPeer is the error of an operation on d with another device, one of which is closed.
func (d *Device) closedPeer(op string, peer *Device) error {
	if d.isClosed() {
		return d.closedError(op, "")
	}
	return peer.closedError(op, "")
}

// closedError is the error of an operation on d with an object that has l and that the error
// calls what: it is closed, or was never made.
func (l *lifetime) closedError(d *Device, op, what string) error {
	if l.isUnmade() {
		return unmade(op, "the "+l.what)
	}
	return d.closedError(op, what)
}

// closedFor returns the detail and the cause of the error of a launch whose argument for param
// has l.
func (l *lifetime) closedFor(param string) (detail string, err error) {
	if l.isUnmade() {
		return unmadeFor("the "+l.what, " of "+param), ErrInvalidValue
	}
	return l.deviceOrNil().closedObject("the " + l.what + " of " + param), ErrClosed
}

// A feature came after the oldest driver that cudagen works with. docs/drivers.md lists all.
type feature struct {
	what  string // it is or they are …
	since int    // the version of CUDA that brought it: 1000*major + 10*minor
}

var (
	conditionalNodes  = feature{"conditional nodes", 12030}
	programmaticEdges = feature{"programmatic launches in a graph", 12030}
	elseAndSwitch     = feature{"an else and a switch", 12080}
	machineCode       = feature{"kernels that are neither generated nor PTX, whose parameters the driver must tell,", 12040}
)

// needs returns an error if d's driver is older than f.
func (d *Device) needs(op string, f feature) error {
	if d.version >= f.since {
		return nil
	}
	return &Error{
		Op: op, Device: d.String(), Driver: d.version,
		Detail: fmt.Sprintf("this driver is for CUDA %s: %s need CUDA %s", cudaVersion(d.version), f.what, cudaVersion(f.since)),
		Hint:   "update NVIDIA's driver",
		Err:    ErrUnsupported,
	}
}

// cudaVersion writes 12040 as 12.4.
func cudaVersion(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }
