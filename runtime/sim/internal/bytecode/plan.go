package bytecode

import "sync"

// A Plan is a kernel's code as it is executed when nothing is checked that needs each instruction:
// the same results from less work.
type Plan struct {
	Code    []Instr // as the kernel's, instruction for instruction
	Paired  []Instr // the same, with pairs executed at once, where nothing is checked; or nil
	Hoisted []Instr // whose results are the same for all blocks, in their order
	Spoiled []int32 // the registers that may be read before they are written
	Slots   int     // of surveys
	Forward bool    // no thread executes an instruction twice: nothing branches back, or is called
	Fused   []int32 // the sums that are computed with their product

	Live []RegisterSet // by pc: what lanes that stand there may read before they write it; nil where none stand

	Lining sync.Once
	Lines  []*CheckedLine // by pc
}

// Quickest returns the code for a block at which nothing looks.
func (p *Plan) Quickest() []Instr {
	if p.Paired != nil {
		return p.Paired
	}
	return p.Code
}
