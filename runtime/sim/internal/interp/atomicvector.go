package interp

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// AtomicVectorForms are those of atom and red on vectors in global memory: each element is updated
// by itself.
//
// PTX ISA, Parallel Synchronization and Communication Instructions: atom, red.
func AtomicVectorForms() (forms []bytecode.Form) {
	const space = ".cta|cluster|gpu|sys?.global?."
	for _, op := range []struct {
		name   string
		update bytecode.Update
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
			bytecode.Form{Pattern: "atom.relaxed|acquire|release|acq_rel?" + space + op.name, Assemble: atomicVector(op.update)},
			bytecode.Form{Pattern: "red.relaxed|release?" + space + op.name, Assemble: atomicVector(op.update)})
	}
	return forms
}

func atomicHalf(choose func(a, b uint64) uint64) bytecode.Update {
	return func(old, b, _ uint64) uint64 { return choose(old&0xffff, b&0xffff) }
}

func atomicHalves(choose func(a, b uint64) uint64) bytecode.Update {
	return func(old, b, _ uint64) uint64 {
		return choose(old&0xffff, b&0xffff) | choose(old>>16&0xffff, b>>16&0xffff)<<16
	}
}

// atomicVector assembles atom d, [a], b or red [a], b on vectors as an atomic for each element, the
// first of which checks the whole access, and then moves to d: that may have registers of b.
func atomicVector(update bytecode.Update) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		in = d.Unhinted(in)
		nothing := bytecode.Instr{Op: bytecode.OpNothing}
		want, args := 2, in.Args
		if in.Op == "atom" {
			want = 3
		}
		if !d.Operands(in, want) {
			return nothing
		}
		number, count := bytecode.LastType(in), vectorLength(d, in)
		t := bytecode.Storage(number)
		var dsts []int32
		if in.Op == "atom" {
			dsts = d.VectorOf(in, args[0], count, d.NumberDst, number)
			args = args[1:]
		}
		values := d.VectorOf(in, args[1], count, d.NumberSrc, number)
		i := d.Access(in, args[0], t, 1)
		i.Op, i.Update, i.Dst = bytecode.OpAtomic, update, bytecode.RegSink
		i.Elems = count
		d.K.Ordered = true
		kept := int32(d.K.Regs)
		d.K.Regs += len(dsts)
		for n, value := range values {
			if i.B = value; len(dsts) > 0 {
				i.Dst = kept + int32(n)
			}
			d.EmitGuarded(i, in)
			i.Elems, i.Offset = 1, i.Offset+uint64(i.Size)
		}
		for n, dst := range dsts {
			d.EmitGuarded(bytecode.Instr{Op: bytecode.OpLanes, Fn: simd.Mov, Dst: dst, A: kept + int32(n)}, in)
		}
		return nothing
	}
}

// vectorLength is the number of elements that in names: .v2, .v4 or .v8.
func vectorLength(d *bytecode.Decoder, in *ptx.Instr) int {
	for n, name := range map[int]string{2: "v2", 4: "v4", 8: "v8"} {
		if bytecode.Has(in, name) {
			return n
		}
	}
	return 1
}
