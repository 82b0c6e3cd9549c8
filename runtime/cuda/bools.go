package cuda

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"sync"
	"unsafe"
)

// A byte of a device may have any value, and a bool of Go only 0 and 1: the compiler makes indices
// of it without a check, and of other values indices out of range. So what is copied to Go memory
// becomes 1 where a bool is not 0, as in C++. Memory that devices write while Go reads it cannot
// have bools: AllocHost, AllocManaged and RegisterHost refuse them.

// A boolRun is count bools behind each other, or count elements at distances of stride bytes that
// have them.
type boolRun struct {
	offset, count, stride uintptr
	in                    []boolRun // nil for bools
}

// runs caches the bools of each element type.
var runs sync.Map // reflect.Type → []boolRun

// boolsOf returns where values of t have bools; nil if they have none.
func boolsOf(t reflect.Type) []boolRun {
	known, ok := runs.Load(t)
	if !ok {
		known, _ = runs.LoadOrStore(t, findBools(t))
	}
	return known.([]boolRun)
}

func findBools(t reflect.Type) (list []boolRun) {
	switch t.Kind() {
	case reflect.Bool:
		return []boolRun{{count: 1}}
	case reflect.Array:
		return repeated(findBools(t.Elem()), uintptr(t.Len()), t.Elem().Size())
	case reflect.Struct:
		for field := range t.Fields() {
			for _, run := range findBools(field.Type) {
				run.offset += field.Offset
				list = append(list, run)
			}
		}
	}
	return list
}

// repeated returns the bools of count elements of size bytes, each of which has those in.
func repeated(in []boolRun, count, size uintptr) []boolRun {
	switch {
	case len(in) == 0 || count == 0:
		return nil
	case len(in) == 1 && in[0].in == nil && in[0].count == size:
		return []boolRun{{count: count * size}}
	}
	return []boolRun{{count: count, stride: size, in: in}}
}

// makeBools makes the bools in list, of the value at p, 0 or 1.
func makeBools(p unsafe.Pointer, list []boolRun) {
	for _, run := range list {
		at := unsafe.Add(p, run.offset)
		if run.in == nil {
			makeBytesBools(unsafe.Slice((*byte)(at), run.count))
			continue
		}
		for i := range run.count {
			makeBools(unsafe.Add(at, i*run.stride), run.in)
		}
	}
}

func makeBytesBools(b []byte) {
	const bools = 0x0101010101010101
	for ; len(b) >= 8; b = b[8:] {
		if binary.NativeEndian.Uint64(b)&^bools != 0 {
			makeEachBool(b[:8])
		}
	}
	makeEachBool(b)
}

func makeEachBool(b []byte) {
	for i, v := range b {
		if v > 1 {
			b[i] = 1
		}
	}
}

// boolsIn returns where n elements of type T have bools; nil if they have none.
func boolsIn[T any](n int) []boolRun {
	in := boolsOf(reflect.TypeFor[T]())
	if in == nil {
		return nil
	}
	return repeated(in, uintptr(n), uintptr(sizeOf[T]()))
}

// notSeenByBoth says why values of t cannot be in memory that the CPU and devices see, or "".
func notSeenByBoth(t reflect.Type) string {
	if boolsOf(t) == nil {
		return ""
	}
	what := "a bool"
	if t.Kind() != reflect.Bool {
		what = fmt.Sprintf("%v, which has a bool,", t)
	}
	return what + " cannot be in memory that devices write and Go reads, since a byte there may be neither 0 nor 1: use uint8 in its place, or a Buffer and CopyTo"
}

// Bools makes the bools in *v, whose bytes may be those of a device, false where they are 0 and true
// elsewhere. v is a pointer.
func (generated) Bools(v any) {
	p := reflect.ValueOf(v)
	makeBools(p.UnsafePointer(), boolsOf(p.Type().Elem()))
}
