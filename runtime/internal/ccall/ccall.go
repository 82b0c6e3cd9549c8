// Package ccall calls C functions without cgo and without allocating. It knows where the C ABI puts
// integers, pointers and floating-point numbers, and knows no library: the caller has the address of the
// function, by internal/dynlib for example.
//
// Start with Call and Invoke. This calls int scale(handle *h, float by, double *x, int n):
//
//	words := struct {
//		h  uintptr // C memory
//		by float32
//		_  [4]byte
//		x  *float64 // Go memory, on the stack or in the heap
//		n  int32
//		_  [4]byte
//	}{h: h, by: 2, x: &x[0], n: int32(len(x))}
//	status := int32(ccall.Invoke(&ccall.Call{Function: scale, Words: unsafe.Pointer(&words), Count: 4, Floats: 1 << 1}))
//
// Package libcuda has trampolines of its own, for which there is Enter.
package ccall

import (
	"fmt"
	"unsafe"
)

// A Call is one call of a C function. It may lie on the goroutine's stack, and so may what it points to.
//
// An argument or result is an integer, enum, bool, pointer, float or double. A struct by value, long double
// and the arguments of a variadic function after the named ones have no form here.
//
// The function must not call back into Go: that could grow the goroutine's stack, and so move what the
// function has the address of. It must not keep the address of Go memory after it returns.
type Call struct {
	Function uintptr // its address, not 0

	// Words points to the arguments, Count of 8 bytes each, in the order of the C declaration: to a
	// struct, for example. An integer below 32 bits is extended to at least 32 bits as its C type says.
	// A float is in the low 4 bytes. What is above 4 bytes of an argument that has 4 is ignored.
	//
	// A word that is the address of Go memory is of type unsafe.Pointer or a pointer type in the struct,
	// never a uintptr: so it stays right when the goroutine's stack moves, and keeps the memory alive.
	Words unsafe.Pointer

	// Count is at most MaxArguments. Bit i of Floats says that argument i is a float or double.
	Count  uintptr
	Floats uint64

	Around *Around // nil if nothing is called around the function

	integer, float uint64 // what the registers of results held after the call
}

// An Around says what is called before and after the function, on the same thread, without going back to Go between: what makes a
// context of CUDA current, and what puts back the one before.
type Around struct {
	Before   uintptr // int32 before(Argument). If it does not return 0, the call ends with that
	Argument uintptr
	After    uintptr // takes the address of a word that it may write

	word   uint64
	failed int32
}

// Word returns the word whose address After was given.
func (a *Around) Word() uint64 { return a.word }

// Failed returns what Before has returned: if it is not 0, the function was not called.
func (a *Around) Failed() int32 { return a.failed }

// Invoke makes the call and returns the register of an integer or pointer result. What is above the
// size of the function's result is undefined: convert to its type.
func Invoke(c *Call) uint64 {
	c.check()
	invoke(c)
	return c.integer
}

// InvokeFloat makes the call and returns the bits of a double result, or of a float in the low 4 bytes.
func InvokeFloat(c *Call) uint64 {
	c.check()
	invokeFloat(c)
	return c.float
}

// check panics if there are more arguments than this build can pass.
func (c *Call) check() {
	if c.Count > MaxArguments {
		tooMany(c.Count)
	}
}

//go:noinline
func tooMany(count uintptr) {
	panic(fmt.Sprintf("ccall: a call has %d arguments, this build can pass %d: compare with MaxArguments before", count, MaxArguments))
}
