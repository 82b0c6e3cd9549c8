package sim

import (
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Parallel Synchronization and Communication Instructions: shfl.sync,
// vote.sync, match.sync, activemask, redux.sync.
func warpForms() []form {
	return []form{
		{"shfl.sync.up.b32", shuffle(shuffleUp)},
		{"shfl.sync.down.b32", shuffle(shuffleDown)},
		{"shfl.sync.bfly.b32", shuffle(shuffleButterfly)},
		{"shfl.sync.idx.b32", shuffle(shuffleIndex)},
		{"vote.sync.all.pred", vote(func(p, m uint32) bool { return p == m })},
		{"vote.sync.any.pred", vote(func(p, m uint32) bool { return p != 0 })},
		{"vote.sync.uni.pred", vote(func(p, m uint32) bool { return p == 0 || p == m })},
		{"vote.sync.ballot.b32", assembleBallot},
		{"elect.sync", assembleElect},
		{"activemask.b32", assembleActiveMask},
		{"match.any.sync.b32|b64", assembleMatch},
		{"match.all.sync.b32|b64", assembleMatch},
		{"redux.sync.add.u32|s32", reduction(func(x, y uint64) uint64 { return x + y })},
		{"redux.sync.min.u32", reduction(func(x, y uint64) uint64 { return uint64(min(uint32(x), uint32(y))) })},
		{"redux.sync.max.u32", reduction(func(x, y uint64) uint64 { return uint64(max(uint32(x), uint32(y))) })},
		{"redux.sync.min.s32", reduction(func(x, y uint64) uint64 { return uint64(min(int32(x), int32(y))) })},
		{"redux.sync.max.s32", reduction(func(x, y uint64) uint64 { return uint64(max(int32(x), int32(y))) })},
		{"redux.sync.and.b32", reduction(func(x, y uint64) uint64 { return x & y })},
		{"redux.sync.or.b32", reduction(func(x, y uint64) uint64 { return x | y })},
		{"redux.sync.xor.b32", reduction(func(x, y uint64) uint64 { return x ^ y })},
	}
}

// collective executes an instruction for which lanes of a warp must meet: those that its member mask names and
// that have not exited, each with this mask. It returns the lanes that wait for some that are missing. Lanes with
// another mask, which stand here too, go on if theirs are complete: the instruction is in a function, say, that
// __syncwarp is for the compiler.
//
// PTX ISA, bar.warp.sync, shfl.sync: wait until all non-exited threads corresponding to membermask have executed it
// with the same membermask.
func (b *block) collective(w *warp, in *instr, pc int32, e uint32) (waiting uint32, fault *failure) {
	members := &w.regs[in.c]
	for rest := e; rest != 0; {
		mask, set := uint32(members[bits.TrailingZeros32(rest)]), uint32(0)
		for m := rest; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m); uint32(members[l]) == mask {
				set |= 1 << l
			}
		}
		rest &^= set
		if strange := set &^ mask; strange != 0 {
			return 0, b.fault(w, pc, bits.TrailingZeros32(strange), driver.ErrorLaunchFailed, "the lane is not in its own member mask %#08x", mask)
		}
		if mask&w.live&^set != 0 {
			waiting |= set
			continue
		}
		if gone := mask & w.lanes &^ w.live; gone != 0 && b.exited {
			b.reportNamed(w, pc, set, mask, gone)
		}
		if in.op == opWarpBarrier && b.globalRaces != nil {
			b.globalRaces.meet(b, w)
		}
		if in.op == opWarpBarrier && b.races != nil {
			b.races.meet(w, set)
		}
		if b.shadow != nil {
			b.shadow.meet(w, in, pc, set)
		}
		w.meet(in, set)
	}
	return waiting, nil
}

// meet executes in for set, the lanes that take part.
func (w *warp) meet(in *instr, set uint32) {
	switch in.op {
	case opShuffle:
		w.shfl(in, set)
	case opVote:
		v := uint32(0)
		if in.combine(w.pred(in.pa)&set, set) != 0 {
			v = set
		}
		w.preds[in.pdst] = w.preds[in.pdst]&^set | v
	case opBallot:
		w.setAll(in.dst, set, uint64(w.pred(in.pa)&set))
	case opMatchAny:
		w.matchAny(in, set)
	case opMatchAll:
		w.matchAll(in, set)
	case opReduce:
		w.redux(in, set)
	case opElect:
		leader := set & -set
		w.setAll(in.dst, set, uint64(bits.TrailingZeros32(set)))
		w.preds[in.pdst] = w.preds[in.pdst]&^set | leader
	}
}

// assembleElect decodes elect.sync d|p, members: p holds in one lane, whose number is d. Here it
// is the lowest.
func assembleElect(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opElect, pdst: predSink}
	if !d.operands(in, 2) {
		return i
	}
	pair, ok := in.Args[0].(ptx.Pair)
	if !ok {
		d.invalid("%s: the destination is not a pair", in.Text)
		return i
	}
	i.dst, i.pdst, i.c = d.dst(pair.First, "b32"), d.predDst(pair.Second), d.src(in.Args[1], "b32")
	return i
}

func (w *warp) setAll(dst int32, set uint32, value uint64) {
	for m := set; m != 0; m &= m - 1 {
		w.regs[dst][bits.TrailingZeros32(m)] = value
	}
}

func shuffle(source func(lane, b, c uint32) (uint32, bool)) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := instr{op: opShuffle, source: source, pdst: predSink}
		if !d.operands(in, 5) {
			return i
		}
		dst := in.Args[0]
		if pair, ok := dst.(ptx.Pair); ok {
			dst, i.pdst = pair.First, d.predDst(pair.Second)
		}
		i.dst = d.dst(dst, "b32")
		i.a = d.src(in.Args[1], "b32")
		i.b = d.src(in.Args[2], "b32")
		i.vec[0] = d.src(in.Args[3], "b32")
		i.c = d.src(in.Args[4], "b32")
		return i
	}
}

// segment returns the bounds of a lane's segment of the warp.
func segment(lane, c uint32) (maxLane, minLane uint32) {
	mask := c >> 8 & 31
	return lane&mask | c&31&^mask, lane & mask
}

func shuffleUp(lane, b, c uint32) (uint32, bool) {
	maxLane, _ := segment(lane, c)
	j := int32(lane) - int32(b&31)
	return uint32(j), j >= int32(maxLane)
}

func shuffleDown(lane, b, c uint32) (uint32, bool) {
	maxLane, _ := segment(lane, c)
	j := lane + b&31
	return j, j <= maxLane
}

func shuffleButterfly(lane, b, c uint32) (uint32, bool) {
	maxLane, _ := segment(lane, c)
	j := lane ^ b&31
	return j, j <= maxLane
}

func shuffleIndex(lane, b, c uint32) (uint32, bool) {
	maxLane, minLane := segment(lane, c)
	j := minLane | b&31&^(c>>8&31)
	return j, j <= maxLane
}

// shfl copies a from other lanes. A lane out of range reads its own a; so does one
// whose source does not take part, where the ISA leaves the value undefined.
func (w *warp) shfl(in *instr, set uint32) {
	a, within := w.regs[in.a], uint32(0)
	for m := set; m != 0; m &= m - 1 {
		l := uint32(bits.TrailingZeros32(m))
		from, ok := in.source(l, uint32(w.regs[in.b][l]), uint32(w.regs[in.vec[0]][l]))
		if ok {
			within |= 1 << l
		}
		if !ok || set>>from&1 == 0 {
			from = l
		}
		w.result[l] = a[from]
	}
	blend(&w.regs[in.dst], &w.result, set)
	w.preds[in.pdst] = w.preds[in.pdst]&^set | within
}

func vote(decide func(p, members uint32) bool) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := instr{op: opVote, combine: func(p, m uint32) uint32 {
			if decide(p, m) {
				return full
			}
			return 0
		}}
		if d.operands(in, 3) {
			i.pdst, i.pa, i.c = d.predDst(in.Args[0]), d.predSrc(in.Args[1]), d.src(in.Args[2], "b32")
		}
		return i
	}
}

func assembleBallot(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opBallot}
	if d.operands(in, 3) {
		i.dst, i.pa, i.c = d.dst(in.Args[0], "b32"), d.predSrc(in.Args[1]), d.src(in.Args[2], "b32")
	}
	return i
}

func assembleActiveMask(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opActiveMask}
	if d.operands(in, 1) {
		i.dst = d.dst(in.Args[0], "b32")
	}
	return i
}

// activemask is the lanes that execute together.
func activemask(d *simd.Lanes, mask uint32) {
	for l := range d {
		d[l] = uint64(mask)
	}
}

func assembleMatch(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opMatchAny, pdst: predSink, mask: typeMask(lastType(in))}
	if !d.operands(in, 3) {
		return i
	}
	dst := in.Args[0]
	if in.Mods[0] == "all" {
		i.op = opMatchAll
		if pair, ok := dst.(ptx.Pair); ok {
			dst, i.pdst = pair.First, d.predDst(pair.Second)
		}
	}
	i.dst, i.a, i.c = d.dst(dst, "b32"), d.src(in.Args[1], lastType(in)), d.src(in.Args[2], "b32")
	return i
}

// typeMask has a one for each bit of t.
func typeMask(t ptx.Type) uint64 { return ^uint64(0) >> (64 - 8*t.Size()) }

// matchAny gives each lane the lanes that have its value.
func (w *warp) matchAny(in *instr, set uint32) {
	a := w.regs[in.a]
	for m := set; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		same := uint32(0)
		for o := set; o != 0; o &= o - 1 {
			if other := bits.TrailingZeros32(o); (a[other]^a[l])&in.mask == 0 {
				same |= 1 << other
			}
		}
		w.result[l] = uint64(same)
	}
	blend(&w.regs[in.dst], &w.result, set)
}

// matchAll gives each lane the member mask when all have one value, else zero.
func (w *warp) matchAll(in *instr, set uint32) {
	a := &w.regs[in.a]
	first, same := a[bits.TrailingZeros32(set)], set
	for m := set; m != 0; m &= m - 1 {
		if (a[bits.TrailingZeros32(m)]^first)&in.mask != 0 {
			same = 0
		}
	}
	w.setAll(in.dst, set, uint64(same))
	w.preds[in.pdst] = w.preds[in.pdst]&^set | same
}

func reduction(reduce func(x, y uint64) uint64) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := instr{op: opReduce, reduce: reduce}
		if d.operands(in, 3) {
			i.dst, i.a, i.c = d.dst(in.Args[0], "b32"), d.src(in.Args[1], "b32"), d.src(in.Args[2], "b32")
		}
		return i
	}
}

// redux gives each lane the reduction of a over all of them.
func (w *warp) redux(in *instr, set uint32) {
	a := &w.regs[in.a]
	total := a[bits.TrailingZeros32(set)]
	for m := set & (set - 1); m != 0; m &= m - 1 {
		total = in.reduce(total, a[bits.TrailingZeros32(m)])
	}
	w.setAll(in.dst, set, total)
}
