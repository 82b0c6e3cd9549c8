package cublas_test

import (
	"math"
	"math/cmplx"
	"regexp"
	"strings"

	"github.com/cudagen/cudagen/runtime/cublas"
)

// Values are what a drawing's arguments hold, as complex numbers whatever their type: of slices, and of scalars.
type values struct {
	*drawing
	of      map[string][]complex128
	results []complex128
	complex bool // the elements are complex numbers
}

// A cell is an element that may change.
type cell func(i, j int) *complex128

// vec returns x, whose elements lie inc apart.
func (v *values) vec(name string, n int) func(i int) *complex128 {
	inc := v.i("inc" + name)
	begin := 0
	if inc < 0 {
		begin = (1 - n) * inc
	}
	return func(i int) *complex128 { return &v.of[name][v.at+begin+i*inc] }
}

// mat returns a matrix that is stored by columns.
func (v *values) mat(name string) cell {
	return func(i, j int) *complex128 { return &v.of[name][v.at+i+j*v.i("ld"+name)] }
}

// op returns op(matrix).
func (v *values) op(name, trans string) func(i, j int) complex128 {
	return v.transposed(v.i(trans), func(i, j int) complex128 { return *v.mat(name)(i, j) })
}

func (v *values) transposed(trans int, at func(i, j int) complex128) func(i, j int) complex128 {
	switch cublas.Operation(trans) {
	case cublas.OpT:
		return func(i, j int) complex128 { return at(j, i) }
	case cublas.OpC:
		return func(i, j int) complex128 { return cmplx.Conj(at(j, i)) }
	}
	return at
}

// stored returns the place of element (i, j) of a, and whether the function stores it: of a full matrix, one of diagonals,
// or a packed one, of which it has a triangle.
func (v *values) stored(n int) func(i, j int) (place *complex128, ok bool) {
	upper := v.i("uplo") == int(cublas.FillModeUpper)
	return func(i, j int) (*complex128, bool) {
		if upper && i > j || !upper && i < j {
			return nil, false
		}
		base := strings.ToLower(v.base())[1:]
		switch {
		case v.has("ap"):
			if upper {
				return &v.of["ap"][i+j*(j+1)/2], true
			}
			return &v.of["ap"][i+j*(2*n-j-1)/2], true
		case base[1] == 'b': // of diagonals
			if k := v.i("k"); upper {
				return v.mat("a")(max(k+i-j, 0), j), i >= j-k
			} else {
				return v.mat("a")(min(i-j, k), j), i <= j+k
			}
		}
		return v.mat("a")(i, j), true
	}
}

// triangular returns a triangular matrix of order n.
func (v *values) triangular(n int) func(i, j int) complex128 {
	stored := v.stored(n)
	return func(i, j int) complex128 {
		p, ok := stored(i, j)
		switch {
		case i == j && v.i("diag") == int(cublas.DiagUnit):
			return 1
		case !ok:
			return 0
		}
		return *p
	}
}

// symmetric returns a symmetric or Hermitian matrix of order n, of which a triangle is stored.
func (v *values) symmetric(n int) func(i, j int) complex128 {
	stored, hermitian := v.stored(n), v.hermitian()
	return func(i, j int) complex128 {
		if p, ok := stored(i, j); ok {
			if hermitian && i == j {
				return complex(real(*p), 0)
			}
			return *p
		}
		p, ok := stored(j, i)
		switch {
		case !ok:
			return 0
		case hermitian:
			return cmplx.Conj(*p)
		}
		return *p
	}
}

// hermitian reports whether the function is about Hermitian matrices.
func (v *values) hermitian() bool { return v.complex && strings.ToLower(v.base())[1] == 'h' }

// scalar returns the scalar called name.
func (v *values) scalar(name string) complex128 { return v.of[name][0] }

// update makes *p alpha * sum + beta * *p.
func (v *values) update(p *complex128, sum complex128) {
	beta := v.scalar("beta")
	*p = v.scalar("alpha")*sum + beta**p
}

// times makes y = alpha a x + beta y, where a has rows and columns. Without either y stays what it is: BLAS.
func (v *values) times(rows, columns int, a func(i, j int) complex128) {
	if rows == 0 || columns == 0 {
		return
	}
	x, y := v.vec("x", columns), v.vec("y", rows)
	for i := range rows {
		var sum complex128
		for j := range columns {
			sum += a(i, j) * *x(j)
		}
		v.update(y(i), sum)
	}
}

// product makes C = alpha a b + beta C, where keep says.
func (v *values) product(m, n, k int, a, b func(i, j int) complex128, keep func(i, j int) bool) {
	c := v.mat("c")
	for j := range n {
		for i := range m {
			var sum complex128
			for l := range k {
				sum += a(i, l) * b(l, j)
			}
			if keep(i, j) {
				v.update(c(i, j), sum)
			}
		}
	}
}

func everywhere(i, j int) bool { return true }

// ofTriangle reports whether a function stores (i, j).
func (v *values) ofTriangle(i, j int) bool {
	if v.i("uplo") == int(cublas.FillModeUpper) {
		return i <= j
	}
	return i >= j
}

// solve solves a x = b for x, where a is triangular, if lower a lower triangle.
func solve(n int, a func(i, j int) complex128, lower bool, x func(i int) *complex128) {
	for step := range n {
		i := step
		if !lower {
			i = n - 1 - step
		}
		for j := range n {
			if j != i {
				if lower == (j < i) {
					*x(i) -= a(i, j) * *x(j)
				}
			}
		}
		*x(i) /= a(i, i)
	}
}

// lower reports whether op of the stored triangle is a lower triangle.
func (v *values) lower() bool {
	return (v.i("uplo") == int(cublas.FillModeLower)) == (v.i("trans") == int(cublas.OpN))
}

// clamp makes a vector of increments that count backwards one without elements: BLAS does so for functions of one vector.
func (v *values) clamp() int {
	if v.i("incx") < 0 {
		return 0
	}
	return v.i("n")
}

func magnitude(c complex128) float64 { return math.Abs(real(c)) + math.Abs(imag(c)) }

// extreme returns the place of the element that none is better than.
func (v *values) extreme(better func(a, b float64) bool) {
	place, best := 0, 0.0
	n := v.clamp()
	x := v.vec("x", v.i("n"))
	for i := range n {
		if m := magnitude(*x(i)); place == 0 || better(m, best) {
			place, best = i+1, m
		}
	}
	v.result(complex(float64(place), 0))
}

func (v *values) result(c complex128) {
	if v.has("result") {
		v.of["result"][0] = c
		return
	}
	v.results = append(v.results, c)
}

// definitions compute what functions do, by the definition of BLAS.
var definitions = func() (list []definition) {
	for _, one := range []struct {
		name    string
		compute func(v *values)
	}{
		{"(S|D|Sc|Dz)nrm2", func(v *values) {
			sum, x := 0.0, v.vec("x", v.i("n"))
			for i := range v.clamp() {
				a := cmplx.Abs(*x(i))
				sum += a * a
			}
			v.result(complex(math.Sqrt(sum), 0))
		}},
		{"(S|D|Sc|Dz)asum", func(v *values) {
			sum, x := 0.0, v.vec("x", v.i("n"))
			for i := range v.clamp() {
				sum += magnitude(*x(i))
			}
			v.result(complex(sum, 0))
		}},
		{"I[sdcz]amax", func(v *values) { v.extreme(func(a, b float64) bool { return a > b }) }},
		{"I[sdcz]amin", func(v *values) { v.extreme(func(a, b float64) bool { return a < b }) }},
		{"[SDCZ]dot[uc]?", func(v *values) {
			var sum complex128
			x, y := v.vec("x", v.i("n")), v.vec("y", v.i("n"))
			for i := range v.i("n") {
				a := *x(i)
				if strings.HasSuffix(v.base(), "dotc") {
					a = cmplx.Conj(a)
				}
				sum += a * *y(i)
			}
			v.result(sum)
		}},
		{"(S|D|C|Z|Cs|Zd)scal", func(v *values) {
			x := v.vec("x", v.i("n"))
			for i := range v.clamp() {
				*x(i) *= v.scalar("alpha")
			}
		}},
		{"[SDCZ](axpy|copy|swap)", func(v *values) {
			x, y := v.vec("x", v.i("n")), v.vec("y", v.i("n"))
			for i := range v.i("n") {
				switch v.base()[1:] {
				case "axpy":
					*y(i) += v.scalar("alpha") * *x(i)
				case "copy":
					*y(i) = *x(i)
				case "swap":
					*x(i), *y(i) = *y(i), *x(i)
				}
			}
		}},
		{"(S|D|C|Z|Cs|Zd)rot", func(v *values) {
			x, y := v.vec("x", v.i("n")), v.vec("y", v.i("n"))
			c, s := complex(real(v.scalar("c")), 0), v.scalar("sArg")
			for i := range v.i("n") {
				*x(i), *y(i) = c**x(i)+s**y(i), c**y(i)-cmplx.Conj(s)**x(i)
			}
		}},

		{"[SDCZ]gemv", func(v *values) {
			m, n := v.i("m"), v.i("n")
			if v.i("trans") != 0 {
				m, n = n, m
			}
			v.times(m, n, v.op("a", "trans"))
		}},
		{"[SDCZ]gemvStridedBatched", func(v *values) {
			m, n := v.i("m"), v.i("n")
			if v.i("trans") != 0 {
				m, n = n, m
			}
			for b := range v.i("batchCount") {
				a := v.transposed(v.i("trans"), func(i, j int) complex128 { return v.of["a"][b*v.i("strideA")+i+j*v.i("lda")] })
				x := make([]complex128, n)
				v.at = b * v.i("stridex")
				for j := range n {
					x[j] = *v.vec("x", n)(j)
				}
				v.at = b * v.i("stridey")
				for i := range m {
					var sum complex128
					for j := range n {
						sum += a(i, j) * x[j]
					}
					if n > 0 {
						v.update(v.vec("y", m)(i), sum)
					}
				}
				v.at = 0
			}
		}},
		{"[SDCZ]rotm", func(v *values) {
			x, y, p := v.vec("x", v.i("n")), v.vec("y", v.i("n")), v.of["param"]
			h := [4]complex128{p[1], p[2], p[3], p[4]} // by columns
			switch real(p[0]) {
			case -2:
				h = [4]complex128{1, 0, 0, 1}
			case 0:
				h[0], h[3] = 1, 1
			case 1:
				h[1], h[2] = -1, 1
			}
			for i := range v.i("n") {
				*x(i), *y(i) = h[0]**x(i)+h[2]**y(i), h[1]**x(i)+h[3]**y(i)
			}
		}},
		{"[SDCZ]gbmv", func(v *values) {
			m, n, kl, ku := v.i("m"), v.i("n"), v.i("kl"), v.i("ku")
			band := func(i, j int) complex128 {
				if i < j-ku || i > j+kl {
					return 0
				}
				return *v.mat("a")(ku+i-j, j)
			}
			if v.i("trans") != 0 {
				m, n = n, m
			}
			v.times(m, n, v.transposed(v.i("trans"), band))
		}},
		{"[SDCZ]t[rbp]mv", func(v *values) {
			n := v.i("n")
			a, x := v.transposed(v.i("trans"), v.triangular(n)), v.vec("x", n)
			sums := make([]complex128, n)
			for i := range n {
				for j := range n {
					sums[i] += a(i, j) * *x(j)
				}
			}
			for i := range n {
				*x(i) = sums[i]
			}
		}},
		{"[SDCZ]t[rbp]sv", func(v *values) {
			n := v.i("n")
			solve(n, v.transposed(v.i("trans"), v.triangular(n)), v.lower(), v.vec("x", n))
		}},
		{"[SDCZ][sh][ybpe]mv", func(v *values) { v.times(v.i("n"), v.i("n"), v.symmetric(v.i("n"))) }},
		{"[SDCZ]ger[uc]?", func(v *values) {
			x, y, a := v.vec("x", v.i("m")), v.vec("y", v.i("n")), v.mat("a")
			for j := range v.i("n") {
				other := *y(j)
				if strings.HasSuffix(v.base(), "gerc") {
					other = cmplx.Conj(other)
				}
				for i := range v.i("m") {
					*a(i, j) += v.scalar("alpha") * *x(i) * other
				}
			}
		}},
		{"[SDCZ](syr2?|her2?|spr2?|hpr2?)", func(v *values) {
			n, stored, conj := v.i("n"), v.stored(v.i("n")), func(c complex128) complex128 { return c }
			if v.hermitian() {
				conj = cmplx.Conj
			}
			alpha, x := v.scalar("alpha"), v.vec("x", n)
			for j := range n {
				for i := range n {
					p, ok := stored(i, j)
					switch {
					case !ok:
						continue
					case v.has("y"):
						y := v.vec("y", n)
						*p += alpha**x(i)*conj(*y(j)) + conj(alpha)**y(i)*conj(*x(j))
					default:
						*p += alpha * *x(i) * conj(*x(j))
					}
				}
			}
		}},

		{"[SDCZ]gemm(3m)?", func(v *values) {
			v.product(v.i("m"), v.i("n"), v.i("k"), v.op("a", "transa"), v.op("b", "transb"), everywhere)
		}},
		{"([SDCZ]gemm|Cgemm3m)StridedBatched", func(v *values) {
			for b := range v.i("batchCount") {
				at := func(name string, stride int) cell {
					return func(i, j int) *complex128 { return &v.of[name][b*stride+i+j*v.i("ld"+name)] }
				}
				read := func(c cell) func(i, j int) complex128 { return func(i, j int) complex128 { return *c(i, j) } }
				a := v.transposed(v.i("transa"), read(at("a", v.i("strideA"))))
				other := v.transposed(v.i("transb"), read(at("b", v.i("strideB"))))
				v.at = b * v.i("strideC")
				v.product(v.i("m"), v.i("n"), v.i("k"), a, other, everywhere)
				v.at = 0
			}
		}},
		{"[SDCZ](syrk|herk|syr2k|her2k|syrkx|herkx)", func(v *values) {
			n, k := v.i("n"), v.i("k")
			name := v.base()[1:]
			conj := func(c complex128) complex128 { return c }
			if v.hermitian() {
				conj = cmplx.Conj
			}
			a, b := v.op("a", "trans"), v.op("a", "trans")
			if v.has("b") {
				b = v.op("b", "trans")
			}
			alpha, beta, c := v.scalar("alpha"), v.scalar("beta"), v.mat("c")
			for j := range n {
				for i := range n {
					if !v.ofTriangle(i, j) {
						continue
					}
					var sum complex128
					for l := range k {
						sum += alpha * a(i, l) * conj(b(j, l))
						if strings.HasSuffix(name, "2k") {
							sum += conj(alpha) * b(i, l) * conj(a(j, l))
						}
					}
					*c(i, j) = sum + beta**c(i, j)
					if v.hermitian() && i == j {
						*c(i, j) = complex(real(*c(i, j)), 0)
					}
				}
			}
		}},
		{"[SDCZ](symm|hemm)", func(v *values) {
			m, n := v.i("m"), v.i("n")
			b := func(i, j int) complex128 { return *v.mat("b")(i, j) }
			if v.i("side") == int(cublas.SideLeft) {
				v.product(m, n, m, v.symmetric(m), b, everywhere)
			} else {
				v.product(m, n, n, b, v.symmetric(n), everywhere)
			}
		}},
		{"[SDCZ]trmm", func(v *values) {
			m, n, alpha, b, c := v.i("m"), v.i("n"), v.scalar("alpha"), v.mat("b"), v.mat("c")
			left := v.i("side") == int(cublas.SideLeft)
			for j := range n {
				for i := range m {
					var sum complex128
					if left {
						a := v.transposed(v.i("trans"), v.triangular(m))
						for l := range m {
							sum += a(i, l) * *b(l, j)
						}
					} else {
						a := v.transposed(v.i("trans"), v.triangular(n))
						for l := range n {
							sum += *b(i, l) * a(l, j)
						}
					}
					*c(i, j) = alpha * sum
				}
			}
		}},
		{"[SDCZ]trsm", func(v *values) {
			m, n, b := v.i("m"), v.i("n"), v.mat("b")
			for j := range n {
				for i := range m {
					*b(i, j) *= v.scalar("alpha")
				}
			}
			if v.i("side") == int(cublas.SideLeft) {
				for j := range n {
					solve(m, v.transposed(v.i("trans"), v.triangular(m)), v.lower(), func(i int) *complex128 { return b(i, j) })
				}
				return
			}
			a := v.transposed(v.i("trans"), v.triangular(n)) // X a = B is aᵀ Xᵀ = Bᵀ
			for i := range m {
				solve(n, func(r, c int) complex128 { return a(c, r) }, !v.lower(), func(j int) *complex128 { return b(i, j) })
			}
		}},

		{"[SDCZ]geam", func(v *values) {
			a, b, c := v.op("a", "transa"), v.op("b", "transb"), v.mat("c")
			for j := range v.i("n") {
				for i := range v.i("m") {
					*c(i, j) = v.scalar("alpha")*a(i, j) + v.scalar("beta")*b(i, j)
				}
			}
		}},
		{"[SDCZ]dgmm", func(v *values) {
			left := v.i("mode") == int(cublas.SideLeft)
			n := v.i("n")
			if left {
				n = v.i("m")
			}
			x, a, c := v.vec("x", n), v.mat("a"), v.mat("c")
			for j := range v.i("n") {
				for i := range v.i("m") {
					if left {
						*c(i, j) = *x(i) * *a(i, j)
					} else {
						*c(i, j) = *a(i, j) * *x(j)
					}
				}
			}
		}},
		{"[SDCZ](tpttr|trttp)", func(v *values) {
			n, a, at := v.i("n"), v.mat("a"), 0
			for j := range n {
				for i := range n {
					if !v.ofTriangle(i, j) {
						continue
					}
					if strings.HasSuffix(v.base(), "tpttr") {
						*a(i, j) = v.of["ap"][at]
					} else {
						v.of["ap"][at] = *a(i, j)
					}
					at++
				}
			}
		}},
	} {
		list = append(list, definition{regexp.MustCompile("^(" + one.name + ")$"), one.compute})
	}
	return list
}()

type definition struct {
	name    *regexp.Regexp
	compute func(v *values)
}

// definitionOf returns what m computes; nil if the tests have no definition of it.
func definitionOf(m method) func(v *values) {
	for _, d := range definitions {
		if d.name.MatchString(m.base()) {
			return d.compute
		}
	}
	return nil
}
