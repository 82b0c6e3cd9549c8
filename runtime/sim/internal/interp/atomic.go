package interp

import (
	"math"
	"math/bits"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// PTX ISA, Parallel Synchronization and Communication Instructions: atom, red.
//
// Atomics on global memory are atomic between blocks. Where the order in which
// blocks reach them could be seen (floating-point sums; an old value that the
// kernel reads; exch and cas), the blocks of the launch run one after another, so
// that results do not vary from run to run.
func AtomicForms() []bytecode.Form {
	const space = ".cta|cluster|gpu|sys?.global|shared|shared::cta|shared::cluster?.L2::cache_hint?"
	const order, weak = ".relaxed|acquire|release|acq_rel?" + space, ".relaxed|release?" + space
	cas := strings.Replace("atom"+order, ".L2::cache_hint?", "", 1) + ".cas."
	var forms []bytecode.Form
	for _, op := range []struct {
		name     string
		assemble bytecode.Assembler
	}{
		{".add.u32|s32|u64", atom(atomicAdd)},
		{".min.u32", atom(atomicMin[uint32])},
		{".min.s32", atom(atomicMin[int32])},
		{".min.u64", atom(atomicMin[uint64])},
		{".min.s64", atom(atomicMin[int64])},
		{".max.u32", atom(atomicMax[uint32])},
		{".max.s32", atom(atomicMax[int32])},
		{".max.u64", atom(atomicMax[uint64])},
		{".max.s64", atom(atomicMax[int64])},
		{".and.b32|b64", atom(func(old, b, _ uint64) uint64 { return old & b })},
		{".or.b32|b64", atom(func(old, b, _ uint64) uint64 { return old | b })},
		{".xor.b32|b64", atom(func(old, b, _ uint64) uint64 { return old ^ b })},
		{".inc.u32", atomInOrder(atomicInc)},
		{".dec.u32", atomInOrder(atomicDec)},
		{".add.f32", atomInOrder(atomicAddFlushed)},
		{".add.f64", atomInOrder(atomicAddF64)},
		{".add.noftz.f16", atomInOrder(atomicAddHalf(softfloat.F16))},
		{".add.noftz.bf16", atomInOrder(atomicAddHalf(softfloat.BF16))},
		{".add.noftz.f16x2", atomInOrder(atomicAddHalves(softfloat.F16))},
		{".add.noftz.bf16x2", atomInOrder(atomicAddHalves(softfloat.BF16))},
	} {
		forms = append(forms, bytecode.Form{Pattern: "atom" + order + op.name, Assemble: op.assemble}, bytecode.Form{Pattern: "red" + weak + op.name, Assemble: op.assemble})
	}
	return append(forms,
		bytecode.Form{Pattern: "atom" + order + ".exch.b32|b64", Assemble: atomInOrder(func(_, b, _ uint64) uint64 { return b })},
		bytecode.Form{Pattern: cas + "b16", Assemble: atomInOrder(atomicCas[uint16])},
		bytecode.Form{Pattern: cas + "b32", Assemble: atomInOrder(atomicCas[uint32])},
		bytecode.Form{Pattern: cas + "b64", Assemble: atomInOrder(atomicCas[uint64])})
}

// atom makes the assembler of an atomic whose effects commute: its order shows only
// in the value that it returns.
func atom(update bytecode.Update) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := decodeAtomic(d, in, update)
		if i.Space != bytecode.Shared && in.Op == "atom" {
			d.Atomics = append(d.Atomics, i.Dst)
		}
		return i
	}
}

// atomInOrder makes the assembler of an atomic whose order shows in memory.
func atomInOrder(update bytecode.Update) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := decodeAtomic(d, in, update)
		if i.Space != bytecode.Shared {
			d.K.Ordered = true
		}
		return i
	}
}

// decodeAtomic decodes atom d, [a], b{, c} and red [a], b.
func decodeAtomic(d *bytecode.Decoder, in *ptx.Instr, update bytecode.Update) bytecode.Instr {
	in = d.Unhinted(in)
	number, operation := bytecode.LastType(in), in.Mods[len(in.Mods)-2]
	t := bytecode.Storage(number)
	want := 2
	if in.Op == "atom" {
		want++
	}
	if operation == "cas" {
		want++
	}
	if !d.Operands(in, want) {
		return bytecode.Instr{Op: bytecode.OpAtomic}
	}
	args, dst := in.Args, int32(bytecode.RegSink)
	if in.Op == "atom" {
		dst = d.Dst(args[0], t)
		args = args[1:]
	}
	i := d.Access(in, args[0], t, 1)
	i.Op, i.Update, i.Dst = bytecode.OpAtomic, update, dst
	if operation == "add" {
		i.Shared = sharedAdds[t]
		i.Adds = t == "u32" || t == "s32" || t == "u64"
	}
	i.B = d.NumberSrc(args[1], number)
	if operation == "cas" {
		i.C = d.Src(args[2], t)
	}
	return i
}

// atomic executes atom or red, lane by lane in ascending order.
func (b *block) atomic(w *warp, in *bytecode.Instr, pc int32, e uint32) *Failure {
	for rest := e; rest != 0; {
		set := bytecode.Full
		if rest != bytecode.Full || b.whole(w, in, &w.at) == simd.Faulty {
			var fault *Failure
			if set, fault = b.resolve(w, in, pc, rest, true); fault != nil {
				return fault
			}
		}
		if b.observer != nil {
			b.observer.access(w, in, pc, set, updates)
		}
		rest &^= set
		// What the lanes of set access is one memory.
		inShared := b.inShared(in, w.regs[in.A][bits.TrailingZeros32(set)]+in.Offset)
		if in.Adds {
			w.addEach(in, set, inShared)
		} else {
			w.updateEach(in, set, inShared)
		}
	}
	if in.Dst != bytecode.RegSink {
		blend(&w.regs[in.Dst], &w.result, e)
	}
	return nil
}

// addEach adds integers.
func (w *warp) addEach(in *bytecode.Instr, set uint32, inShared bool) {
	for values := &w.regs[in.B]; set != 0; set &= set - 1 {
		l := bits.TrailingZeros32(set) & (bytecode.WarpSize - 1)
		p := unsafe.Add(w.at.Base, w.at.Offset[l])
		switch {
		case in.Size == 4 && inShared: // one goroutine runs all blocks that reach it
			p := (*uint32)(p)
			w.result[l] = uint64(*p)
			*p += uint32(values[l])
		case in.Size == 4:
			w.result[l] = uint64(atomic.AddUint32((*uint32)(p), uint32(values[l])) - uint32(values[l]))
		default:
			w.result[l] = atomic.AddUint64((*uint64)(p), values[l]) - values[l]
		}
	}
}

func (w *warp) updateEach(in *bytecode.Instr, set uint32, inShared bool) {
	update := in.Update
	if in.Shared != nil && inShared {
		update = in.Shared
	}
	b, c := &w.regs[in.B], &w.regs[in.C]
	for ; set != 0; set &= set - 1 {
		l := bits.TrailingZeros32(set) & (bytecode.WarpSize - 1)
		p := unsafe.Add(w.at.Base, w.at.Offset[l])
		switch {
		case in.Size == 2:
			w.result[l] = update16(p, update, b[l]&0xffff, c[l]&0xffff)
		case in.Size == 4 && inShared:
			p := (*uint32)(p)
			old := uint64(*p)
			*p = uint32(update(old, b[l], c[l]))
			w.result[l] = old
		case in.Size == 4:
			w.result[l] = update32((*uint32)(p), update, b[l], c[l])
		default:
			w.result[l] = update64((*uint64)(p), update, b[l], c[l])
		}
	}
}

// update32 replaces *p by its update and returns what it was.
func update32(p *uint32, update bytecode.Update, b, c uint64) (old uint64) {
	for {
		v := atomic.LoadUint32(p)
		if atomic.CompareAndSwapUint32(p, v, uint32(update(uint64(v), b, c))) {
			return uint64(v)
		}
	}
}

func update16(p unsafe.Pointer, update bytecode.Update, b, c uint64) (old uint64) {
	word, shift := word(p)
	for {
		v := atomic.LoadUint32(word)
		old := uint64(uint16(v >> shift))
		next := uint32(uint16(update(old, b, c)))
		if atomic.CompareAndSwapUint32(word, v, v&^(0xffff<<shift)|next<<shift) {
			return old
		}
	}
}

func update64(p *uint64, update bytecode.Update, b, c uint64) (old uint64) {
	for {
		v := atomic.LoadUint64(p)
		if atomic.CompareAndSwapUint64(p, v, update(v, b, c)) {
			return v
		}
	}
}

// inShared reports whether an access to addr reaches shared memory.
func (b *block) inShared(in *bytecode.Instr, addr uint64) bool {
	return in.Space == bytecode.Shared || in.Space == bytecode.Generic && addr>>memory.OffsetBits == memory.SharedWindow
}

func atomicAdd(old, b, _ uint64) uint64 { return old + b }

func atomicMin[T simd.Integer](old, b, _ uint64) uint64 { return uint64(min(T(old), T(b))) }
func atomicMax[T simd.Integer](old, b, _ uint64) uint64 { return uint64(max(T(old), T(b))) }

// atomicInc counts up to b and then from 0 again.
func atomicInc(old, b, _ uint64) uint64 {
	if uint32(old) >= uint32(b) {
		return 0
	}
	return old + 1
}

// atomicDec counts down to 0 and then from b again.
func atomicDec(old, b, _ uint64) uint64 {
	if uint32(old) == 0 || uint32(old) > uint32(b) {
		return b
	}
	return old - 1
}

func atomicCas[T uint16 | uint32 | uint64](old, b, c uint64) uint64 {
	if T(old) == T(b) {
		return c
	}
	return old
}

func atomicAddF32(old, b, _ uint64) uint64 { return simd.Bits32(simd.F32(old) + simd.F32(b)) }

// atomicAddFlushed is the sum on global memory, where subnormals become zero.
func atomicAddFlushed(old, b, _ uint64) uint64 {
	return arithmetic.Ftz(simd.Bits32(simd.F32(arithmetic.Ftz(old)) + simd.F32(arithmetic.Ftz(b))))
}

// atomicAddF64 is the sum on global memory. A NaN keeps its bits; of two NaNs the added one is the
// result.
func atomicAddF64(old, b, _ uint64) uint64 {
	switch {
	case simd.IsNaN64(b):
		return b
	case simd.IsNaN64(old):
		return old
	}
	return atomicAddSharedF64(old, b, 0)
}

func atomicAddSharedF64(old, b, _ uint64) uint64 {
	x, y := math.Float64frombits(old), math.Float64frombits(b)
	return simd.Bits64(x+y, x, y, 0)
}

func atomicAddHalf(f *softfloat.Format) bytecode.Update {
	return func(old, b, _ uint64) uint64 { return f.Round(f.Sum(old, b, 0), softfloat.Nearest) }
}

func atomicAddHalves(f *softfloat.Format) bytecode.Update {
	return func(old, b, _ uint64) uint64 {
		add := func(x, y uint64) uint64 { return f.Round(f.Sum(x&0xffff, y&0xffff, 0), softfloat.Nearest) }
		return add(old, b) | add(old>>16, b>>16)<<16
	}
}

// sharedAdds is the sums that have other rules in shared memory.
var sharedAdds = map[ptx.Type]bytecode.Update{"f32": atomicAddF32, "f64": atomicAddSharedF64}
