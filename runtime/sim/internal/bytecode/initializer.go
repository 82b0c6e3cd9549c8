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
	into    *variable
	globals map[string]Symbol
	errs    *Problems
}

// A relocation is an element of a variable, or a part of one, that holds the address of a variable.
type relocation struct {
	at, size int
	variable int
	offset   uint64
	mask     uint64 // the bits of the address that it holds
}

// relocate writes into image what depends on the addresses of variables.
func (r *relocation) relocate(image []byte, variables []uint64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], (variables[r.variable]+r.offset)&r.mask>>bits.TrailingZeros64(r.mask))
	copy(image[r.at:r.at+r.size], word[:])
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
			at := cap(n.into.image) - cap(image)
			binary.LittleEndian.PutUint64(word[:], n.bits(value, at))
			copy(image[:elem], word[:])
		}
		image = image[elem:]
	}
}

// bits returns one element, which lies at a place in the variable.
func (n *initializer) bits(value ptx.Operand, at int) uint64 {
	switch value := value.(type) {
	case ptx.Imm:
		if !IsFloat(n.v.Type) {
			return value.Value
		}
	case ptx.Float:
		d := &Decoder{Errs: n.errs, pos: n.v.Pos}
		return d.float(value, n.v.Type)
	case ptx.Symbol:
		return n.address(value, at, ^uint64(0))
	case ptx.Generic:
		return n.address(value.Symbol, at, ^uint64(0))
	case ptx.Mask:
		if sym, ok := value.Value.(ptx.Symbol); ok && value.Mask != 0 {
			return n.address(sym, at, value.Mask)
		}
	}
	n.unsupported("the initial value of %s", n.v.Name)
	return 0
}

// address returns the bits in mask of an address, the same in its space and as a generic one, or 0 if a relocation has it.
func (n *initializer) address(sym ptx.Symbol, at int, mask uint64) uint64 {
	v, ok := n.globals[sym.Name]
	whole := mask == ^uint64(0)
	if !ok || v.Space != Global && v.Space != Constant && v.Space != code || v.unsupported != "" || whole && n.v.Type.Size() != 8 {
		n.unsupported("%s in the initial value of %s", sym.Name, n.v.Name)
	}
	if v.number > 0 {
		n.into.relocations = append(n.into.relocations, relocation{at, n.v.Type.Size(), v.number - 1, uint64(sym.Offset), mask})
		return 0
	}
	return (v.address + uint64(sym.Offset)) & mask >> bits.TrailingZeros64(mask)
}
