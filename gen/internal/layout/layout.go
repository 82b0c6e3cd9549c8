// Package layout takes C++ types, gives their memory layout, and knows no syntax: size, alignment and
// offsets as CUDA's compilers choose them for device code, and the Go type with the same layout.
//
// The data model is LP64: hosts on which long has 4 bytes (Windows) are not supported. If compilers
// differ, or the source does not determine the layout, it returns an error. It never guesses.
package layout

import (
	"fmt"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"
)

// Sizes in bytes that the parameters of a kernel may have together: CUDA C++
// Programming Guide, __global__ Function Parameters.
const (
	MaxParams         = 32764
	MaxParamsBefore70 = 4096 // below compute capability 7.0
)

// addressSize is the size and alignment of a device address in bytes.
const addressSize = 8

// maxSize limits the size of a type, so that no sum of a few sizes overflows.
const maxSize = 1 << 48

// A Place is where something lies, in bytes.
type Place struct{ Offset, Size, Align int64 }

// Of returns the size and the alignment of t in bytes.
//
// It is an error if t is void, nil, or a class whose definition is not known or not
// understood.
//
// Itanium C++ ABI, Data Layout; AMD64 ABI supplement, Data Representation, whose scalar
// types CUDA's device code shares. For vector types see ctype.Vector.
func Of(t ctype.Type) (size, align int64, err error) {
	l := make(layouts)
	return l.of(t)
}

// A Class is the layout of a struct, class or union.
type Class struct {
	Members     []Member // in the order of their places: those of bases before those of the class
	Size, Align int64    // bytes
}

// A Member is a non-static data member of a class or of one of its bases.
type Member struct {
	*ctype.Field
	Of        *ctype.Struct // that declares it
	Offset    int64         // bytes; of a bit-field, of the first byte that has bits of it
	Size      int64         // bytes; of a bit-field, those that have bits of it
	BitOffset int64         // of a bit-field: its first bit, counted from the start of the class
}

// Struct returns the layout of s. Bit-fields without a name, which only pad, are no
// members. Access labels and member functions do not change it.
//
// Itanium C++ ABI, Non-POD Class Types.
func Struct(s *ctype.Struct) (*Class, error) {
	l := make(layouts)
	found, err := l.structure(s)
	if err != nil {
		return nil, err
	}
	return &Class{found.members, found.size, found.align}, nil
}

// Params returns the places of the parameters in a kernel's parameter block, and where
// the last one ends, which is the size of the block: there is no padding behind it.
// align is the alignment of the block.
//
// It is an error if the block is larger than MaxParams.
//
// CUDA Driver API, Execution Control, cuLaunchKernel; PTX ISA, Parameter State Space.
func Params(types []ctype.Type) (places []Place, end, align int64, err error) {
	l := make(layouts)
	align = 1
	for i, t := range types {
		size, paramAlign, err := l.unaliased(t)
		if err == nil && ctype.AliasAlign(t) != 0 && isClass(t) {
			err = diag.CompilersDiffer.Errorf("a typedef aligns %s, whose alignment as a parameter compilers decide in different ways", t)
		}
		if err != nil {
			return nil, 0, 0, diag.MessageOf(err).In(fmt.Sprintf("parameter %d: ", i+1))
		}
		offset := roundUp(end, paramAlign)
		places = append(places, Place{offset, size, paramAlign})
		end = offset + size
		align = max(align, paramAlign)
		if end > MaxParams {
			return nil, 0, 0, diag.ParameterBytes.Errorf("parameter %d ends at byte %d, but all parameters together may have %d bytes", i+1, end, MaxParams)
		}
	}
	return places, end, align, nil
}

// roundUp returns the least multiple of align, a power of two, that is not below n.
func roundUp(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }

// layouts holds the layouts of classes that were computed, so that each is computed
// once however often it is nested. One that is nil is being computed.
type layouts map[*ctype.Struct]*class

func (l layouts) of(t ctype.Type) (size, align int64, err error) {
	size, align, err = l.unaliased(t)
	if own := ctype.AliasAlign(t); own != 0 && err == nil {
		align = own
	}
	return size, align, err
}

// unaliased is of without the alignment that an alias gives t.
func (l layouts) unaliased(t ctype.Type) (size, align int64, err error) {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		if t.Size == 0 {
			return 0, 0, diag.NoLayout.Errorf("%s has no size", t)
		}
		return t.Size, t.Size, nil
	case *ctype.Pointer, *ctype.Reference:
		return addressSize, addressSize, nil
	case *ctype.MemberPointer:
		return addressSize * memberPointerWords(t), addressSize, nil
	case *ctype.Vector:
		return t.Size(), t.Align, nil
	case *ctype.Library:
		return t.Size, t.Align, nil
	case *ctype.Enum:
		switch {
		case t.Unsupported != nil:
			return 0, 0, t.Unsupported.Code.Errorf("size of enum %s is not understood: %w (%s)", t, t.Unsupported, t.Unsupported.Pos)
		case t.Underlying == nil:
			return 0, 0, diag.NotUnderstood.Errorf("size of enum %s is not known", t)
		}
		return t.Underlying.Size, t.Underlying.Size, nil
	case *ctype.Array:
		size, align, err = l.of(t.Elem)
		switch {
		case err != nil:
			return 0, 0, err
		case t.Len < 1:
			return 0, 0, diag.NoLayout.Errorf("array %s has no elements", t)
		case size%align != 0:
			return 0, 0, diag.NoLayout.Errorf("the elements of %s are aligned to %d bytes, and have %d", t, align, size)
		case ctype.AliasAlign(t.Elem) != 0 && isArray(t.Elem):
			return 0, 0, diag.CompilersDiffer.Errorf("%s is an array of arrays that a typedef aligns, which compilers lay out in different ways", t)
		case t.Len > maxSize/size:
			return 0, 0, diag.NoLayout.Errorf("array %s is too large", t)
		}
		return t.Len * size, align, nil
	case *ctype.Struct:
		found, err := l.structure(t)
		if err != nil {
			return 0, 0, err
		}
		return found.size, found.align, nil
	}
	return 0, 0, diag.NoLayout.Errorf("type %v has no layout", t)
}

// memberPointerWords returns how many addresses a pointer to a member takes: Itanium C++
// ABI, Member Pointers.
func memberPointerWords(t *ctype.MemberPointer) int64 {
	if _, function := ctype.Unqualified(t.Elem).(*ctype.Function); function {
		return 2
	}
	return 1
}

func isArray(t ctype.Type) bool {
	_, ok := ctype.Unqualified(t).(*ctype.Array)
	return ok
}

// isClass reports whether t is a class for compilers.
func isClass(t ctype.Type) bool {
	switch ctype.Unqualified(t).(type) {
	case *ctype.Struct, *ctype.Vector, *ctype.Library:
		return true
	}
	return false
}

// structure returns the layout of s.
func (l layouts) structure(s *ctype.Struct) (*class, error) {
	found, known := l[s]
	switch {
	case found != nil:
		return found, nil
	case known:
		return nil, diag.NoLayout.Errorf("struct %s contains itself", s)
	case s.Unsupported != nil:
		return nil, s.Unsupported.Code.Errorf("layout of %s is not understood: %w (%s)", s, s.Unsupported, s.Unsupported.Pos)
	case !s.Complete:
		return nil, diag.NoLayout.Errorf("layout of %s is not known: it is declared, but not defined in this file or what it includes", s)
	}
	l[s] = nil
	b := classBuilder{layouts: l, of: s, class: &class{align: max(1, s.Align), goAlign: 1, pod: s.POD}}
	if err := b.build(); err != nil {
		delete(l, s)
		return nil, err
	}
	l[s] = b.class
	return b.class, nil
}
