package cuda

import "github.com/cudagen/cudagen/runtime/internal/driver"

// LaunchHostFunc queues f on s: f runs after the work queued before it, and work queued
// later waits for f. f runs on its own goroutine.
//
// f must not call this package: the driver forbids it, and may hang. Calls of f that wait for a
// device, or may have to, are errors that wrap ErrNotPermitted: Synchronize and Wait, copies between
// a device and Go memory, and Close of what has work. A goroutine that does so is not noticed: if f waits for
// that goroutine, the device stands still, until Device.Close says so. If f panics or calls
// runtime.Goexit, the program continues, and whatever waits for s returns an *Error from then
// on, which wraps ErrHostFunc and, if f panicked with an error, that error: Synchronize, Wait,
// Query and Close of s, copies between s's device and Go memory on s, waits for events that
// were recorded on s, and Synchronize and Wait of the device as long as s is open.
// Other work on s still runs, copies included. f does not run if earlier
// work failed with an error that makes the device unusable.
//
// CUDA Driver API, Execution Control, cuLaunchHostFunc.
func (s *Stream) LaunchHostFunc(f func()) error {
	const op = "queue a host function"
	defer s.hold().release()
	if m := s.capturing(); m != nil {
		return m.add(op, NewHostNode(f))
	}
	handle, err := s.open(op)
	if err != nil {
		return err
	}
	if f == nil {
		return s.dev.invalid(op, "the function is nil", ErrInvalidValue)
	}
	r := s.dev.inContext(func() driver.Result {
		return s.dev.drv.LaunchHostFunc(handle, func() {
			if err := runHostFunc(s.dev, f); err != nil {
				s.failures.note(s.dev, err)
			}
		})
	})
	if r != driver.Success {
		return s.dev.fail(op, r)
	}
	return nil
}

// ReadSimulated copies memory of simulated devices at addr to dst, in a host function of d, as a copy in its stream does. It is for
// runtime/clib/hostwork.
func (generated) ReadSimulated(d *Device, dst []byte, addr uint64) error {
	if d == nil || d.sim == nil {
		return d.notSimulated("read memory in a host function")
	}
	if r := d.sim.ReadHost(dst, driver.DevicePtr(addr)); r != driver.Success {
		return d.fail("read memory in a host function", r)
	}
	return nil
}

// WriteSimulated copies src to memory of simulated devices at addr, in a host function of d.
func (generated) WriteSimulated(d *Device, addr uint64, src []byte) error {
	if d == nil || d.sim == nil {
		return d.notSimulated("write memory in a host function")
	}
	if r := d.sim.WriteHost(driver.DevicePtr(addr), src); r != driver.Success {
		return d.fail("write memory in a host function", r)
	}
	return nil
}

func (d *Device) notSimulated(op string) error {
	if d == nil {
		return d.closedError(op, "")
	}
	return d.invalid(op, "it is not a simulated device: only these let the host access their memory", ErrNotSupported)
}

// A hostWork calls f.
type hostWork struct {
	f       func()
	library *libraryUse // what f was captured behind, or nil
}

// A libraryUse is what Stream.Use has named in a capture on dev.
type libraryUse struct {
	dev    *Device
	owners []*lifetime
}

// NewHostNode makes a node that calls f on a goroutine of its own. The rules of
// Stream.LaunchHostFunc apply: f must not call this package.
func NewHostNode(f func()) *Node { return &Node{work: &hostWork{f: f}} }

func (w *hostWork) text() string { return "host function" }
func (w *hostWork) frozen() work { return w }

func (w *hostWork) define(def *definition) error {
	if w.f == nil {
		return &Error{Op: buildOp, Detail: "its function is nil", Err: ErrInvalidValue}
	}
	def.kind, def.other().host = driver.HostNodeType, w.f
	if w.library == nil {
		return nil
	}
	def.dev = w.library.dev
	return def.useLibrary(w.library.owners)
}
