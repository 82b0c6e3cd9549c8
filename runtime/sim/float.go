package sim

import (
	"math"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// PTX ISA, Floating-Point Instructions.
//
// What is named .approx or .full is inside of the error that the ISA allows, with the special
// values of an H200, but not bit by bit as there: approx32.go.
func floatForms() []form {
	forms := []form{
		{"add.rn?.ftz?.sat?.f32", binaryOp(fast.addF32, "f32")},
		{"add.rn?.f64", binaryOp(fast.addF64, "f64")},
		{"sub.rn?.ftz?.sat?.f32", binaryOp(fast.subF32, "f32")},
		{"sub.rn?.f64", binaryOp(fast.subF64, "f64")},
		{"mul.rn?.ftz?.sat?.f32", binaryOp(fast.mulF32, "f32").flushing(exactProduct, softfloat.Nearest)},
		{"mul.rn?.f64", binaryOp(fast.mulF64, "f64")},
		{"fma.rn.ftz?.sat?.f32", ternaryOp(fast.fmaF32, "f32").flushing(exactFMA, softfloat.Nearest)},
		{"fma.rn.f64", ternaryOp(fast.fmaF64, "f64")},
		{"mad.rn.ftz?.sat?.f32", ternaryOp(fast.fmaF32, "f32").flushing(exactFMA, softfloat.Nearest)},
		{"mad.rn.f64", ternaryOp(fast.fmaF64, "f64")},
		{"div.rn.ftz?.f32", binaryOp(fast.divF32, "f32").flushing(nearlyQuotient, softfloat.Nearest)},
		{"div.rn.f64", binaryOp(fast.divF64, "f64")},
		{"div.full.ftz?.f32", binaryOp(divFullF32, "f32").flushing(nearlyQuotient, softfloat.Nearest)},
		{"div.approx.ftz?.f32", binaryOp(divApproxF32, "f32").flushing(nearlyQuotient, softfloat.Nearest)},
		{"rcp.rn.ftz?.f32", unaryOp(fast.rcpF32, "f32")},
		{"rcp.rn.f64", unaryOp(rcpF64, "f64")},
		{"rcp.approx.ftz?.f32", unaryOp(fast.rcpF32, "f32")},
		{"sqrt.rn.ftz?.f32", unaryOp(fast.sqrtF32, "f32")},
		{"sqrt.rn.f64", unaryOp(fast.sqrtF64, "f64")},
		{"sqrt.approx.ftz?.f32", unaryOp(fast.sqrtF32, "f32")},
		{"rsqrt.approx.ftz?.f32", unaryOp(fast.rsqrtF32, "f32")},
		{"sin.approx.ftz?.f32", unaryOp(ofRevolution(math.Sin), "f32")},
		{"cos.approx.ftz?.f32", unaryOp(ofRevolution(math.Cos), "f32")},
		{"lg2.approx.ftz?.f32", unaryOp(approx(math.Log2), "f32")},
		{"ex2.approx.ftz?.f32", unaryOp(ex2ApproxF32, "f32")},
		{"tanh.approx.f32", unaryOp(approx(math.Tanh), "f32")},
		{"abs.ftz?.f32", unaryOp(fast.absF32, "f32")},
		{"abs.f64", unaryOp(absF64, "f64")},
		{"neg.ftz?.f32", unaryOp(fast.negF32, "f32")},
		{"neg.f64", unaryOp(negF64, "f64")},
		{"copysign.f32", binaryOp(copysignF32, "f32")},
		{"copysign.f64", binaryOp(copysignF64, "f64")},
		{"min.ftz?.f32", orThree(binaryOp(fast.minF32, "f32"), minF32)},
		{"min.f64", binaryOp(minF64, "f64")},
		{"max.ftz?.f32", orThree(binaryOp(fast.maxF32, "f32"), maxF32)},
		{"max.f64", binaryOp(maxF64, "f64")},
		{"min.ftz?.NaN.f32", orThree(binaryOp(nanWins(minF32), "f32"), minF32)},
		{"max.ftz?.NaN.f32", orThree(binaryOp(nanWins(maxF32), "f32"), maxF32)},
		{"min.ftz?.xorsign.abs.f32", binaryOp(xorsign(minF32), "f32")},
		{"max.ftz?.xorsign.abs.f32", binaryOp(xorsign(maxF32), "f32")},
		{"min.ftz?.NaN.xorsign.abs.f32", binaryOp(nanWins(xorsign(minF32)), "f32")},
		{"max.ftz?.NaN.xorsign.abs.f32", binaryOp(nanWins(xorsign(maxF32)), "f32")},
		{"testp.finite|infinite|number|notanumber|normal|subnormal.f32|f64", assembleTestp},
	}
	for name, mode := range map[string]softfloat.Rounding{"rz": softfloat.TowardZero, "rm": softfloat.Down, "rp": softfloat.Up} {
		forms = append(forms,
			form{"add." + name + ".ftz?.sat?.f32", binaryOp(addDirected(mode), "f32")},
			form{"sub." + name + ".ftz?.sat?.f32", binaryOp(subDirected(mode), "f32")},
			form{"mul." + name + ".ftz?.sat?.f32", binaryOp(mulDirected(mode), "f32").flushing(exactProduct, mode)},
			form{"fma." + name + ".ftz?.sat?.f32", ternaryOp(fmaDirected(mode), "f32").flushing(exactFMA, mode)})
	}
	return forms
}

const (
	nan32 = softfloat.NaN32 // every NaN that an f32 operation makes

	quiet64 = 1 << 51
)

func f32(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }
func f64(bits uint64) float64 { return math.Float64frombits(bits) }

// bits32 returns the bits of a result. A NaN becomes the canonical one.
func bits32(x float32) uint64 {
	if x != x {
		return nan32
	}
	return uint64(math.Float32bits(x))
}

// bits64 returns the bits of the result of an operation on x, y and z, in the order in which
// softfloat.NaN64 looks at them.
func bits64(result, x, y, z float64) uint64 {
	if result != result {
		return softfloat.NaN64(x, y, z)
	}
	return math.Float64bits(result)
}

func isNaN32(bits uint64) bool { return uint32(bits)&0x7fffffff > 0x7f800000 }
func isNaN64(bits uint64) bool { return bits&^(1<<63) > 0x7ff<<52 }

// floatsOf is lanes l to l+7 of an f32 register: every second of the floats.
func floatsOf(a *lanes, l int) *[16]float32 {
	return (*[16]float32)(unsafe.Pointer(&(*[2 * warpSize]float32)(unsafe.Pointer(a))[2*l&(2*warpSize-16)]))
}

// doublesOf is lanes l to l+7 of an f64 register.
func doublesOf(a *lanes, l int) *[8]float64 { return (*[8]float64)(unsafe.Pointer(eight(a, l))) }

// setFloats stores the results of four lanes, from to[n] on. What it returns is a NaN if one of
// them is a NaN, which canonical has to replace.
func setFloats(to *[16]float32, n int, r0, r1, r2, r3 float32) float32 {
	to[n], to[n+2], to[n+4], to[n+6] = r0, r1, r2, r3
	return (r0 + r1) + (r2 + r3)
}

// canonical makes NaNs in lanes l to l+7 the canonical one.
//
//go:noinline
func canonical(d *lanes, l int) {
	for end := l + 8; l < end; l++ {
		d[l] = bits32(f32(d[l]))
	}
}

func addF32(d, a, b, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := floatsOf(a, l), floatsOf(b, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]+y[0], x[2]+y[2], x[4]+y[4], x[6]+y[6])
		sum += setFloats(to, 8, x[8]+y[8], x[10]+y[10], x[12]+y[12], x[14]+y[14])
		if sum != sum {
			canonical(d, l)
		}
	}
}

func subF32(d, a, b, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := floatsOf(a, l), floatsOf(b, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]-y[0], x[2]-y[2], x[4]-y[4], x[6]-y[6])
		sum += setFloats(to, 8, x[8]-y[8], x[10]-y[10], x[12]-y[12], x[14]-y[14])
		if sum != sum {
			canonical(d, l)
		}
	}
}

func mulF32(d, a, b, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := floatsOf(a, l), floatsOf(b, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]*y[0], x[2]*y[2], x[4]*y[4], x[6]*y[6])
		sum += setFloats(to, 8, x[8]*y[8], x[10]*y[10], x[12]*y[12], x[14]*y[14])
		if sum != sum {
			canonical(d, l)
		}
	}
}

func divF32(d, a, b, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := floatsOf(a, l), floatsOf(b, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]/y[0], x[2]/y[2], x[4]/y[4], x[6]/y[6])
		sum += setFloats(to, 8, x[8]/y[8], x[10]/y[10], x[12]/y[12], x[14]/y[14])
		if sum != sum {
			canonical(d, l)
		}
	}
}

// divApproxF32 multiplies by the reciprocal of the divisor, which is zero beyond 2^126.
//
// PTX ISA, Floating-Point Instructions: div.
func divApproxF32(d, a, b, _ *lanes) {
	const limit = 0x7e800000 // 2^126
	for l := range d {
		x, y := f32(a[l]), f32(b[l])
		if size := uint32(b[l]) &^ (1 << 31); size > limit && size < 0x7f800000 {
			y = float32(math.Copysign(0, float64(y)))
			d[l] = bits32(x * y)
		} else {
			d[l] = bits32(x / y)
		}
	}
}

func rcpF32(d, a, _, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, 1/x[0], 1/x[2], 1/x[4], 1/x[6])
		sum += setFloats(to, 8, 1/x[8], 1/x[10], 1/x[12], 1/x[14])
		if sum != sum {
			canonical(d, l)
		}
	}
}

// sqrtF32 is exact: rounding to double first does no harm to a square root.
func sqrtF32(d, a, _, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, sqrt32(x[0]), sqrt32(x[2]), sqrt32(x[4]), sqrt32(x[6]))
		sum += setFloats(to, 8, sqrt32(x[8]), sqrt32(x[10]), sqrt32(x[12]), sqrt32(x[14]))
		if sum != sum {
			canonical(d, l)
		}
	}
}

func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func rsqrtF32(d, a, _, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, rsqrt32(x[0]), rsqrt32(x[2]), rsqrt32(x[4]), rsqrt32(x[6]))
		sum += setFloats(to, 8, rsqrt32(x[8]), rsqrt32(x[10]), rsqrt32(x[12]), rsqrt32(x[14]))
		if sum != sum {
			canonical(d, l)
		}
	}
}

func rsqrt32(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

func addDirected(mode softfloat.Rounding) laneFunc {
	return func(d, a, b, _ *lanes) {
		for l := range d {
			d[l] = bits32(softfloat.Sum32(float64(f32(a[l])), float64(f32(b[l])), mode))
		}
	}
}

func subDirected(mode softfloat.Rounding) laneFunc {
	return func(d, a, b, _ *lanes) {
		for l := range d {
			d[l] = bits32(softfloat.Sum32(float64(f32(a[l])), -float64(f32(b[l])), mode))
		}
	}
}

func mulDirected(mode softfloat.Rounding) laneFunc {
	return func(d, a, b, _ *lanes) {
		for l := range d {
			d[l] = bits32(softfloat.Round32(float64(f32(a[l]))*float64(f32(b[l])), 0, mode))
		}
	}
}

func fmaDirected(mode softfloat.Rounding) laneFunc {
	return func(d, a, b, c *lanes) {
		for l := range d {
			p := float64(f32(a[l])) * float64(f32(b[l]))
			d[l] = bits32(softfloat.Sum32(p, float64(f32(c[l])), mode))
		}
	}
}

// approx computes in double precision and rounds.
func approx(fn func(float64) float64) laneFunc {
	return func(d, a, _, _ *lanes) {
		for l := range d {
			d[l] = bits32(float32(fn(float64(f32(a[l])))))
		}
	}
}

func addF64(d, a, b, _ *lanes) {
	for l := range d {
		x, y := f64(a[l]), f64(b[l])
		d[l] = bits64(x+y, y, x, 0)
	}
}

func subF64(d, a, b, _ *lanes) {
	for l := range d {
		x, y := f64(a[l]), f64(b[l])
		d[l] = bits64(x-y, y, x, 0)
	}
}

func mulF64(d, a, b, _ *lanes) {
	for l := range d {
		x, y := f64(a[l]), f64(b[l])
		d[l] = bits64(float64(x*y), y, x, 0)
	}
}

func fmaF64(d, a, b, c *lanes) {
	for l := range d {
		x, y, z := f64(a[l]), f64(b[l]), f64(c[l])
		d[l] = bits64(math.FMA(x, y, z), y, z, x)
	}
}

func divF64(d, a, b, _ *lanes) {
	for l := range d {
		x, y := f64(a[l]), f64(b[l])
		d[l] = bits64(x/y, x, y, 0)
	}
}

func rcpF64(d, a, _, _ *lanes) {
	for l := range d {
		x := f64(a[l])
		d[l] = bits64(1/x, x, 0, 0)
	}
}

func sqrtF64(d, a, _, _ *lanes) {
	for l := range d {
		x := f64(a[l])
		d[l] = bits64(math.Sqrt(x), x, 0, 0)
	}
}

// absF32 and its like make a NaN canonical, those of f64 make it quiet and leave its sign: the
// ISA leaves it open.
func absF32(d, a, _, _ *lanes) {
	for l := range d {
		if isNaN32(a[l]) {
			d[l] = nan32
		} else {
			d[l] = a[l] &^ (1 << 31)
		}
	}
}

func absF64(d, a, _, _ *lanes) {
	for l := range d {
		if isNaN64(a[l]) {
			d[l] = a[l] | quiet64
		} else {
			d[l] = a[l] &^ (1 << 63)
		}
	}
}

func negF32(d, a, _, _ *lanes) {
	for l := range d {
		if isNaN32(a[l]) {
			d[l] = nan32
		} else {
			d[l] = a[l] ^ 1<<31
		}
	}
}

func negF64(d, a, _, _ *lanes) {
	for l := range d {
		if isNaN64(a[l]) {
			d[l] = a[l] | quiet64
		} else {
			d[l] = a[l] ^ 1<<63
		}
	}
}

// copysignF32 gives b the sign of a.
func copysignF32(d, a, b, _ *lanes) {
	for l := range d {
		d[l] = a[l]&(1<<31) | b[l]&^(1<<31)
	}
}

func copysignF64(d, a, b, _ *lanes) {
	for l := range d {
		d[l] = a[l]&(1<<63) | b[l]&^(1<<63)
	}
}

// minF32 and its like return the other operand of a NaN; -0 is less than +0.
func minF32(d, a, b, _ *lanes) {
	for l := range d {
		switch {
		case isNaN32(a[l]) && isNaN32(b[l]):
			d[l] = nan32
		case isNaN32(a[l]):
			d[l] = b[l]
		case isNaN32(b[l]):
			d[l] = a[l]
		default:
			d[l] = uint64(math.Float32bits(min(f32(a[l]), f32(b[l]))))
		}
	}
}

func maxF32(d, a, b, _ *lanes) {
	for l := range d {
		switch {
		case isNaN32(a[l]) && isNaN32(b[l]):
			d[l] = nan32
		case isNaN32(a[l]):
			d[l] = b[l]
		case isNaN32(b[l]):
			d[l] = a[l]
		default:
			d[l] = uint64(math.Float32bits(max(f32(a[l]), f32(b[l]))))
		}
	}
}

func minF64(d, a, b, _ *lanes) {
	for l := range d {
		switch {
		case isNaN64(a[l]) && isNaN64(b[l]):
			d[l] = b[l] | quiet64
		case isNaN64(a[l]):
			d[l] = b[l]
		case isNaN64(b[l]):
			d[l] = a[l]
		default:
			d[l] = math.Float64bits(min(f64(a[l]), f64(b[l])))
		}
	}
}

func maxF64(d, a, b, _ *lanes) {
	for l := range d {
		switch {
		case isNaN64(a[l]) && isNaN64(b[l]):
			d[l] = b[l] | quiet64
		case isNaN64(a[l]):
			d[l] = b[l]
		case isNaN64(b[l]):
			d[l] = a[l]
		default:
			d[l] = math.Float64bits(max(f64(a[l]), f64(b[l])))
		}
	}
}

// nanWins makes the .NaN form of an f32 min or max.
func nanWins(fn laneFunc) laneFunc {
	return func(d, a, b, _ *lanes) {
		var r lanes
		fn(&r, a, b, nil)
		for l := range d {
			if isNaN32(a[l]) || isNaN32(b[l]) {
				r[l] = nan32
			}
		}
		*d = r
	}
}

// xorsign makes the .xorsign.abs form of an f32 min or max: that of the absolute values, with
// the product of the signs.
func xorsign(fn laneFunc) laneFunc {
	return func(d, a, b, _ *lanes) {
		var x, y, r lanes
		for l := range d {
			x[l], y[l] = a[l]&^(1<<31), b[l]&^(1<<31)
		}
		fn(&r, &x, &y, nil)
		for l := range d {
			if d[l] = r[l]&^(1<<31) | (a[l]^b[l])&(1<<31); isNaN32(r[l]) {
				d[l] = nan32
			}
		}
	}
}

// adjusted executes an f32 instruction with .ftz or .sat.
func (w *warp) adjusted(in *instr, e uint32) {
	a, b, c := &w.regs[in.a], &w.regs[in.b], &w.regs[in.c]
	if in.flush {
		flushed(&w.flushA, a)
		flushed(&w.flushB, b)
		flushed(&w.flushC, c)
		a, b, c = &w.flushA, &w.flushB, &w.flushC
	}
	in.fn(&w.result, a, b, c)
	if in.flush {
		flushed(&w.result, &w.result)
	}
	if in.sat {
		saturate(&w.result)
	}
	blend(&w.regs[in.dst], &w.result, e)
}

// saturate clamps f32 values to [0, 1]; NaN becomes +0.
func saturate(d *lanes) {
	for l := range d {
		switch x := f32(d[l]); {
		case !(x > 0):
			d[l] = 0
		case x > 1:
			d[l] = uint64(math.Float32bits(1))
		}
	}
}
