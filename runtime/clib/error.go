package clib

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// An Error is a call of a C function that was not made, or that has failed.
type Error struct {
	Function string // cublasSgemm_v2
	Device   string // "device 0 (NVIDIA H100)", or empty
	Detail   string // what is wrong with which argument, or what the library says of the status
	Err      error  // the status, an error of package cuda such as ErrShortSlice, or why the library cannot be opened
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Function)
	if e.Device != "" {
		b.WriteString(" on " + e.Device)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// ErrNotSimulated is the reason why a function cannot be called on a simulated device.
var ErrNotSimulated = errors.New("the simulated device does not have this function; set its field in Simulated, or import a package that does")

// ErrNotZero is the reason why a function has failed that returns a number which is no status.
var ErrNotZero = errors.New("it returned a number other than 0")

// ErrNull is the reason why a function that returns a handle has made none, if that is all that C tells.
var ErrNull = errors.New("it returned NULL, and made nothing")

// fail keeps the first error.
func (c *Call) fail(err error, format string, args ...any) {
	if c.err == nil {
		c.err = c.error(err, format, args...)
	}
}

//go:noinline
func (c *Call) error(err error, format string, args ...any) *Error {
	e := &Error{Function: c.Function.Symbol, Detail: fmt.Sprintf(format, args...), Err: err}
	if c.device != nil {
		e.Device = c.device.String()
	}
	return e
}

// Failed is the error of a call that has returned status. text, which may be nil, is the C function that describes it.
func (c *Call) Failed(err error, status int32, text *Function) error {
	return c.error(err, "%s", describe(text, status))
}

// Require notes an error of arguments that do not fulfil condition, if holds is false. names, with blanks between, are those of the
// arguments in it.
func (c *Call) Require(holds bool, condition, hint, names string, values ...int64) {
	if !holds {
		c.unmet(condition, hint, strings.Fields(names), values)
	}
}

func (c *Call) unmet(condition, hint string, names []string, values []int64) {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s is %d", names[i], v)
	}
	if hint != "" {
		hint = " (" + hint + ")"
	}
	c.fail(cuda.ErrInvalidValue, "%s must hold: %s%s", condition, b.String(), hint)
}
