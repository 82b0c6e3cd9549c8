package simulated_test

import (
	"math"
	"math/cmplx"
)

// A testCase says how arguments of functions are made.
type testCase struct {
	real, complex string // names without 64 and Device
	args          func(g *gen) []any
}

func cabs1(v complex128) float64 { return math.Abs(real(v)) + math.Abs(imag(v)) }

var level1 = []testCase{
	{"Isamax Idamax", "Icamax Izamax", func(g *gen) []any { return g.extreme(func(a, b float64) bool { return a > b }) }},
	{"Isamin Idamin", "Icamin Izamin", func(g *gen) []any { return g.extreme(func(a, b float64) bool { return a < b }) }},
	{"Sasum Dasum", "Scasum Dzasum", func(g *gen) []any {
		return g.sum(func(sum float64, v complex128) float64 { return sum + cabs1(v) }, func(s float64) float64 { return s })
	}},
	{"Snrm2 Dnrm2", "Scnrm2 Dznrm2", nrm2Args},
	{"Sdot Ddot", "Cdotu Zdotu", func(g *gen) []any { return g.dot(func(v complex128) complex128 { return v }) }},
	{"", "Cdotc Zdotc", func(g *gen) []any { return g.dot(cmplx.Conj) }},
	{"Sscal Dscal", "Cscal Zscal", func(g *gen) []any { return g.scal(g.value()) }},
	{"", "Csscal Zdscal", func(g *gen) []any { return g.scal(g.real()) }},
	{"Saxpy Daxpy", "Caxpy Zaxpy", axpyArgs},
	{"Scopy Dcopy", "Ccopy Zcopy", func(g *gen) []any {
		n := g.size()
		x, y := g.vector(n, g.step(), true), g.vector(n, g.step(), false)
		for i := range n {
			y.set(y.at(i), x.get(x.at(i)))
		}
		return []any{n, x, x.inc, y, y.inc}
	}},
	{"Sswap Dswap", "Cswap Zswap", func(g *gen) []any {
		n := g.size()
		x, y := g.vector(n, g.step(), true), g.vector(n, g.step(), true)
		for i := range n {
			x.set(x.at(i), y.get(y.at(i)))
			y.set(y.at(i), x.get(x.at(i)))
		}
		return []any{n, x, x.inc, y, y.inc}
	}},
	{"Srot Drot", "Crot Zrot", func(g *gen) []any { return g.rot(g.value()) }},
	{"", "Csrot Zdrot", func(g *gen) []any { return g.rot(g.real()) }},
	{"Srotm Drotm", "", rotmArgs},
	{"Srotg Drotg", "", rotgArgs},
	{"", "Crotg Zrotg", rotgComplexArgs},
	{"Srotmg Drotmg", "", rotmgArgs},
}

func axpyArgs(g *gen) []any {
	n, alpha := g.size(), g.value()
	x, y := g.vector(n, g.step(), alpha != 0), g.vector(n, g.step(), alpha != 0)
	for i := range n {
		if alpha != 0 {
			y.set(y.at(i), y.get(y.at(i))+alpha*x.get(x.at(i)))
		}
	}
	return []any{n, alpha, x, x.inc, y, y.inc}
}

func nrm2Args(g *gen) []any {
	return g.sum(func(sum float64, v complex128) float64 { return sum + real(v*cmplx.Conj(v)) }, math.Sqrt)
}

func (g *gen) extreme(better func(a, b float64) bool) []any {
	x := g.vector(g.size(), g.step(), true)
	place := 0
	for i := range x.n {
		if x.inc > 0 && (place == 0 || better(cabs1(x.get(x.at(i))), cabs1(x.get(x.at(place-1))))) {
			place = i + 1
		}
	}
	return []any{x.n, x, x.inc, want(complex(float64(place), 0))}
}

func (g *gen) sum(add func(sum float64, v complex128) float64, end func(float64) float64) []any {
	x := g.vector(g.size(), g.step(), true)
	sum := 0.0
	for i := range x.n {
		if x.inc > 0 {
			sum = add(sum, x.get(x.at(i)))
		}
	}
	return []any{x.n, x, x.inc, want(complex(end(sum), 0))}
}

func (g *gen) dot(of func(complex128) complex128) []any {
	n := g.size()
	x, y := g.vector(n, g.step(), true), g.vector(n, g.step(), true)
	var sum complex128
	for i := range n {
		sum += of(x.get(x.at(i))) * y.get(y.at(i))
	}
	return []any{n, x, x.inc, y, y.inc, want(sum)}
}

func (g *gen) scal(alpha complex128) []any {
	x := g.vector(g.size(), g.step(), true)
	for i := range x.n {
		if x.inc > 0 {
			x.set(x.at(i), alpha*x.get(x.at(i)))
		}
	}
	return []any{x.n, alpha, x, x.inc}
}

func (g *gen) rot(sine complex128) []any {
	n, cosine := g.size(), g.real()
	x, y := g.vector(n, g.step(), true), g.vector(n, g.step(), true)
	for i := range n {
		a, b := x.get(x.at(i)), y.get(y.at(i))
		x.set(x.at(i), cosine*a+sine*b)
		y.set(y.at(i), cosine*b-cmplx.Conj(sine)*a)
	}
	return []any{n, x, x.inc, y, y.inc, cosine, sine}
}

func rotmArgs(g *gen) []any {
	n := g.size()
	x, y := g.vector(n, g.step(), true), g.vector(n, g.step(), true)
	p := []complex128{complex(float64(g.IntN(4)-2), 0), g.real(), g.real(), g.real(), g.real()}
	h := map[complex128][4]complex128{ // by rows
		-2: {1, 0, 0, 1}, -1: {p[1], p[3], p[2], p[4]}, 0: {1, p[3], p[2], 1}, 1: {p[1], 1, -1, p[4]},
	}[p[0]]
	for i := range n {
		a, b := x.get(x.at(i)), y.get(y.at(i))
		x.set(x.at(i), h[0]*a+h[1]*b)
		y.set(y.at(i), h[2]*a+h[3]*b)
	}
	return []any{n, x, x.inc, y, y.inc, both{p, p}}
}

func rotgArgs(g *gen) []any {
	a, b := real(g.real()), real(g.real())
	r, c, s, z := 0.0, 1.0, 0.0, 0.0
	if a != 0 || b != 0 {
		r = math.Copysign(math.Hypot(a, b), b)
		if math.Abs(a) > math.Abs(b) {
			r = math.Copysign(r, a)
		}
		c, s = a/r, b/r
		switch {
		case math.Abs(a) > math.Abs(b):
			z = s
		case c != 0:
			z = 1 / c
		default:
			z = 1
		}
	}
	return []any{both{[]complex128{complex(a, 0)}, []complex128{complex(r, 0)}}, both{[]complex128{complex(b, 0)}, []complex128{complex(z, 0)}},
		want(complex(c, 0)), want(complex(s, 0))}
}

func rotgComplexArgs(g *gen) []any {
	a, b := g.value(), g.value()
	r, c, s := b, 0.0, complex128(1)
	if a != 0 {
		norm := math.Sqrt(real(a*cmplx.Conj(a)) + real(b*cmplx.Conj(b)))
		r, c, s = a*complex(norm/cmplx.Abs(a), 0), cmplx.Abs(a)/norm, a*cmplx.Conj(b)/complex(cmplx.Abs(a)*norm, 0)
	}
	return []any{both{[]complex128{a}, []complex128{r}}, both{[]complex128{b}, []complex128{b}}, want(complex(c, 0)), want(s)}
}

// rotmgArgs has cases whose numbers need no scaling.
func rotmgArgs(g *gen) []any {
	d1, d2, x, y := float64(1+g.IntN(4)), float64(1+g.IntN(4)), float64(1+g.IntN(4)), float64(1+g.IntN(4))
	var p [5]float64
	var e1, e2, ex float64
	if d1*x*x > d2*y*y {
		p = [5]float64{0, 0, -y / x, d2 * y / (d1 * x), 0}
		u := 1 - p[3]*p[2]
		e1, e2, ex = d1/u, d2/u, x*u
	} else {
		p = [5]float64{1, d1 * x / (d2 * y), 0, 0, x / y}
		u := 1 + p[1]*p[4]
		e1, e2, ex = d2/u, d1/u, y*u
	}
	pair := func(before, after float64) both {
		return both{[]complex128{complex(before, 0)}, []complex128{complex(after, 0)}}
	}
	param := both{make([]complex128, 5), make([]complex128, 5)} // what the flag does not use stays
	for i, v := range p {
		param.after[i] = complex(v, 0)
	}
	return []any{pair(d1, e1), pair(d2, e2), pair(x, ex), complex(y, 0), param}
}
