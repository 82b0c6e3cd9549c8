package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Errors of this package that are not result codes.
var (
	// ErrClosed is wrapped by errors of calls on a closed object.
	ErrClosed = errors.New("closed")
	// ErrShortSlice is wrapped when a slice has fewer elements than its kernel needs, or than
	// are copied there.
	ErrShortSlice = errors.New("slice too short")
	// ErrLongSlice is wrapped when a slice has more elements than are copied there. It is an
	// ErrInvalidValue, too.
	ErrLongSlice error = longSlice{}
	// ErrOverflow is wrapped when a length does not fit the parameter inferred from it.
	ErrOverflow = errors.New("value out of range")
	// ErrABI is wrapped when an image's kernel or variable differs from the Go code.
	ErrABI = errors.New("image and Go code disagree")
	// ErrHostFunc is wrapped when a host function panicked or did not return.
	ErrHostFunc = errors.New("host function failed")
	// ErrNeedsInstantiation is wrapped when a node of a GraphExec cannot be updated to what it
	// does now: Graph.Instantiate makes another exec that does.
	ErrNeedsInstantiation = errors.New("the graph must be instantiated again")
	// ErrDeviceLost is found by errors.Is in every error of a device that a fault has made
	// unusable: in that of the fault, and in all that the driver returns afterwards.
	// docs/faults.md says which codes do so, and how a server goes on.
	ErrDeviceLost = errors.New("the device is unusable")
	// ErrNoDriver is wrapped when there is no CUDA driver and no simulated device.
	ErrNoDriver = errors.New("no CUDA driver")
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

// A longSlice is ErrLongSlice.
type longSlice struct{}

func (longSlice) Error() string        { return "slice too long" }
func (longSlice) Is(target error) bool { return target == ErrInvalidValue }

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
