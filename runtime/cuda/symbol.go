package cuda

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Symbol is a __device__, __constant__ or __managed__ variable of a loaded library, of
// type T. Generated code has fields of this type; LoadSymbol looks a variable up. A
// Symbol is valid until its library is closed. Any goroutine may call its methods.
//
// Libraries of the same image on one device share their variables.
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
	if err := plainData[T](); err != nil {
		return Symbol[T]{}, err
	}
	if l == nil || l.dev == nil {
		return Symbol[T]{}, noLibrary(op)
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
		return Symbol[T]{}, l.dev.invalid(op, fmt.Sprintf("it has %d bytes, %d in the Go code: run go generate again", bytes, sizeOf[T]()), ErrABI)
	}
	return Symbol[T]{lib: l, name: name, addr: uint64(addr)}, nil
}

// A variable is a *Symbol, whatever its type.
type variable interface {
	load(l *Library, name, symbol string) error
	bytes() uint64
}

func (v *Symbol[T]) load(l *Library, name, symbol string) (err error) {
	*v, err = LoadSymbol[T](l, name, symbol)
	return err
}

func (v *Symbol[T]) bytes() uint64 { return sizeOf[T]() }

// load sets the Symbol of spec.
func (l *Library) load(spec Spec) error {
	if spec.Variable == nil {
		return l.dev.invalid("load variable "+spec.Name, "its Spec has no Symbol", ErrInvalidValue)
	}
	return spec.Variable.load(l, spec.Name, spec.Symbol)
}

// Bytes returns the size of the variable in the Go code; that of a kernel is 0.
func (s Spec) Bytes() uint64 {
	if s.Variable == nil {
		return 0
	}
	return s.Variable.bytes()
}

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

// Get reads the variable, in the order of s. It is complete when it returns.
//
// CUDA Driver API, Memory Management, cuMemcpyDtoHAsync.
func (v Symbol[T]) Get(s *Stream) (T, error) {
	op := "read variable " + v.name
	value := new(T)
	defer s.hold().release()
	stream, err := v.open(s, op)
	if err != nil {
		return *value, err
	}
	r := s.dev.drv.MemcpyDtoHAsync(unsafe.Pointer(value), driver.DevicePtr(v.addr), sizeOf[T](), stream)
	err = s.finishCopy(stream, op, r)
	runtime.KeepAlive(value)
	return *value, err
}

// Set writes the variable, in the order of s. It is complete when it returns: kernels
// queued on s before see the old value, kernels on other streams may see either.
//
// CUDA Driver API, Memory Management, cuMemcpyHtoDAsync.
func (v Symbol[T]) Set(s *Stream, value T) error {
	op := "write variable " + v.name
	defer s.hold().release()
	stream, err := v.open(s, op)
	if err != nil {
		return err
	}
	r := s.dev.drv.MemcpyHtoDAsync(driver.DevicePtr(v.addr), unsafe.Pointer(&value), sizeOf[T](), stream)
	err = s.finishCopy(stream, op, r)
	runtime.KeepAlive(&value)
	return err
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
		return 0, s.dev.invalid(op, "the stream is on another device than the library, "+v.lib.dev.String(), ErrInvalidValue)
	case v.lib.handle.Load() == 0:
		return 0, s.dev.closedError(op, "its library")
	}
	return stream, nil
}
