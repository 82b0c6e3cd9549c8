// Package params takes the type of a struct with a field for each parameter of a kernel, Args, and plans where a launch finds
// the parameters in it, and what the kernel must have for that. It knows neither kernels nor the lifetimes of what Args
// refers to; which types become addresses it is told.
package params

import (
	"fmt"
	"reflect"
	"structs"
	"sync"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/element"
	"github.com/cudagen/cudagen/runtime/cuda/internal/image"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Plan says where in an Args the parameters of a kernel are.
type Plan struct {
	Params  []Param
	Slices  []Slice
	Named   []uintptr // where fields of type Owner are
	Lists   []uintptr // where fields of type []Owner are
	Special uint64    // not 0 if a launch has to look at more than owners
}

// A Param is a parameter: a field of Args.
type Param struct {
	Name        string
	Type        reflect.Type
	Kind        Kind
	At          uintptr // where the driver reads it
	Owner       uintptr // where its lifetime is, or of a Symbol the library
	Size, Align uint64  // in C++
	ElemAlign   uint64  // of what a Slice points to, in C++
	Needed      bool    // it is a Slice, and not the zero Slice
}

// A Slice says where in an Args a Slice has its address and its lifetime.
type Slice struct {
	Addr, Owner uintptr
	Needed      bool
}

// A Kind says how a parameter is checked.
type Kind uint8

// The kinds.
const (
	Scalar    Kind = iota // which C++ aligns as its type does
	Struct                // which C++ may align otherwise: alignas, packed
	SliceOf               // elements of a buffer
	Symbol                // a variable of a library
	Handle                // of a conditional node
	Texture               // which is not zero
	Surface               // which is not zero
	TensorMap             // of which versions of CUDA have other alignments
)

// IsOwned reports whether arguments of the kind have an owner.
func (k Kind) IsOwned() bool { return k != Scalar && k != Struct }

// An Address is what a type of package cuda that becomes an address is made of.
type Address struct {
	Kind      Kind
	At, Owner uintptr
	Elem      reflect.Type // nil if nothing is known of it
}

// Types are those of package cuda that a Plan knows.
type Types struct {
	Owner, Owners reflect.Type // Owner and []Owner
	Address       func(reflect.Type) (Address, bool)
}

// pointer implements element.PointerType.
func (t *Types) pointer(of reflect.Type) (is, alone bool) {
	a, is := t.Address(of)
	return is, a.Kind == Scalar
}

// plans keeps the plan, or the error, of each type.
var plans sync.Map // reflect.Type → *Plan or error

// Of returns the plan of t, a type of Args.
func Of(t reflect.Type, types *Types) (*Plan, error) {
	made, known := plans.Load(t)
	if !known {
		plan, err := newPlan(t, types)
		if made = plan; err != nil {
			made = err
		}
		plans.Store(t, made)
	}
	if err, failed := made.(error); failed {
		return nil, err
	}
	return made.(*Plan), nil
}

func newPlan(t reflect.Type, types *Types) (*Plan, error) {
	if t.Kind() != reflect.Struct || t.PkgPath() == types.Owner.PkgPath() || t.PkgPath() == element.VecPath {
		return nil, fmt.Errorf("%v is not a struct with a field for each parameter", t)
	}
	p := new(Plan)
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Type == reflect.TypeFor[structs.HostLayout]():
			continue
		case f.Type == types.Owner && !f.Anonymous:
			p.Named = append(p.Named, f.Offset)
			continue
		case f.Type == types.Owners && !f.Anonymous:
			p.Lists = append(p.Lists, f.Offset)
			continue
		case f.Anonymous:
			return nil, fmt.Errorf("%v is embedded in %v: give the parameter a name", f.Type, t)
		case f.Name == "_":
			return nil, fmt.Errorf("field %d of %v has no name: there is a field for each parameter, and no padding", i, t)
		}
		param, err := newParam(f, types)
		if err == nil {
			err = param.readTag(f.Tag)
		}
		if err != nil {
			return nil, fmt.Errorf("field %s of %v: %w", f.Name, t, err)
		}
		switch param.Kind {
		case SliceOf:
			p.Slices = append(p.Slices, Slice{param.At, param.Owner, param.Needed})
		case Symbol, Handle, Texture, Surface, TensorMap:
			p.Special = 1
		}
		p.Params = append(p.Params, param)
	}
	return p, nil
}

func newParam(f reflect.StructField, types *Types) (p Param, err error) {
	p = Param{Name: f.Name, Type: f.Type, At: f.Offset, Size: 8, Align: 8, ElemAlign: 1}
	address, ok := types.Address(f.Type)
	if !ok {
		p.Size, p.Align, err = element.InC(f.Type, types.pointer)
		if kind := f.Type.Kind(); (kind == reflect.Struct || kind == reflect.Array) && !element.IsVector(f.Type) {
			p.Kind = Struct
		}
		return p, err
	}
	p.Kind, p.At, p.Owner = address.Kind, f.Offset+address.At, f.Offset+address.Owner
	if p.Kind == TensorMap {
		p.Size, p.Align = uint64(unsafe.Sizeof(driver.TensorMap{})), tensorMapAlign
	}
	if address.Elem != nil {
		if _, p.ElemAlign, err = element.InC(address.Elem, types.pointer); err != nil {
			return p, fmt.Errorf("its elements: %w", err)
		}
	}
	return p, nil
}

// readTag reads whether the parameter is needed.
func (p *Param) readTag(tag reflect.StructTag) error {
	text, tagged := tag.Lookup("cuda")
	if tagged && (text != "nullable" || p.Kind != SliceOf) {
		return fmt.Errorf("the tag cuda:%q: there is only cuda:\"nullable\", for a Slice that may be NULL", text)
	}
	p.Needed = p.Kind == SliceOf && !tagged
	return nil
}

// tensorMapAlign is the alignment of CUtensorMap in C++. Headers since CUDA 13 have twice that.
const tensorMapAlign = 64

// Differs describes how the parameters of a kernel differ from p. It is empty if they do not.
func (p *Plan) Differs(places []image.Param) string {
	if len(places) != len(p.Params) {
		return fmt.Sprintf("it has %d parameters, the Go code has %d", len(places), len(p.Params))
	}
	end := uint64(0)
	for i, param := range p.Params {
		at, want := places[i], (end+param.Align-1)/param.Align*param.Align
		switch {
		case at.Size != param.Size:
			return fmt.Sprintf("parameter %d (%s) has %d bytes, %d as %v", i, param.Name, at.Size, param.Size, param.Type)
		case param.Kind == TensorMap && at.Offset == (end+2*tensorMapAlign-1)/(2*tensorMapAlign)*(2*tensorMapAlign):
		case param.Kind == Struct && at.Offset < end, param.Kind != Struct && at.Offset != want:
			return fmt.Sprintf("parameter %d (%s) is at byte %d, at %d as %v", i, param.Name, at.Offset, want, param.Type)
		}
		end = at.Offset + at.Size
	}
	return ""
}
