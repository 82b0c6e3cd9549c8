package cuda

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
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
		allocate := func() driver.Result {
			return d.inContext(func() (r driver.Result) {
				addr, r = d.drv.MemAlloc(whole)
				return r
			})
		}
		r := allocate()
		if r != driver.Success {
			r = d.again(r, allocate)
		}
		if r != driver.Success {
			if addr != 0 { // it was the context
				d.given((&memory{addr: addr, kind: exportable}).freeNow(d))
			}
			return nil, d.exhausted(op, r)
		}
	}
	return &Buffer[T]{buffer{account(&allocation{lifetime: lifetime{addr: uint64(addr), dev: d}, bytes: bytes, kind: exportable}), n}}, nil
}

// A MemoryHandle is what another process on the machine needs to use memory of this one: Import. It is
// marshaled as text, for a pipe, a socket, a file or an environment variable. It says how many elements
// there are, of what layout, and on which GPU. The zero MemoryHandle is no memory's.
type MemoryHandle[T any] struct {
	shared sharedHandle
	n      int
}

// An EventHandle is what another process on the machine needs to use an event of this one: Import.
// It is marshaled as a MemoryHandle is.
type EventHandle struct{ shared sharedHandle }

// A sharedHandle is the driver's handle, with the properties that the opening process compares.
type sharedHandle struct {
	handle  driver.IpcHandle
	uuid    string // of the device
	process string // which has exported it
}

// thisProcess is a number that no other process has.
var thisProcess = sync.OnceValue(func() string {
	var number [8]byte
	rand.Read(number[:]) // never fails
	return hex.EncodeToString(number[:])
})

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
func (d *Device) share(op string, get func() (driver.IpcHandle, driver.Result)) (s sharedHandle, err error) {
	if d.simulated {
		return s, d.notShared(op)
	}
	if s.uuid, err = d.UUID(); err != nil {
		return sharedHandle{}, err
	}
	r := d.inContext(func() (r driver.Result) {
		s.handle, r = get()
		return r
	})
	if r != driver.Success {
		return sharedHandle{}, d.fail(op, r)
	}
	s.process = thisProcess()
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
	if err := h.shared.check(d, op); err != nil {
		return nil, err
	}
	bytes, err := bytesOf[T](op, d, h.n)
	if err != nil {
		return nil, err
	}
	if h.n == 0 {
		return nil, d.invalid(op, "the handle has no elements", ErrInvalidValue)
	}
	var addr driver.DevicePtr
	r := d.inContext(func() (r driver.Result) {
		addr, r = d.drv.IpcOpenMemHandle(h.shared.handle, driver.IpcLazyPeerAccess)
		return r
	})
	if r != driver.Success {
		if addr != 0 { // it was the context
			d.given((&memory{addr: addr, kind: imported}).freeNow(d))
		}
		return nil, d.fail(op, r)
	}
	return &Buffer[T]{buffer{account(&allocation{lifetime: lifetime{addr: uint64(addr), dev: d}, bytes: bytes, kind: imported}), h.n}}, nil
}

// freeNow is release for memory that nothing uses.
func (m *memory) freeNow(d *Device) driver.Result {
	r, released := m.release(d)
	return cmp.Or(r, released)
}

// check returns why the handle cannot be opened on d.
func (s *sharedHandle) check(d *Device, op string) error {
	switch {
	case d.isClosed():
		return d.closedError(op, "")
	case s.process == "":
		return d.invalid(op, "the handle is empty: use what Export returned", ErrInvalidValue)
	case d.simulated:
		return d.notShared(op)
	case s.process == thisProcess():
		return d.invalid(op, "this process has exported it: use the original", ErrInvalidValue)
	}
	uuid, err := d.UUID()
	if err == nil && uuid != s.uuid {
		err = d.invalid(op, "it is on "+s.uuid+", not on "+uuid+": import it there, and use Copy or EnablePeerAccess", ErrInvalidDevice)
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
	if err := h.shared.check(d, op); err != nil {
		return nil, err
	}
	e, err := d.newEvent(op, func() (driver.Event, driver.Result) { return d.drv.IpcOpenEventHandle(h.shared.handle) })
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
	if h.shared.process == "" {
		return nil, errEmptyHandle("marshal a memory handle")
	}
	return []byte(h.shared.text(memoryText, layoutText(reflect.TypeFor[T]()), strconv.Itoa(h.n))), nil
}

// UnmarshalText sets h to what MarshalText returned, in whatever process. It is an error if the elements
// there had another layout than T: other fields, offsets or kinds of numbers. Names do not matter.
func (h *MemoryHandle[T]) UnmarshalText(text []byte) error {
	const op = "read a memory handle"
	if err := plainData[T](op, nil); err != nil {
		return err
	}
	shared, more, err := parseHandle(op, memoryText, string(text), 2)
	if err != nil {
		return err
	}
	if want := layoutText(reflect.TypeFor[T]()); more[0] != want {
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
	if h.shared.process == "" {
		return nil, errEmptyHandle("marshal an event handle")
	}
	return []byte(h.shared.text(eventText)), nil
}

// UnmarshalText sets h to what MarshalText returned, in whatever process.
func (h *EventHandle) UnmarshalText(text []byte) (err error) {
	shared, _, err := parseHandle("read an event handle", eventText, string(text), 0)
	if err == nil {
		h.shared = shared
	}
	return err
}

func errEmptyHandle(op string) error {
	return &Error{Op: op, Detail: "the handle is empty: use what Export returned", Err: ErrInvalidValue}
}

// text returns s as text, with more about what it is of.
func (s *sharedHandle) text(kind string, more ...string) string {
	parts := append([]string{kind, s.uuid, s.process, base64.RawURLEncoding.EncodeToString(s.handle[:])}, more...)
	return strings.Join(parts, "/")
}

// parseHandle undoes text. There are more parts behind those that all handles have.
func parseHandle(op, kind, text string, more int) (s sharedHandle, rest []string, err error) {
	parts := strings.Split(strings.TrimSpace(text), "/")
	if len(parts) != 4+more || parts[0] != kind || parts[1] == "" || parts[2] == "" {
		return s, nil, &Error{Op: op, Detail: fmt.Sprintf("%.40q is not the text of a handle, which begins with %s", text, kind), Err: ErrInvalidValue}
	}
	handle, err := base64.RawURLEncoding.DecodeString(parts[3])
	if err != nil || len(handle) != len(s.handle) {
		return s, nil, &Error{Op: op, Detail: "the handle itself is damaged", Err: ErrInvalidValue}
	}
	s = sharedHandle{driver.IpcHandle(handle), parts[1], parts[2]}
	return s, parts[4:], nil
}

// layoutText describes plain data of type t, without names: float32, [3]int8, {0:float32,8:int64;16}.
func layoutText(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[vec.Float16]():
		return "float16"
	case reflect.TypeFor[vec.BFloat16]():
		return "bfloat16"
	}
	switch t.Kind() {
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), layoutText(t.Elem()))
	case reflect.Struct:
		var fields []string
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" || f.Type.Size() == 0 {
				continue
			}
			fields = append(fields, fmt.Sprintf("%d:%s", f.Offset, layoutText(f.Type)))
		}
		return fmt.Sprintf("{%s;%d}", strings.Join(fields, ","), t.Size())
	}
	return t.Kind().String()
}
