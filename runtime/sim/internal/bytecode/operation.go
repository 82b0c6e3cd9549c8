package bytecode

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
