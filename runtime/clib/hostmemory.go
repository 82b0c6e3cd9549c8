package clib

import (
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// An Aligned has a T at a multiple of 16 bytes, as C expects of types such as cuDoubleComplex, wherever it lies itself. T has 16 bytes
// or a multiple of that.
type Aligned[T any] struct{ space [2]T }

// At returns the address of the T.
func (a *Aligned[T]) At() *T {
	p := unsafe.Pointer(&a.space)
	return (*T)(unsafe.Add(p, -uintptr(p)&15))
}

// Host checks a Go slice that a C function uses while it is called, and returns its address.
func Host[T any](c *Call, name string, s []T, need int64, align uintptr, nullable bool) unsafe.Pointer {
	if s == nil && nullable {
		return nil
	}
	p := unsafe.Pointer(unsafe.SliceData(s))
	c.host(name, len(s), need, uintptr(p)&(align-1) != 0, align)
	return p
}

func (c *Call) host(name string, have int, need int64, misaligned bool, align uintptr) {
	switch {
	case need == tooMuch:
		c.fail(cuda.ErrInvalidValue, "%s needs more elements than fit into 63 bits", name)
	case int64(have) < need:
		c.fail(cuda.ErrShortSlice, "%s has %d elements, needs %d", name, have, need)
	case misaligned && have > 0:
		c.fail(cuda.ErrInvalidValue, "%s does not lie at a multiple of %d bytes, as C expects of its elements: allocate it with make", name, align)
	}
}

// Value checks a pointer to a value that a C function uses while it is called.
func Value[T any](c *Call, name string, p *T, align uintptr, nullable bool) unsafe.Pointer {
	switch {
	case p == nil && !nullable:
		c.fail(cuda.ErrInvalidValue, "%s is nil", name)
	case uintptr(unsafe.Pointer(p))&(align-1) != 0:
		c.fail(cuda.ErrInvalidValue, "%s does not lie at a multiple of %d bytes, as C expects of its type", name, align)
	}
	return unsafe.Pointer(p)
}

// Text returns a copy of s as C has it; NULL for "" if that may be.
func (c *Call) Text(name, s string, nullable bool) unsafe.Pointer {
	if s == "" && nullable {
		return nil
	}
	if strings.Contains(s, "\x00") {
		c.fail(cuda.ErrInvalidValue, "%s has a zero byte, which ends a text in C", name)
	}
	text := make([]byte, len(s)+1)
	copy(text, s)
	return unsafe.Pointer(&text[0])
}

// Count returns how many elements of C's memory are copied behind the call; 0 for a negative n.
func (c *Call) Count(name string, n int64) int64 {
	if n == tooMuch {
		c.fail(cuda.ErrInvalidValue, "%s has more elements than fit into 63 bits", name)
	}
	return max(n, 0)
}

// Copied returns a copy of n elements, as Count says, at an address in C's memory; nil for NULL. Go 1.26's compiler panics where it inlines this for
// some constant n.
//
//go:noinline
func Copied[T any](address uintptr, n int64) []T {
	if address == 0 {
		return nil
	}
	p := *(**T)(unsafe.Pointer(&address)) // which Go does not move
	return append([]T{}, unsafe.Slice(p, n)...)
}

// Characters returns a copy of the text at the address result, in C's memory; "" for NULL.
func Characters(result uint64) string {
	if result == 0 {
		return ""
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&result)) // C's memory, which Go does not move
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}
