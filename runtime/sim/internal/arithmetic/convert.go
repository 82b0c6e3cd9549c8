package arithmetic

import (
	"math"
	"math/big"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// PTX ISA, Data Movement and Conversion Instructions: cvt.
func ConvertForms() []bytecode.Form {
	const integers = "u8|s8|u16|s16|u32|s32|u64|s64"
	const toInt = "rni|rzi|rmi|rpi"
	const toFloat = "rn|rz|rm|rp"
	return []bytecode.Form{
		{Pattern: "cvt.sat?." + integers + "." + integers, Assemble: assembleCvt},
		{Pattern: "cvt." + toInt + ".ftz?.sat?." + integers + ".f32", Assemble: assembleCvt},
		{Pattern: "cvt." + toInt + ".sat?." + integers + ".f64", Assemble: assembleCvt},
		{Pattern: "cvt." + toFloat + ".ftz?.sat?.f32." + integers, Assemble: assembleCvt},
		{Pattern: "cvt." + toFloat + ".sat?.f64." + integers, Assemble: assembleCvt},
		{Pattern: "cvt." + toInt + "?.ftz?.sat?.f32.f32", Assemble: assembleCvt},
		{Pattern: "cvt." + toInt + "?.sat?.f64.f64", Assemble: assembleCvt},
		{Pattern: "cvt.ftz?.sat?.f64.f32", Assemble: assembleCvt},
		{Pattern: "cvt." + toFloat + ".ftz?.sat?.f32.f64", Assemble: assembleCvt},
	}
}

func assembleCvt(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	from, to := bytecode.LastType(in), ptx.Type(in.Mods[len(in.Mods)-2])
	sat := bytecode.Has(in, "sat")
	i := bytecode.Instr{Op: bytecode.OpLanes, Flush: bytecode.Has(in, "ftz")}
	switch {
	case !bytecode.IsFloat(from) && !bytecode.IsFloat(to):
		if sat && holdsAll(to, from) {
			d.Invalid("%s: .sat has nothing to do, as every .%s is a .%s", in.Text, from, to)
		}
		i.Fn = convertInt(to, from, sat)
	case !bytecode.IsFloat(to):
		i.Fn = convertToInt(to, from, RoundInt[in.Mods[0]])
	case !bytecode.IsFloat(from):
		i.Fn = convertToFloat(to, from, Modes[in.Mods[0]])
	case to == "f32" && from == "f32" && len(in.Mods) == 2:
		i.Fn = simd.Mov
	case to == "f32" && from == "f32":
		i.Fn = roundF32(RoundInt[in.Mods[0]])
	case to == "f64" && from == "f64":
		i.Fn = roundF64(RoundInt[in.Mods[0]])
	case to == "f64":
		i.Fn = widenF32
		if i.Flush {
			i.Fn = widenCanonical
		}
	default:
		mode := Modes[in.Mods[0]]
		if i.Fn = narrowF64(mode); i.Flush {
			i.Fn = flushing(i.Fn, exactNarrowed, mode)
		}
	}
	if sat && to == "f64" {
		i.Fn = saturating64(i.Fn)
	}
	i.Sat = sat && to == "f32"
	if i.Flush || i.Sat {
		i.Op = bytecode.OpLanesFloat
		i.Fn = onlyF32(i.Fn, i.Flush, to == "f32", from == "f32")
		i.Flush = i.Flush && to == "f32" && from == "f32"
	}
	if d.Operands(in, 2) {
		i.Dst, i.A = d.WideDst(in.Args[0], bytecode.Storage(to)), d.WideSrc(in.Args[1], bytecode.Storage(from))
	}
	return i
}

// saturating64 clamps f64 results to [0, 1]; NaN becomes +0.
func saturating64(fn simd.Func) simd.Func {
	return func(d, a, _, _ *simd.Lanes) {
		fn(d, a, nil, nil)
		for l := range d {
			switch x := simd.F64(d[l]); {
			case !(x > 0):
				d[l] = 0
			case x > 1:
				d[l] = math.Float64bits(1)
			}
		}
	}
}

// onlyF32 flushes the side of a conversion that is an f32, where the other is not.
func onlyF32(fn simd.Func, flush, toF32, fromF32 bool) simd.Func {
	if !flush || toF32 == fromF32 {
		return fn
	}
	return func(d, a, _, _ *simd.Lanes) {
		if fromF32 {
			var z simd.Lanes
			Flushed(&z, a)
			fn(d, &z, nil, nil)
			return
		}
		fn(d, a, a, a)
		Flushed(d, d)
	}
}

var RoundInt = map[string]func(float64) float64{
	"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil,
}

var Modes = map[string]softfloat.Rounding{"rn": softfloat.Nearest, "rz": softfloat.TowardZero, "rm": softfloat.Down, "rp": softfloat.Up, "rna": softfloat.NearestAway}

var extends = map[ptx.Type]simd.Func{
	"u8": simd.Extend[uint8], "s8": simd.Extend[int8], "u16": simd.Extend[uint16], "s16": simd.Extend[int16],
	"u32": simd.Fast.ExtendU32, "s32": simd.Fast.ExtendS32, "u64": simd.Fast.Mov, "s64": simd.Fast.Mov,
}

// convertInt reads a as from, makes it a to, and extends that to the register.
func convertInt(to, from ptx.Type, sat bool) simd.Func {
	switch {
	case sat:
		return saturateInt(to, from)
	case to.Size() <= from.Size():
		return extends[to]
	case !bytecode.IsSigned(from) || bytecode.IsSigned(to):
		return extends[from]
	}
	first, second := extends[from], extends[to]
	return func(d, a, _, _ *simd.Lanes) {
		first(d, a, nil, nil)
		second(d, d, nil, nil)
	}
}

// holdsAll reports whether every value of the integer type from is one of the type to.
func holdsAll(to, from ptx.Type) bool {
	lowest, highest := Bounds(to)
	leastFrom, mostFrom := Bounds(from)
	return lowest <= leastFrom && highest >= mostFrom
}

func saturateInt(to, from ptx.Type) simd.Func {
	lowest, highest := Bounds(to)
	extend := extends[from]
	return func(d, a, _, _ *simd.Lanes) {
		var x simd.Lanes
		extend(&x, a, nil, nil)
		for l := range d {
			switch negative := bytecode.IsSigned(from) && int64(x[l]) < 0; {
			case negative && int64(x[l]) < lowest:
				d[l] = uint64(lowest)
			case !negative && x[l] > highest:
				d[l] = highest
			default:
				d[l] = x[l]
			}
		}
	}
}

// Bounds returns the lowest and the highest value of an integer type.
func Bounds(t ptx.Type) (lowest int64, highest uint64) {
	bits := 8 * t.Size()
	if bytecode.IsSigned(t) {
		return -1 << (bits - 1), 1<<(bits-1) - 1
	}
	return 0, ^uint64(0) >> (64 - bits)
}

// Float reads a floating-point number of type t.
func Float(t ptx.Type) func(uint64) float64 {
	if f := bytecode.Formats[t]; f != nil {
		return f.Value
	}
	if t == "f32" {
		return func(bits uint64) float64 { return float64(simd.F32(bits)) }
	}
	return simd.F64
}

// convertToInt rounds and clamps. NaN becomes 0; with 64 bits on either side, the
// highest bit alone.
func convertToInt(to, from ptx.Type, round func(float64) float64) simd.Func {
	lowest, highest := Bounds(to)
	beyond := math.Ldexp(1, 8*to.Size())
	nan := uint64(0)
	if bytecode.IsSigned(to) {
		beyond /= 2
	}
	if from == "f64" || to.Size() == 8 {
		nan = 1 << (8*to.Size() - 1)
	}
	read, extend := Float(from), extends[to]
	return func(d, a, _, _ *simd.Lanes) {
		for l := range d {
			switch x := round(read(a[l])); {
			case x != x:
				d[l] = nan
			case x >= beyond:
				d[l] = highest
			case x < float64(lowest):
				d[l] = uint64(lowest)
			case bytecode.IsSigned(to):
				d[l] = uint64(int64(x))
			default:
				d[l] = uint64(x)
			}
		}
		extend(d, d, nil, nil)
	}
}

// convertToFloat rounds an integer once.
func convertToFloat(to, from ptx.Type, mode softfloat.Rounding) simd.Func {
	if to == "f32" && from == "s32" && mode == softfloat.Nearest {
		return simd.Fast.S32ToF32
	}
	signed, extend := bytecode.IsSigned(from), extends[from]
	return func(d, a, _, _ *simd.Lanes) {
		var x simd.Lanes
		extend(&x, a, nil, nil)
		for l := range d {
			switch {
			case mode != softfloat.Nearest:
				d[l] = roundBig(x[l], signed, to, mode)
			case to == "f32" && signed:
				d[l] = uint64(math.Float32bits(float32(int64(x[l]))))
			case to == "f32":
				d[l] = uint64(math.Float32bits(float32(x[l])))
			case signed:
				d[l] = math.Float64bits(float64(int64(x[l])))
			default:
				d[l] = math.Float64bits(float64(x[l]))
			}
		}
	}
}

// roundBig converts x with a directed rounding.
func roundBig(x uint64, signed bool, to ptx.Type, mode softfloat.Rounding) uint64 {
	f := new(big.Float).SetMode(map[softfloat.Rounding]big.RoundingMode{softfloat.TowardZero: big.ToZero, softfloat.Down: big.ToNegativeInf, softfloat.Up: big.ToPositiveInf}[mode])
	f.SetPrec(53)
	if to == "f32" {
		f.SetPrec(24)
	}
	if signed {
		f.SetInt64(int64(x))
	} else {
		f.SetUint64(x)
	}
	if to == "f32" {
		v, _ := f.Float32()
		return uint64(math.Float32bits(v))
	}
	v, _ := f.Float64()
	return math.Float64bits(v)
}

// roundF32 rounds to an integer; without a rounding it copies, for .ftz and .sat.
func roundF32(round func(float64) float64) simd.Func {
	return func(d, a, _, _ *simd.Lanes) {
		for l := range d {
			x := simd.F32(a[l])
			if round != nil {
				x = float32(round(float64(x)))
			}
			d[l] = simd.Bits32(x)
		}
	}
}

func roundF64(round func(float64) float64) simd.Func {
	return func(d, a, _, _ *simd.Lanes) {
		for l := range d {
			x := simd.F64(a[l])
			if round != nil {
				d[l] = simd.Bits64(round(x), x, 0, 0)
			} else {
				d[l] = a[l]
			}
		}
	}
}

func widenF32(d, a, _, _ *simd.Lanes) {
	for l := range d {
		d[l] = Bits64Widened(simd.F32(a[l]))
	}
}

func Bits64Widened(x float32) uint64 { return simd.Bits64(float64(x), float64(x), 0, 0) }

// widenCanonical is widenF32 of .ftz, which makes a NaN canonical first.
func widenCanonical(d, a, _, _ *simd.Lanes) {
	for l := range d {
		if d[l] = Bits64Widened(simd.F32(a[l])); simd.IsNaN32(a[l]) {
			d[l] = nan32Widened
		}
	}
}

const nan32Widened = 0x7fffffffe0000000

// narrowF64 keeps of a NaN its sign and the high bits of its payload.
func narrowF64(mode softfloat.Rounding) simd.Func {
	return func(d, a, _, _ *simd.Lanes) {
		for l := range d {
			if simd.IsNaN64(a[l]) {
				d[l] = a[l]>>63<<31 | 0x7fc00000 | a[l]>>29&(1<<22-1)
			} else {
				d[l] = uint64(math.Float32bits(softfloat.Round32(simd.F64(a[l]), 0, mode)))
			}
		}
	}
}
