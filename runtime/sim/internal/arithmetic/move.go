package arithmetic

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Data Movement and Conversion Instructions: mov, cvta, isspacep.
func MoveForms() []bytecode.Form {
	return []bytecode.Form{
		{Pattern: "mov.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", Assemble: assembleMov},
		{Pattern: "mov.pred", Assemble: logic(simd.First)},
		{Pattern: "cvta.global|const.u64", Assemble: cvta(bytecode.Global, 0)},
		{Pattern: "cvta.to.global|const.u64", Assemble: cvta(bytecode.Global, 0)},
		{Pattern: "cvta.shared|shared::cta|shared::cluster.u64", Assemble: cvta(bytecode.Shared, memory.SharedWindow)},
		{Pattern: "cvta.to.shared|shared::cta|shared::cluster.u64", Assemble: cvta(bytecode.Shared, -memory.SharedWindow)},
		{Pattern: "cvta.local.u64", Assemble: cvta(bytecode.Local, memory.LocalWindow)},
		{Pattern: "cvta.to.local.u64", Assemble: cvta(bytecode.Local, -memory.LocalWindow)},
		{Pattern: "cvta.param|param::entry.u64", Assemble: cvta(bytecode.Param, memory.ParamWindow)},
		{Pattern: "cvta.to.param|param::entry.u64", Assemble: cvta(bytecode.Param, -memory.ParamWindow)},
		{Pattern: "isspacep.const|global|local|param|param::entry|shared|shared::cta|shared::cluster", Assemble: assembleIsspacep},
		{Pattern: "istypep.texref|samplerref|surfref", Assemble: assembleIstypep},
	}
}

func assembleMov(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	t := bytecode.LastType(in)
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: simd.Fast.Mov}
	if !d.Operands(in, 2) {
		return i
	}
	if v, ok := in.Args[0].(ptx.Vector); ok {
		d.Alike(in, v.Elems)
		i = DecodeVector(d, v, bytecode.OpUnpack, t)
		i.A = d.Src(in.Args[1], t)
		return i
	}
	if v, ok := in.Args[1].(ptx.Vector); ok {
		d.Alike(in, v.Elems)
		i = DecodeVector(d, v, bytecode.OpPack, t)
		i.Dst = d.Dst(in.Args[0], t)
		return i
	}
	i.Dst = d.Dst(in.Args[0], t)
	if sym, ok := in.Args[1].(ptx.Symbol); ok && sym.Name != "WARP_SZ" {
		i.A = AddressOf(d, sym, t)
		return i
	}
	i.A = d.Src(in.Args[1], t)
	return i
}

// AddressOf returns the register that holds the address of sym in its space.
func AddressOf(d *bytecode.Decoder, sym ptx.Symbol, t ptx.Type) int32 {
	v, ok := d.VariableOf(sym.Name)
	switch {
	case !ok:
		d.Invalid("%s is not declared", sym.Name)
	case bytecode.IsFloat(t) || t.Size() < 4 || t.Size() == 4 && (v.Space == bytecode.Global || v.Space == bytecode.Constant):
		d.Invalid("the address of %s does not fit a .%s", sym.Name, t)
	default:
		return d.Address(v, uint64(sym.Offset))
	}
	return bytecode.RegSink
}

// DecodeVector decodes the elements of a vector operand whose parts make up a t.
func DecodeVector(d *bytecode.Decoder, v ptx.Vector, op bytecode.Opcode, t ptx.Type) bytecode.Instr {
	i := bytecode.Instr{Op: op, Elems: len(v.Elems)}
	if len(v.Elems) != 2 && len(v.Elems) != 4 || t.Size()/len(v.Elems) == 0 || t[0] != 'b' {
		d.Invalid("%d elements do not make up a .%s", len(v.Elems), t)
		return bytecode.Instr{Op: op}
	}
	part := map[int]ptx.Type{1: "b8", 2: "b16", 4: "b32"}[t.Size()/len(v.Elems)]
	i.Size = part.Size()
	for n, elem := range v.Elems {
		if op == bytecode.OpPack {
			i.Vec[n] = d.Src(elem, part)
		} else {
			i.Vec[n] = d.Dst(elem, part)
		}
	}
	return i
}

// cvta assembles the conversion between the addresses of a space and generic ones,
// which differ by the number of the space's window.
func cvta(s bytecode.Space, window int64) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := bytecode.Instr{Op: bytecode.OpLanes, Fn: simd.Fast.Add, B: d.Constant(uint64(window << memory.OffsetBits))}
		if !d.Operands(in, 2) {
			return i
		}
		i.Dst = d.Dst(in.Args[0], "u64")
		sym, ok := in.Args[1].(ptx.Symbol)
		if !ok {
			i.A = d.Src(in.Args[1], "u64")
			return i
		}
		if v, known := d.VariableOf(sym.Name); known && v.Space != s && (s != bytecode.Global || v.Space != bytecode.Constant) {
			d.Invalid("%s is not in the space .%s", sym.Name, s)
		}
		i.A = AddressOf(d, sym, "u64")
		return i
	}
}

// assembleIsspacep decodes isspacep.space p, a: whether a is a generic address in the space.
func assembleIsspacep(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpCompare, Combine: simd.First, Pdst: bytecode.PredSink, Pdst2: bytecode.PredSink}
	s, own := bytecode.SpaceOf(in), in.Mods[0] != "shared::cluster"
	i.Compare = func(a, _ *simd.Lanes) (p uint32) {
		for l := range a {
			p |= simd.Bit(inSpace(a[l], s, own)) << l
		}
		return p
	}
	if d.Operands(in, 2) {
		i.Pdst, i.A = d.PredDst(in.Args[0]), d.Src(in.Args[1], "u64")
	}
	return i
}

// inSpace reports whether a generic address is in a space; own leaves out the shared memory of
// other blocks.
func inSpace(addr uint64, s bytecode.Space, own bool) bool {
	switch window := addr >> memory.OffsetBits; window {
	case memory.SharedWindow:
		return s == bytecode.Shared && (!own || addr&memory.OffsetMask < 1<<memory.PeerShift)
	case memory.LocalWindow:
		return s == bytecode.Local
	case memory.ParamWindow:
		return s == bytecode.Param
	case memory.CodeWindow:
		return false
	default:
		a := memory.AllocationOf(window)
		return s == bytecode.Global && (a == nil || !a.Constant) || s == bytecode.Constant && a != nil && a.Constant
	}
}

// assembleIstypep decodes istypep.type p, a. No address is that of a texture.
func assembleIstypep(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpLogic, Combine: simd.First, Pdst: bytecode.PredSink, Pa: bytecode.Predicate{Index: bytecode.PredTrue, Flip: bytecode.Full}}
	if d.Operands(in, 2) {
		i.Pdst = d.PredDst(in.Args[0])
		d.Src(in.Args[1], "u64")
	}
	return i
}
