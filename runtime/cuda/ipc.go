package cuda

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/cudagen/cudagen/runtime/cuda/internal/element"
	"github.com/cudagen/cudagen/runtime/cuda/internal/ipc"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// exportUnit is the size of which exportable memory is a multiple, so that the driver does not share
// memory of others with it.
//
// CUDA C++ Programming Guide, Interprocess Communication.
const exportUnit = 2 << 20

// AllocExportable allocates n elements on d that Buffer.Export gives to other processes: memory of a
// pool, as of Alloc, cannot be given. It takes a multiple of 2 MiB. The memory is not initialized. n
// may be 0. AllocExportable and Close are slow, and Close waits for the device's work.
//
// CUDA Driver API, Memory Management, cuMemAlloc.
func AllocExportable[T any](d *Device, n int) (*Buffer[T], error) {
	bytes, err := bytesOf[T]("", d, n)
	if err != nil {
		return nil, err
	}
	op := allocating[T](n)
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	var addr driver.DevicePtr
	if bytes > 0 {
		whole := (bytes + exportUnit - 1) / exportUnit * exportUnit
		try := func() (r driver.Result) {
			addr, r = create(d, func() (driver.DevicePtr, driver.Result) { return d.drv.MemAlloc(whole) }, d.drv.MemFree)
			return r
		}
		if r := d.again(try(), try); r != driver.Success {
			return nil, d.exhausted(op, r)
		}
	}
	return &Buffer[T]{buffer{account(&allocation{lifetime: lifetime{addr: uint64(addr), dev: d}, bytes: bytes, kind: exportable}), n}}, nil
}

// A MemoryHandle is what another process on the machine needs to use memory of this one: Import. It is
// marshaled as text, for a pipe, a socket, a file or an environment variable. It says how many elements
// there are, of what layout, and on which GPU. The zero MemoryHandle is no memory's.
type MemoryHandle[T any] struct {
	shared ipc.Handle
	n      int
}

// An EventHandle is what another process on the machine needs to use an event of this one: Import.
// It is marshaled as a MemoryHandle is.
type EventHandle struct{ shared ipc.Handle }

// Export returns the handle of b, which AllocExportable made, for other processes on the machine. b must
// stay open until they have closed what they imported: the driver does not see that they use it. Work of
// several processes is ordered by events, EventConfig.Interprocess, or by waiting.
//
// On a simulated device the error wraps ErrNotSupported.
//
// CUDA Driver API, Memory Management, cuIpcGetMemHandle.
func (b *Buffer[T]) Export() (MemoryHandle[T], error) {
	const op = "export a buffer"
	if b == nil || b.mem == nil {
		return MemoryHandle[T]{}, (*Device)(nil).closedError(op, "the buffer")
	}
	d := b.mem.dev
	defer d.hold().release()
	if d.isClosed() || !b.mem.begin() {
		return MemoryHandle[T]{}, d.closedError(op, "the buffer")
	}
	defer b.mem.end()
	switch {
	case b.mem.kind != exportable:
		return MemoryHandle[T]{}, d.invalid(op, fmt.Sprintf("it is %v, which other processes cannot use: allocate it by AllocExportable", b.mem.kind), ErrInvalidValue)
	case b.n == 0:
		return MemoryHandle[T]{}, d.invalid(op, "it has no elements", ErrInvalidValue)
	}
	shared, err := d.share(op, func() (driver.IpcHandle, driver.Result) { return d.drv.IpcGetMemHandle(driver.DevicePtr(b.mem.addr)) })
	return MemoryHandle[T]{shared, b.n}, err
}

// share returns the handle that get gets of the driver. The caller holds an epoch.
func (d *Device) share(op string, get func() (driver.IpcHandle, driver.Result)) (s ipc.Handle, err error) {
	if d.simulated {
		return s, d.notShared(op)
	}
	if s.UUID, err = d.UUID(); err != nil {
		return ipc.Handle{}, err
	}
	r := d.inContext(func() (r driver.Result) {
		s.Driver, r = get()
		return r
	})
	if r != driver.Success {
		return ipc.Handle{}, d.fail(op, r)
	}
	s.Process = ipc.ThisProcess()
	return s, nil
}

// notShared is the error of an operation for other processes on a simulated device.
func (d *Device) notShared(op string) error {
	return d.invalid(op, "the device is simulated: its memory and events are of this process alone", ErrNotSupported)
}

// Import returns the memory of another process on the machine as a buffer on d, which must be the GPU
// that it is on. Close ends its use here; the process that exported it must have it open until then. It
// is an error if that process is this one.
//
// CUDA Driver API, Memory Management, cuIpcOpenMemHandle, cuIpcCloseMemHandle.
func (h MemoryHandle[T]) Import(d *Device) (*Buffer[T], error) {
	const op = "import a buffer"
	defer d.hold().release()
	if err := checkHandle(&h.shared, d, op); err != nil {
		return nil, err
	}
	bytes, err := bytesOf[T](op, d, h.n)
	if err != nil {
		return nil, err
	}
	if h.n == 0 {
		return nil, d.invalid(op, "the handle has no elements", ErrInvalidValue)
	}
	addr, r := create(d, func() (driver.DevicePtr, driver.Result) {
		return d.drv.IpcOpenMemHandle(h.shared.Driver, driver.IpcLazyPeerAccess)
	}, d.drv.IpcCloseMemHandle)
	if r != driver.Success {
		return nil, d.fail(op, r)
	}
	return &Buffer[T]{buffer{account(&allocation{lifetime: lifetime{addr: uint64(addr), dev: d}, bytes: bytes, kind: imported}), h.n}}, nil
}

// checkHandle returns why h cannot be opened on d.
func checkHandle(h *ipc.Handle, d *Device, op string) error {
	switch {
	case d.isClosed():
		return d.closedError(op, "")
	case h.Process == "":
		return d.invalid(op, "the handle is empty: use what Export returned", ErrInvalidValue)
	case d.simulated:
		return d.notShared(op)
	case h.Process == ipc.ThisProcess():
		return d.invalid(op, "this process has exported it: use the original", ErrInvalidValue)
	}
	uuid, err := d.UUID()
	if err == nil && uuid != h.UUID {
		err = d.invalid(op, "it is on "+h.UUID+", not on "+uuid+": import it there, and use Copy or EnablePeerAccess", ErrInvalidDevice)
	}
	return err
}

// Export returns the handle of e, which was made with EventConfig.Interprocess, for other processes on
// the machine. e must stay open until they have closed what they imported.
//
// CUDA Driver API, Event Management, cuIpcGetEventHandle.
func (e *Event) Export() (EventHandle, error) {
	const op = "export an event"
	defer e.hold().release()
	event, err := e.use(op)
	if err != nil {
		return EventHandle{}, err
	}
	defer e.end()
	if !e.shared {
		return EventHandle{}, e.dev.invalid(op, "it is for this process alone: make it with EventConfig{Interprocess: true}", ErrInvalidValue)
	}
	shared, err := e.dev.share(op, func() (driver.IpcHandle, driver.Result) { return e.dev.drv.IpcGetEventHandle(event) })
	return EventHandle{shared}, err
}

// Import returns the event of another process on the machine as one of d, which must be the GPU
// that it is on. Both processes may record it and wait for it. Like an event that was never recorded it
// is complete until one of them records it.
//
// CUDA Driver API, Event Management, cuIpcOpenEventHandle.
func (h EventHandle) Import(d *Device) (*Event, error) {
	const op = "import an event"
	if err := checkHandle(&h.shared, d, op); err != nil {
		return nil, err
	}
	e, err := d.newEvent(op, func() (driver.Event, driver.Result) { return d.drv.IpcOpenEventHandle(h.shared.Driver) })
	if err == nil {
		e.shared = true
	}
	return e, err
}

// Len returns the number of elements.
func (h MemoryHandle[T]) Len() int { return h.n }

// The text of handles: the kind, then the parts.
const (
	memoryText = "cudagen-memory-1"
	eventText  = "cudagen-event-1"
)

// MarshalText returns h as text of one line without spaces.
func (h MemoryHandle[T]) MarshalText() ([]byte, error) {
	if h.shared.Process == "" {
		return nil, errEmptyHandle("marshal a memory handle")
	}
	return []byte(h.shared.Text(memoryText, element.Description(reflect.TypeFor[T]()), strconv.Itoa(h.n))), nil
}

// UnmarshalText sets h to what MarshalText returned, in whatever process. It is an error if the elements
// there had another layout than T: other fields, offsets or kinds of numbers. Names do not matter.
func (h *MemoryHandle[T]) UnmarshalText(text []byte) error {
	const op = "read a memory handle"
	if err := plainData[T](op, nil); err != nil {
		return err
	}
	shared, more, wrong := ipc.Parse(memoryText, string(text), 2)
	if wrong != "" {
		return &Error{Op: op, Detail: wrong, Err: ErrInvalidValue}
	}
	if want := element.Description(reflect.TypeFor[T]()); more[0] != want {
		return &Error{Op: op, Detail: fmt.Sprintf("its elements are %s, not %s as those of %v", more[0], want, reflect.TypeFor[T]()), Err: ErrInvalidValue}
	}
	n, err := strconv.Atoi(more[1])
	if err != nil || n <= 0 || n > maxLen {
		return &Error{Op: op, Detail: fmt.Sprintf("%q is not a number of elements", more[1]), Err: ErrInvalidValue}
	}
	*h = MemoryHandle[T]{shared, n}
	return nil
}

// MarshalText returns h as text of one line without spaces.
func (h EventHandle) MarshalText() ([]byte, error) {
	if h.shared.Process == "" {
		return nil, errEmptyHandle("marshal an event handle")
	}
	return []byte(h.shared.Text(eventText)), nil
}

// UnmarshalText sets h to what MarshalText returned, in whatever process.
func (h *EventHandle) UnmarshalText(text []byte) error {
	shared, _, wrong := ipc.Parse(eventText, string(text), 0)
	if wrong != "" {
		return &Error{Op: "read an event handle", Detail: wrong, Err: ErrInvalidValue}
	}
	h.shared = shared
	return nil
}

func errEmptyHandle(op string) error {
	return &Error{Op: op, Detail: "the handle is empty: use what Export returned", Err: ErrInvalidValue}
}
