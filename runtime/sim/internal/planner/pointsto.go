package planner

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// A newPointsTo is a points-to analysis of a kernel: for each register the arrays whose addresses its values may be computed from, in any
// way and in any order of instructions. An address of which the set is not empty, and that is in shared or local memory, is in
// one of them, whatever the program has computed: sums, differences of two arrays' addresses, casts, what it has selected,
// shuffled, or kept in memory, of which there is one set for all that was ever stored.
//
// What a compiler hands over by control flow alone is not followed: no compiler does that with addresses.
type pointsTo struct {
	k       *bytecode.Program
	sets    []bytecode.ArraySet // by register
	stored  bytecode.ArraySet
	changed bool
	split   map[int]bytecode.ArraySet // by pc: the addresses of variables in a compiler's frame
}

// maxRounds is how often the analysis goes through a kernel at most. Code as compilers write it takes two or three.
const maxRounds = 64

// newPointsTo analyses k. It returns nil if that takes too long.
func newPointsTo(k *bytecode.Program) *pointsTo {
	p := &pointsTo{k: k, sets: make([]bytecode.ArraySet, k.Registers())}
	if len(k.Bases) == 0 {
		return nil
	}
	for r, set := range k.Bases {
		p.sets[r] |= set
	}
	p.split = p.splitFrames()
	for range maxRounds {
		p.changed = false
		for pc := range k.Code {
			p.follow(&k.Code[pc], pc)
		}
		for _, f := range k.Functions {
			p.parameters(f)
		}
		if !p.changed {
			return p
		}
	}
	return nil
}

// of returns the set of a register. Operations have -1 for none.
func (p *pointsTo) of(r int32) bytecode.ArraySet {
	if r <= bytecode.RegSink {
		return 0
	}
	return p.sets[r]
}

// union returns the set of several registers.
func (p *pointsTo) union(regs []int32) (set bytecode.ArraySet) {
	for _, r := range regs {
		set |= p.of(r)
	}
	return set
}

// add adds to the set of a register of the program.
func (p *pointsTo) add(r int32, set bytecode.ArraySet) {
	if r > bytecode.RegSink && int(r) < p.k.Regs && set&^p.sets[r] != 0 {
		p.sets[r] |= set
		p.changed = true
	}
}

// store adds to what was stored. Where an address in a frame is loaded again, it may be another call's.
func (p *pointsTo) store(set bytecode.ArraySet) {
	for rest := set &^ bytecode.AnyArray; rest != 0; rest &= rest - 1 {
		if p.k.Arrays[bits.TrailingZeros64(uint64(rest))].Frame != nil {
			set |= bytecode.AnyArray
		}
	}
	if set&^p.stored != 0 {
		p.stored |= set
		p.changed = true
	}
}

// parameters follows what a function gets and returns in registers.
func (p *pointsTo) parameters(f *bytecode.Function) {
	if f == nil {
		return
	}
	for _, s := range f.Params {
		p.add(s.Reg, p.stored)
	}
	for _, s := range f.Results {
		p.store(p.of(s.Reg))
	}
}

// follow adds what an instruction computes.
func (p *pointsTo) follow(in *bytecode.Instr, pc int) {
	if set, ok := p.split[pc]; ok {
		p.add(in.Dst, set)
		return
	}
	vec := in.Vec[:min(in.Elems, len(in.Vec))]
	switch in.Op {
	case bytecode.OpTest, bytecode.OpCompare, bytecode.OpLogic, bytecode.OpBranch, bytecode.OpNothing, bytecode.OpExit, bytecode.OpTrap, bytecode.OpVote, bytecode.OpBallot, bytecode.OpActiveMask, bytecode.OpMatchAny, bytecode.OpMatchAll, bytecode.OpElect,
		bytecode.OpWarpBarrier, bytecode.OpFence, bytecode.OpClock, bytecode.OpStackRestore, bytecode.OpClusterArrive, bytecode.OpBarrier, bytecode.OpBranchIndexed, bytecode.OpYield, bytecode.OpClusterWait, bytecode.OpReturn, bytecode.OpSpread, bytecode.OpLoadParam:
	case bytecode.OpLoad:
		for _, r := range vec {
			p.add(r, p.stored)
		}
	case bytecode.OpStore:
		p.store(p.union(vec))
	case bytecode.OpAtomic:
		p.store(p.of(in.B) | p.of(in.C))
		p.add(in.Dst, p.stored)
	case bytecode.OpUnpack:
		for _, r := range vec {
			p.add(r, p.of(in.A))
		}
	case bytecode.OpShuffle:
		p.add(in.Dst, p.of(in.A))
	case bytecode.OpAlloca, bytecode.OpStackSave:
		p.add(in.Dst, bytecode.AnyArray)
	case bytecode.OpCall, bytecode.OpInvoke:
		for _, s := range in.Call.Args {
			p.store(p.of(s.Reg))
		}
		for _, s := range in.Call.Results {
			p.add(s.Reg, p.stored)
		}
	case bytecode.OpOperation:
		p.operation(in.Own)
	default:
		reads, writes, known := roles(in)
		set := p.union(reads)
		if !known {
			writes = []int32{in.Dst}
		}
		for _, r := range writes {
			p.add(r, set)
		}
	}
}

// operation adds what an operation computes: of one that is not known here, in all its registers what was in any.
func (p *pointsTo) operation(own bytecode.Operation) {
	o, known := own.(bytecode.Mover)
	if !known {
		var all []int32
		for _, r := range own.Registers() {
			all = append(all, *r)
		}
		set := p.union(all)
		p.store(set)
		for _, r := range all {
			p.add(r, set)
		}
		return
	}
	data, stores := o.Moves()
	if stores {
		p.store(p.union(data))
		return
	}
	for _, r := range data {
		p.add(r, p.stored)
	}
}

// splitFrames finds the variables in the memory that LLVM has for all local variables of a function. It takes the address of each by an
// instruction of its own, add.u64 of the frame's address and the variable's place; a sum that the program computes is an add.s64.
// Where the frame's address is used in another way, its variables are not told apart.
func (p *pointsTo) splitFrames() map[int]bytecode.ArraySet {
	k := p.k
	frames := make(map[int32]int) // by register: the frame whose address it holds
	writers := make(map[int32]int)
	for r, set := range k.Bases {
		if n := bits.TrailingZeros64(uint64(set)); n < len(k.Arrays) && k.Arrays[n].Space == bytecode.Local && strings.HasPrefix(k.Arrays[n].Name, bytecode.FramePrefix) {
			frames[r] = n
		}
	}
	if len(frames) == 0 {
		return nil
	}
	for pc := range k.Code {
		in := &k.Code[pc]
		_, writes, known := roles(in)
		if !known {
			writes = []int32{in.Dst}
		}
		for _, r := range writes {
			writers[r]++
		}
		if n, ok := frames[in.A]; ok && in.Op == bytecode.OpLanes && (p.does(pc, "mov") || p.does(pc, "cvta")) {
			frames[in.Dst] = n
		}
	}
	spoiled := make(map[int]bool)
	places := make(map[int][]uint64) // by frame
	at := make(map[int]uint64)       // by pc
	for r, n := range frames {
		if int(r) < k.Regs && writers[r] > 1 {
			spoiled[n] = true
		}
	}
	for pc := range k.Code {
		in := &k.Code[pc]
		reads, _, _ := roles(in)
		for _, r := range reads {
			n, ok := frames[r]
			if !ok {
				continue
			}
			switch {
			case in.Op == bytecode.OpLanes && r == in.A && p.does(pc, "add.u64") && k.IsConstant(in.B) && k.Bases[in.B] == 0:
				at[pc] = k.Constants[int(in.B)-k.FirstConst()]
				places[n] = append(places[n], at[pc])
			case in.Op == bytecode.OpLanes && (p.does(pc, "mov") || p.does(pc, "cvta")):
			case (in.Op == bytecode.OpLoad || in.Op == bytecode.OpStore) && r == in.A && !slices.Contains(in.Vec[:in.Elems], r):
			default:
				spoiled[n] = true
			}
		}
	}
	variables := make(map[[2]uint64]bytecode.ArraySet)
	for n, all := range places {
		slices.Sort(all)
		all = slices.Compact(all)
		frame := k.Arrays[n]
		if spoiled[n] || all[len(all)-1] >= frame.Bytes {
			continue
		}
		for i, from := range all {
			to := frame.Bytes
			if i+1 < len(all) {
				to = all[i+1]
			}
			variables[[2]uint64{uint64(n), from}] = k.AddArray(bytecode.Array{Space: bytecode.Local, From: frame.From + from, Bytes: to - from, Frame: frame.Frame})
		}
	}
	split := make(map[int]bytecode.ArraySet)
	for pc, from := range at {
		if set, ok := variables[[2]uint64{uint64(frames[k.Code[pc].A]), from}]; ok {
			split[pc] = set
		}
	}
	return split
}

// does reports whether the instruction at pc is called so.
func (p *pointsTo) does(pc int, name string) bool {
	return strings.HasPrefix(p.k.Places[pc].Text, name)
}
