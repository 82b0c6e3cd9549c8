package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A registerSet is a set of registers.
type registerSet []uint64

func newRegisterSet(registers int) registerSet { return make(registerSet, (registers+63)/64) }

func (s registerSet) has(r int32) bool { return s[uint32(r)/64]>>(uint32(r)%64)&1 != 0 }

func (s registerSet) set(r int32, in bool) {
	word, mask := &s[uint32(r)/64], uint64(1)<<(uint32(r)%64)
	if *word &^= mask; in {
		*word |= mask
	}
}

// A checkedLine is instructions of a plan that stand in a line, and the registers that they mention. As long as none of those has
// undefined bits, and nothing undefined is loaded, there is nothing to follow.
type checkedLine struct {
	end       int32 // behind the last
	mentioned []registerWord
}

// A registerWord is a word of a registerSet.
type registerWord struct {
	index int32
	mask  uint64
}

// maxCheckedLine is how many instructions a checked line has at most: the fewer, the fewer registers must be defined.
const maxCheckedLine = 64

// checkedLines returns by pc the line in which an instruction stands, or nil.
func (p *plan) checkedLines(k *kernel) []*checkedLine {
	p.lining.Do(func() {
		p.lines = make([]*checkedLine, len(p.code))
		for pc := 0; pc < len(p.code); pc++ {
			if n := min(int(p.code[pc].straight), maxCheckedLine); n > 0 {
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

func (p *plan) checkedLine(k *kernel, first, end int) *checkedLine {
	set := newRegisterSet(k.registers())
	for pc := first; pc < end; pc++ {
		reads, writes, _ := p.code[pc].roles()
		for _, r := range append(reads, writes...) {
			if r > regSink && int(r) < k.regs {
				set.set(r, true)
			}
		}
	}
	line := &checkedLine{end: int32(end)}
	for n, mask := range set {
		if mask != 0 {
			line.mentioned = append(line.mentioned, registerWord{int32(n), mask})
		}
	}
	return line
}

// definedIn reports whether nothing that a line mentions has undefined bits.
func (ws *warpShadow) definedIn(line *checkedLine) bool {
	undefined := uint64(0)
	for _, m := range line.mentioned {
		undefined |= ws.dirty[m.index] & m.mask
	}
	return undefined == 0
}

// straight executes instructions that stand in a line from pc on, in the lanes e, until one of them needs more than what is done here. It
// returns how many it has executed. The registers that they mention have no undefined bits.
func (o *observer) straight(w *warp, line []instr, pc int32, e uint32) (executed int) {
	base := unsafe.Pointer(unsafe.SliceData(w.regs))
	var ws *warpShadow
	if o.shadow != nil {
		ws = o.shadow.of(w)
	}
	for n := range line {
		in := &line[n]
		switch in.op {
		case opLanes:
			if e == full || in.temporary || !w.kept.has(in.dst) {
				in.fn(simd.RegisterOf(base, in.dst), simd.RegisterOf(base, in.a), simd.RegisterOf(base, in.b), simd.RegisterOf(base, in.c))
			} else {
				in.fn(&w.result, simd.RegisterOf(base, in.a), simd.RegisterOf(base, in.b), simd.RegisterOf(base, in.c))
				simd.Fast.Blend(simd.RegisterOf(base, in.dst), &w.result, e)
			}
		case opTest:
			p := in.compare(simd.RegisterOf(base, in.a), simd.RegisterOf(base, in.b)) ^ in.negate
			w.preds[in.pdst] = w.preds[in.pdst]&^e | p&e
			if ws != nil {
				ws.preds[in.pdst] &^= e
			}
		case opLoad:
			if e != full || !o.loadAll(w, in, pc+int32(n)) {
				return n
			}
		case opStore:
			if e != full || !o.storeAll(w, in, pc+int32(n)) {
				return n
			}
		case opSelect:
			if ws != nil && ws.preds[in.pa.index]&e != 0 {
				return n
			}
			w.choose(in, e)
		case opLogic:
			if ws != nil {
				if (ws.preds[in.pa.index]|ws.preds[in.pb.index])&e != 0 {
					return n
				}
				ws.preds[in.pdst] &^= e
			}
			w.logic(in, e)
		}
	}
	return len(line)
}

// loadAll executes ld in all lanes, or reports false.
func (o *observer) loadAll(w *warp, in *instr, pc int32) bool {
	base, by, offsets, p := o.b.reached(w, in)
	if p == simd.Faulty || !o.looks(in) || o.arrays != nil && in.space == shared && !o.arrays.admitsAll(in, by, offsets, p) {
		return false
	}
	if o.shadow != nil {
		if from := o.shadow.reached(w, in); from != nil && !definedAll(from, in, by, offsets, p) {
			return false
		}
	}
	if o.races != nil && in.space == shared && !o.races.accessAll(w, in, pc, reads, by, offsets, p) {
		return false
	}
	w.loadAt(in, base, by, offsets, p)
	return true
}

// storeAll executes st in all lanes, or reports false.
func (o *observer) storeAll(w *warp, in *instr, pc int32) bool {
	base, by, offsets, p := o.b.reached(w, in)
	if p == simd.Faulty || !o.looks(in) || o.arrays != nil && in.space == shared && !o.arrays.admitsAll(in, by, offsets, p) {
		return false
	}
	if o.races != nil && in.space == shared && !o.races.accessAll(w, in, pc, writes, by, offsets, p) {
		return false
	}
	if o.shadow != nil {
		if to := o.shadow.reached(w, in); to != nil {
			defineAll(to, in, by, offsets, p)
		}
	}
	w.storeAt(in, base, by, offsets, p)
	return true
}

// looks reports whether an access may be looked at for all lanes at once.
func (o *observer) looks(in *instr) bool {
	return in.space == shared || o.global == nil && o.zones == nil
}

// reached returns where the undefined bits of the memory lie that all lanes of w access, shared memory or one allocation, or nil if
// it is defined.
func (s *shadow) reached(w *warp, in *instr) unsafe.Pointer {
	if in.space == shared {
		return unsafe.Pointer(unsafe.SliceData(s.shared))
	}
	a := memory.AllocationOf((w.regs[in.a][0]&in.mask + in.offset) >> memory.OffsetBits)
	if a == nil {
		return nil
	}
	return a.Shadow.Base(false, a.Size)
}

// definedAll reports whether all lanes load defined bytes; where they load is by and their offsets behind what is accessed.
func definedAll(from unsafe.Pointer, in *instr, by uint64, offsets *simd.Lanes, p simd.Pattern) bool {
	width := in.width()
	switch p {
	case simd.Equal:
		return definedBytes(from, offsets[0]+by, width)
	case simd.HalfEqual:
		return definedBytes(from, offsets[0]+by, width) && definedBytes(from, offsets[warpSize/2]+by, width)
	case simd.Consecutive:
		return definedBytes(from, offsets[0]+by, warpSize*width)
	case simd.HalfConsecutive:
		return definedBytes(from, offsets[0]+by, warpSize/2*width) && definedBytes(from, offsets[warpSize/2]+by, warpSize/2*width)
	}
	or := uint64(0)
	switch width {
	case 4:
		for _, o := range offsets {
			or |= uint64(*(*uint32)(unsafe.Add(from, o+by)))
		}
	case 8:
		for _, o := range offsets {
			or |= *(*uint64)(unsafe.Add(from, o+by))
		}
	default:
		for _, o := range offsets {
			if !definedBytes(from, o+by, width) {
				return false
			}
		}
	}
	return or == 0
}

// definedBytes reports whether n bytes are defined, whose undefined bits lie at an offset from words.
func definedBytes(from unsafe.Pointer, offset, n uint64) bool {
	first, last := offset/8, (offset+n-1)/8
	words := unsafe.Slice((*uint64)(unsafe.Add(from, 8*first)), last-first+1)
	low, high := ^uint64(0)<<(offset%8*8), ^uint64(0)>>(63-(offset+n-1)%8*8-7)
	if len(words) == 1 {
		return words[0]&low&high == 0
	}
	or := words[0]&low | words[len(words)-1]&high
	for _, word := range words[1 : len(words)-1] {
		or |= word
	}
	return or == 0
}

// defineAll notes that all lanes store defined bytes.
func defineAll(to unsafe.Pointer, in *instr, by uint64, offsets *simd.Lanes, p simd.Pattern) {
	width := in.width()
	if p == simd.Consecutive {
		clear(unsafe.Slice((*byte)(unsafe.Add(to, offsets[0]+by)), warpSize*width))
		return
	}
	for n := range in.elems {
		in.storeWhole.Any(to, by+uint64(n*in.size), offsets, &zeros)
	}
}

// zeros is the undefined bits of a register that has none.
var zeros simd.Lanes
