package element

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

// Bools are where values have bools; nil if they have none.
type Bools []boolRun

// A boolRun is count bools behind each other, or count elements at distances of stride bytes that
// have them.
type boolRun struct {
	offset, count, stride uintptr
	in                    Bools // nil for bools
}

// runs caches the bools of each element type.
var runs sync.Map // reflect.Type → Bools

// BoolsOf returns where values of t have bools.
func BoolsOf(t reflect.Type) Bools {
	known, ok := runs.Load(t)
	if !ok {
		known, _ = runs.LoadOrStore(t, findBools(t))
	}
	return known.(Bools)
}

func findBools(t reflect.Type) (list Bools) {
	switch t.Kind() {
	case reflect.Bool:
		return Bools{{count: 1}}
	case reflect.Array:
		return findBools(t.Elem()).Repeated(uintptr(t.Len()), t.Elem().Size())
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

// Repeated returns the bools of count elements, each of which has b, of size bytes.
func (b Bools) Repeated(count, size uintptr) Bools {
	switch {
	case len(b) == 0 || count == 0:
		return nil
	case len(b) == 1 && b[0].in == nil && b[0].count == size:
		return Bools{{count: count * size}}
	}
	return Bools{{count: count, stride: size, in: b}}
}

// Make makes the bools of the value at p 0 or 1.
func (b Bools) Make(p unsafe.Pointer) {
	for _, run := range b {
		at := unsafe.Add(p, run.offset)
		if run.in == nil {
			makeBytesBools(unsafe.Slice((*byte)(at), run.count))
			continue
		}
		for i := range run.count {
			run.in.Make(unsafe.Add(at, i*run.stride))
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

// NotSeenByBoth says why values of t cannot be in memory that the CPU and devices see, or "".
func NotSeenByBoth(t reflect.Type) string {
	if BoolsOf(t) == nil {
		return ""
	}
	what := "a bool"
	if t.Kind() != reflect.Bool {
		what = fmt.Sprintf("%v, which has a bool,", t)
	}
	return what + " cannot be in memory that devices write and Go reads, since a byte there may be neither 0 nor 1: use uint8 in its place, or a Buffer and CopyTo"
}
