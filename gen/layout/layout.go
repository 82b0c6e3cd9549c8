// Package layout says how types lie in memory: size, alignment and offsets as CUDA's
// compilers choose them for device code, and the Go type with the same memory.
//
// It knows no syntax. The data model is LP64: a host on which long has 4 bytes
// (Windows) is not covered.
package layout

import (
	"fmt"

	"github.com/cudagen/cudagen/gen/ctype"
)

// MaxParams is the size in bytes that the parameters of a kernel may have together: CUDA
// C++ Programming Guide, __global__ Function Parameters. Below compute capability 7.0
// it is 4,096.
const MaxParams = 32764

// addressSize is the size and alignment of a device address in bytes.
const addressSize = 8

// maxSize limits the size of a type, so that no sum of a few sizes overflows.
const maxSize = 1 << 48

// Of returns the size and the alignment of t in bytes.
//
// It is an error if t is void, nil, or a struct whose definition is not known or not
// understood.
//
// Itanium C++ ABI, Non-POD Class Types and POD Data Types; AMD64 ABI supplement, Data
// Representation, whose scalar types CUDA's device code shares. For vector types see
// ctype.Vector.
func Of(t ctype.Type) (size, align int64, err error) {
	l := make(layouts)
	return l.of(t)
}

// Struct returns the offset of each field of s, and the size and alignment of s, all in
// bytes.
//
// Fields lie in the order of their declaration, each at the next multiple of its
// alignment; the size is a multiple of the alignment and at least 1. Access labels and
// member functions change nothing. Itanium C++ ABI, Non-POD Class Types.
func Struct(s *ctype.Struct) (offsets []int64, size, align int64, err error) {
	l := make(layouts)
	found, err := l.structure(s)
	if err != nil {
		return nil, 0, 0, err
	}
	return found.offsets, found.size, found.align, nil
}

// Params returns the offset of each parameter in a kernel's parameter block, and where
// the last one ends, which is the size of the block: there is no padding behind it.
// align is the alignment of the block. All are in bytes.
//
// It is an error if the block is larger than MaxParams.
//
// CUDA Driver API, Execution Control, cuLaunchKernel; PTX ISA, Parameter State Space.
func Params(types []ctype.Type) (offsets []int64, end, align int64, err error) {
	l := make(layouts)
	align = 1
	for i, t := range types {
		size, paramAlign, err := l.of(t)
		if err != nil {
			return nil, 0, 0, fmt.Errorf("parameter %d: %w", i+1, err)
		}
		offset := roundUp(end, paramAlign)
		offsets = append(offsets, offset)
		end = offset + size
		align = max(align, paramAlign)
		if end > MaxParams {
			return nil, 0, 0, fmt.Errorf("parameter %d ends at byte %d, but all parameters together may have %d bytes", i+1, end, MaxParams)
		}
	}
	return offsets, end, align, nil
}

// roundUp returns the least multiple of align, a power of two, that is not below n.
func roundUp(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }

// layouts holds the layouts of structs that were computed, so that each is computed
// once however often it is nested. One that is nil is being computed.
type layouts map[*ctype.Struct]*structLayout

type structLayout struct {
	offsets     []int64
	size, align int64
	goAlign     int64 // of the Go struct with the same fields
}

func (l layouts) of(t ctype.Type) (size, align int64, err error) {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		if t.Size == 0 {
			return 0, 0, fmt.Errorf("%s has no size", t)
		}
		return t.Size, t.Size, nil
	case *ctype.Pointer, *ctype.Reference:
		return addressSize, addressSize, nil
	case *ctype.Vector:
		return t.Size(), t.Align, nil
	case *ctype.Array:
		size, align, err = l.of(t.Elem)
		switch {
		case err != nil:
			return 0, 0, err
		case t.Len < 1:
			return 0, 0, fmt.Errorf("array %s has no elements", t)
		case t.Len > maxSize/size:
			return 0, 0, fmt.Errorf("array %s is too large", t)
		}
		return t.Len * size, align, nil
	case *ctype.Struct:
		found, err := l.structure(t)
		if err != nil {
			return 0, 0, err
		}
		return found.size, found.align, nil
	}
	return 0, 0, fmt.Errorf("type %v has no layout", t)
}

func (l layouts) structure(s *ctype.Struct) (*structLayout, error) {
	found, known := l[s]
	switch {
	case found != nil:
		return found, nil
	case known:
		return nil, fmt.Errorf("struct %s contains itself", s)
	case s.Unsupported != nil:
		return nil, fmt.Errorf("layout of %s is not understood: %s (%s)", s, s.Unsupported.Text, s.Unsupported.Pos)
	case !s.Complete:
		return nil, fmt.Errorf("layout of %s is not known: it is declared, but not defined in this file", s)
	}
	l[s] = nil
	found = &structLayout{align: max(1, s.Align), goAlign: 1}
	end := int64(0)
	for i := range s.Fields {
		f := &s.Fields[i]
		size, align, err := l.of(f.Type)
		if err != nil {
			return nil, fmt.Errorf("field %s of %s: %w", f.Name, s, err)
		}
		align = max(align, f.Align)
		offset := roundUp(end, align)
		found.offsets = append(found.offsets, offset)
		end = offset + size
		found.align = max(found.align, align)
		found.goAlign = max(found.goAlign, l.goAlign(f.Type))
		if end > maxSize {
			return nil, fmt.Errorf("struct %s is too large", s)
		}
	}
	found.size = roundUp(max(1, end), found.align)
	l[s] = found
	return found, nil
}

// goAlign returns the alignment that Go gives the Go type of t, whose structs have been
// laid out, on 64-bit systems.
func (l layouts) goAlign(t ctype.Type) int64 {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		return t.Size
	case *ctype.Vector:
		return t.Elem.Size
	case *ctype.Array:
		return l.goAlign(t.Elem)
	case *ctype.Struct:
		return l[t].goAlign
	}
	return addressSize
}
