package clib

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// A Kind is a type of handles of a C library.
type Kind struct {
	Name         string    // in C: cublasHandle_t
	Destroy      *Function // takes the handle; nil if there is none
	Stream       *Function // takes the handle and a stream
	Mode         *Function // takes the handle and Host or Device
	Host, Device uintptr

	Failed func(c *Call, status int32) error // makes an error of a status that is not 0
}

// An Object is a handle of a C library in Go. The zero Object stands for none.
type Object struct {
	kind   *Kind
	device *cuda.Device
	value  uintptr // in C
	closed atomic.Bool

	mu     sync.Mutex   // held while a call uses the object, also on a simulated device
	stream *cuda.Stream // that was set last; nil if it is not known
	mode   Mode         // that was set last
	held   [maxHeld]atomic.Pointer[cuda.Owner]
	graphs *cuda.Resource

	stateMu sync.Mutex
	state   any

	kept [maxKept]atomic.Int64 // the number, or one more if it is not negative; 0 for none
}

// maxHeld is how many pieces of memory an object can hold.
const maxHeld = 4

// Hold has o use memory of that owner in each call from now on, in place of what it held as number index.
func (o *Object) Hold(index int, owner cuda.Owner) { o.held[index].Store(&owner) }

// maxKept is how many numbers an object can keep.
const maxKept = 10

// Keep has o keep n as its number of that index.
func (o *Object) Keep(index int, n int64) {
	if n >= 0 {
		n = Add(n, 1)
	}
	o.kept[index].Store(n)
}

// Kept returns a number that o keeps; of one that was never set more than any memory has.
func Kept(o *Object, index int) int64 {
	if o == nil {
		return 0 // which is an error of the call
	}
	switch n := o.kept[index].Load(); {
	case n == 0:
		return tooMuch
	case n > 0 && n < tooMuch:
		return n - 1
	default:
		return n
	}
}

// Created makes o the object that the call has made.
func (c *Call) Created(o *Object, kind *Kind, value uintptr) {
	o.kind, o.device, o.value = kind, c.device, value
	o.graphs = c.device.NewResource(kind.Name)
}

// Made returns the handle that a function has returned, which is NULL if it made none.
func (c *Call) Made(result uint64, err error) (value uintptr, _ error) {
	if err == nil && result == 0 {
		err = c.error(ErrNull, "")
	}
	return uintptr(result), err
}

func (o *Object) isClosed() bool { return o.closed.Load() }

// Device returns the device of o, or nil.
func (o *Object) Device() *cuda.Device {
	if o == nil {
		return nil
	}
	return o.device
}

// State returns what SetState has set.
func (o *Object) State() any {
	if o == nil {
		return nil
	}
	o.stateMu.Lock()
	defer o.stateMu.Unlock()
	return o.state
}

// SetState keeps v with o.
func (o *Object) SetState(v any) {
	o.stateMu.Lock()
	defer o.stateMu.Unlock()
	o.state = v
}

// Close destroys o. It waits for calls that use it. Graphs with work of o cannot be launched any more. Closing it again does nothing.
func (o *Object) Close() error {
	if o == nil || o.kind == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed.Swap(true) {
		return nil
	}
	err := o.graphs.Close()
	if closer, ok := o.State().(io.Closer); ok {
		err = errors.Join(err, closer.Close())
	}
	if o.device.IsSimulated() || o.kind.Destroy == nil {
		return err
	}
	err = errors.Join(err, o.forgetStream()) // which may be closed
	c := &Call{Function: o.kind.Destroy, device: o.device}
	return errors.Join(err, c.small(o, 0, 1))
}

// isSetFor reports whether o has the stream and the mode of c.
func (o *Object) isSetFor(c *Call) bool {
	return c.bits != 0 && o.stream == c.stream && (c.mode == AnyMode || c.mode == o.mode)
}

// setStream has the library queue the work of o on the stream of c.
func (o *Object) setStream(c *Call) error {
	switch {
	case o.kind.Stream == nil:
		return nil
	case c.stream == nil:
		if o.stream == nil {
			return nil
		}
		if _, err := o.stream.HandleAfterUse(); err == nil {
			return nil
		}
		return o.forgetStream() // it is closed
	case o.stream == c.stream && !c.stream.IsCapturing(): // a stream has another handle in a capture
		return nil
	}
	handle, err := c.stream.HandleAfterUse()
	if err != nil {
		return c.error(err, "")
	}
	set := Call{Function: o.kind.Stream, device: o.device}
	if err := set.small(o, handle, 2); err != nil {
		o.stream = nil
		return err
	}
	o.stream = c.stream
	return nil
}

// forgetStream has the library queue the work of o on the default stream, if it had another one.
func (o *Object) forgetStream() error {
	if o.stream == nil || o.kind.Stream == nil {
		return nil
	}
	o.stream = nil
	set := Call{Function: o.kind.Stream, device: o.device}
	return set.small(o, 0, 2)
}

// setMode has the library expect scalars where c has them.
func (o *Object) setMode(c *Call) error {
	if c.mode == AnyMode || c.mode == o.mode {
		return nil
	}
	mode := o.kind.Host
	if c.mode == DeviceMode {
		mode = o.kind.Device
	}
	o.mode = AnyMode
	set := Call{Function: o.kind.Mode, device: o.device}
	if err := set.small(o, mode, 2); err != nil {
		return err
	}
	o.mode = c.mode
	return nil
}

// small calls the function with the value of o and, if count is 2, another word.
func (c *Call) small(o *Object, second, count uintptr) error {
	address, err := c.Function.find()
	if err != nil {
		return c.error(err, "")
	}
	words := [2]uintptr{o.value, second}
	result, err := c.enter(ccall.Call{Function: address, Words: unsafe.Pointer(&words), Count: count})
	switch {
	case err != nil || c.Function.Silent || int32(result) == 0:
		return err
	case c.Function.Number:
		return c.error(ErrNotZero, "the result is %d", int32(result))
	case o.kind.Failed != nil:
		return o.kind.Failed(c, int32(result))
	}
	return nil
}

// describe returns what the library says about status; "" if it cannot be asked.
func describe(text *Function, status int32) string {
	if text == nil {
		return ""
	}
	address, err := text.find()
	if err != nil {
		return ""
	}
	words := [1]uintptr{uintptr(status)}
	return Characters(ccall.Invoke(&ccall.Call{Function: address, Words: unsafe.Pointer(&words), Count: 1}))
}
