package bytecode

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A RegisterSet is a set of registers.
type RegisterSet []uint64

func NewRegisterSet(registers int) RegisterSet { return make(RegisterSet, (registers+63)/64) }

func (s RegisterSet) Has(r int32) bool { return s[uint32(r)/64]>>(uint32(r)%64)&1 != 0 }

func (s RegisterSet) Set(r int32, in bool) {
	word, mask := &s[uint32(r)/64], uint64(1)<<(uint32(r)%64)
	if *word &^= mask; in {
		*word |= mask
	}
}

// A CheckedLine is instructions of a plan that stand in a line, and the registers that they mention. As long as none of those has
// undefined bits, and nothing undefined is loaded, there is nothing to follow.
type CheckedLine struct {
	End       int32 // behind the last
	Mentioned []registerWord
}

// A registerWord is a word of a RegisterSet.
type registerWord struct {
	Index int32
	Mask  uint64
}

// maxCheckedLine is how many instructions a checked line has at most: the fewer, the fewer registers must be defined.
const maxCheckedLine = 64

// CheckedLines returns by pc the line in which an instruction stands, or nil.
func (p *Plan) CheckedLines(k *Kernel) []*CheckedLine {
	p.lining.Do(func() {
		p.lines = make([]*CheckedLine, len(p.Code))
		for pc := 0; pc < len(p.Code); pc++ {
			if n := min(int(p.Code[pc].Straight), maxCheckedLine); n > 0 {
				line := p.checkedLine(k, pc, pc+n)
				for ; n > 0; n-- {
					p.lines[pc] = line
					pc++
				}
				pc--
			}
		}
	})
	return p.lines
}

func (p *Plan) checkedLine(k *Kernel, first, end int) *CheckedLine {
	set := NewRegisterSet(k.Registers())
	for pc := first; pc < end; pc++ {
		reads, writes, _ := p.Code[pc].roles()
		for _, r := range append(reads, writes...) {
			if r > RegSink && int(r) < k.Regs {
				set.Set(r, true)
			}
		}
	}
	line := &CheckedLine{End: int32(end)}
	for n, mask := range set {
		if mask != 0 {
			line.Mentioned = append(line.Mentioned, registerWord{int32(n), mask})
		}
	}
	return line
}

// DefineAll notes that all lanes store defined bytes.
func DefineAll(to unsafe.Pointer, in *Instr, by uint64, offsets *simd.Lanes, p simd.Pattern) {
	width := in.Width()
	if p == simd.Consecutive {
		clear(unsafe.Slice((*byte)(unsafe.Add(to, offsets[0]+by)), WarpSize*width))
		return
	}
	for n := range in.Elems {
		in.StoreWhole.Any(to, by+uint64(n*in.Size), offsets, &zeros)
	}
}

// zeros is the undefined bits of a register that has none.
var zeros simd.Lanes
