package bytecode

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// A Function is a device function, decoded as a part of a kernel. Its registers are those of
// the kernel from one number to another, so that no two functions share any; a call of a
// function that is under way in the same thread saves them. Its parameters, its result and
// its local variables lie in its frame, which is local memory.
type Function struct {
	Name    string
	Start   int32
	Frame   int32 // the register that holds the address of the frame
	Params  []Slot
	Results []Slot

	FirstReg, LastReg   int32 // the last is beyond them
	FirstPred, LastPred int32

	FrameBytes  int64
	unsupported string // why it cannot be called, or empty
}

// A Slot is where a parameter or a result lies: in a register or in the frame.
type Slot struct {
	Reg    int32 // or -1
	Offset int64 // in the frame
	Size   int64
}

// FrameAlign is the alignment of frames.
const FrameAlign = 16

// Fits reports whether the arguments of a call are those of a function.
func Fits(args, params []Slot) bool {
	return slices.EqualFunc(args, params, func(a, p Slot) bool { return a.Size == p.Size || a.Reg >= 0 && p.Reg < 0 && p.Size <= 8 })
}

// functionAddress returns the address of the nth function of a module.
func functionAddress(n int) uint64 {
	return memory.CodeWindow<<memory.OffsetBits | uint64(n+1)*FrameAlign
}

// FunctionAt returns the function at an address, or what is wrong with it.
func (k *Program) FunctionAt(addr uint64) (f *Function, what string) {
	n := int(addr&memory.OffsetMask)/FrameAlign - 1
	if addr>>memory.OffsetBits != memory.CodeWindow || addr%FrameAlign != 0 || n < 0 || n >= len(k.Functions) || k.Functions[n] == nil {
		return nil, fmt.Sprintf("address %#x is not that of a function which this kernel can call", addr)
	}
	if f = k.Functions[n]; f.unsupported != "" {
		return nil, fmt.Sprintf("function %s cannot be called: %s", f.Name, f.unsupported)
	}
	return f, ""
}

// A CallSite is a call: whom it calls, and where arguments and results lie in the caller.
type CallSite struct {
	Callee  *Function // nil for a call by address
	Address int32     // the register that holds it
	Builtin int       // index of the builtin, or -1
	Frame   int32     // the caller's frame register; -1 in an entry
	Args    []Slot
	Results []Slot
}

// Registers returns the registers that the call names.
func (c *CallSite) Registers() (regs []*int32) {
	regs = append(regs, &c.Address)
	for _, list := range [][]Slot{c.Args, c.Results} {
		for n := range list {
			regs = append(regs, &list[n].Reg)
		}
	}
	return regs
}

// FunctionOf returns the function that the instruction at pc is of, or nil for the kernel's own.
func (k *Program) FunctionOf(pc int32) (f *Function) {
	if pc >= k.Start {
		return nil
	}
	for _, g := range k.Functions {
		if g != nil && g.Start <= pc && (f == nil || g.Start > f.Start) {
			f = g
		}
	}
	return f
}
