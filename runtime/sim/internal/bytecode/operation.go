package bytecode

import "github.com/cudagen/cudagen/internal/ptx"

// An Operation is an instruction that has its own way to be executed: on matrices, barriers in
// memory, asynchronous copies.
type Operation interface {
	// registers returns where the operation names registers, to be numbered at the end.
	Registers() []*int32
}

// A Mover is an operation of which is known which registers it moves: to memory, or from there. They may hold addresses.
type Mover interface {
	Operation
	Moves() (data []int32, stores bool)
}

// Performs makes the instruction that executes o.
func Performs(o Operation) Instr { return Instr{Op: OpOperation, Own: o} }

// PointersTo returns where *p of each of lists is.
func PointersTo(lists ...[]int32) (regs []*int32) {
	for _, list := range lists {
		for n := range list {
			regs = append(regs, &list[n])
		}
	}
	return regs
}

// An Address is the operand [register+offset] of an operation.
type Address struct {
	In      Instr // of which space, mask, a and offset count
	Ordered bool  // the operation itself says in which order its accesses to shared memory are
}

// address decodes an address in a state space.
func (d *Decoder) AddressIn(in *ptx.Instr, op ptx.Operand, s Space) Address {
	named := *in
	named.Mods = []string{s.String()}
	if s == Generic {
		named.Mods = nil
	}
	return Address{In: d.Access(&named, op, "b8", 1)}
}

// RegistersOf returns the registers of a vector operand, or a single one.
func (d *Decoder) RegistersOf(in *ptx.Instr, op ptx.Operand, want int, one func(op ptx.Operand, t ptx.Type) int32, t ptx.Type) []int32 {
	if _, ok := op.(ptx.Vector); !ok && want == 1 {
		return []int32{one(op, t)}
	}
	return d.VectorOf(in, op, want, one, t)
}

// VectorOf returns the registers of a vector operand.
func (d *Decoder) VectorOf(in *ptx.Instr, op ptx.Operand, want int, one func(op ptx.Operand, t ptx.Type) int32, t ptx.Type) []int32 {
	v, ok := op.(ptx.Vector)
	if !ok || len(v.Elems) != want {
		d.Invalid("%s: an operand is not a vector of %d registers", in.Text, want)
		return make([]int32, want)
	}
	var regs []int32
	for _, elem := range v.Elems {
		regs = append(regs, one(elem, t))
	}
	return regs
}
