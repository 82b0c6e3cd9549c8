package cuda

// This file holds the one rule for values that no constructor has returned: Close of nil and of
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
