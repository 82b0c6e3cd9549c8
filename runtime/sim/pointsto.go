package sim

import (
	"math/bits"
	"slices"
	"strings"
)

// An array is a variable of a kernel in shared or local memory, as its PTX declares it, or a variable that its compiler has laid into
// one. Dynamic shared memory is one array, however many names it has.
type array struct {
	name        string // "" if it has none of its own
	space       space
	from, bytes uint64    // bytes is what the PTX has; dynamic shared memory goes on to the end
	frame       *function // in whose frame from counts, or nil
	dynamic     bool
	opaque      bool // its bounds are not known
}

// arraySet is a set of arrays of a kernel, by their numbers. anyArray stands for all memory that is not known.
type arraySet uint64

const (
	maxArrays = 63
	anyArray  = arraySet(1) << maxArrays
)

// addArray adds an array to k and returns its set.
func (k *kernel) addArray(a array) arraySet {
	if a.opaque || len(k.arrays) == maxArrays {
		return anyArray
	}
	k.arrays = append(k.arrays, a)
	return 1 << (len(k.arrays) - 1)
}

// A pointsTo is a points-to analysis of a kernel: for each register the arrays whose addresses its values may be computed from, in any
// way and in any order of instructions. An address of which the set is not empty, and that is in shared or local memory, is in
// one of them, whatever the program has computed: sums, differences of two arrays' addresses, casts, what it has selected,
// shuffled, or kept in memory, of which there is one set for all that was ever stored.
//
// What a compiler hands over by control flow alone is not followed: no compiler does that with addresses.
type pointsTo struct {
	k       *kernel
	sets    []arraySet // by register
	stored  arraySet
	changed bool
	split   map[int]arraySet // by pc: the addresses of variables in a compiler's frame
}

// maxRounds is how often the analysis goes through a kernel at most. Code as compilers write it takes two or three.
const maxRounds = 64

// pointsTo analyses k. It returns nil if that takes too long.
func (k *kernel) pointsTo() *pointsTo {
	p := &pointsTo{k: k, sets: make([]arraySet, k.registers())}
	if len(k.bases) == 0 {
		return nil
	}
	for r, set := range k.bases {
		p.sets[r] |= set
	}
	p.split = p.splitFrames()
	for range maxRounds {
		p.changed = false
		for pc := range k.code {
			p.follow(&k.code[pc], pc)
		}
		for _, f := range k.functions {
			p.parameters(f)
		}
		if !p.changed {
			return p
		}
	}
	return nil
}

// of returns the set of a register. Operations have -1 for none.
func (p *pointsTo) of(r int32) arraySet {
	if r <= regSink {
		return 0
	}
	return p.sets[r]
}

// union returns the set of several registers.
func (p *pointsTo) union(regs []int32) (set arraySet) {
	for _, r := range regs {
		set |= p.of(r)
	}
	return set
}

// add adds to the set of a register of the program.
func (p *pointsTo) add(r int32, set arraySet) {
	if r > regSink && int(r) < p.k.regs && set&^p.sets[r] != 0 {
		p.sets[r] |= set
		p.changed = true
	}
}

// store adds to what was stored. Where an address in a frame is loaded again, it may be another call's.
func (p *pointsTo) store(set arraySet) {
	for rest := set &^ anyArray; rest != 0; rest &= rest - 1 {
		if p.k.arrays[bits.TrailingZeros64(uint64(rest))].frame != nil {
			set |= anyArray
		}
	}
	if set&^p.stored != 0 {
		p.stored |= set
		p.changed = true
	}
}

// parameters follows what a function gets and returns in registers.
func (p *pointsTo) parameters(f *function) {
	if f == nil {
		return
	}
	for _, s := range f.params {
		p.add(s.reg, p.stored)
	}
	for _, s := range f.results {
		p.store(p.of(s.reg))
	}
}

// follow adds what an instruction computes.
func (p *pointsTo) follow(in *instr, pc int) {
	if set, ok := p.split[pc]; ok {
		p.add(in.dst, set)
		return
	}
	vec := in.vec[:min(in.elems, len(in.vec))]
	switch in.op {
	case opTest, opCompare, opLogic, opBranch, opNothing, opExit, opTrap, opVote, opBallot, opActiveMask, opMatchAny, opMatchAll, opElect,
		opWarpBarrier, opFence, opClock, opStackRestore, opClusterArrive, opBarrier, opBranchIndexed, opYield, opClusterWait, opReturn, opSpread, opLoadParam:
	case opLoad:
		for _, r := range vec {
			p.add(r, p.stored)
		}
	case opStore:
		p.store(p.union(vec))
	case opAtomic:
		p.store(p.of(in.b) | p.of(in.c))
		p.add(in.dst, p.stored)
	case opUnpack:
		for _, r := range vec {
			p.add(r, p.of(in.a))
		}
	case opShuffle:
		p.add(in.dst, p.of(in.a))
	case opAlloca, opStackSave:
		p.add(in.dst, anyArray)
	case opCall, opInvoke:
		for _, s := range in.call.args {
			p.store(p.of(s.reg))
		}
		for _, s := range in.call.results {
			p.add(s.reg, p.stored)
		}
	case opOperation:
		p.operation(in.own)
	default:
		reads, writes, known := in.roles()
		set := p.union(reads)
		if !known {
			writes = []int32{in.dst}
		}
		for _, r := range writes {
			p.add(r, set)
		}
	}
}

// operation adds what an operation computes: of one that is not known here, in all its registers what was in any.
func (p *pointsTo) operation(own operation) {
	var data []int32
	stores := false
	switch o := own.(type) {
	case *asyncCopy, *bulkCopy, *tensorCopy, *copyGroup:
		return
	case *mbarrierOp:
		data = []int32{o.dst}
	case *matrixMove:
		data, stores = o.regs, o.store
	case *longAccess:
		data, stores = o.regs, o.store
	default:
		var all []int32
		for _, r := range own.registers() {
			all = append(all, *r)
		}
		set := p.union(all)
		p.store(set)
		for _, r := range all {
			p.add(r, set)
		}
		return
	}
	if stores {
		p.store(p.union(data))
		return
	}
	for _, r := range data {
		p.add(r, p.stored)
	}
}

// framePrefix is what LLVM calls the memory of all local variables of a function, which it lays out itself.
const framePrefix = "__local_depot"

// splitFrames finds the variables in the memory that LLVM has for all local variables of a function. It takes the address of each by an
// instruction of its own, add.u64 of the frame's address and the variable's place; a sum that the program computes is an add.s64.
// Where the frame's address is used in another way, its variables are not told apart.
func (p *pointsTo) splitFrames() map[int]arraySet {
	k := p.k
	frames := make(map[int32]int) // by register: the frame whose address it holds
	writers := make(map[int32]int)
	for r, set := range k.bases {
		if n := bits.TrailingZeros64(uint64(set)); n < len(k.arrays) && k.arrays[n].space == local && strings.HasPrefix(k.arrays[n].name, framePrefix) {
			frames[r] = n
		}
	}
	if len(frames) == 0 {
		return nil
	}
	for pc := range k.code {
		in := &k.code[pc]
		_, writes, known := in.roles()
		if !known {
			writes = []int32{in.dst}
		}
		for _, r := range writes {
			writers[r]++
		}
		if n, ok := frames[in.a]; ok && in.op == opLanes && (p.does(pc, "mov") || p.does(pc, "cvta")) {
			frames[in.dst] = n
		}
	}
	spoiled := make(map[int]bool)
	places := make(map[int][]uint64) // by frame
	at := make(map[int]uint64)       // by pc
	for r, n := range frames {
		if int(r) < k.regs && writers[r] > 1 {
			spoiled[n] = true
		}
	}
	for pc := range k.code {
		in := &k.code[pc]
		reads, _, _ := in.roles()
		for _, r := range reads {
			n, ok := frames[r]
			if !ok {
				continue
			}
			switch {
			case in.op == opLanes && r == in.a && p.does(pc, "add.u64") && k.isConstant(in.b) && k.bases[in.b] == 0:
				at[pc] = k.constants[int(in.b)-k.firstConst()]
				places[n] = append(places[n], at[pc])
			case in.op == opLanes && (p.does(pc, "mov") || p.does(pc, "cvta")):
			case (in.op == opLoad || in.op == opStore) && r == in.a && !slices.Contains(in.vec[:in.elems], r):
			default:
				spoiled[n] = true
			}
		}
	}
	variables := make(map[[2]uint64]arraySet)
	for n, all := range places {
		slices.Sort(all)
		all = slices.Compact(all)
		frame := k.arrays[n]
		if spoiled[n] || all[len(all)-1] >= frame.bytes {
			continue
		}
		for i, from := range all {
			to := frame.bytes
			if i+1 < len(all) {
				to = all[i+1]
			}
			variables[[2]uint64{uint64(n), from}] = k.addArray(array{space: local, from: frame.from + from, bytes: to - from, frame: frame.frame})
		}
	}
	split := make(map[int]arraySet)
	for pc, from := range at {
		if set, ok := variables[[2]uint64{uint64(frames[k.code[pc].a]), from}]; ok {
			split[pc] = set
		}
	}
	return split
}

// does reports whether the instruction at pc is called so.
func (p *pointsTo) does(pc int, name string) bool {
	return strings.HasPrefix(p.k.places[pc].text, name)
}
