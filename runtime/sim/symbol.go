package sim

import (
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A symbol is a variable with its address in its space.
type symbol struct {
	space   space
	address uint64
	unbound *ptx.Var // a shared variable of the module: its address depends on the kernel
	dynamic bool     // the address counts from the end of static shared memory

	arrays arraySet // what it is, in shared or local memory

	callParam bool  // a .param of a call, in local memory
	size      int64 // of a callParam
	framed    bool  // in a function's frame, from which the address counts

	function    functionKind
	unsupported string // why kernels cannot use it, or empty
}

// A functionKind says whether a symbol is a function, and whether its module has its body.
type functionKind uint8

const (
	noFunction functionKind = iota
	functionDeclared
	functionDefined
)

// variableOf finds the variable name. A shared variable of the module gets its place
// in the kernel's shared memory here.
func (d *decoder) variableOf(name string) (symbol, bool) {
	for _, s := range slices.Backward(d.scopes) {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	sym, ok := d.mod.globals[name]
	if sym.unsupported != "" {
		d.unsupported("%s", sym.unsupported)
	}
	if bound, found := d.shared[name]; found {
		return bound, true
	}
	if v := sym.unbound; v != nil {
		sym = symbol{space: shared}
		if size, sized := v.Size(); sized {
			sym.address = allot(&d.k.sharedBytes, size, v.Alignment())
			sym.arrays = d.k.addArray(array{name: name, space: shared, from: sym.address, bytes: uint64(size), opaque: size == 0})
		} else {
			sym.dynamic = true
			d.k.dynamicAlign = max(d.k.dynamicAlign, v.Alignment())
		}
		d.shared[name] = sym
	}
	return sym, ok
}

// address returns the register that holds sym's address. The address of dynamic
// shared memory is known only at the end.
func (d *decoder) address(sym symbol, offset uint64) int32 {
	if sym.framed {
		r := int32(d.k.regs)
		d.k.regs++
		d.emit(instr{op: opLanes, fn: simd.Fast.Add, dst: r, a: d.fn.frame, b: d.constant(sym.address + offset)}, place{line: d.pos.Line, text: "address in the frame", source: d.source})
		d.k.bases[r] = sym.arrays
		return r
	}
	if !sym.dynamic {
		if sym.space != shared && sym.space != local {
			return d.constant(sym.address + offset)
		}
		return d.addressConstant(sym.address+offset, sym.arrays)
	}
	if offset != 0 {
		d.unsupported("an offset behind a dynamic shared variable that is not in an address")
	}
	if d.dynamic == 0 {
		d.dynamic = constBase + int32(len(d.k.constants))
		d.k.constants = append(d.k.constants, 0)
	}
	return d.dynamic
}

// addressConstant is constant for an address of one of arrays, which a number of the same value is not.
func (d *decoder) addressConstant(value uint64, arrays arraySet) int32 {
	key := addressKey{value, arrays}
	index, ok := d.addresses[key]
	if !ok {
		index = constBase + int32(len(d.k.constants))
		d.k.constants = append(d.k.constants, value)
		d.addresses[key] = index
	}
	return index
}

// An addressKey is what tells addresses in constants apart.
type addressKey struct {
	value  uint64
	arrays arraySet
}
