package bytecode

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
)

// An initializer writes the initial value of a variable.
//
// PTX ISA, Variables, Initializers.
type initializer struct {
	v       *ptx.Var
	globals map[string]Symbol
	errs    *Problems
}

func (n *initializer) invalid(format string, args ...any) {
	n.errs.add(problem{pos: n.v.Pos, text: fmt.Sprintf(format, args...), invalid: true})
}

func (n *initializer) unsupported(format string, args ...any) {
	n.errs.add(problem{pos: n.v.Pos, text: fmt.Sprintf(format, args...)})
}

// fill writes values, the elements of an array of the given dimensions, into image.
// What they leave out is zero.
func (n *initializer) fill(image []byte, values []ptx.Operand, dims []int64) {
	elem := n.v.Type.Size()
	if len(dims) > 1 || len(dims) == 1 && n.v.Vector > 0 {
		elem = len(image) / int(max(1, dims[0]))
		dims = dims[1:]
	}
	for _, value := range values {
		if len(image) < elem || elem == 0 {
			n.invalid("%s has more initial values than elements", n.v.Name)
			return
		}
		if row, ok := value.(ptx.Vector); ok {
			if elem == n.v.Type.Size() {
				n.invalid("the initial value of %s is nested too deep", n.v.Name)
				return
			}
			n.fill(image[:elem], row.Elems, dims)
		} else if elem != n.v.Type.Size() {
			n.unsupported("the initial value of %s without inner braces", n.v.Name)
			return
		} else {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], n.bits(value))
			copy(image[:elem], word[:])
		}
		image = image[elem:]
	}
}

// bits returns one element.
func (n *initializer) bits(value ptx.Operand) uint64 {
	switch value := value.(type) {
	case ptx.Imm:
		if !IsFloat(n.v.Type) {
			return value.Value
		}
	case ptx.Float:
		d := &Decoder{Errs: n.errs, pos: n.v.Pos}
		return d.float(value, n.v.Type)
	case ptx.Symbol:
		return n.address(value)
	case ptx.Generic:
		return n.address(value.Symbol)
	case ptx.Mask:
		if sym, ok := value.Value.(ptx.Symbol); ok && value.Mask != 0 {
			return n.addressIn(sym, 8) & value.Mask >> bits.TrailingZeros64(value.Mask)
		}
	}
	n.unsupported("the initial value of %s", n.v.Name)
	return 0
}

// address is that of a variable, the same in its space and as a generic address.
func (n *initializer) address(sym ptx.Symbol) uint64 { return n.addressIn(sym, n.v.Type.Size()) }

// AddressIn is address where there are size bytes for it.
func (n *initializer) addressIn(sym ptx.Symbol, size int) uint64 {
	v, ok := n.globals[sym.Name]
	if !ok || v.Space != Global && v.Space != Constant && v.Space != code || v.unsupported != "" || size != 8 {
		n.unsupported("%s in the initial value of %s", sym.Name, n.v.Name)
	}
	return v.address + uint64(sym.Offset)
}
