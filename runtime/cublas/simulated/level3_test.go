package simulated_test

import (
	"math/cmplx"

	"github.com/cudagen/cudagen/runtime/cublas"
)

var level3 = []testCase{
	{"Sgemm Dgemm", "Cgemm Zgemm Cgemm3m Zgemm3m", gemmArgs},
	{"Hgemm", "", gemmArgs},
	{"SgemmStridedBatched DgemmStridedBatched HgemmStridedBatched", "CgemmStridedBatched ZgemmStridedBatched Cgemm3mStridedBatched", gemmStridedArgs},
	{"HgemmBatched", "", gemmBatchedOfHalvesArgs},
	{"SgemmBatched DgemmBatched", "CgemmBatched ZgemmBatched Cgemm3mBatched", gemmBatchedArgs},
	{"SgemvStridedBatched DgemvStridedBatched HSHgemvStridedBatched HSSgemvStridedBatched TSTgemvStridedBatched TSSgemvStridedBatched", "CgemvStridedBatched ZgemvStridedBatched", gemvStridedArgs},
	{"SgemvBatched DgemvBatched HSHgemvBatched HSSgemvBatched TSTgemvBatched TSSgemvBatched", "CgemvBatched ZgemvBatched", gemvBatchedArgs},
	{"Ssymm Dsymm", "Csymm Zsymm", func(g *gen) []any { return g.symm(false) }},
	{"", "Chemm Zhemm", func(g *gen) []any { return g.symm(true) }},
	{"Ssyrk Dsyrk", "Csyrk Zsyrk", func(g *gen) []any { return g.rank("k", false) }},
	{"Ssyr2k Dsyr2k", "Csyr2k Zsyr2k", func(g *gen) []any { return g.rank("2k", false) }},
	{"Ssyrkx Dsyrkx", "Csyrkx Zsyrkx", func(g *gen) []any { return g.rank("kx", false) }},
	{"", "Cherk Zherk", func(g *gen) []any { return g.rank("k", true) }},
	{"", "Cher2k Zher2k", func(g *gen) []any { return g.rank("2k", true) }},
	{"", "Cherkx Zherkx", func(g *gen) []any { return g.rank("kx", true) }},
	{"Strmm Dtrmm", "Ctrmm Ztrmm", trmmArgs},
	{"Strsm Dtrsm", "Ctrsm Ztrsm", trsmArgs},
	{"StrsmBatched DtrsmBatched", "CtrsmBatched ZtrsmBatched", trsmBatchedArgs},
	{"Sgeam Dgeam", "Cgeam Zgeam", geamArgs},
	{"Sdgmm Ddgmm", "Cdgmm Zdgmm", dgmmArgs},
	{"Stpttr Dtpttr", "Ctpttr Ztpttr", func(g *gen) []any { return g.repack(asPacked, asMatrix) }},
	{"Strttp Dtrttp", "Ctrttp Ztrttp", func(g *gen) []any { return g.repack(asMatrix, asPacked) }},
}

// scale is C = sum + beta C for the elements that use has.
func (m matrix) scale(use func(i, j int) bool, sum func(i, j int) complex128, beta complex128) {
	for j := range m.columns {
		for i := range m.rows {
			if !use(i, j) {
				continue
			}
			after := sum(i, j)
			if beta != 0 {
				after += beta * m.get(m.at(i, j))
			}
			m.set(m.at(i, j), after)
		}
	}
}

// A gemm is what products of one call have in common.
type gemm struct {
	opA, opB      cublas.Operation
	m, n, k       int
	alpha, beta   complex128
	lda, ldb, ldc int
}

// stored returns the rows and columns of the matrix of which op is rows by columns.
func storedAs(op cublas.Operation, rows, columns int) (int, int) {
	if op == cublas.OpN {
		return rows, columns
	}
	return columns, rows
}

func (g *gen) gemm() gemm {
	p := gemm{opA: g.operation(), opB: g.operation(), m: g.size(), n: g.size(), k: g.size(), alpha: g.value(), beta: g.value()}
	rowsA, _ := storedAs(p.opA, p.m, p.k)
	rowsB, _ := storedAs(p.opB, p.k, p.n)
	p.lda, p.ldb, p.ldc = g.ld(rowsA), g.ld(rowsB), g.ld(p.m)
	return p
}

func (p gemm) one(g *gen) (a, b, c matrix) {
	some := when(p.alpha != 0 && p.m > 0 && p.n > 0)
	rows, columns := storedAs(p.opA, p.m, p.k)
	a = g.matrixOf(rows, columns, p.lda, some)
	rows, columns = storedAs(p.opB, p.k, p.n)
	b = g.matrixOf(rows, columns, p.ldb, some)
	c = g.matrixOf(p.m, p.n, p.ldc, when(p.beta != 0))
	c.scale(always, func(i, j int) (sum complex128) {
		for l := range p.k {
			sum += p.alpha * a.el(p.opA, i, l) * b.el(p.opB, l, j)
		}
		return sum
	}, p.beta)
	return a, b, c
}

func gemmArgs(g *gen) []any {
	p := g.gemm()
	a, b, c := p.one(g)
	return []any{p.opA, p.opB, p.m, p.n, p.k, p.alpha, a, p.lda, b, p.ldb, p.beta, c, p.ldc}
}

// join puts several memories into one, in which each begins stride elements behind the one before.
func join(stride int, all ...*mem) *mem {
	joined := newMem(0)
	if len(all) > 0 {
		joined = newMem((len(all)-1)*stride + len(all[0].before))
	}
	for n, m := range all {
		copy(joined.before[n*stride:], m.before)
		copy(joined.after[n*stride:], m.after)
		copy(joined.read[n*stride:], m.read)
		copy(joined.written[n*stride:], m.written)
	}
	return joined
}

// stride is a distance between memories like m.
func (g *gen) stride(m []*mem) int {
	if len(m) == 0 {
		return 1
	}
	return len(m[0].before) + g.IntN(3)
}

// times makes the memory of several products.
func (p gemm) times(g *gen, count int) (a, b, c []*mem) {
	for range count {
		x, y, z := p.one(g)
		a, b, c = append(a, x.mem), append(b, y.mem), append(c, z.mem)
	}
	return a, b, c
}

func gemmStridedArgs(g *gen) []any {
	p, count := g.gemm(), g.IntN(4)
	a, b, c := p.times(g, count)
	sa, sb, sc := g.stride(a), g.stride(b), g.stride(c)
	return []any{p.opA, p.opB, p.m, p.n, p.k, p.alpha, join(sa, a...), p.lda, sa, join(sb, b...), p.ldb, sb, p.beta, join(sc, c...), p.ldc, sc, count}
}

// gemmBatchedOfHalvesArgs has no alpha of 0: such a call reads A and B all the same.
func gemmBatchedOfHalvesArgs(g *gen) []any {
	for {
		if args := gemmBatchedArgs(g); args[5] != complex128(0) {
			return args
		}
	}
}

// addressesOf is memory with the addresses of others.
func addressesOf(all []*mem) *mem { return &mem{many: append([]*mem{}, all...)} }

func gemmBatchedArgs(g *gen) []any {
	p, count := g.gemm(), g.IntN(4)
	a, b, c := p.times(g, count)
	return []any{p.opA, p.opB, p.m, p.n, p.k, p.alpha, addressesOf(a), p.lda, addressesOf(b), p.ldb, p.beta, addressesOf(c), p.ldc, count}
}

func (p gemv) times(g *gen, count int) (a, x, y []*mem) {
	for range count {
		b, c, d := p.one(g)
		a, x, y = append(a, b.mem), append(x, c.mem), append(y, d.mem)
	}
	return a, x, y
}

func gemvStridedArgs(g *gen) []any {
	p, count := g.gemv(), g.IntN(4)
	a, x, y := p.times(g, count)
	sa, sx, sy := g.stride(a), g.stride(x), g.stride(y)
	return []any{p.op, p.m, p.n, p.alpha, join(sa, a...), p.ld, sa, join(sx, x...), p.incx, sx, p.beta, join(sy, y...), p.incy, sy, count}
}

func gemvBatchedArgs(g *gen) []any {
	p, count := g.gemv(), g.IntN(4)
	a, x, y := p.times(g, count)
	return []any{p.op, p.m, p.n, p.alpha, addressesOf(a), p.ld, addressesOf(x), p.incx, p.beta, addressesOf(y), p.incy, count}
}

func (g *gen) symm(hermitian bool) []any {
	side, uplo, m, n, alpha, beta := cublas.SideMode(g.IntN(2)), g.uplo(), g.size(), g.size(), g.value(), g.value()
	order := n
	if side == cublas.SideLeft {
		order = m
	}
	some := alpha != 0 && m > 0 && n > 0
	a := g.triangle(asMatrix, order, uplo, cublas.DiagNonUnit, some, g.values)
	b, c := g.matrix(m, n, when(some)), g.matrix(m, n, when(beta != 0))
	el := a.whole(hermitian)
	c.scale(always, func(i, j int) (sum complex128) {
		for l := range order {
			if side == cublas.SideLeft {
				sum += alpha * el(i, l) * b.get(b.at(l, j))
			} else {
				sum += alpha * b.get(b.at(i, l)) * el(l, j)
			}
		}
		return sum
	}, beta)
	return args([]any{side, uplo, m, n, alpha, a.mem}, a.lds, []any{b, b.ld, beta, c, c.ld})
}

// rank makes arguments of updates of rank k, of rank 2k, and of those with another second matrix.
func (g *gen) rank(which string, hermitian bool) []any {
	op := cublas.Operation(g.IntN(2))
	of := func(v complex128) complex128 { return v }
	if hermitian {
		op, of = 2*op, cmplx.Conj
	}
	uplo, n, k, alpha, beta := g.uplo(), g.size(), g.size(), g.value(), g.value()
	if hermitian {
		beta = g.real()
		if which == "k" {
			alpha = g.real()
		}
	}
	rows, columns := storedAs(op, n, k)
	a := g.matrix(rows, columns, when(alpha != 0 && n > 0))
	b := a
	if which != "k" {
		b = g.matrix(rows, columns, when(alpha != 0 && n > 0))
	}
	nothing := (alpha == 0 || k == 0) && beta == 1
	use := inside(uplo, cublas.DiagNonUnit)
	c := g.matrix(n, n, func(i, j int) bool { return use(i, j) && beta != 0 && !nothing })
	if !nothing {
		c.scale(use, func(i, j int) (sum complex128) {
			for l := range k {
				sum += alpha * a.el(op, i, l) * of(b.el(op, j, l))
				if which == "2k" {
					sum += of(alpha) * b.el(op, i, l) * of(a.el(op, j, l))
				}
			}
			return sum
		}, beta)
		for i := range n {
			if at := c.at(i, i); hermitian {
				c.after[at] = complex(real(c.after[at]), 0)
			}
		}
	}
	result := []any{uplo, op, n, k, alpha, a, a.ld}
	if which != "k" {
		result = append(result, b, b.ld)
	}
	return append(result, beta, c, c.ld)
}

// A triangularProduct is op(A) times a matrix, or the other way round.
type triangularProduct struct {
	side  cublas.SideMode
	uplo  cublas.FillMode
	op    cublas.Operation
	diag  cublas.DiagType
	m, n  int
	alpha complex128
}

func (g *gen) triangularProduct() triangularProduct {
	return triangularProduct{cublas.SideMode(g.IntN(2)), g.uplo(), g.operation(), g.diag(), g.size(), g.size(), g.value()}
}

func (p triangularProduct) order() int {
	if p.side == cublas.SideLeft {
		return p.m
	}
	return p.n
}

// apply returns element (i, j) of the product of the triangular matrix and b.
func (p triangularProduct) apply(el func(i, j int) complex128, b func(i, j int) complex128, i, j int) (sum complex128) {
	for l := range p.order() {
		if p.side == cublas.SideLeft {
			sum += el(i, l) * b(l, j)
		} else {
			sum += b(i, l) * el(l, j)
		}
	}
	return sum
}

func (p triangularProduct) args() []any {
	return []any{p.side, p.uplo, p.op, p.diag, p.m, p.n, p.alpha}
}

func trmmArgs(g *gen) []any {
	p := g.triangularProduct()
	some := p.alpha != 0 && p.m > 0 && p.n > 0
	a := g.triangle(asMatrix, p.order(), p.uplo, p.diag, some, g.values)
	b, c := g.matrix(p.m, p.n, when(some)), g.matrix(p.m, p.n, never)
	el := a.triangular(p.op, p.diag)
	c.scale(always, func(i, j int) complex128 {
		return p.alpha * p.apply(el, func(i, j int) complex128 { return b.get(b.at(i, j)) }, i, j)
	}, 0)
	return args(p.args(), []any{a.mem}, a.lds, []any{b, b.ld, c, c.ld})
}

// trsm makes the memory of an equation: B is what the solution must be, multiplied.
func (p triangularProduct) trsm(g *gen, lda, ldb int) (a triangle, b matrix) {
	some := p.alpha != 0 && p.m > 0 && p.n > 0
	a = g.triangleOf(asMatrix, p.order(), lda, p.uplo, p.diag, some, g.wellPosed)
	b = g.matrixOf(p.m, p.n, ldb, never)
	x := make(map[[2]int]complex128)
	for i := range p.m {
		for j := range p.n {
			x[[2]int{i, j}] = g.value()
		}
	}
	el := a.triangular(p.op, p.diag)
	for i := range p.m {
		for j := range p.n {
			b.set(b.at(i, j), 0)
			if p.alpha != 0 {
				b.give(b.at(i, j), p.apply(el, func(i, j int) complex128 { return x[[2]int{i, j}] }, i, j)/p.alpha)
				b.set(b.at(i, j), x[[2]int{i, j}])
			}
		}
	}
	return a, b
}

func trsmArgs(g *gen) []any {
	p := g.triangularProduct()
	a, b := p.trsm(g, g.ld(p.order()), g.ld(p.m))
	return args(p.args(), []any{a.mem}, a.lds, []any{b, b.ld})
}

func trsmBatchedArgs(g *gen) []any {
	p := g.triangularProduct()
	lda, ldb, count := g.ld(p.order()), g.ld(p.m), g.IntN(4)
	var a, b []*mem
	for range count {
		x, y := p.trsm(g, lda, ldb)
		a, b = append(a, x.mem), append(b, y.mem)
	}
	return args(p.args(), []any{addressesOf(a), lda, addressesOf(b), ldb, count})
}

func geamArgs(g *gen) []any {
	opA, opB, m, n, alpha, beta := g.operation(), g.operation(), g.size(), g.size(), g.value(), g.value()
	rows, columns := storedAs(opA, m, n)
	a := g.matrix(rows, columns, when(alpha != 0))
	rows, columns = storedAs(opB, m, n)
	b, c := g.matrix(rows, columns, when(beta != 0)), g.matrix(m, n, never)
	c.scale(always, func(i, j int) complex128 { return alpha*a.el(opA, i, j) + beta*b.el(opB, i, j) }, 0)
	return []any{opA, opB, m, n, alpha, a, a.ld, beta, b, b.ld, c, c.ld}
}

func dgmmArgs(g *gen) []any {
	side, m, n := cublas.SideMode(g.IntN(2)), g.size(), g.size()
	order := n
	if side == cublas.SideLeft {
		order = m
	}
	some := m > 0 && n > 0
	a, x, c := g.matrix(m, n, when(some)), g.vector(order, g.step(), some), g.matrix(m, n, never)
	c.scale(always, func(i, j int) complex128 {
		if side == cublas.SideLeft {
			return x.get(x.at(i)) * a.get(a.at(i, j))
		}
		return x.get(x.at(j)) * a.get(a.at(i, j))
	}, 0)
	return []any{side, m, n, a, a.ld, x, x.inc, c, c.ld}
}

func (g *gen) repack(from, to storage) []any {
	uplo, n := g.uplo(), g.size()
	a := g.triangle(from, n, uplo, cublas.DiagNonUnit, true, g.values)
	b := g.triangle(to, n, uplo, cublas.DiagNonUnit, false, nil)
	for i := range n {
		for j := range n {
			if a.has(i, j) {
				b.set(b.at(i, j), a.get(a.at(i, j)))
			}
		}
	}
	return args([]any{uplo, n, a.mem}, a.lds, []any{b.mem}, b.lds)
}
