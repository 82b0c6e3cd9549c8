package simulated_test

import (
	"math/cmplx"

	"github.com/cudagen/cudagen/runtime/cublas"
)

var level2 = []testCase{
	{"Sgemv Dgemv", "Cgemv Zgemv", gemvArgs},
	{"Sgbmv Dgbmv", "Cgbmv Zgbmv", gbmvArgs},
	{"Ssymv Dsymv", "Csymv Zsymv", func(g *gen) []any { return g.symv(asMatrix, false) }},
	{"", "Chemv Zhemv", func(g *gen) []any { return g.symv(asMatrix, true) }},
	{"Ssbmv Dsbmv", "", func(g *gen) []any { return g.symv(asBand, false) }},
	{"", "Chbmv Zhbmv", func(g *gen) []any { return g.symv(asBand, true) }},
	{"Sspmv Dspmv", "", func(g *gen) []any { return g.symv(asPacked, false) }},
	{"", "Chpmv Zhpmv", func(g *gen) []any { return g.symv(asPacked, true) }},
	{"Strmv Dtrmv", "Ctrmv Ztrmv", func(g *gen) []any { return g.trmv(asMatrix, false) }},
	{"Stbmv Dtbmv", "Ctbmv Ztbmv", func(g *gen) []any { return g.trmv(asBand, false) }},
	{"Stpmv Dtpmv", "Ctpmv Ztpmv", func(g *gen) []any { return g.trmv(asPacked, false) }},
	{"Strsv Dtrsv", "Ctrsv Ztrsv", func(g *gen) []any { return g.trmv(asMatrix, true) }},
	{"Stbsv Dtbsv", "Ctbsv Ztbsv", func(g *gen) []any { return g.trmv(asBand, true) }},
	{"Stpsv Dtpsv", "Ctpsv Ztpsv", func(g *gen) []any { return g.trmv(asPacked, true) }},
	{"Sger Dger", "Cgeru Zgeru", func(g *gen) []any { return g.ger(func(v complex128) complex128 { return v }) }},
	{"", "Cgerc Zgerc", func(g *gen) []any { return g.ger(cmplx.Conj) }},
	{"Ssyr Dsyr", "Csyr Zsyr", func(g *gen) []any { return g.syr(asMatrix, false, false) }},
	{"", "Cher Zher", func(g *gen) []any { return g.syr(asMatrix, true, false) }},
	{"Sspr Dspr", "", func(g *gen) []any { return g.syr(asPacked, false, false) }},
	{"", "Chpr Zhpr", func(g *gen) []any { return g.syr(asPacked, true, false) }},
	{"Ssyr2 Dsyr2", "Csyr2 Zsyr2", func(g *gen) []any { return g.syr(asMatrix, false, true) }},
	{"", "Cher2 Zher2", func(g *gen) []any { return g.syr(asMatrix, true, true) }},
	{"Sspr2 Dspr2", "", func(g *gen) []any { return g.syr(asPacked, false, true) }},
	{"", "Chpr2 Zhpr2", func(g *gen) []any { return g.syr(asPacked, true, true) }},
}

func (g *gen) operation() cublas.Operation { return cublas.Operation(g.IntN(3)) }
func (g *gen) uplo() cublas.FillMode       { return cublas.FillMode(g.IntN(2)) }
func (g *gen) diag() cublas.DiagType       { return cublas.DiagType(g.IntN(2)) }

// scale is y = sum + beta y, where sum is what f says of element i. Without elements to sum up, y stays as it is.
func (v vector) scale(sum func(i int) complex128, beta complex128) {
	for i := range v.n {
		after := sum(i)
		if beta != 0 {
			after += beta * v.get(v.at(i))
		}
		v.set(v.at(i), after)
	}
}

// A gemv is what products of one call have in common.
type gemv struct {
	op             cublas.Operation
	m, n           int
	alpha, beta    complex128
	ld, incx, incy int
}

func (g *gen) gemv() gemv {
	m := g.size()
	return gemv{g.operation(), m, g.size(), g.value(), g.value(), g.ld(m), g.step(), g.step()}
}

// one makes the memory of a product.
func (p gemv) one(g *gen) (a matrix, x, y vector) {
	in, out := p.n, p.m
	if p.op != cublas.OpN {
		in, out = p.m, p.n
	}
	some := p.m > 0 && p.n > 0
	a = g.matrixOf(p.m, p.n, p.ld, when(p.alpha != 0))
	x, y = g.vector(in, p.incx, some && p.alpha != 0), g.vector(out, p.incy, some && p.beta != 0)
	if some {
		y.scale(func(i int) (sum complex128) {
			for j := range in {
				sum += p.alpha * a.el(p.op, i, j) * x.get(x.at(j))
			}
			return sum
		}, p.beta)
	}
	return a, x, y
}

func gemvArgs(g *gen) []any {
	p := g.gemv()
	a, x, y := p.one(g)
	return []any{p.op, p.m, p.n, p.alpha, a, p.ld, x, p.incx, p.beta, y, p.incy}
}

func gbmvArgs(g *gen) []any {
	op, m, n, kl, ku := g.operation(), g.size(), g.size(), g.IntN(4), g.IntN(4)
	alpha, beta := g.value(), g.value()
	in, out := n, m
	if op != cublas.OpN {
		in, out = m, n
	}
	some := m > 0 && n > 0
	a := g.matrix(kl+ku+1, n, func(i, j int) bool { return alpha != 0 && i+j-ku >= 0 && i+j-ku < m })
	x, y := g.vector(in, g.step(), some && alpha != 0), g.vector(out, g.step(), some && beta != 0)
	el := func(i, j int) complex128 {
		if op != cublas.OpN {
			i, j = j, i
		}
		if i-j > kl || j-i > ku {
			return 0
		}
		v := a.get(a.at(ku+i-j, j))
		if op == cublas.OpC {
			v = cmplx.Conj(v)
		}
		return v
	}
	if some {
		y.scale(func(i int) (sum complex128) {
			for j := range in {
				sum += alpha * el(i, j) * x.get(x.at(j))
			}
			return sum
		}, beta)
	}
	return []any{op, m, n, kl, ku, alpha, a, a.ld, x, x.inc, beta, y, y.inc}
}

// A storage is a way to store a triangle.
type storage int

const (
	asMatrix storage = iota
	asBand
	asPacked
)

// A triangle is memory with one triangle of a matrix, and where element (i, j) of that lies.
type triangle struct {
	*mem
	sizes, lds []any // arguments
	at         func(i, j int) int
	has        func(i, j int) bool
}

// triangle makes a triangle of which elements are defined if read holds; el makes them.
func (g *gen) triangle(how storage, n int, uplo cublas.FillMode, diag cublas.DiagType, read bool, el func(i, j int) complex128) triangle {
	return g.triangleOf(how, n, g.ld(n), uplo, diag, read, el)
}

func (g *gen) triangleOf(how storage, n, ld int, uplo cublas.FillMode, diag cublas.DiagType, read bool, el func(i, j int) complex128) triangle {
	k := g.IntN(4)
	t := triangle{has: inside(uplo, diag)}
	size := max(0, (n-1)*ld+n)
	upper := uplo == cublas.FillModeUpper
	switch how {
	case asMatrix:
		t.at, t.lds = func(i, j int) int { return i + j*ld }, []any{ld}
	case asBand:
		ld = g.ld(k + 1)
		size = max(0, (n-1)*ld+k+1)
		t.sizes, t.lds = []any{k}, []any{ld}
		whole := t.has
		t.has = func(i, j int) bool { return whole(i, j) && max(i-j, j-i) <= k }
		t.at = func(i, j int) int {
			if upper {
				return k + i - j + j*ld
			}
			return i - j + j*ld
		}
	case asPacked:
		size = n * (n + 1) / 2
		t.at = func(i, j int) int {
			at := 0
			for column := range j {
				if upper {
					at += column + 1
				} else {
					at += n - column
				}
			}
			if upper {
				return at + i
			}
			return at + i - j
		}
	}
	if n == 0 {
		size = 0
	}
	t.mem = newMem(size)
	for j := range n {
		for i := range n {
			if t.has(i, j) && read {
				t.give(t.at(i, j), el(i, j))
			}
		}
	}
	return t
}

// whole returns element (i, j) of the symmetric or Hermitian matrix.
func (t triangle) whole(hermitian bool) func(i, j int) complex128 {
	return func(i, j int) complex128 {
		switch {
		case t.has(i, j) && hermitian && i == j:
			return complex(real(t.get(t.at(i, j))), 0)
		case t.has(i, j):
			return t.get(t.at(i, j))
		case t.has(j, i) && hermitian:
			return cmplx.Conj(t.get(t.at(j, i)))
		case t.has(j, i):
			return t.get(t.at(j, i))
		}
		return 0
	}
}

// triangular returns element (i, j) of op of the triangular matrix.
func (t triangle) triangular(op cublas.Operation, diag cublas.DiagType) func(i, j int) complex128 {
	return func(i, j int) complex128 {
		if op != cublas.OpN {
			i, j = j, i
		}
		switch {
		case i == j && diag == cublas.DiagUnit:
			return 1
		case !t.has(i, j):
			return 0
		case op == cublas.OpC:
			return cmplx.Conj(t.get(t.at(i, j)))
		}
		return t.get(t.at(i, j))
	}
}

func (g *gen) values(int, int) complex128 { return g.value() }

// wellPosed makes elements of triangular matrices that can be inverted.
func (g *gen) wellPosed(i, j int) complex128 {
	if i == j {
		return complex(float64([]int{-2, 1, 2, 4}[g.IntN(4)]), 0)
	}
	return g.value() / 4
}

func args(parts ...[]any) (all []any) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func (g *gen) symv(how storage, hermitian bool) []any {
	uplo, n, alpha, beta := g.uplo(), g.size(), g.value(), g.value()
	a := g.triangle(how, n, uplo, cublas.DiagNonUnit, alpha != 0, g.values)
	x, y := g.vector(n, g.step(), alpha != 0), g.vector(n, g.step(), beta != 0)
	y.scale(func(i int) (sum complex128) {
		for j := range n {
			sum += alpha * a.whole(hermitian)(i, j) * x.get(x.at(j))
		}
		return sum
	}, beta)
	return args([]any{uplo, n}, a.sizes, []any{alpha, a.mem}, a.lds, []any{x, x.inc, beta, y, y.inc})
}

func (g *gen) trmv(how storage, solve bool) []any {
	uplo, op, diag, n := g.uplo(), g.operation(), g.diag(), g.size()
	a := g.triangle(how, n, uplo, diag, true, g.wellPosed)
	x := g.vector(n, g.step(), true)
	before := make([]complex128, n)
	for i := range n {
		before[i] = x.get(x.at(i))
	}
	el := a.triangular(op, diag)
	for i := range n {
		var sum complex128
		for j := range n {
			sum += el(i, j) * before[j]
		}
		if solve { // what is multiplied comes back
			x.give(x.at(i), sum)
			x.set(x.at(i), before[i])
		} else {
			x.set(x.at(i), sum)
		}
	}
	return args([]any{uplo, op, diag, n}, a.sizes, []any{a.mem}, a.lds, []any{x, x.inc})
}

func (g *gen) ger(of func(complex128) complex128) []any {
	m, n, alpha := g.size(), g.size(), g.value()
	some := m > 0 && n > 0 && alpha != 0
	x, y, a := g.vector(m, g.step(), some), g.vector(n, g.step(), some), g.matrix(m, n, when(some))
	if some {
		for i := range m {
			for j := range n {
				a.set(a.at(i, j), a.get(a.at(i, j))+alpha*x.get(x.at(i))*of(y.get(y.at(j))))
			}
		}
	}
	return []any{m, n, alpha, x, x.inc, y, y.inc, a, a.ld}
}

// syr makes arguments of updates of a symmetric or Hermitian matrix with one vector or two.
func (g *gen) syr(how storage, hermitian, two bool) []any {
	uplo, n, alpha := g.uplo(), g.size(), g.value()
	if hermitian && !two {
		alpha = g.real()
	}
	x, y := g.vector(n, g.step(), alpha != 0), g.vector(n, g.step(), alpha != 0)
	a := g.triangle(how, n, uplo, cublas.DiagNonUnit, alpha != 0, g.values)
	of := func(v complex128) complex128 {
		if hermitian {
			return cmplx.Conj(v)
		}
		return v
	}
	for i := range n {
		for j := range n {
			if !a.has(i, j) || alpha == 0 {
				continue
			}
			at := a.at(i, j)
			after := a.get(at)
			if two {
				after += alpha*x.get(x.at(i))*of(y.get(y.at(j))) + of(alpha)*y.get(y.at(i))*of(x.get(x.at(j)))
			} else {
				after += alpha * x.get(x.at(i)) * of(x.get(x.at(j)))
			}
			if hermitian && i == j {
				after = complex(real(after), 0)
			}
			a.set(at, after)
		}
	}
	if two {
		return args([]any{uplo, n, alpha, x, x.inc, y, y.inc, a.mem}, a.lds)
	}
	return args([]any{uplo, n, alpha, x, x.inc, a.mem}, a.lds)
}
