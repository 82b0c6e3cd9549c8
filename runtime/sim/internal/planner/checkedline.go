package planner

import (
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// maxCheckedLine is how many instructions a checked line has at most: the fewer, the fewer registers must be defined.
const maxCheckedLine = 64

// CheckedLines returns by pc the line in which an instruction stands, or nil.
func CheckedLines(p *bytecode.Plan, k *bytecode.Program) []*bytecode.CheckedLine {
	p.Lining.Do(func() {
		p.Lines = make([]*bytecode.CheckedLine, len(p.Code))
		for pc := 0; pc < len(p.Code); pc++ {
			if n := min(int(p.Code[pc].Straight), maxCheckedLine); n > 0 {
				line := checkedLine(p, k, pc, pc+n)
				for ; n > 0; n-- {
					p.Lines[pc] = line
					pc++
				}
				pc--
			}
		}
	})
	return p.Lines
}

func checkedLine(p *bytecode.Plan, k *bytecode.Program, first, end int) *bytecode.CheckedLine {
	set := bytecode.NewRegisterSet(k.Registers())
	for pc := first; pc < end; pc++ {
		reads, writes, _ := roles(&p.Code[pc])
		for _, r := range append(reads, writes...) {
			if r > bytecode.RegSink && int(r) < k.Regs {
				set.Set(r, true)
			}
		}
	}
	line := &bytecode.CheckedLine{End: int32(end)}
	for n, mask := range set {
		if mask != 0 {
			line.Mentioned = append(line.Mentioned, bytecode.RegisterWord{Index: int32(n), Mask: mask})
		}
	}
	return line
}

// Zeros is the undefined bits of a register that has none.
var Zeros simd.Lanes
