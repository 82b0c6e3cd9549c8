package compare

import (
	"fmt"

	"github.com/ianlancetaylor/demangle"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

// A pair is a class or enumeration of the source and what the compiler states about it.
type pair struct {
	source   any // the identity of the class
	compiler *witness.Type
}

// Fields compares k with the debug information of the same kernel: how many parameters
// there are, and of each the kind and size of its type, of what it points at, and of
// every field, with its name and offset, whatever is nested how deep.
//
// Debug information leaves out parameters that a kernel does not use; it does not have
// alignments.
//
// The error is an Error.
func Fields(k Kernel, debug *witness.Kernel) (*Compared, error) {
	c := &comparison{kernel: k.Name, seen: make(map[pair]bool)}
	partner, ok := match(k.Params, debug.Params)
	if !ok {
		differ(c, "", "number of parameters", len(k.Params), len(debug.Params))
		return nil, c.err()
	}
	compared := &Compared{Params: make([]bool, len(k.Params)), Classes: make(map[any]bool)}
	for i, p := range k.Params {
		if partner[i] < 0 {
			continue
		}
		compared.Params[i] = true
		c.param = describe(i, p.Name)
		c.types("", p.Type, debug.Params[partner[i]].Type)
	}
	for both := range c.seen {
		compared.Classes[both.source] = true
	}
	return compared, c.err()
}

// Variable compares the type of the variable called name with its debug information, as
// Fields does with parameters. It returns the classes with all their fields and the enumerations,
// by layout.Identity.
//
// The error is an Error.
func Variable(name string, t ctype.Type, debug *witness.Type) (classes map[any]bool, err error) {
	c := &comparison{kernel: name, param: "its type", seen: make(map[pair]bool)}
	c.types("", t, debug)
	classes = make(map[any]bool)
	for both := range c.seen {
		classes[both.source] = true
	}
	return classes, c.err()
}

// Compared says what Fields could compare.
type Compared struct {
	Params  []bool       // by parameter
	Classes map[any]bool // by layout.Identity: classes with all their fields, and enumerations
}

// match returns for each parameter of the source its index in the debug information, or
// -1. When some are left out there, the names of the others have to tell.
func match(source []Param, debug []witness.Param) (partner []int, ok bool) {
	partner = make([]int, len(source))
	next := 0
	for i, p := range source {
		partner[i] = -1
		if len(source) == len(debug) || next < len(debug) && p.Name != "" && p.Name == debug[next].Name {
			partner[i] = next
			next++
		}
	}
	return partner, next == len(debug)
}

// types compares a type of the source with one of the compiler.
func (c *comparison) types(at path, source ctype.Type, compiler *witness.Type) {
	compiler = compiler.Bare()
	bare := ctype.Unqualified(source)
	if enum, ok := bare.(*ctype.Enum); ok && declaredOnly(enum) && compiler.Kind != witness.Enum {
		c.types(at, enum.Underlying, compiler) // nvcc describes the underlying type
		return
	}
	if !agrees(bare, compiler.Kind) {
		differ(c, at, "kind", kindOf(bare), compiler.Kind)
		return
	}
	switch bare := bare.(type) {
	case *ctype.Basic:
		// The size of long double in debug information is the host's, and clang states none of nullptr_t.
		if bare.Kind != ctype.LongDouble && compiler.Kind != witness.Unknown {
			differ(c, at, "size", bare.Size, compiler.Size)
		}
	case *ctype.Pointer:
		differ(c, at, "size", addressSize, compiler.Size)
		c.targets(at, bare.Elem, compiler.Elem)
	case *ctype.Reference:
		differ(c, at, "size", addressSize, compiler.Size)
		c.targets(at, bare.Elem, compiler.Elem)
	case *ctype.MemberPointer:
		if size, _, err := layout.Of(bare); err == nil && compiler.Kind != witness.Unknown {
			differ(c, at, "size", size, compiler.Size)
		}
	case *ctype.Array:
		differ(c, at, "number of elements", bare.Len, compiler.Len)
		c.types(at.element(), bare.Elem, compiler.Elem)
	case *ctype.Vector:
		c.vector(at, bare, compiler)
	case *ctype.Library:
		differ(c, at, "size", bare.Size, compiler.Size)
	case *ctype.Enum:
		c.enum(at, bare, compiler)
	case *ctype.Struct:
		c.class(at, bare, compiler)
	}
}

// declaredOnly reports whether e is declared with its underlying type, and not defined: C++ standard,
// [dcl.enum], opaque-enum-declaration.
func declaredOnly(e *ctype.Enum) bool {
	return e.Fixed && len(e.Enumerators) == 0 && e.Unsupported == nil
}

// addressSize is the size of a device address in bytes.
const addressSize = int64(8)

// kindOf returns what the compiler has to say that t, which is bare, is.
func kindOf(t ctype.Type) witness.Kind {
	switch t := t.(type) {
	case *ctype.Basic:
		switch {
		case t.Kind == ctype.Void:
			return witness.Void
		case t.Kind == ctype.Bool:
			return witness.Bool
		case t.Kind == ctype.NullPtr:
			return witness.Pointer
		case !t.Integer():
			return witness.Float
		case t.Unsigned:
			return witness.Unsigned
		}
		return witness.Signed
	case *ctype.Pointer:
		return witness.Pointer
	case *ctype.Reference:
		return witness.Reference
	case *ctype.Array:
		return witness.Array
	case *ctype.Library:
		if t.Union {
			return witness.Union
		}
		return witness.Class
	case *ctype.Vector:
		return witness.Class
	case *ctype.Enum:
		return witness.Enum
	case *ctype.Function:
		return witness.Function
	case *ctype.Struct:
		if t.Union {
			return witness.Union
		}
		return witness.Class
	}
	return witness.Unknown
}

// agrees reports whether a compiler may say kind of t, which is bare.
func agrees(t ctype.Type, kind witness.Kind) bool {
	if member, ok := t.(*ctype.MemberPointer); ok {
		// nvcc describes how they lie: an offset, or a class of two words. clang gives them a
		// tag of their own.
		_, function := ctype.Unqualified(member.Elem).(*ctype.Function)
		return kind == witness.Unknown || function && kind == witness.Class || !function && kind == witness.Signed
	}
	if basic, ok := t.(*ctype.Basic); ok && basic.Kind == ctype.NullPtr && kind == witness.Unknown {
		return true // clang has a tag for it alone; nvcc describes a void *
	}
	return kindOf(t) == kind || hostSigned(t, kind)
}

// hostSigned reports whether t is a type whose sign the host chooses, and kind an
// integer.
func hostSigned(t ctype.Type, kind witness.Kind) bool {
	basic, ok := t.(*ctype.Basic)
	return ok && (basic.Kind == ctype.Char || basic.Kind == ctype.WChar) && (kind == witness.Signed || kind == witness.Unsigned)
}

// targets compares what pointers point at.
func (c *comparison) targets(at path, source ctype.Type, compiler *witness.Type) {
	c.pointed(at.target(), source, compiler)
}

// pointed compares a type behind a pointer. A class that one of the two does not know is only compared by its kind.
func (c *comparison) pointed(at path, source ctype.Type, compiler *witness.Type) {
	bare := ctype.Unqualified(source)
	switch bare := bare.(type) {
	case *ctype.Array:
		if array := compiler.Bare(); array.Kind == witness.Array {
			differ(c, at, "number of elements", bare.Len, array.Len)
			c.pointed(at.element(), bare.Elem, array.Elem)
			return
		}
	case *ctype.Struct:
		if _, err := layout.Struct(bare); err != nil || !compiler.Bare().Complete() {
			differ(c, at, "kind", kindOf(bare), compiler.Bare().Kind)
			return
		}
	case *ctype.Vector, *ctype.Library:
		if !compiler.Bare().Complete() {
			differ(c, at, "kind", kindOf(bare), compiler.Bare().Kind)
			return
		}
	}
	c.types(at, source, compiler)
}

// members are the names of the members of vector types.
var members = [...]string{"x", "y", "z", "w"}

func (c *comparison) vector(at path, source *ctype.Vector, compiler *witness.Type) {
	differ(c, at, "size", source.Size(), compiler.Size)
	fields := compiler.Members()
	differ(c, at, "number of fields", source.Count, int64(len(fields)))
	for i, f := range fields[:min(len(fields), int(source.Count))] {
		differ(c, at, "name of field "+members[i], members[i], f.Name)
		differ(c, at.field(members[i]), "offset", int64(i)*source.Elem.Size, f.Offset)
		c.types(at.field(members[i]), source.Elem, f.Type)
	}
}

func (c *comparison) enum(at path, source *ctype.Enum, compiler *witness.Type) {
	size, _, err := layout.Of(source)
	if err != nil {
		return // it is only pointed at
	}
	c.seen[pair{layout.Identity(source), compiler}] = true
	differ(c, at, "size", size, compiler.Size)
	if compiler.Elem != nil {
		c.types(at, source.Underlying, compiler.Elem)
	}
	differ(c, at, "number of enumerators", len(source.Enumerators), len(compiler.Enumerators))
	for i, e := range source.Enumerators[:min(len(source.Enumerators), len(compiler.Enumerators))] {
		other := compiler.Enumerators[i]
		differ(c, at, fmt.Sprintf("name of enumerator %d", i), e.Name, enumeratorName(other.Name))
		if e.Known {
			differ(c, at, "value of "+e.Name, truncated(e.Value, size), truncated(other.Value, size))
		}
	}
}

// truncated returns the lowest size bytes of value, sign-extended.
func truncated(value, size int64) int64 {
	unused := 64 - 8*size
	return value << unused >> unused
}

// enumeratorName returns the name of an enumerator, which nvcc mangles when the
// enumeration is a scoped one: _ZN2E81AE.
func enumeratorName(name string) string {
	ast, err := demangle.ToAST(name, demangle.MaxLength(image.LongestSymbol))
	if err != nil {
		return name
	}
	if qualified, ok := ast.(*demangle.Qualified); ok {
		return demangle.ASTToString(qualified.Name)
	}
	return name
}

func (c *comparison) class(at path, source *ctype.Struct, compiler *witness.Type) {
	both := pair{layout.Identity(source), compiler}
	if c.seen[both] {
		return
	}
	c.seen[both] = true
	found, err := layout.Struct(source)
	if err != nil {
		c.found = append(c.found, Difference{c.kernel, c.param + at.String(), "layout", "not known (" + err.Error() + ")", fmt.Sprint(compiler.Size, " bytes"), byCompiler})
		return
	}
	differ(c, at, "size", found.Size, compiler.Size)
	fields := compiler.Members()
	differ(c, at, "number of fields", len(found.Members), len(fields))
	for i, m := range found.Members[:min(len(found.Members), len(fields))] {
		f := fields[i]
		inner := at.field(m.Name)
		differ(c, at, fmt.Sprintf("name of field %d", i), m.Name, f.Name)
		differ(c, inner, "offset", m.Offset, f.Offset)
		differ(c, inner, "being a bit-field", m.BitField && (f.BitField || !wholeUnit(&m)), f.BitField)
		if m.BitField && f.BitField {
			differ(c, inner, "first bit", m.BitOffset, f.BitOffset)
			differ(c, inner, "number of bits", m.Bits, f.Bits)
		}
		c.types(inner, m.Type, f.Type)
	}
}

// wholeUnit reports whether the bit-field m has all bits of a value of its type, at an address that such
// a value may have: nvcc describes it as any other field.
func wholeUnit(m *layout.Member) bool {
	size, align, err := layout.Of(m.Type)
	return err == nil && m.Bits == 8*size && m.BitOffset%(8*align) == 0
}
