package clib

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// Most objects and owners of memory that a call can have.
const (
	maxObjects = 8
	maxOwners  = 16
)

// A Call is one call of a C function. It lies on the goroutine's stack. The methods that take arguments check them, and keep the
// first error for Check.
type Call struct {
	Function  *Function
	Replaces  uint8 // bit i: the memory that an object holds as number i is not used any more
	Replacing uint8 // which object that is: the receiver is number 0, or else the first one

	stream   *cuda.Stream // the one of the call; nil for none
	device   *cuda.Device
	bits     uint64 // of the stream, if it does not capture
	err      error
	mode     Mode
	objects  [maxObjects]*Object // the receiver first, if there is one
	count    int                 // of objects
	locked   [maxObjects]*Object // by their addresses, each once
	locks    int                 // how many of them there are
	receives bool                // there is a receiver
	owners   [maxOwners]cuda.Owner
	owned    int // how many owners there are
}

// A Mode says where scalars of a call are.
type Mode uint8

// The modes.
const (
	AnyMode Mode = iota // the function has no scalars
	HostMode
	DeviceMode
)

// On says on which stream the work of the call is queued.
func (c *Call) On(s *cuda.Stream) {
	c.stream = s
	c.device, c.bits = cuda.Generated.Work(s)
	if c.device == nil {
		c.fail(cuda.ErrInvalidValue, "the stream is nil")
	}
}

// At says for which device the call is.
func (c *Call) At(d *cuda.Device) {
	c.device = d
	if d == nil {
		c.fail(cuda.ErrInvalidValue, "the device is nil")
	}
}

// Stream returns the stream as C has it.
func (c *Call) Stream() uintptr {
	if c.err != nil || c.device.IsSimulated() {
		return 0
	}
	handle, err := c.stream.HandleAfterUse()
	if err != nil {
		c.fail(err, "")
	}
	return handle
}

// Lock waits until no other call uses the objects, and keeps others waiting until Unlock. It locks them in the order of their addresses, so that two
// calls do not wait for each other.
func (c *Call) Lock(objects ...*Object) {
	for _, o := range objects {
		if o != nil && o.kind != nil { // else an error of the call
			c.insert(o)
		}
	}
	for _, o := range c.locked[:c.locks] {
		o.mu.Lock()
	}
}

// insert adds o to those that are to be locked.
func (c *Call) insert(o *Object) {
	at := c.locks
	for at > 0 && uintptr(unsafe.Pointer(c.locked[at-1])) > uintptr(unsafe.Pointer(o)) {
		at--
	}
	if at > 0 && c.locked[at-1] == o {
		return
	}
	for i := c.locks; i > at; i-- {
		c.locked[i] = c.locked[i-1]
	}
	c.locked[at] = o
	c.locks++
}

// Unlock lets other calls use the objects.
func (c *Call) Unlock() {
	for _, o := range c.locked[:c.locks] {
		o.mu.Unlock()
	}
	c.locks = 0
}

// Receiver notes the object of which the C function is a method, and returns its value.
func (c *Call) Receiver(o *Object, kind *Kind, mode Mode) uintptr {
	c.receives, c.mode = true, mode
	if c.device == nil && o != nil && c.err == nil {
		c.device = o.device
	}
	return c.Object(kind.Name, o, kind)
}

// Object notes another object that the C function uses, and returns its value.
func (c *Call) Object(name string, o *Object, kind *Kind) uintptr {
	if o == nil || o.kind == nil || o.device != c.device {
		c.stranger(name, o)
		return 0
	}
	for i := range o.held {
		if owner := o.held[i].Load(); owner != nil && (c.Replaces>>i&1 == 0 || int(c.Replacing) != c.count) {
			c.use(*owner)
		}
	}
	c.objects[c.count] = o
	c.count++
	return o.value
}

// stranger notes that o does not exist, or is of another device.
//
//go:noinline
func (c *Call) stranger(name string, o *Object) {
	if o == nil || o.kind == nil {
		c.fail(cuda.ErrInvalidValue, "%s is nil, or was not made by a function of its library", name)
		return
	}
	c.fail(cuda.ErrInvalidValue, "%s is of %v", name, o.device)
}

// Memory checks memory of the device that the C function uses, and returns its address: that of an empty buffer may be 0.
func Memory[T any](c *Call, name string, s cuda.Slice[T], need int64, nullable bool) uintptr {
	if have := s.Len(); int64(have) < need || s.Address() == 0 {
		c.short(name, have, need, s.IsZero(), nullable)
	}
	if owner := s.Owner(); !cuda.Generated.Uses(owner, c.bits) {
		c.use(owner)
	}
	return uintptr(s.Address())
}

// Optional is Memory for memory that need not be there if no element of it is needed.
func Optional[T any](c *Call, name string, s cuda.Slice[T], need int64) uintptr {
	return Memory(c, name, s, need, need <= 0)
}

// short notes that a slice is the zero Slice, or that its elements do not suffice.
func (c *Call) short(name string, have int, need int64, zero, nullable bool) {
	switch {
	case zero && nullable:
	case zero && need <= 0:
		c.fail(cuda.ErrInvalidValue, "%s is the zero Slice", name)
	case need == tooMuch:
		c.fail(cuda.ErrShortSlice, "%s has %d elements, needs more than fit into 63 bits", name, have)
	case int64(have) < need:
		c.fail(cuda.ErrShortSlice, "%s has %d elements, needs %d", name, have, need)
	case have > 0:
		c.fail(cuda.ErrInvalidValue, "%s has the address 0", name)
	}
}

func (c *Call) use(owner cuda.Owner) {
	if c.owned == maxOwners {
		c.fail(errors.ErrUnsupported, "it uses more than %d pieces of memory", maxOwners)
		return
	}
	c.owners[c.owned] = owner
	c.owned++
}

// Wrong returns the first error of the arguments so far.
func (c *Call) Wrong() error { return c.err }

// Ask returns the call of another function with the arguments of c so far, which tells c how much it needs.
func (c *Call) Ask(f *Function, mode Mode) Call {
	ask := *c
	ask.Function, ask.mode, ask.Replaces = f, mode, 0
	return ask
}

// Check returns the first error of the arguments, and whether the device is a simulated one, which must have the function then: has. The
// memory stays until work that is queued on the stream next has run.
func (c *Call) Check(has bool) (simulated bool, err error) {
	if c.err != nil {
		return false, c.err
	}
	for _, o := range c.objects[:c.count] {
		if o.isClosed() {
			return false, c.error(cuda.ErrClosed, "the %s", o.kind.Name)
		}
	}
	simulated = c.device.IsSimulated()
	if simulated && !has {
		return false, c.error(ErrNotSimulated, "")
	}
	if c.bits != 0 && c.owned == 0 {
		return simulated, nil
	}
	if err := c.useOwners(); err != nil {
		return false, c.error(err, "")
	}
	return simulated, nil
}

// useOwners has the memory stay that the stream did not use before.
func (c *Call) useOwners() error {
	if c.stream == nil {
		return cuda.Generated.Usable(c.device, c.owners[:c.owned])
	}
	if err := c.stream.Use(c.owners[:c.owned]...); err != nil || !c.stream.IsCapturing() {
		return err
	}
	if c.bits != 0 {
		return fmt.Errorf("the capture began during the call: %w", cuda.ErrStreamCaptureUnsupported)
	}
	return c.keepObjects()
}

// keepObjects has the graph of a capture need the objects: it cannot be launched any more when one is closed.
func (c *Call) keepObjects() error {
	for _, o := range c.objects[:c.count] {
		if err := c.stream.Use(o.graphs.Owner()); err != nil {
			return err
		}
	}
	return nil
}

// Try is Do for functions that return a status. One that is not 0 is the error that failed makes of it; nil for functions without.
func (c *Call) Try(words unsafe.Pointer, count uintptr, floats uint64, failed func(c *Call, status int32) error) error {
	ret, err := c.Do(words, count, floats)
	if err == nil && int32(ret) != 0 && failed != nil {
		return c.refused(int32(ret), failed)
	}
	return err
}

//go:noinline
func (c *Call) refused(status int32, failed func(c *Call, status int32) error) error {
	return failed(&Call{Function: c.Function, device: c.device}, status) // c stays on the stack
}

// Do calls the function with count words of 8 bytes; bit i of floats says that word i is a floating-point number. It returns
// the register of the result.
func (c *Call) Do(words unsafe.Pointer, count uintptr, floats uint64) (result uint64, err error) {
	if c.err != nil {
		return 0, c.err
	}
	address, err := c.Function.find()
	if err != nil || count > ccall.MaxArguments {
		return 0, c.impossible(err, count)
	}
	if c.receives && !c.objects[0].isSetFor(c) {
		if err := c.prepare(); err != nil {
			return 0, err
		}
	}
	result, err = c.enter(ccall.Call{Function: address, Words: words, Count: count, Floats: floats})
	if c.receives && c.stream.IsCapturing() {
		err = c.endCapture(err)
	}
	return result, err
}

// endCapture takes the stream, which ends with the capture, from the receiver again.
//
//go:noinline
func (c *Call) endCapture(err error) error { return errors.Join(err, c.objects[0].forgetStream()) }

// enter makes a call in the context of the device.
func (c *Call) enter(call ccall.Call) (result uint64, err error) {
	var around ccall.Around
	if !cuda.Generated.Surround(c.device, &around) {
		return c.do(call)
	}
	call.Around = &around
	result = ccall.Invoke(&call)
	cuda.Generated.Surrounded(c.device)
	if failed := around.Failed(); failed != 0 {
		return 0, c.error(cuda.Code(failed), "the context of the device is not current")
	}
	return result, nil
}

// do makes a call where the context has to be made current by Go.
func (c *Call) do(call ccall.Call) (result uint64, err error) {
	err = c.device.Do(func() error {
		result = ccall.Invoke(&call)
		return nil
	})
	if err != nil {
		return 0, c.error(err, "")
	}
	return result, nil
}

// impossible is the error of a call of a function that is not found, err, or has too many arguments.
//
//go:noinline
func (c *Call) impossible(err error, count uintptr) error {
	if err != nil {
		return c.error(err, "")
	}
	return c.error(errors.ErrUnsupported, "it has %d arguments, and this build can pass %d", count, ccall.MaxArguments)
}

// prepare sets the stream and the mode of the receiver.
func (c *Call) prepare() error {
	o := c.objects[0]
	if err := o.setStream(c); err != nil {
		return err
	}
	return o.setMode(c)
}
