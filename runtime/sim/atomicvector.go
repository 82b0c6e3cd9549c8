package sim

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// atomicVectorForms are those of atom and red on vectors in global memory: each element is updated
// by itself.
//
// PTX ISA, Parallel Synchronization and Communication Instructions: atom, red.
func atomicVectorForms() (forms []form) {
	const space = ".cta|cluster|gpu|sys?.global?."
	for _, op := range []struct {
		name   string
		update update
	}{
		{"add.L2::cache_hint?.v2|v4.f32", atomicAddFlushed},
		{"add.noftz.L2::cache_hint?.v2|v4|v8.f16", atomicAddHalf(softfloat.F16)},
		{"add.noftz.L2::cache_hint?.v2|v4|v8.bf16", atomicAddHalf(softfloat.BF16)},
		{"add.noftz.L2::cache_hint?.v2|v4.f16x2", atomicAddHalves(softfloat.F16)},
		{"add.noftz.L2::cache_hint?.v2|v4.bf16x2", atomicAddHalves(softfloat.BF16)},
		{"min.noftz.L2::cache_hint?.v2|v4|v8.f16", atomicHalf(softfloat.F16.Min)},
		{"min.noftz.L2::cache_hint?.v2|v4|v8.bf16", atomicHalf(softfloat.BF16.Min)},
		{"min.noftz.L2::cache_hint?.v2|v4.f16x2", atomicHalves(softfloat.F16.Min)},
		{"min.noftz.L2::cache_hint?.v2|v4.bf16x2", atomicHalves(softfloat.BF16.Min)},
		{"max.noftz.L2::cache_hint?.v2|v4|v8.f16", atomicHalf(softfloat.F16.Max)},
		{"max.noftz.L2::cache_hint?.v2|v4|v8.bf16", atomicHalf(softfloat.BF16.Max)},
		{"max.noftz.L2::cache_hint?.v2|v4.f16x2", atomicHalves(softfloat.F16.Max)},
		{"max.noftz.L2::cache_hint?.v2|v4.bf16x2", atomicHalves(softfloat.BF16.Max)},
	} {
		forms = append(forms,
			form{"atom.relaxed|acquire|release|acq_rel?" + space + op.name, atomicVector(op.update)},
			form{"red.relaxed|release?" + space + op.name, atomicVector(op.update)})
	}
	return forms
}

func atomicHalf(choose func(a, b uint64) uint64) update {
	return func(old, b, _ uint64) uint64 { return choose(old&0xffff, b&0xffff) }
}

func atomicHalves(choose func(a, b uint64) uint64) update {
	return func(old, b, _ uint64) uint64 {
		return choose(old&0xffff, b&0xffff) | choose(old>>16&0xffff, b>>16&0xffff)<<16
	}
}

// atomicVector assembles atom d, [a], b or red [a], b on vectors as an atomic for each element, the
// first of which checks the whole access, and then moves to d: that may have registers of b.
func atomicVector(update update) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		in = d.unhinted(in)
		nothing := instr{op: opNothing}
		want, args := 2, in.Args
		if in.Op == "atom" {
			want = 3
		}
		if !d.operands(in, want) {
			return nothing
		}
		number, count := lastType(in), d.vectorLength(in)
		t := storage(number)
		var dsts []int32
		if in.Op == "atom" {
			dsts = d.vectorOf(in, args[0], count, d.numberDst, number)
			args = args[1:]
		}
		values := d.vectorOf(in, args[1], count, d.numberSrc, number)
		i := d.access(in, args[0], t, 1)
		i.op, i.update, i.dst = opAtomic, update, regSink
		i.elems = count
		d.k.ordered = true
		kept := int32(d.k.regs)
		d.k.regs += len(dsts)
		for n, value := range values {
			if i.b = value; len(dsts) > 0 {
				i.dst = kept + int32(n)
			}
			d.emitGuarded(i, in)
			i.elems, i.offset = 1, i.offset+uint64(i.size)
		}
		for n, dst := range dsts {
			d.emitGuarded(instr{op: opLanes, fn: simd.Mov, dst: dst, a: kept + int32(n)}, in)
		}
		return nothing
	}
}

// vectorLength is the number of elements that in names: .v2, .v4 or .v8.
func (d *decoder) vectorLength(in *ptx.Instr) int {
	for n, name := range map[int]string{2: "v2", 4: "v4", 8: "v8"} {
		if has(in, name) {
			return n
		}
	}
	return 1
}
