package simulated

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A job is what a call does when the stream runs it; nil is nothing.
type job func(w *hostwork.Work)

// A call is one call of a function of cuBLAS. Its methods and functions that take arguments take the next one.
type call struct {
	name    string
	handle  *cublas.Handle
	args    []reflect.Value
	device  bool              // scalars are in the memory of the device
	results []reflect.Value   // in the memory of the host, which are not set
	set     int               // results that a job will set
	types   []cublas.DataType // of the slices and scalars that are bytes, if these are arguments
	owners  []cuda.Owner
	err     error
}

// do runs op.
func (c *call) do(op operation) error {
	var s *cuda.Stream
	if stream, ok := c.args[0].Interface().(*cuda.Stream); ok {
		s, c.args = stream, c.args[1:]
	}
	work := op(c)
	switch {
	case c.err != nil:
		return c.err
	case work == nil:
		return nil
	case len(c.owners) == 0: // nothing is in the memory of the device
		work(nil)
		return nil
	case s == nil:
		return c.error(clib.ErrNotSimulated, "")
	case c.set > 0:
		return hostwork.Run(s, work, c.owners...)
	}
	return hostwork.Queue(s, work, c.owners...)
}

func (c *call) error(err error, format string, args ...any) error {
	return &clib.Error{Function: "cublas" + c.name, Device: c.handle.Device().String(), Detail: fmt.Sprintf(format, args...), Err: err}
}

// require has the call fail, as cuBLAS does, unless ok holds.
func (c *call) require(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = c.error(cublas.StatusInvalidValue, format, args...)
	}
}

func (c *call) next() any {
	v := c.args[0]
	c.args = c.args[1:]
	return v.Interface()
}

// int takes an integer of any type.
func (c *call) int() int {
	v := reflect.ValueOf(c.next())
	if v.CanUint() {
		return int(v.Uint())
	}
	return int(v.Int())
}

// size takes a number of rows, columns or matrices.
func (c *call) size(name string) int {
	n := c.int()
	c.require(n >= 0, "%s is %d: it must not be negative", name, n)
	return n
}

// increment takes an increment of level 2.
func (c *call) increment(name string) int {
	n := c.int()
	c.has(n != 0, "%s is 0", name)
	return n
}

// has has the call fail, as one that is not simulated, unless ok holds: cuBLAS may do something.
func (c *call) has(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = c.error(clib.ErrNotSimulated, format, args...)
	}
}

func (c *call) operation() cublas.Operation {
	op := c.next().(cublas.Operation)
	c.has(op != cublas.OpConjg, "operation %v", op)
	c.require(op <= cublas.OpC, "operation %v is none of %v, %v and %v", op, cublas.OpN, cublas.OpT, cublas.OpC)
	return op
}

func (c *call) upper() bool {
	uplo := c.next().(cublas.FillMode)
	c.require(uplo == cublas.FillModeUpper || uplo == cublas.FillModeLower, "fill mode %v is neither lower nor upper", uplo)
	return uplo == cublas.FillModeUpper
}

func (c *call) left() bool {
	side := c.next().(cublas.SideMode)
	c.require(side <= cublas.SideRight, "side %v is neither left nor right", side)
	return side == cublas.SideLeft
}

func (c *call) unit() bool {
	diag := c.next().(cublas.DiagType)
	c.require(diag <= cublas.DiagUnit, "diagonal %v is neither unit nor non-unit", diag)
	return diag == cublas.DiagUnit
}

// memory is any cuda.Slice.
type memory interface {
	Address() uint64
	Len() int
	Owner() cuda.Owner
}

// array takes a slice, which has elements of type stored.
func array[T number](c *call, stored cublas.DataType) elements[T] {
	return elementsOf[T](c, c.next(), stored)
}

func elementsOf[T number](c *call, slice any, stored cublas.DataType) elements[T] {
	m := slice.(memory)
	c.owners = append(c.owners, m.Owner())
	if known, ok := typeOfSlice(slice); ok {
		stored = known
	}
	n := m.Len()
	if _, bytes := slice.(cuda.Slice[uint8]); bytes {
		stored = c.typeOfBytes(stored)
		n /= max(1, sizeOf(stored))
	}
	return elements[T]{m.Address(), n, stored}
}

// typeOfBytes takes the next of the types, or returns otherwise if there are none.
func (c *call) typeOfBytes(otherwise cublas.DataType) cublas.DataType {
	if len(c.types) == 0 {
		return otherwise
	}
	t := c.types[0]
	c.types = c.types[1:]
	return t
}

// A place is where a scalar is, in the memory of the host or of the device.
type place[T number] struct {
	get func(w *hostwork.Work) T
	set func(w *hostwork.Work, v T)
}

// scalar takes a scalar. If it is given as bytes, it has the type stored.
func scalar[T number](c *call, stored cublas.DataType) place[T] {
	places := scalars[T](c, 1, stored)
	return place[T]{
		func(w *hostwork.Work) T { return places.get(w)[0] },
		func(w *hostwork.Work, v T) { places.set(w, []T{v}) },
	}
}

// several are scalars that lie one behind the other.
type several[T number] struct {
	get  func(w *hostwork.Work) []T
	set  func(w *hostwork.Work, v []T)
	some func(w *hostwork.Work, v []T, places []int) // is set for those elements alone
}

// scalars takes n scalars.
func scalars[T number](c *call, n int, stored cublas.DataType) several[T] {
	v := c.next()
	if _, ok := v.(memory); ok {
		e := elementsOf[T](c, v, stored)
		part := hostwork.Vector(n, 1)
		return several[T]{
			func(w *hostwork.Work) []T { return e.read(w, part) },
			func(w *hostwork.Work, v []T) { e.write(w, part, v) },
			func(w *hostwork.Work, v []T, places []int) {
				e.write(w, hostwork.Runs(func(yield func(at, n int) bool) {
					for _, at := range places {
						if !yield(at, 1) {
							return
						}
					}
				}), v)
			},
		}
	}
	switch v := v.(type) {
	case []T:
		before := slices.Clone(v[:n]) // C reads them before the call returns
		return several[T]{func(*hostwork.Work) []T { return before }, func(_ *hostwork.Work, after []T) { copy(v, after) }, func(_ *hostwork.Work, after []T, places []int) {
			for _, at := range places {
				v[at] = after[at]
			}
		}}
	case *T:
		before := *v
		return several[T]{get: func(*hostwork.Work) []T { return []T{before} }, set: func(_ *hostwork.Work, after []T) { *v = after[0] }}
	case []byte:
		before := decode[T](v, c.typeOfBytes(stored))
		return several[T]{get: func(*hostwork.Work) []T { return []T{before} }}
	}
	before := fromWide[T](wide(v))
	return several[T]{get: func(*hostwork.Work) []T { return []T{before} }}
}

// result takes where a result goes.
func result[T number](c *call) func(w *hostwork.Work, v T) {
	if c.device {
		return scalar[T](c, typeOf[T]()).set
	}
	if len(c.args) > 0 {
		bytes, stored := c.next().([]byte), c.typeOfBytes(typeOf[T]())
		c.set++
		return func(_ *hostwork.Work, v T) { encode(bytes, v, stored) }
	}
	to := c.results[c.set]
	c.set++
	return func(_ *hostwork.Work, v T) { to.Set(reflect.ValueOf(v).Convert(to.Type())) }
}
