package simulated

import (
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cublas"
)

var blas gonum.Implementation

func addLevel1() {
	for name, op := range map[string]operation{
		"Isamax": extreme[float32](isLarger), "Idamax": extreme[float64](isLarger), "Icamax": extreme[complex64](isLarger), "Izamax": extreme[complex128](isLarger),
		"Isamin": extreme[float32](isSmaller), "Idamin": extreme[float64](isSmaller), "Icamin": extreme[complex64](isSmaller), "Izamin": extreme[complex128](isSmaller),
		"Sasum": asum[float32], "Dasum": asum[float64], "Scasum": asum[complex64], "Dzasum": asum[complex128],
		"Snrm2": nrm2[float32], "Dnrm2": nrm2[float64], "Scnrm2": nrm2[complex64], "Dznrm2": nrm2[complex128],
		"Sdot": dot[float32](false), "Ddot": dot[float64](false), "Cdotu": dot[complex64](false), "Zdotu": dot[complex128](false),
		"Cdotc": dot[complex64](true), "Zdotc": dot[complex128](true),
		"Csscal": scal[complex64], "Zdscal": scal[complex128], "Csrot": rot[complex64], "Zdrot": rot[complex128],
		"Srotg": rotg32, "Drotg": rotg64, "Crotg": rotgComplex[complex64, float32], "Zrotg": rotgComplex[complex128, float64],
		"Srotm": rotm[float32], "Drotm": rotm[float64], "Srotmg": rotmg[float32], "Drotmg": rotmg[float64],
	} {
		operations[name] = op
	}
	operations["AxpyEx"] = typed(axpy[float32], axpy[float64], axpy[complex64], axpy[complex128])
	operations["ScalEx"] = typed(scal[float32], scal[float64], scal[complex64], scal[complex128])
	operations["Nrm2Ex"] = typed(nrm2[float32], nrm2[float64], nrm2[complex64], nrm2[complex128])
	operations["DotEx"] = typed(dot[float32](false), dot[float64](false), dot[complex64](false), dot[complex128](false))
	operations["DotcEx"] = typed(dot[float32](true), dot[float64](true), dot[complex64](true), dot[complex128](true))
	four("?scal", scal[float32], scal[float64], scal[complex64], scal[complex128])
	four("?rot", rot[float32], rot[float64], rot[complex64], rot[complex128])
	four("?axpy", axpy[float32], axpy[float64], axpy[complex64], axpy[complex128])
	four("?copy", copyVector[float32], copyVector[float64], copyVector[complex64], copyVector[complex128])
	four("?swap", swap[float32], swap[float64], swap[complex64], swap[complex128])
}

// typed is an operation with types as arguments, of which the last is that of the computation.
func typed(s, d, c, z operation) operation {
	return func(call *call) job {
		call.takeTypes()
		double := slices.Contains(call.types, cublas.R64F) || slices.Contains(call.types, cublas.C64F)
		switch isComplex := slices.Contains(call.types, cublas.C32F) || slices.Contains(call.types, cublas.C64F); {
		case isComplex && double:
			return z(call)
		case isComplex:
			return c(call)
		case double:
			return d(call)
		}
		return s(call)
	}
}

// magnitude returns |re| + |im|.
func magnitude[T number](v T) float64 {
	z := wide(v)
	return math.Abs(real(z)) + math.Abs(imag(z))
}

func isLarger(a, b float64) bool  { return a > b }
func isSmaller(a, b float64) bool { return a < b }

// extreme finds the first element that no other is better than. Its place is counted from 1; 0 stands for none.
func extreme[T number](better func(a, b float64) bool) operation {
	return func(c *call) job {
		x, set := vectorOf[T](c, c.int()), result[float64](c)
		return func(w *hostwork.Work) {
			place, best := 0, 0.0
			if x.increment > 0 {
				for i, v := range x.get(w) {
					if size := magnitude(v); i == 0 || better(size, best) {
						place, best = i+1, size
					}
				}
			}
			set(w, float64(place))
		}
	}
}

func asum[T number](c *call) job {
	x, set := vectorOf[T](c, c.int()), result[float64](c)
	return func(w *hostwork.Work) {
		sum := 0.0
		if x.increment > 0 {
			for _, v := range x.get(w) {
				sum += magnitude(v)
			}
		}
		set(w, sum)
	}
}

func nrm2[T number](c *call) job {
	x, set := vectorOf[T](c, c.int()), result[float64](c)
	return func(w *hostwork.Work) {
		if x.increment <= 0 {
			set(w, 0)
			return
		}
		values := convert[complex128](x.get(w))
		set(w, blas.Dznrm2(len(values), values, 1))
	}
}

func dot[T number](conjugated bool) operation {
	return func(c *call) job {
		n := c.int()
		x, y, set := vectorOf[T](c, n), vectorOf[T](c, n), result[T](c)
		return func(w *hostwork.Work) {
			var sum T
			b := y.get(w)
			for i, a := range x.get(w) {
				if conjugated {
					a = conj(a)
				}
				sum += a * b[i]
			}
			set(w, sum)
		}
	}
}

func scal[T number](c *call) job {
	n := c.int()
	alpha, x := scalar[T](c, typeOf[T]()), vectorOf[T](c, n)
	return func(w *hostwork.Work) {
		if x.increment <= 0 {
			return
		}
		a, values := alpha.get(w), x.get(w)
		for i := range values {
			values[i] *= a
		}
		x.set(w, values)
	}
}

func axpy[T number](c *call) job {
	n := c.int()
	alpha, x, y := scalar[T](c, typeOf[T]()), vectorOf[T](c, n), vectorOf[T](c, n)
	return func(w *hostwork.Work) {
		a := alpha.get(w)
		if a == 0 {
			return
		}
		values := y.get(w)
		for i, v := range x.get(w) {
			values[i] += a * v
		}
		y.set(w, values)
	}
}

func copyVector[T number](c *call) job {
	n := c.int()
	x, y := vectorOf[T](c, n), vectorOf[T](c, n)
	return func(w *hostwork.Work) { y.set(w, x.get(w)) }
}

func swap[T number](c *call) job {
	n := c.int()
	x, y := vectorOf[T](c, n), vectorOf[T](c, n)
	return func(w *hostwork.Work) {
		a, b := x.get(w), y.get(w)
		x.set(w, b)
		y.set(w, a)
	}
}

// rot computes x = c x + s y, y = c y - conj(s) x.
func rot[T number](c *call) job {
	n := c.int()
	x, y := vectorOf[T](c, n), vectorOf[T](c, n)
	cosine, sine := scalar[T](c, typeOf[T]()), scalar[T](c, typeOf[T]())
	return func(w *hostwork.Work) {
		cos, sin := cosine.get(w), sine.get(w)
		a, b := x.get(w), y.get(w)
		for i := range a {
			a[i], b[i] = cos*a[i]+sin*b[i], cos*b[i]-conj(sin)*a[i]
		}
		x.set(w, a)
		y.set(w, b)
	}
}

func rotg32(c *call) job {
	a, b := scalar[float32](c, typeOf[float32]()), scalar[float32](c, typeOf[float32]())
	setC, setS := result[float32](c), result[float32](c)
	return func(w *hostwork.Work) {
		cos, sin, r, z := blas.Srotg(a.get(w), b.get(w))
		a.set(w, r)
		b.set(w, z)
		setC(w, cos)
		setS(w, sin)
	}
}

func rotg64(c *call) job {
	a, b := scalar[float64](c, typeOf[float64]()), scalar[float64](c, typeOf[float64]())
	setC, setS := result[float64](c), result[float64](c)
	return func(w *hostwork.Work) {
		cos, sin, r, z := blas.Drotg(a.get(w), b.get(w))
		a.set(w, r)
		b.set(w, z)
		setC(w, cos)
		setS(w, sin)
	}
}

// rotgComplex is crotg and zrotg of BLAS, which leave b as it is.
func rotgComplex[T complex64 | complex128, R float32 | float64](c *call) job {
	a, b := scalar[T](c, typeOf[T]()), scalar[T](c, typeOf[T]())
	setC, setS := result[R](c), result[T](c)
	return func(w *hostwork.Work) {
		x, y := wide(a.get(w)), wide(b.get(w))
		if x == 0 {
			a.set(w, T(y))
			setC(w, 0)
			setS(w, 1)
			return
		}
		norm := math.Hypot(cmplx.Abs(x), cmplx.Abs(y))
		direction := x / complex(cmplx.Abs(x), 0)
		a.set(w, T(direction*complex(norm, 0)))
		setC(w, R(cmplx.Abs(x)/norm))
		setS(w, T(direction*cmplx.Conj(y)/complex(norm, 0)))
	}
}

// The elements of the parameter of rotm and rotmg.
const (
	flag = iota
	h11
	h21
	h12
	h22
)

// rotm multiplies (x, y) by the matrix H that the flag and four numbers make.
func rotm[T float32 | float64](c *call) job {
	n := c.int()
	x, y, param := vectorOf[T](c, n), vectorOf[T](c, n), scalars[T](c, 5, typeOf[T]())
	return func(w *hostwork.Work) {
		h := append([]T(nil), param.get(w)...)
		switch h[flag] {
		case -2:
			return
		case 0:
			h[h11], h[h22] = 1, 1
		case 1:
			h[h21], h[h12] = -1, 1
		}
		a, b := x.get(w), y.get(w)
		for i := range a {
			a[i], b[i] = h[h11]*a[i]+h[h12]*b[i], h[h21]*a[i]+h[h22]*b[i]
		}
		x.set(w, a)
		y.set(w, b)
	}
}

func rotmg[T float32 | float64](c *call) job {
	d1, d2, x1, y1 := scalar[T](c, typeOf[T]()), scalar[T](c, typeOf[T]()), scalar[T](c, typeOf[T]()), scalar[T](c, typeOf[T]())
	param := scalars[T](c, 5, typeOf[T]())
	return func(w *hostwork.Work) {
		p, a, b, x := blas.Drotmg(float64(d1.get(w)), float64(d2.get(w)), float64(x1.get(w)), float64(y1.get(w)))
		d1.set(w, T(a))
		d2.set(w, T(b))
		x1.set(w, T(x))
		used := map[int][]int{-2: {flag}, -1: {flag, h11, h21, h12, h22}, 0: {flag, h21, h12}, 1: {flag, h11, h22}}[int(p.Flag)] // the others stay
		param.some(w, []T{T(p.Flag), T(p.H[0]), T(p.H[1]), T(p.H[2]), T(p.H[3])}, used)
	}
}
