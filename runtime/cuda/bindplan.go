package cuda

import (
	"fmt"
	"reflect"
	"structs"
	"sync"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A bindPlan says where in an Args the parameters of a kernel are.
type bindPlan struct {
	params  []bindParam
	slices  []bindSlice
	named   []uintptr // where fields of type Owner are
	lists   []uintptr // where fields of type []Owner are
	special uint64    // not 0 if a launch has to look at more than owners
}

// A bindParam is a parameter: a field of Args.
type bindParam struct {
	name        string
	typ         reflect.Type
	kind        paramKind
	at          uintptr   // where the driver reads it
	owner       uintptr   // where its lifetime is, or of a Symbol the library
	size, align uint64    // in C++
	elemAlign   uint64    // of what a Slice points to, in C++
	zero        *lifetime // in place of the lifetime that is nil, of a zero object; or nil
	needed      bool      // it is a Slice, and not the zero Slice
}

// A bindSlice says where in an Args a Slice has its address and its lifetime.
type bindSlice struct {
	addr, owner uintptr
	needed      bool
}

// A paramKind says how a parameter is checked.
type paramKind uint8

const (
	scalarParam paramKind = iota // which C++ aligns as its type does
	structParam                  // which C++ may align otherwise: alignas, packed
	sliceParam
	symbolParam
	handleParam
	objectParam // a texture or surface, which is not zero
	tensorParam // a tensor map, of which versions of CUDA have other alignments
)

// plans keeps the plan, or the error, of each type.
var plans sync.Map // reflect.Type → *bindPlan or error

func planOf[Args any]() (*bindPlan, error) {
	t := reflect.TypeFor[Args]()
	made, known := plans.Load(t)
	if !known {
		plan, err := newBindPlan(t)
		if made = plan; err != nil {
			made = err
		}
		plans.Store(t, made)
	}
	if err, failed := made.(error); failed {
		return nil, err
	}
	return made.(*bindPlan), nil
}

func newBindPlan(t reflect.Type) (*bindPlan, error) {
	if t.Kind() != reflect.Struct || t.PkgPath() == pkgPath || t.PkgPath() == vecPath {
		return nil, fmt.Errorf("%v is not a struct with a field for each parameter", t)
	}
	p := new(bindPlan)
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Type == reflect.TypeFor[structs.HostLayout]():
			continue
		case f.Type == reflect.TypeFor[Owner]() && !f.Anonymous:
			p.named = append(p.named, f.Offset)
			continue
		case f.Type == reflect.TypeFor[[]Owner]() && !f.Anonymous:
			p.lists = append(p.lists, f.Offset)
			continue
		case f.Anonymous:
			return nil, fmt.Errorf("%v is embedded in %v: give the parameter a name", f.Type, t)
		case f.Name == "_":
			return nil, fmt.Errorf("field %d of %v has no name: there is a field for each parameter, and no padding", i, t)
		}
		param, err := newBindParam(f)
		if err == nil {
			err = param.readTag(f.Tag)
		}
		if err != nil {
			return nil, fmt.Errorf("field %s of %v: %w", f.Name, t, err)
		}
		switch param.kind {
		case sliceParam:
			p.slices = append(p.slices, bindSlice{param.at, param.owner, param.needed})
		case symbolParam, handleParam, objectParam, tensorParam:
			p.special = 1
		}
		p.params = append(p.params, param)
	}
	return p, nil
}

func newBindParam(f reflect.StructField) (p bindParam, err error) {
	p = bindParam{name: f.Name, typ: f.Type, at: f.Offset, size: 8, align: 8, elemAlign: 1}
	pointer, ok := addressOf(f.Type)
	if !ok {
		p.size, p.align, err = inC(f.Type)
		if kind := f.Type.Kind(); (kind == reflect.Struct || kind == reflect.Array) && !isVector(f.Type) {
			p.kind = structParam
		}
		return p, err
	}
	p.kind, p.zero = pointer.kind, pointer.zero
	p.at, p.owner = f.Offset+pointer.at, f.Offset+pointer.owner
	if p.kind == tensorParam {
		p.size, p.align = uint64(unsafe.Sizeof(driver.TensorMap{})), tensorMapAlign
	}
	if pointer.elem != nil {
		if _, p.elemAlign, err = inC(pointer.elem); err != nil {
			return p, fmt.Errorf("its elements: %w", err)
		}
	}
	return p, nil
}

// readTag reads whether the parameter is needed.
func (p *bindParam) readTag(tag reflect.StructTag) error {
	text, tagged := tag.Lookup("cuda")
	if tagged && (text != "nullable" || p.kind != sliceParam) {
		return fmt.Errorf("the tag cuda:%q: there is only cuda:\"nullable\", for a Slice that may be NULL", text)
	}
	p.needed = p.kind == sliceParam && !tagged
	return nil
}

// An address is what a type of this package that becomes an address is made of.
type address struct {
	kind      paramKind
	at, owner uintptr
	elem      reflect.Type // nil if nothing is known of it
	zero      *lifetime    // that of the zero value of an object; or nil
}

// addressOf returns what t, a type of this package, is made of.
func addressOf(t reflect.Type) (address, bool) {
	if t.PkgPath() != pkgPath {
		return address{}, false // which may embed one
	}
	a, ok := reflect.Zero(t).Interface().(interface{ address() address })
	if !ok {
		return address{}, false
	}
	return a.address(), true
}

var pkgPath = reflect.TypeFor[Owner]().PkgPath()

func (s Slice[T]) address() address {
	return address{sliceParam, unsafe.Offsetof(s.addr), unsafe.Offsetof(s.owner), reflect.TypeFor[T](), nil}
}

func (p Ptr[T]) address() address { return address{kind: scalarParam, at: unsafe.Offsetof(p.addr)} }

func (v Symbol[T]) address() address {
	return address{symbolParam, unsafe.Offsetof(v.addr), unsafe.Offsetof(v.lib), nil, nil}
}

// tensorMapAlign is the alignment of CUtensorMap in C++. Headers since CUDA 13 have twice that.
const tensorMapAlign = 64

func (m TensorMap) address() address {
	return address{tensorParam, unsafe.Offsetof(m.opaque), unsafe.Offsetof(m.owner), nil, noTensor}
}

func (h ConditionalHandle) address() address { return address{kind: handleParam} }

// specs returns the parameters where a launch has them: in Args.
func (p *bindPlan) specs() (specs []ParamSpec) {
	for _, param := range p.params {
		specs = append(specs, ParamSpec{
			Name: param.name, Offset: uint32(param.at), Size: uint32(param.size), Align: uint32(param.align),
			Needed: param.needed,
			Owned:  param.kind == sliceParam || param.kind == symbolParam || param.kind == handleParam || param.kind == objectParam || param.kind == tensorParam,
		})
	}
	return specs
}

// A place is where a kernel has a parameter, and how large it is, in bytes.
type place struct{ offset, size uint64 }

// differs describes how the parameters of a kernel differ from p. It is empty if they do not.
func (p *bindPlan) differs(places []place) string {
	if len(places) != len(p.params) {
		return fmt.Sprintf("it has %d parameters, the Go code has %d", len(places), len(p.params))
	}
	end := uint64(0)
	for i, param := range p.params {
		at, want := places[i], (end+param.align-1)/param.align*param.align
		switch {
		case at.size != param.size:
			return fmt.Sprintf("parameter %d (%s) has %d bytes, %d as %v", i, param.name, at.size, param.size, param.typ)
		case param.kind == tensorParam && at.offset == (end+2*tensorMapAlign-1)/(2*tensorMapAlign)*(2*tensorMapAlign):
		case param.kind == structParam && at.offset < end, param.kind != structParam && at.offset != want:
			return fmt.Sprintf("parameter %d (%s) is at byte %d, at %d as %v", i, param.name, at.offset, want, param.typ)
		}
		end = at.offset + at.size
	}
	return ""
}
