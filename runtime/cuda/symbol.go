package cuda

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Symbol is a __device__, __constant__ or __managed__ variable of a loaded library, of
// type T. Generated code has fields of this type; LoadSymbol looks a variable up. A
// Symbol is valid until its library is closed. Any goroutine may call its methods.
//
// Libraries of the same image on one Device share their variables.
type Symbol[T any] struct {
	lib  *Library
	name string // qualified C++ name, for errors
	addr uint64
}

// LoadSymbol looks up the variable with the given symbol in the image of l, and checks
// that it has the size of a T. Errors call it name.
//
// CUDA Driver API, Library Management, cuLibraryGetGlobal.
func LoadSymbol[T any](l *Library, name, symbol string) (Symbol[T], error) {
	op := "load variable " + name
	if l == nil || l.dev == nil {
		return Symbol[T]{}, noLibrary(op)
	}
	if err := plainData[T](op, l.dev); err != nil {
		return Symbol[T]{}, err
	}
	defer l.dev.hold().release()
	l.mu.Lock()
	defer l.mu.Unlock()
	handle := driver.Library(l.handle.Load())
	if handle == 0 {
		return Symbol[T]{}, l.dev.closedError(op, "its library")
	}
	var addr driver.DevicePtr
	var bytes uint64
	r := l.dev.inContext(func() (r driver.Result) {
		addr, bytes, r = l.dev.drv.LibraryGetGlobal(handle, symbol)
		if r == driver.ErrorNotFound {
			addr, bytes, r = l.dev.drv.LibraryGetManaged(handle, symbol)
		}
		return r
	})
	if r != driver.Success {
		return Symbol[T]{}, l.dev.explainLoad(op, "", l.image, r, l.dev.drv.LibraryLog(handle))
	}
	if bytes != sizeOf[T]() {
		return Symbol[T]{}, l.dev.invalid(op, fmt.Sprintf("it has %d bytes, %d in the Go code: %s", bytes, sizeOf[T](), l.image.remedy("use a type of its size")), ErrABI)
	}
	return Symbol[T]{lib: l, name: name, addr: uint64(addr)}, nil
}

func (v *Symbol[T]) load(l *Library, name, symbol string) (err error) {
	*v, err = LoadSymbol[T](l, name, symbol)
	return err
}

func (v *Symbol[T]) bytes() uint64 { return sizeOf[T]() }

// Ptr returns the variable's address on the device.
func (v Symbol[T]) Ptr() Ptr[T] { return Ptr[T]{v.addr} }

// Elements returns the elements of v, an array, as a slice for kernels and copies: float table[4][8]
// is an A of [4][8]float32, with 4 elements of type [8]float32 and 32 of type float32. A variable that
// is an E has one element. Its owner is the library: closing that is like closing a buffer. A kernel
// cannot read or write a __constant__ variable through a pointer on every device: use the others so.
func Elements[E, A any](v Symbol[A]) (Slice[E], error) {
	op := "take the elements of variable " + v.name
	if v.lib == nil {
		return Slice[E]{}, notLoadedVariable(op)
	}
	if v.lib.handle.Load() == 0 {
		return Slice[E]{}, v.lib.dev.closedError(op, "its library")
	}
	element, t := reflect.TypeFor[E](), reflect.TypeFor[A]()
	for t != element {
		if t.Kind() != reflect.Array {
			return Slice[E]{}, v.lib.dev.invalid(op, fmt.Sprintf("a %v has no elements of type %v", reflect.TypeFor[A](), element), ErrInvalidValue)
		}
		t = t.Elem()
	}
	return Slice[E]{addr: v.addr, n: int(sizeOf[A]() / sizeOf[E]()), owner: &v.lib.life}, nil
}

// notLoadedVariable is the error of an operation on a zero Symbol.
func notLoadedVariable(op string) error {
	return &Error{Op: strings.TrimSpace(op), Detail: notLoadedDetail, Err: ErrInvalidValue}
}

const notLoadedDetail = "it was not loaded: use LoadSymbol, or the Kernels that Load… returned"

// Get reads the variable, in the order of s. It is complete when it returns. The rules of
// Slice.CopyTo apply.
//
// CUDA Driver API, Memory Management, cuMemcpyDtoHAsync.
func (v Symbol[T]) Get(s *Stream) (T, error) { return v.GetContext(context.Background(), s) }

// GetContext is Get until ctx is done. The rules of Slice.CopyToContext apply.
func (v Symbol[T]) GetContext(ctx context.Context, s *Stream) (T, error) {
	value := new(T)
	err := v.copy(ctx, s, value, "read variable "+v.name, true)
	return *value, err
}

// Set writes the variable, in the order of s. It is complete when it returns: kernels
// queued on s before see the old value, kernels on other streams may see either. The rules of
// Slice.CopyFrom apply.
//
// CUDA Driver API, Memory Management, cuMemcpyHtoDAsync.
func (v Symbol[T]) Set(s *Stream, value T) error { return v.SetContext(context.Background(), s, value) }

// SetContext is Set until ctx is done. The rules of Slice.CopyFromContext apply.
func (v Symbol[T]) SetContext(ctx context.Context, s *Stream, value T) error {
	return v.copy(ctx, s, &value, "write variable "+v.name, false)
}

// copy copies between v and value. It holds an epoch to the end: what unloads the library
// waits for that, and for the work of the device.
func (v Symbol[T]) copy(ctx context.Context, s *Stream, value *T, op string, toGo bool) error {
	epoch := s.hold()
	defer epoch.release()
	stream, err := v.open(s, op)
	if err != nil {
		return err
	}
	c := goCopy{op: op, toGo: toGo, device: driver.DevicePtr(v.addr), host: unsafe.Pointer(value), bytes: sizeOf[T]()}
	if toGo {
		c.bools = boolsIn[T](1)
	}
	return c.run(ctx, s, stream, epoch)
}

// open returns the handle of s. The caller has called hold before.
func (v Symbol[T]) open(s *Stream, op string) (driver.Stream, error) {
	stream, err := s.open(op)
	switch {
	case err != nil:
		return 0, err
	case v.lib == nil:
		return 0, s.dev.invalid(strings.TrimSpace(op), notLoadedDetail, ErrInvalidValue)
	case v.lib.dev != s.dev:
		return 0, s.dev.invalid(op, "the library is on "+v.lib.dev.besides(s.dev), ErrInvalidValue)
	case v.lib.handle.Load() == 0:
		return 0, s.dev.closedError(op, "its library")
	}
	return stream, nil
}
