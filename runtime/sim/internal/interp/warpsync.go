package interp

import (
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Parallel Synchronization and Communication Instructions: shfl.sync,
// vote.sync, match.sync, activemask, redux.sync.
func WarpForms() []bytecode.Form {
	return []bytecode.Form{
		{Pattern: "shfl.sync.up.b32", Assemble: shuffle(shuffleUp)},
		{Pattern: "shfl.sync.down.b32", Assemble: shuffle(shuffleDown)},
		{Pattern: "shfl.sync.bfly.b32", Assemble: shuffle(shuffleButterfly)},
		{Pattern: "shfl.sync.idx.b32", Assemble: shuffle(shuffleIndex)},
		{Pattern: "vote.sync.all.pred", Assemble: vote(func(p, m uint32) bool { return p == m })},
		{Pattern: "vote.sync.any.pred", Assemble: vote(func(p, m uint32) bool { return p != 0 })},
		{Pattern: "vote.sync.uni.pred", Assemble: vote(func(p, m uint32) bool { return p == 0 || p == m })},
		{Pattern: "vote.sync.ballot.b32", Assemble: assembleBallot},
		{Pattern: "elect.sync", Assemble: assembleElect},
		{Pattern: "activemask.b32", Assemble: assembleActiveMask},
		{Pattern: "match.any.sync.b32|b64", Assemble: assembleMatch},
		{Pattern: "match.all.sync.b32|b64", Assemble: assembleMatch},
		{Pattern: "redux.sync.add.u32|s32", Assemble: reduction(func(x, y uint64) uint64 { return x + y })},
		{Pattern: "redux.sync.min.u32", Assemble: reduction(func(x, y uint64) uint64 { return uint64(min(uint32(x), uint32(y))) })},
		{Pattern: "redux.sync.max.u32", Assemble: reduction(func(x, y uint64) uint64 { return uint64(max(uint32(x), uint32(y))) })},
		{Pattern: "redux.sync.min.s32", Assemble: reduction(func(x, y uint64) uint64 { return uint64(min(int32(x), int32(y))) })},
		{Pattern: "redux.sync.max.s32", Assemble: reduction(func(x, y uint64) uint64 { return uint64(max(int32(x), int32(y))) })},
		{Pattern: "redux.sync.and.b32", Assemble: reduction(func(x, y uint64) uint64 { return x & y })},
		{Pattern: "redux.sync.or.b32", Assemble: reduction(func(x, y uint64) uint64 { return x | y })},
		{Pattern: "redux.sync.xor.b32", Assemble: reduction(func(x, y uint64) uint64 { return x ^ y })},
	}
}

// collective executes an instruction for which lanes of a warp must meet: those that its member mask names and
// that have not exited, each with this mask. It returns the lanes that wait for some that are missing. Lanes with
// another mask, which stand here too, go on if theirs are complete: the instruction is in a function, say, that
// __syncwarp is for the compiler.
//
// PTX ISA, bar.warp.sync, shfl.sync: wait until all non-exited threads corresponding to membermask have executed it
// with the same membermask.
func (b *block) collective(w *warp, in *bytecode.Instr, pc int32, e uint32) (waiting uint32, fault *Failure) {
	members := &w.regs[in.C]
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
		if in.Op == bytecode.OpWarpBarrier && b.globalRaces != nil {
			b.globalRaces.meet(b, w)
		}
		if in.Op == bytecode.OpWarpBarrier && b.races != nil {
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
func (w *warp) meet(in *bytecode.Instr, set uint32) {
	switch in.Op {
	case bytecode.OpShuffle:
		w.shfl(in, set)
	case bytecode.OpVote:
		v := uint32(0)
		if in.Combine(w.pred(in.Pa)&set, set) != 0 {
			v = set
		}
		w.preds[in.Pdst] = w.preds[in.Pdst]&^set | v
	case bytecode.OpBallot:
		w.setAll(in.Dst, set, uint64(w.pred(in.Pa)&set))
	case bytecode.OpMatchAny:
		w.matchAny(in, set)
	case bytecode.OpMatchAll:
		w.matchAll(in, set)
	case bytecode.OpReduce:
		w.redux(in, set)
	case bytecode.OpElect:
		leader := set & -set
		w.setAll(in.Dst, set, uint64(bits.TrailingZeros32(set)))
		w.preds[in.Pdst] = w.preds[in.Pdst]&^set | leader
	}
}

// assembleElect decodes elect.sync d|p, members: p holds in one lane, whose number is d. Here it
// is the lowest.
func assembleElect(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpElect, Pdst: bytecode.PredSink}
	if !d.Operands(in, 2) {
		return i
	}
	pair, ok := in.Args[0].(ptx.Pair)
	if !ok {
		d.Invalid("%s: the destination is not a pair", in.Text)
		return i
	}
	i.Dst, i.Pdst, i.C = d.Dst(pair.First, "b32"), d.PredDst(pair.Second), d.Src(in.Args[1], "b32")
	return i
}

func shuffle(source func(lane, b, c uint32) (uint32, bool)) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := bytecode.Instr{Op: bytecode.OpShuffle, Source: source, Pdst: bytecode.PredSink}
		if !d.Operands(in, 5) {
			return i
		}
		dst := in.Args[0]
		if pair, ok := dst.(ptx.Pair); ok {
			dst, i.Pdst = pair.First, d.PredDst(pair.Second)
		}
		i.Dst = d.Dst(dst, "b32")
		i.A = d.Src(in.Args[1], "b32")
		i.B = d.Src(in.Args[2], "b32")
		i.Vec[0] = d.Src(in.Args[3], "b32")
		i.C = d.Src(in.Args[4], "b32")
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
func (w *warp) shfl(in *bytecode.Instr, set uint32) {
	a, within := w.regs[in.A], uint32(0)
	for m := set; m != 0; m &= m - 1 {
		l := uint32(bits.TrailingZeros32(m))
		from, ok := in.Source(l, uint32(w.regs[in.B][l]), uint32(w.regs[in.Vec[0]][l]))
		if ok {
			within |= 1 << l
		}
		if !ok || set>>from&1 == 0 {
			from = l
		}
		w.result[l] = a[from]
	}
	blend(&w.regs[in.Dst], &w.result, set)
	w.preds[in.Pdst] = w.preds[in.Pdst]&^set | within
}

func vote(decide func(p, members uint32) bool) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := bytecode.Instr{Op: bytecode.OpVote, Combine: func(p, m uint32) uint32 {
			if decide(p, m) {
				return bytecode.Full
			}
			return 0
		}}
		if d.Operands(in, 3) {
			i.Pdst, i.Pa, i.C = d.PredDst(in.Args[0]), d.PredSrc(in.Args[1]), d.Src(in.Args[2], "b32")
		}
		return i
	}
}

func assembleBallot(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpBallot}
	if d.Operands(in, 3) {
		i.Dst, i.Pa, i.C = d.Dst(in.Args[0], "b32"), d.PredSrc(in.Args[1]), d.Src(in.Args[2], "b32")
	}
	return i
}

func assembleActiveMask(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpActiveMask}
	if d.Operands(in, 1) {
		i.Dst = d.Dst(in.Args[0], "b32")
	}
	return i
}

// activemask is the lanes that execute together.
func activemask(d *simd.Lanes, mask uint32) {
	for l := range d {
		d[l] = uint64(mask)
	}
}

func assembleMatch(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpMatchAny, Pdst: bytecode.PredSink, Mask: typeMask(bytecode.LastType(in))}
	if !d.Operands(in, 3) {
		return i
	}
	dst := in.Args[0]
	if in.Mods[0] == "all" {
		i.Op = bytecode.OpMatchAll
		if pair, ok := dst.(ptx.Pair); ok {
			dst, i.Pdst = pair.First, d.PredDst(pair.Second)
		}
	}
	i.Dst, i.A, i.C = d.Dst(dst, "b32"), d.Src(in.Args[1], bytecode.LastType(in)), d.Src(in.Args[2], "b32")
	return i
}

// matchAny gives each lane the lanes that have its value.
func (w *warp) matchAny(in *bytecode.Instr, set uint32) {
	a := w.regs[in.A]
	for m := set; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		same := uint32(0)
		for o := set; o != 0; o &= o - 1 {
			if other := bits.TrailingZeros32(o); (a[other]^a[l])&in.Mask == 0 {
				same |= 1 << other
			}
		}
		w.result[l] = uint64(same)
	}
	blend(&w.regs[in.Dst], &w.result, set)
}

// matchAll gives each lane the member mask when all have one value, else zero.
func (w *warp) matchAll(in *bytecode.Instr, set uint32) {
	a := &w.regs[in.A]
	first, same := a[bits.TrailingZeros32(set)], set
	for m := set; m != 0; m &= m - 1 {
		if (a[bits.TrailingZeros32(m)]^first)&in.Mask != 0 {
			same = 0
		}
	}
	w.setAll(in.Dst, set, uint64(same))
	w.preds[in.Pdst] = w.preds[in.Pdst]&^set | same
}

func reduction(reduce func(x, y uint64) uint64) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := bytecode.Instr{Op: bytecode.OpReduce, Reduce: reduce}
		if d.Operands(in, 3) {
			i.Dst, i.A, i.C = d.Dst(in.Args[0], "b32"), d.Src(in.Args[1], "b32"), d.Src(in.Args[2], "b32")
		}
		return i
	}
}

// redux gives each lane the reduction of a over all of them.
func (w *warp) redux(in *bytecode.Instr, set uint32) {
	a := &w.regs[in.A]
	total := a[bits.TrailingZeros32(set)]
	for m := set & (set - 1); m != 0; m &= m - 1 {
		total = in.Reduce(total, a[bits.TrailingZeros32(m)])
	}
	w.setAll(in.Dst, set, total)
}
