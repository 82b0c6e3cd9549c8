package simd

import (
	"math"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

const (
	Nan32 = softfloat.NaN32 // every NaN that an f32 operation makes

	Quiet64 = 1 << 51
)

func F32(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }

func F64(bits uint64) float64 { return math.Float64frombits(bits) }

// Bits32 returns the bits of a result, which is the canonical NaN when it is one.
func Bits32(x float32) uint64 {
	if x != x {
		return Nan32
	}
	return uint64(math.Float32bits(x))
}

// Bits64 returns the bits of the result of an operation on x, y and z, in the order in which
// softfloat.NaN64 looks at them.
func Bits64(result, x, y, z float64) uint64 {
	if result != result {
		return softfloat.NaN64(x, y, z)
	}
	return math.Float64bits(result)
}

func IsNaN32(bits uint64) bool { return uint32(bits)&0x7fffffff > 0x7f800000 }

func IsNaN64(bits uint64) bool { return bits&^(1<<63) > 0x7ff<<52 }

// floatsOf is lanes l to l+7 of an f32 register: every second of the floats.
func floatsOf(a *Lanes, l int) *[16]float32 {
	return (*[16]float32)(unsafe.Pointer(&(*[2 * warpSize]float32)(unsafe.Pointer(a))[2*l&(2*warpSize-16)]))
}

// doublesOf is lanes l to l+7 of an f64 register.
func doublesOf(a *Lanes, l int) *[8]float64 { return (*[8]float64)(unsafe.Pointer(eight(a, l))) }

// setFloats stores the results of four lanes, from to[n] on. What it returns is a NaN if one of
// them is a NaN, which canonical has to replace.
func setFloats(to *[16]float32, n int, r0, r1, r2, r3 float32) float32 {
	to[n], to[n+2], to[n+4], to[n+6] = r0, r1, r2, r3
	return (r0 + r1) + (r2 + r3)
}

// canonical makes NaNs in lanes l to l+7 the canonical one.
//
//go:noinline
func canonical(d *Lanes, l int) {
	for end := l + 8; l < end; l++ {
		d[l] = Bits32(F32(d[l]))
	}
}

func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func rsqrt32(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

func AddF64(d, a, b, _ *Lanes) {
	for l := range d {
		x, y := F64(a[l]), F64(b[l])
		d[l] = Bits64(x+y, y, x, 0)
	}
}

func SubF64(d, a, b, _ *Lanes) {
	for l := range d {
		x, y := F64(a[l]), F64(b[l])
		d[l] = Bits64(x-y, y, x, 0)
	}
}

func MulF64(d, a, b, _ *Lanes) {
	for l := range d {
		x, y := F64(a[l]), F64(b[l])
		d[l] = Bits64(float64(x*y), y, x, 0)
	}
}

func FmaF64(d, a, b, c *Lanes) {
	for l := range d {
		x, y, z := F64(a[l]), F64(b[l]), F64(c[l])
		d[l] = Bits64(math.FMA(x, y, z), y, z, x)
	}
}

func DivF64(d, a, b, _ *Lanes) {
	for l := range d {
		x, y := F64(a[l]), F64(b[l])
		d[l] = Bits64(x/y, x, y, 0)
	}
}

func SqrtF64(d, a, _, _ *Lanes) {
	for l := range d {
		x := F64(a[l])
		d[l] = Bits64(math.Sqrt(x), x, 0, 0)
	}
}

// absF32 and its like make a NaN canonical, those of f64 make it quiet and leave its sign: the
// ISA leaves it open.
func absF32(d, a, _, _ *Lanes) {
	for l := range d {
		if IsNaN32(a[l]) {
			d[l] = Nan32
		} else {
			d[l] = a[l] &^ (1 << 31)
		}
	}
}

func negF32(d, a, _, _ *Lanes) {
	for l := range d {
		if IsNaN32(a[l]) {
			d[l] = Nan32
		} else {
			d[l] = a[l] ^ 1<<31
		}
	}
}

// MinF32 and its like return the other operand of a NaN; -0 is less than +0.
func MinF32(d, a, b, _ *Lanes) {
	for l := range d {
		switch {
		case IsNaN32(a[l]) && IsNaN32(b[l]):
			d[l] = Nan32
		case IsNaN32(a[l]):
			d[l] = b[l]
		case IsNaN32(b[l]):
			d[l] = a[l]
		default:
			d[l] = uint64(math.Float32bits(min(F32(a[l]), F32(b[l]))))
		}
	}
}

func MaxF32(d, a, b, _ *Lanes) {
	for l := range d {
		switch {
		case IsNaN32(a[l]) && IsNaN32(b[l]):
			d[l] = Nan32
		case IsNaN32(a[l]):
			d[l] = b[l]
		case IsNaN32(b[l]):
			d[l] = a[l]
		default:
			d[l] = uint64(math.Float32bits(max(F32(a[l]), F32(b[l]))))
		}
	}
}

func s32ToF32(d, a, _, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, to := eight(a, l), floatsOf(d, l)
		to[0], to[2], to[4], to[6] = float32(int32(x[0])), float32(int32(x[1])), float32(int32(x[2])), float32(int32(x[3]))
		to[8], to[10], to[12], to[14] = float32(int32(x[4])), float32(int32(x[5])), float32(int32(x[6])), float32(int32(x[7]))
	}
}
