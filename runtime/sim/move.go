package sim

import (
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Data Movement and Conversion Instructions: mov, cvta, isspacep.
func moveForms() []form {
	return []form{
		{"mov.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", assembleMov},
		{"mov.pred", logic(first)},
		{"cvta.global|const.u64", cvta(global, 0)},
		{"cvta.to.global|const.u64", cvta(global, 0)},
		{"cvta.shared|shared::cta|shared::cluster.u64", cvta(shared, memory.SharedWindow)},
		{"cvta.to.shared|shared::cta|shared::cluster.u64", cvta(shared, -memory.SharedWindow)},
		{"cvta.local.u64", cvta(local, memory.LocalWindow)},
		{"cvta.to.local.u64", cvta(local, -memory.LocalWindow)},
		{"cvta.param|param::entry.u64", cvta(param, memory.ParamWindow)},
		{"cvta.to.param|param::entry.u64", cvta(param, -memory.ParamWindow)},
		{"isspacep.const|global|local|param|param::entry|shared|shared::cta|shared::cluster", assembleIsspacep},
		{"istypep.texref|samplerref|surfref", assembleIstypep},
	}
}

func assembleMov(d *decoder, in *ptx.Instr) instr {
	t := lastType(in)
	i := instr{op: opLanes, fn: simd.Fast.Mov}
	if !d.operands(in, 2) {
		return i
	}
	if v, ok := in.Args[0].(ptx.Vector); ok {
		d.alike(in, v.Elems)
		i = d.vector(v, opUnpack, t)
		i.a = d.src(in.Args[1], t)
		return i
	}
	if v, ok := in.Args[1].(ptx.Vector); ok {
		d.alike(in, v.Elems)
		i = d.vector(v, opPack, t)
		i.dst = d.dst(in.Args[0], t)
		return i
	}
	i.dst = d.dst(in.Args[0], t)
	if sym, ok := in.Args[1].(ptx.Symbol); ok && sym.Name != "WARP_SZ" {
		i.a = d.addressOf(sym, t)
		return i
	}
	i.a = d.src(in.Args[1], t)
	return i
}

// addressOf returns the register that holds the address of sym in its space.
func (d *decoder) addressOf(sym ptx.Symbol, t ptx.Type) int32 {
	v, ok := d.variableOf(sym.Name)
	switch {
	case !ok:
		d.invalid("%s is not declared", sym.Name)
	case isFloat(t) || t.Size() < 4 || t.Size() == 4 && (v.space == global || v.space == constant):
		d.invalid("the address of %s does not fit a .%s", sym.Name, t)
	default:
		return d.address(v, uint64(sym.Offset))
	}
	return regSink
}

// vector decodes the elements of a vector operand whose parts make up a t.
func (d *decoder) vector(v ptx.Vector, op opcode, t ptx.Type) instr {
	i := instr{op: op, elems: len(v.Elems)}
	if len(v.Elems) != 2 && len(v.Elems) != 4 || t.Size()/len(v.Elems) == 0 || t[0] != 'b' {
		d.invalid("%d elements do not make up a .%s", len(v.Elems), t)
		return instr{op: op}
	}
	part := map[int]ptx.Type{1: "b8", 2: "b16", 4: "b32"}[t.Size()/len(v.Elems)]
	i.size = part.Size()
	for n, elem := range v.Elems {
		if op == opPack {
			i.vec[n] = d.src(elem, part)
		} else {
			i.vec[n] = d.dst(elem, part)
		}
	}
	return i
}

// pack makes one value of several, the first of them lowest.
func (w *warp) pack(in *instr, e uint32) {
	width := 8 * in.size
	low := uint64(1)<<width - 1
	w.result = simd.Lanes{}
	for n := range in.elems {
		elem := &w.regs[in.vec[n]]
		for l := range elem {
			w.result[l] |= elem[l] & low << (width * n)
		}
	}
	blend(&w.regs[in.dst], &w.result, e)
}

// unpack takes a value apart. It is read before the first part is written, which may
// be the same register.
func (w *warp) unpack(in *instr, e uint32) {
	width := 8 * in.size
	w.scratch = w.regs[in.a]
	for n := range in.elems {
		d := &w.regs[in.vec[n]]
		for m := e; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (warpSize - 1)
			d[l] = w.scratch[l] >> (width * n)
		}
	}
}

// cvta assembles the conversion between the addresses of a space and generic ones,
// which differ by the number of the space's window.
func cvta(s space, window int64) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := instr{op: opLanes, fn: simd.Fast.Add, b: d.constant(uint64(window << memory.OffsetBits))}
		if !d.operands(in, 2) {
			return i
		}
		i.dst = d.dst(in.Args[0], "u64")
		sym, ok := in.Args[1].(ptx.Symbol)
		if !ok {
			i.a = d.src(in.Args[1], "u64")
			return i
		}
		if v, known := d.variableOf(sym.Name); known && v.space != s && (s != global || v.space != constant) {
			d.invalid("%s is not in the space .%s", sym.Name, s)
		}
		i.a = d.addressOf(sym, "u64")
		return i
	}
}

// assembleIsspacep decodes isspacep.space p, a: whether a is a generic address in the space.
func assembleIsspacep(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opCompare, combine: first, pdst: predSink, pdst2: predSink}
	s, own := spaceOf(in), in.Mods[0] != "shared::cluster"
	i.compare = func(a, _ *simd.Lanes) (p uint32) {
		for l := range a {
			p |= simd.Bit(inSpace(a[l], s, own)) << l
		}
		return p
	}
	if d.operands(in, 2) {
		i.pdst, i.a = d.predDst(in.Args[0]), d.src(in.Args[1], "u64")
	}
	return i
}

// inSpace reports whether a generic address is in a space; own leaves out the shared memory of
// other blocks.
func inSpace(addr uint64, s space, own bool) bool {
	switch window := addr >> memory.OffsetBits; window {
	case memory.SharedWindow:
		return s == shared && (!own || addr&memory.OffsetMask < 1<<memory.PeerShift)
	case memory.LocalWindow:
		return s == local
	case memory.ParamWindow:
		return s == param
	case memory.CodeWindow:
		return false
	default:
		a := memory.AllocationOf(window)
		return s == global && (a == nil || !a.Constant) || s == constant && a != nil && a.Constant
	}
}

// assembleIstypep decodes istypep.type p, a. No address is that of a texture.
func assembleIstypep(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opLogic, combine: first, pdst: predSink, pa: predicate{predTrue, full}}
	if d.operands(in, 2) {
		i.pdst = d.predDst(in.Args[0])
		d.src(in.Args[1], "u64")
	}
	return i
}
