package arithmetic

import (
	"math"
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// PTX ISA, Data Movement and Conversion Instructions: cvt from and to f16, bf16, tf32, e4m3
// and e5m2. Where the ISA leaves a NaN open it is an H200's: canonical, except from and to f64 and
// from f32 to tf32 with .rna.
func NarrowForms() []bytecode.Form {
	const integers = "u8|s8|u16|s16|u32|s32|u64|s64"
	const toInt = "rni|rzi|rmi|rpi"
	const directed = "rn|rz|rm|rp"
	forms := []bytecode.Form{
		{Pattern: "cvt." + directed + ".ftz?.sat?.f16.f32", Assemble: toNarrow},
		{Pattern: "cvt." + directed + ".ftz?.bf16.f32", Assemble: toNarrow},
		{Pattern: "cvt.rn|rz.relu?.satfinite?.f16|bf16.f32", Assemble: toNarrow},
		{Pattern: "cvt." + directed + ".sat?.f16.f64", Assemble: toNarrow},
		{Pattern: "cvt." + directed + ".bf16.f64", Assemble: toNarrow},
		{Pattern: "cvt." + directed + ".sat?.f16." + integers, Assemble: toNarrow},
		{Pattern: "cvt." + directed + ".bf16.u16|s16|u32|s32|u64|s64", Assemble: toNarrow},
		{Pattern: "cvt." + directed + "?.f16.bf16", Assemble: toNarrow},
		{Pattern: "cvt." + directed + "?.bf16.f16", Assemble: toNarrow},
		{Pattern: "cvt." + toInt + "?.sat?.f16.f16", Assemble: toNarrow},
		{Pattern: "cvt." + toInt + "?.bf16.bf16", Assemble: toNarrow},
		{Pattern: "cvt." + toInt + ".sat?." + integers + ".f16", Assemble: fromNarrow},
		{Pattern: "cvt." + toInt + ".u16|s16|u32|s32|u64|s64.bf16", Assemble: fromNarrow},
		{Pattern: "cvt.ftz?.sat?.f32.f16", Assemble: fromNarrow},
		{Pattern: "cvt.sat?.f64.f16", Assemble: fromNarrow},
		{Pattern: "cvt." + directed + "?.ftz?.f32.bf16", Assemble: fromNarrow},
		{Pattern: "cvt." + directed + "?.f64.bf16", Assemble: fromNarrow},
		{Pattern: "cvt.rna.satfinite?.tf32.f32", Assemble: toNarrow},
		{Pattern: "cvt.rn|rz.relu?.tf32.f32", Assemble: toNarrow},
		{Pattern: "cvt.rn|rz.relu?.satfinite?.f16x2|bf16x2.f32", Assemble: toPacked},
		{Pattern: "cvt.rn.satfinite.relu?.e4m3x2|e5m2x2.f32", Assemble: toPacked},
		{Pattern: "cvt.rn.satfinite.relu?.e4m3x2|e5m2x2.f16x2", Assemble: toPackedFrom16},
		{Pattern: "cvt.rn.relu?.f16x2.e4m3x2|e5m2x2", Assemble: fromPacked8},
		{Pattern: "cvt.pack.sat.u16|s16.s32", Assemble: assemblePack16},
		{Pattern: "cvt.pack.sat.u8|s8|u4|s4|u2|s2.s32.b32", Assemble: assemblePackSmall},
	}
	return forms
}

// types returns the types that a cvt converts to and from.
func types(in *ptx.Instr) (to, from ptx.Type) {
	return ptx.Type(in.Mods[len(in.Mods)-2]), bytecode.LastType(in)
}

// narrowing returns the rounding of in to f, with what its modifiers ask for.
func narrowing(f *softfloat.Format, in *ptx.Instr) func(float64) uint64 {
	mode, toInteger := Modes[in.Mods[0]], RoundInt[in.Mods[0]]
	finite, relu, sat := bytecode.Has(in, "satfinite"), bytecode.Has(in, "relu"), bytecode.Has(in, "sat")
	return func(x float64) (r uint64) {
		if toInteger != nil {
			x = toInteger(x)
		}
		if finite {
			r = f.Finite(x, mode)
		} else {
			r = f.Round(x, mode)
		}
		if relu {
			r = f.ReLU(r)
		}
		if sat {
			r = f.Clamp(r)
		}
		return r << f.Shift
	}
}

func toNarrow(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	to, from := types(in)
	f := bytecode.Formats[to]
	ignored := to == "f16" && from == "f32" // an H200 computes f16 of subnormals also with .ftz
	narrowed, read := narrowing(f, in), reader(from, bytecode.Has(in, "ftz") && !ignored)
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: func(d, a, _, _ *simd.Lanes) {
		for l := range d {
			d[l] = narrowed(read(a[l]))
		}
	}}
	switch {
	case f == softfloat.TF32 && bytecode.Has(in, "rna"):
		i.Fn = roundTF32(bytecode.Has(in, "satfinite"))
	case from == "f64" && !bytecode.Has(in, "sat"):
		i.Fn = keepNaN64(f, i.Fn)
	}
	if d.Operands(in, 2) && to == "bf16" { // ptxas takes no wider registers here
		i.Dst, i.A = d.NumberDst(in.Args[0], to), d.NumberSrc(in.Args[1], from)
	} else if len(in.Args) == 2 {
		i.Dst, i.A = d.WideNumberDst(in.Args[0], to), d.WideNumberSrc(in.Args[1], from)
	}
	return i
}

// roundTF32 is cvt.rna.tf32.f32 as ptxas expands it: integer arithmetic, which keeps the high bits
// of a NaN.
func roundTF32(finite bool) simd.Func {
	const half, infinity, size = 1 << 12, 0x7f800000, 1<<31 - 1
	return func(d, a, _, _ *simd.Lanes) {
		for l := range d {
			x := uint32(a[l])
			if x&size < infinity {
				x += half
			}
			x &^= 2*half - 1
			if finite && x&size >= infinity {
				x -= 2 * half
			}
			d[l] = uint64(x)
		}
	}
}

// keepNaN64 keeps of an f64 NaN its sign and the high bits of its payload.
func keepNaN64(f *softfloat.Format, fn simd.Func) simd.Func {
	return func(d, a, _, _ *simd.Lanes) {
		source := *a
		fn(d, a, nil, nil)
		for l := range d {
			if simd.IsNaN64(source[l]) {
				d[l] = f.OfNaN64(source[l])
			}
		}
	}
}

// reader reads a number of type t: exactly or, of 64 bits that an f64 cannot hold, rounded to
// odd. flush makes zeros of f32 subnormals.
func reader(t ptx.Type, flush bool) func(uint64) float64 {
	if flush && t == "f32" {
		return func(v uint64) float64 { return float64(simd.F32(Ftz(v))) }
	}
	if t == "f32" || t == "f64" || bytecode.Formats[t] != nil {
		return Float(t)
	}
	width, signed := 64-8*t.Size(), bytecode.IsSigned(t)
	return func(v uint64) float64 {
		if signed {
			v = uint64(int64(v) << width >> width)
		} else {
			v = v << width >> width
		}
		if signed && int64(v) < 0 {
			return -oddly(-v)
		}
		return oddly(v)
	}
}

// oddly returns v rounded to odd.
func oddly(v uint64) float64 {
	drop := max(0, bits.Len64(v)-53)
	kept := v >> drop
	if kept<<drop != v {
		kept |= 1
	}
	return math.Ldexp(float64(kept), drop)
}

// fromNarrow assembles cvt of an f16 or bf16 to an integer, an f32 or an f64.
func fromNarrow(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	to, from := types(in)
	i := bytecode.Instr{Op: bytecode.OpLanes}
	switch {
	case !bytecode.IsFloat(to):
		i.Fn = convertToInt(to, from, RoundInt[in.Mods[0]])
	case from == "bf16" && to == "f32" && bytecode.Has(in, "ftz"):
		i.Fn = func(d, a, _, _ *simd.Lanes) {
			for l := range d {
				d[l] = simd.Bits32(simd.F32(Ftz(a[l] << 16 & (1<<32 - 1))))
			}
		}
	case from == "bf16" && to == "f32": // the bits stay, also those of a NaN
		i.Fn = func(d, a, _, _ *simd.Lanes) {
			for l := range d {
				d[l] = a[l] << 16 & (1<<32 - 1)
			}
		}
	default:
		i.Fn = widenNarrow(bytecode.Formats[from], to, bytecode.Has(in, "sat"))
	}
	if d.Operands(in, 2) && from == "bf16" {
		i.Dst, i.A = d.Dst(in.Args[0], to), d.NumberSrc(in.Args[1], from)
	} else if len(in.Args) == 2 {
		i.Dst, i.A = d.WideNumberDst(in.Args[0], to), d.WideNumberSrc(in.Args[1], from)
	}
	return i
}

func widenNarrow(f *softfloat.Format, to ptx.Type, sat bool) simd.Func {
	return func(d, a, _, _ *simd.Lanes) {
		for l := range d {
			x := f.Value(a[l])
			if sat && !(x > 0) {
				x = 0
			} else if sat {
				x = min(x, 1)
			}
			switch {
			case to == "f32":
				d[l] = simd.Bits32(float32(x))
			case x != x:
				d[l] = f.ToNaN64(a[l])
			default:
				d[l] = math.Float64bits(x)
			}
		}
	}
}

// toPacked assembles cvt.f16x2.f32 d, a, b and its like: a becomes the upper half, b the lower.
func toPacked(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	to, _ := types(in)
	f := bytecode.Formats[to]
	narrowed, width := narrowing(f, in), f.Width()
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: func(d, a, b, _ *simd.Lanes) {
		for l := range d {
			d[l] = narrowed(float64(simd.F32(a[l])))<<width | narrowed(float64(simd.F32(b[l])))
		}
	}}
	if d.Operands(in, 3) {
		i.Dst, i.A, i.B = d.NumberDst(in.Args[0], to), d.Src(in.Args[1], "f32"), d.Src(in.Args[2], "f32")
	}
	return i
}

// toPackedFrom16 assembles cvt.e4m3x2.f16x2 d, a and its like.
func toPackedFrom16(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	to, from := types(in)
	narrowed, read := narrowing(bytecode.Formats[to], in), bytecode.Formats[from].Value
	return converted(d, in, to, from, func(a uint64) uint64 {
		return narrowed(read(a>>16&0xffff))<<8 | narrowed(read(a&0xffff))
	})
}

// fromPacked8 assembles cvt.f16x2.e4m3x2 d, a and its like.
func fromPacked8(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	to, from := types(in)
	narrowed, read := narrowing(bytecode.Formats[to], in), bytecode.Formats[from].Value
	return converted(d, in, to, from, func(a uint64) uint64 {
		return narrowed(read(a>>8&0xff))<<16 | narrowed(read(a&0xff))
	})
}

func converted(d *bytecode.Decoder, in *ptx.Instr, to, from ptx.Type, fn func(uint64) uint64) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: lanewise(func(a, _, _ uint64) uint64 { return fn(a) })}
	if d.Operands(in, 2) {
		i.Dst, i.A = d.NumberDst(in.Args[0], to), d.NumberSrc(in.Args[1], from)
	}
	return i
}

// assemblePack16 decodes cvt.pack d, a, b: a becomes the upper half of d, b the lower.
func assemblePack16(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	signed := in.Mods[2][0] == 's'
	return plain(bytecode.Alu(func(d, a, b, _ *simd.Lanes) {
		for l := range d {
			high, low := saturated(int64(int32(a[l])), 16, signed), saturated(int64(int32(b[l])), 16, signed)
			d[l] = uint64(high)&0xffff<<16 | uint64(low)&0xffff
		}
	}, "b32", "s32", "s32"))(d, in)
}

// assemblePackSmall decodes cvt.pack d, a, b, c: a and b become the lowest parts of d, and the
// lower parts of c move up.
func assemblePackSmall(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	signed, width := in.Mods[2][0] == 's', int(in.Mods[2][1]-'0')
	low := uint64(1)<<width - 1
	return plain(bytecode.Alu(func(d, a, b, c *simd.Lanes) {
		for l := range d {
			high, least := saturated(int64(int32(a[l])), width, signed), saturated(int64(int32(b[l])), width, signed)
			d[l] = uint64(uint32(c[l])<<(2*width)) | uint64(high)&low<<width | uint64(least)&low
		}
	}, "b32", "s32", "s32", "b32"))(d, in)
}
