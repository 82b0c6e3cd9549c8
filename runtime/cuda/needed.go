package cuda

import (
	"math"
	"unsafe"
)

// The zero Slice is what a program passes by mistake: a field of the arguments that it left out, a
// variable that it did not set. A kernel would get NULL, and a size that is inferred from it would be
// 0, so that nothing is launched. So it is an error of every launch, unless the parameter may be NULL:
// by the directive nullable, or by the tag of a field of Bind's Args.

// A paramList is the parameters of a kernel.
type paramList struct {
	all    []ParamSpec
	needed []uint32 // for each that is Owned: where its address is in the parameter block, or mayBeNull
}

// mayBeNull stands in place of an offset.
const mayBeNull = math.MaxUint32

func newParamList(all []ParamSpec) *paramList {
	l := &paramList{all: all}
	for _, p := range all {
		switch {
		case p.Needed:
			l.needed = append(l.needed, p.Offset)
		case p.Owned:
			l.needed = append(l.needed, mayBeNull)
		}
	}
	return l
}

// isNeeded reports whether the ith argument that has an owner must not be the zero Slice.
func (l *paramList) isNeeded(i int) bool { return uint(i) < uint(len(l.needed)) && l.needed[i] != mayBeNull }

// usersOfNone is Owner.usersOf for the ith argument of a launch, which has no owner: it is the zero
// Slice, or memory at an address that SliceAt was given without one. No stream may use the zero Slice
// if the parameter needs elements.
func (k *Kernel) usersOfNone(i int, params unsafe.Pointer) uint64 {
	if l := k.params; l != nil && l.isNeeded(i) && *(*uint64)(unsafe.Add(params, l.needed[i])) == 0 {
		return 0
	}
	return allUsers
}

// missing returns the error of a launch that one of owners, which is that of the zero Slice, makes. If the
// library of k is closed, the launch says that.
func (k *Kernel) missing(params unsafe.Pointer, owners []Owner) error {
	for i, o := range owners {
		if o.lifetime == nil && k.usersOfNone(i, params) == 0 && k.handle() != 0 {
			return k.missingSlice(i)
		}
	}
	return nil
}

// missingSlice is the error of a launch whose ith argument that has an owner is the zero Slice.
func (k *Kernel) missingSlice(i int) error {
	allow := "add //cudagen:nullable " + k.owned(i) + " above the kernel"
	if !k.library.image.generated {
		allow = "give its field the tag `cuda:\"nullable\"`"
	}
	return k.badArgument(k.owned(i)+" is the zero Slice: pass a slice of a buffer; if the kernel takes NULL, "+allow, ErrInvalidValue)
}
