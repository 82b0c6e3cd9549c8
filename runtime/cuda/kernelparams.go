package cuda

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/image"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A ParamSpec is one parameter in a kernel's parameter block, in bytes.
type ParamSpec struct {
	Name                string // for errors
	Offset, Size, Align uint32
	Owned               bool   // the argument is a Slice: a launch has its owner
	Needed              bool   // the argument is not the zero Slice
	ElemAlign           uint32 // of a Slice: the alignment of its elements in C++
}

// numbered returns what errors call p, the ith parameter.
func (p ParamSpec) numbered(i int) string {
	if p.Name == "" {
		return fmt.Sprint("parameter ", i)
	}
	return fmt.Sprintf("parameter %d (%s)", i, p.Name)
}

// prove compares the parameters that the driver sees with spec's. Drivers before
// CUDA 12.4 cannot tell; then the checks made at generation stand alone, and for other images the
// PTX tells.
//
// Offsets are compared only while every alignment is at most 16: beyond that
// hardware moves parameters, which is why launches pass a pointer to each
// (docs/decisions, "Why do launches use kernelParams and not extra?").
//
// The query after the last parameter fails as expected. compute-sanitizer reports that
// for each kernel, except with --report-api-errors no.
func (l *Library) prove(k driver.Kernel, spec Spec) error {
	const op = "load kernel"
	params, r := l.askParams(k)
	if r == driver.ErrorCallRequiresNewerDriver && l.image.generated {
		return nil
	}
	params, err := l.params(params, r, op, spec.Name, spec.Symbol)
	if err != nil {
		return err
	}
	if mismatch := spec.mismatch(params); mismatch != "" {
		return &Error{Op: op, Kernel: spec.Name, Device: l.dev.String(), Detail: mismatch + ": " + l.image.remedy("correct the parameters of the Spec"), Err: ErrABI}
	}
	return nil
}

// mismatch says how the parameters of a kernel differ from those of s, or returns "".
func (s Spec) mismatch(params []image.Param) string {
	if len(params) != len(s.Params) {
		return fmt.Sprintf("it has %d parameters, the Go code has %d", len(params), len(s.Params))
	}
	moved := slices.ContainsFunc(s.Params, func(p ParamSpec) bool { return p.Align > 16 })
	for i, p := range s.Params {
		switch at := params[i]; {
		case at.Size != uint64(p.Size):
			return fmt.Sprintf("%s has %d bytes, %d in the Go code", p.numbered(i), at.Size, p.Size)
		case at.Offset != uint64(p.Offset) && !moved:
			return fmt.Sprintf("%s is at byte %d, at %d in the Go code", p.numbered(i), at.Offset, p.Offset)
		}
	}
	return ""
}

// askParams asks the driver for the parameters of a kernel. The caller holds an epoch.
//
// CUDA Driver API, Library Management, cuKernelGetParamInfo.
func (l *Library) askParams(k driver.Kernel) (params []image.Param, r driver.Result) {
	r = l.dev.inContext(func() driver.Result {
		for len(params) <= libcuda.MaxParams {
			offset, size, r := l.dev.drv.KernelGetParamInfo(k, len(params))
			if r == driver.ErrorInvalidValue { // behind the last one
				return driver.Success
			}
			if r != driver.Success {
				return r
			}
			params = append(params, image.Param{Offset: offset, Size: size})
		}
		return driver.Success
	})
	return params, r
}

// params returns asked, what askParams has returned with r for op on the kernel name. Drivers before CUDA 12.4 do not tell;
// then the PTX does.
func (l *Library) params(asked []image.Param, r driver.Result, op, name, symbol string) ([]image.Param, error) {
	if r == driver.ErrorCallRequiresNewerDriver {
		if params, ok := image.Params(l.image.Name, l.image.Data, symbol); ok {
			return params, nil
		}
		if err := l.dev.needs(op+" "+name, machineCode); err != nil {
			return nil, err
		}
	}
	if r != driver.Success {
		return nil, l.dev.failed(&Error{Op: "check the parameters of", Kernel: name}, r)
	}
	return asked, nil
}

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
func (l *paramList) isNeeded(i int) bool {
	return uint(i) < uint(len(l.needed)) && l.needed[i] != mayBeNull
}

// usersOfNone is Owner.usersOf for the ith argument of a launch, which has no owner: it is the zero
// Slice, or memory at an address that SliceAt was given without one. No stream may use the zero Slice
// if the parameter needs elements.
func (k *Kernel) usersOfNone(i int, params unsafe.Pointer) uint64 {
	if l := k.params; l != nil && l.isNeeded(i) && *(*uint64)(unsafe.Add(params, l.needed[i])) == 0 {
		return 0
	}
	return allUsers
}

// unfit returns the error of a launch that one of owners makes: that of the zero Slice, or of elements that lie where those of
// the parameter cannot. If the library of k is closed, the launch says that.
func (k *Kernel) unfit(params unsafe.Pointer, owners []Owner) error {
	if k.handle() == 0 {
		return nil
	}
	for i, o := range owners {
		if o.lifetime == nil && k.usersOfNone(i, params) == 0 {
			return k.missingSlice(i)
		}
		if o.lifetime == nil || o.part == nil {
			continue
		}
		if p := k.ownedParam(i); p != nil && p.ElemAlign > 1 {
			if detail := misaligned(p.Name, *(*uint64)(unsafe.Add(params, p.Offset)), uint64(p.ElemAlign)); detail != "" {
				return k.launchArgument(detail, ErrMisalignedAddress)
			}
		}
	}
	return nil
}

// misaligned says that the elements of param at addr are not aligned to align bytes, or nothing if they are.
func misaligned(param string, addr, align uint64) string {
	if addr%align == 0 {
		return ""
	}
	return fmt.Sprintf("%s begins at address %#x, must be a multiple of %d, the alignment of its elements", param, addr, align)
}

// missingSlice is the error of a launch whose ith argument that has an owner is the zero Slice.
func (k *Kernel) missingSlice(i int) error {
	allow := "add //cudagen:nullable " + k.owned(i) + " above the kernel"
	if !k.library.image.generated {
		allow = "give its field the tag `cuda:\"nullable\"`"
	}
	return k.badArgument(k.owned(i)+" is the zero Slice: pass a slice of a buffer; if the kernel takes NULL, "+allow, ErrInvalidValue)
}
