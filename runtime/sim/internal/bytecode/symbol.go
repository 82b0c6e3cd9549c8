package bytecode

import (
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A Symbol is a variable with its address in its space.
type Symbol struct {
	Space   Space
	address uint64   // unless it has a number
	number  int      // plus 1, of a module's variable, whose address depends on the device
	unbound *ptx.Var // a shared variable of the module: its address depends on the kernel
	dynamic bool     // the address counts from the end of static shared memory

	arrays ArraySet // what it is, in shared or local memory

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

// VariableOf finds the variable name. A shared variable of the module gets its place
// in the kernel's shared memory here.
func (d *Decoder) VariableOf(name string) (Symbol, bool) {
	for _, s := range slices.Backward(d.Scopes) {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	sym, ok := d.Mod.globals[name]
	if sym.unsupported != "" {
		d.Unsupported("%s", sym.unsupported)
	}
	if bound, found := d.Shared[name]; found {
		return bound, true
	}
	if v := sym.unbound; v != nil {
		sym = Symbol{Space: Shared}
		if size, sized := v.Size(); sized {
			sym.address = allot(&d.K.SharedBytes, size, v.Alignment())
			sym.arrays = d.K.AddArray(Array{Name: name, Space: Shared, From: sym.address, Bytes: uint64(size), opaque: size == 0})
		} else {
			sym.dynamic = true
			d.K.dynamicAlign = max(d.K.dynamicAlign, v.Alignment())
		}
		d.Shared[name] = sym
		size, _ := v.Size()
		d.noteVariable(name, sym, max(size, 0))
	}
	return sym, ok
}

// Address returns the register that holds sym's address. The address of dynamic
// shared memory is known only at the end.
func (d *Decoder) Address(sym Symbol, offset uint64) int32 {
	if sym.framed {
		r := int32(d.K.Regs)
		d.K.Regs++
		d.Emit(Instr{Op: OpLanes, Fn: simd.Fast.Add, Dst: r, A: d.Fn.Frame, B: d.Constant(sym.address + offset)}, Place{Line: d.pos.Line, Text: "address in the frame", Source: d.Source})
		d.K.Bases[r] = sym.arrays
		return r
	}
	if sym.number > 0 {
		return d.placedConstant(Placed{Variable: sym.number - 1, Offset: offset})
	}
	if !sym.dynamic {
		if sym.Space != Shared && sym.Space != Local {
			return d.Constant(sym.address + offset)
		}
		return d.addressConstant(sym.address+offset, sym.arrays)
	}
	if offset != 0 {
		d.Unsupported("an offset behind a dynamic shared variable that is not in an address")
	}
	if d.dynamic == 0 {
		d.dynamic = ConstBase + int32(len(d.K.Constants))
		d.K.Constants = append(d.K.Constants, 0)
	}
	return d.dynamic
}

// placedConstant is Constant for the address of a variable. Its value in a Program is one that no number has.
func (d *Decoder) placedConstant(p Placed) int32 {
	index, ok := d.placed[p]
	if !ok {
		index = ConstBase + int32(len(d.K.Constants))
		if d.placed == nil {
			d.placed = make(map[Placed]int32)
		}
		d.placed[p] = index
		p.Constant = len(d.K.Constants)
		d.K.Placed = append(d.K.Placed, p)
		d.K.Constants = append(d.K.Constants, 1<<62+uint64(len(d.K.Placed)))
	}
	return index
}

// addressConstant is constant for an address of one of arrays, which a number of the same value is not.
func (d *Decoder) addressConstant(value uint64, arrays ArraySet) int32 {
	key := AddressKey{value, arrays}
	index, ok := d.Addresses[key]
	if !ok {
		index = ConstBase + int32(len(d.K.Constants))
		d.K.Constants = append(d.K.Constants, value)
		d.Addresses[key] = index
	}
	return index
}

// An AddressKey is what tells addresses in constants apart.
type AddressKey struct {
	value  uint64
	arrays ArraySet
}
