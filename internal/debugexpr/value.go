// Package debugexpr evaluates the expressions of a debugger: names, members, elements, what pointers point to, and arithmetic as in
// C++. It knows types of ptxdebug and operators. It knows no device: it is handed what names stand for, and a way to read memory.
package debugexpr

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cudagen/cudagen/internal/ptxdebug"
)

// A Value is a value with its type, or a place in memory that has one.
type Value struct {
	Type     *ptxdebug.Type
	Bytes    []byte // nil for one in memory
	Place    *Place // where it lies in memory, or nil
	Register string // where it lies, or empty
}

// A Place is an address of a thread.
type Place struct {
	Space   string // as PTX calls it: generic, global, const, shared, local or param
	Address uint64
}

// A Context is where an expression is evaluated: what names stand for, and memory.
type Context struct {
	Lookup func(name string) (Value, error)
	Read   func(p Place, n int64) ([]byte, error)

	// Windows are what generic addresses of other memory than global begin with, by its space.
	Windows map[string]uint64

	// Unwritten is eight bytes as memory has them that nothing was written to, or 0. Format says so of what looks like that.
	Unwritten uint64
}

// Types of results.
var (
	boolType   = &ptxdebug.Type{Kind: ptxdebug.Bool, Name: "bool", Size: 1}
	intType    = &ptxdebug.Type{Kind: ptxdebug.Signed, Name: "int", Size: 4}
	uintType   = &ptxdebug.Type{Kind: ptxdebug.Unsigned, Name: "unsigned int", Size: 4}
	longType   = &ptxdebug.Type{Kind: ptxdebug.Signed, Name: "long long", Size: 8}
	ulongType  = &ptxdebug.Type{Kind: ptxdebug.Unsigned, Name: "unsigned long long", Size: 8}
	floatType  = &ptxdebug.Type{Kind: ptxdebug.Float, Name: "float", Size: 4}
	doubleType = &ptxdebug.Type{Kind: ptxdebug.Float, Name: "double", Size: 8}
)

// Named are the types that casts know, by their names with one blank between words.
var Named = map[string]*ptxdebug.Type{
	"bool": boolType, "int": intType, "unsigned": uintType, "unsigned int": uintType, "long": longType, "long long": longType,
	"unsigned long": ulongType, "unsigned long long": ulongType, "size_t": ulongType, "float": floatType, "double": doubleType,
	"char": {Kind: ptxdebug.Char, Name: "char", Size: 1}, "signed char": {Kind: ptxdebug.Signed, Name: "signed char", Size: 1},
	"unsigned char": {Kind: ptxdebug.Unsigned, Name: "unsigned char", Size: 1}, "short": {Kind: ptxdebug.Signed, Name: "short", Size: 2},
	"unsigned short": {Kind: ptxdebug.Unsigned, Name: "unsigned short", Size: 2},
	"int8_t":         {Kind: ptxdebug.Signed, Name: "int8_t", Size: 1}, "uint8_t": {Kind: ptxdebug.Unsigned, Name: "uint8_t", Size: 1},
	"int16_t": {Kind: ptxdebug.Signed, Name: "int16_t", Size: 2}, "uint16_t": {Kind: ptxdebug.Unsigned, Name: "uint16_t", Size: 2},
	"int32_t": {Kind: ptxdebug.Signed, Name: "int32_t", Size: 4}, "uint32_t": {Kind: ptxdebug.Unsigned, Name: "uint32_t", Size: 4},
	"int64_t": {Kind: ptxdebug.Signed, Name: "int64_t", Size: 8}, "uint64_t": {Kind: ptxdebug.Unsigned, Name: "uint64_t", Size: 8},
}

// constants are the names of values that C++ knows itself.
var constants = map[string]Value{
	"true": Word(boolType, 1), "false": Word(boolType, 0), "nullptr": Word(&ptxdebug.Type{Kind: ptxdebug.Pointer, Name: "std::nullptr_t", Size: 8}, 0),
}

// Word returns a value of a type of at most eight bytes.
func Word(t *ptxdebug.Type, bits uint64) Value {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], bits)
	return Value{Type: t, Bytes: bytes[:min(8, max(t.Bare().Size, 1))]}
}

// Uint returns an unsigned int.
func Uint(n uint32) Value { return Word(uintType, uint64(n)) }

// Fetch returns v with its bytes.
func (c *Context) Fetch(v Value) (Value, error) {
	if v.Bytes != nil || v.Place == nil {
		return v, nil
	}
	bytes, err := c.Read(*v.Place, v.Type.Bare().Size)
	if err != nil {
		return v, err
	}
	v.Bytes = bytes
	return v, nil
}

// number is a value in arithmetic.
type number struct {
	t    *ptxdebug.Type // one of the types of results, or a pointer
	bits uint64         // of an integer, extended to 64 bits
	f    float64
}

func (n number) isFloat() bool { return n.t.Kind == ptxdebug.Float }

func (n number) isSigned() bool { return n.t.Kind == ptxdebug.Signed }

// float returns n as a floating-point number.
func (n number) float() float64 {
	switch {
	case n.isFloat():
		return n.f
	case n.isSigned():
		return float64(int64(n.bits))
	}
	return float64(n.bits)
}

// floatAs returns n converted to a floating-point type.
func (n number) floatAs(t *ptxdebug.Type) float64 {
	if t.Size == 4 {
		return float64(float32(n.float()))
	}
	return n.float()
}

// isTrue reports whether n is not zero.
func (n number) isTrue() bool {
	if n.isFloat() {
		return n.f != 0
	}
	return n.bits != 0
}

// value returns n as a value.
func (n number) value() Value {
	switch {
	case n.isFloat() && n.t.Size == 4:
		return Word(n.t, uint64(math.Float32bits(float32(n.f))))
	case n.isFloat():
		return Word(n.t, math.Float64bits(n.f))
	}
	return Word(n.t, n.bits)
}

// Bits returns the lowest bytes of v as an integer, without extending it.
func (v Value) Bits() uint64 {
	var bytes [8]byte
	copy(bytes[:], v.Bytes)
	return binary.LittleEndian.Uint64(bytes[:])
}

// number returns v for arithmetic, promoted as C++ promotes.
func (c *Context) number(v Value) (number, error) {
	t := v.Type.Bare()
	if t.Kind == ptxdebug.Array {
		return c.decay(v)
	}
	if isShortFloat(t) {
		return c.shortFloat(v)
	}
	v, err := c.Fetch(v)
	if err != nil {
		return number{}, err
	}
	bits := v.Bits()
	if t.Kind == ptxdebug.Reference {
		return c.number(c.referenced(v))
	}
	if int64(len(v.Bytes)) < t.Size || t.Size > 8 || t.Size == 0 {
		return number{}, fmt.Errorf("a value of type %s is no number", t)
	}
	return numberOf(t, bits)
}

// isShortFloat reports whether t is a class of the toolkit that holds a floating-point number of 16 bits.
func isShortFloat(t *ptxdebug.Type) bool {
	return t.Kind == ptxdebug.Class && t.Size == 2 && len(t.Fields) > 0 && (t.Name == "__half" || t.Name == "__nv_bfloat16")
}

// shortFloat returns the number that v, of such a class, holds.
//
// IEEE 754, binary16; PTX ISA, Alternate Floating-Point Data Formats: bf16.
func (c *Context) shortFloat(v Value) (number, error) {
	held, err := c.Field(v, 0)
	if err == nil {
		held, err = c.Fetch(held)
	}
	if err != nil {
		return number{}, err
	}
	bits := uint32(held.Bits())
	if v.Type.Bare().Name == "__nv_bfloat16" {
		return number{floatType, 0, float64(math.Float32frombits(bits << 16))}, nil
	}
	magnitude := math.Float32frombits(bits&0x7fff<<13) * (1 << 112) // the exponents of the two formats differ by 112
	if bits&0x7c00 == 0x7c00 {                                      // infinity, or no number
		magnitude = math.Float32frombits(0x7f800000 | bits&0x3ff<<13)
	}
	f := float64(magnitude)
	if bits&0x8000 != 0 {
		f = -f
	}
	return number{floatType, 0, f}, nil
}

// numberOf returns the number of a type whose bytes are bits.
func numberOf(t *ptxdebug.Type, bits uint64) (number, error) {
	switch t.Kind {
	case ptxdebug.Bool, ptxdebug.Unsigned:
		switch {
		case t.Size == 8:
			return number{ulongType, bits, 0}, nil
		case t.Size == 4:
			return number{uintType, bits, 0}, nil
		}
		return number{intType, bits, 0}, nil
	case ptxdebug.Enum:
		if t.Elem != nil {
			return numberOf(t.Elem, bits)
		}
		return numberOf(&ptxdebug.Type{Kind: ptxdebug.Signed, Size: t.Size}, bits)
	case ptxdebug.Signed, ptxdebug.Char:
		shift := 64 - 8*uint(t.Size)
		bits = uint64(int64(bits<<shift) >> shift)
		if t.Size == 8 {
			return number{longType, bits, 0}, nil
		}
		return number{intType, bits, 0}, nil
	case ptxdebug.Float:
		switch t.Size {
		case 4:
			return number{floatType, 0, float64(math.Float32frombits(uint32(bits)))}, nil
		case 8:
			return number{doubleType, 0, math.Float64frombits(bits)}, nil
		}
	case ptxdebug.Pointer:
		return number{t, bits, 0}, nil
	}
	return number{}, fmt.Errorf("a value of type %s is no number", t)
}

// decay returns the address of an array's first element.
func (c *Context) decay(v Value) (number, error) {
	if v.Place == nil {
		return number{}, fmt.Errorf("an array of type %s that is not in memory has no address", v.Type)
	}
	return number{&ptxdebug.Type{Kind: ptxdebug.Pointer, Size: 8, Elem: v.Type.Bare().Elem}, c.generic(v.Place), 0}, nil
}

// generic returns an address as a pointer has it.
func (c *Context) generic(p *Place) uint64 { return c.Windows[p.Space] | p.Address }

// referenced returns what a reference is for.
func (c *Context) referenced(v Value) Value {
	return Value{Type: v.Type.Bare().Elem, Place: &Place{"generic", v.Bits()}}
}
