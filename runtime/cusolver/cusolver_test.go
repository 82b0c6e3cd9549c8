package cusolver_test

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
	_ "github.com/cudagen/cudagen/runtime/cusolver/simulated"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// A bench has what a test of matrices needs.
type bench struct {
	*testing.T
	device *cuda.Device
	stream *cuda.Stream
	handle *cusolver.Handle
	r      *rand.Rand
}

// onBoth runs a test on a simulated device, and on a GPU if there is one.
func onBoth(t *testing.T, test func(b *bench)) {
	t.Run("simulated", func(t *testing.T) { run(t, simtest.New(t), test) })
	t.Run("GPU", func(t *testing.T) {
		testenv.Need(t, testenv.GPU)
		d, err := cuda.Open(0)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, d.Close()) })
		run(t, d, test)
	})
}

func run(t *testing.T, d *cuda.Device, test func(b *bench)) {
	t.Helper()
	test(newBench(t, d))
}

func newBench(t *testing.T, d *cuda.Device) *bench {
	t.Helper()
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	h, err := cusolver.NewHandle(d)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, h.Close()) })
	return &bench{t, d, s, h, rand.New(rand.NewPCG(5, 6))}
}

// memory returns n elements.
func memory[T any](t *testing.T, s *cuda.Stream, n int) cuda.Slice[T] {
	t.Helper()
	b, err := cuda.Alloc[T](s, n)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b.All()
}

// A dense is a matrix in the memory of the host, by columns.
type dense struct {
	rows, columns int
	v             []complex128
}

func zeros(rows, columns int) dense { return dense{rows, columns, make([]complex128, rows*columns)} }

func (a dense) at(i, j int) *complex128 { return &a.v[i+j*a.rows] }

// random returns a matrix of numbers that T has.
func random[T cusolver.Float](b *bench, rows, columns int) dense {
	a := zeros(rows, columns)
	for i := range a.v {
		a.v[i] = wide(narrow[T](complex(2*b.r.Float64()-1, 2*b.r.Float64()-1)))
	}
	return a
}

func (a dense) times(b dense) dense {
	c := zeros(a.rows, b.columns)
	for j := range b.columns {
		for k := range a.columns {
			for i := range a.rows {
				*c.at(i, j) += *a.at(i, k) * *b.at(k, j)
			}
		}
	}
	return c
}

// turned returns the transpose, or the conjugate one.
func (a dense) turned(conjugate bool) dense {
	c := zeros(a.columns, a.rows)
	for j := range a.columns {
		for i := range a.rows {
			if *c.at(j, i) = *a.at(i, j); conjugate {
				*c.at(j, i) = cmplx.Conj(*a.at(i, j))
			}
		}
	}
	return c
}

func (a dense) adjoint() dense { return a.turned(true) }

// first returns the first columns of a.
func (a dense) first(n int) dense { return dense{a.rows, n, a.v[:a.rows*n]} }

func identity(n int) dense {
	a := zeros(n, n)
	for i := range n {
		*a.at(i, i) = 1
	}
	return a
}

// same requires two matrices to be almost the same.
func same[T cusolver.Float](b *bench, want, got dense, of string) {
	b.Helper()
	within := 1e-10
	switch any(*new(T)).(type) {
	case float32, complex64:
		within = 2e-3
	}
	require.Equal(b, [2]int{want.rows, want.columns}, [2]int{got.rows, got.columns}, of)
	scale := 1.0
	for _, v := range want.v {
		scale = max(scale, cmplx.Abs(v))
	}
	for i, v := range want.v {
		require.LessOrEqual(b, cmplx.Abs(v-got.v[i]), within*scale, "%s, element %d: want %v, got %v", of, i, v, got.v[i])
	}
}

func wide[T cusolver.Float](v T) complex128 {
	switch v := any(v).(type) {
	case float32:
		return complex(float64(v), 0)
	case float64:
		return complex(v, 0)
	case complex64:
		return complex128(v)
	}
	return any(v).(complex128)
}

func narrow[T cusolver.Float](v complex128) T {
	var n any
	switch any(*new(T)).(type) {
	case float32:
		n = float32(real(v))
	case float64:
		n = real(v)
	case complex64:
		n = complex64(v)
	default:
		n = v
	}
	return n.(T)
}

// gap is what lies between columns, which must stay.
const gap = 77

// upload puts a into memory, with ld elements from one column to the next.
func upload[T cusolver.Float](b *bench, a dense, ld int) cuda.Slice[T] {
	b.Helper()
	list := make([]T, max(ld*a.columns, 1))
	for i := range list {
		list[i] = narrow[T](gap)
		if row, column := i%ld, i/ld; row < a.rows && column < a.columns {
			list[i] = narrow[T](*a.at(row, column))
		}
	}
	buffer, err := cuda.Upload(b.stream, list)
	require.NoError(b, err)
	b.Cleanup(func() { assert.NoError(b, buffer.Close()) })
	return buffer.All()
}

// download returns a matrix in memory, and looks at what lies between the columns.
func download[T cusolver.Float](b *bench, s cuda.Slice[T], rows, columns, ld int) dense {
	b.Helper()
	list, err := s.Download(b.stream)
	require.NoError(b, err)
	a := zeros(rows, columns)
	for i, v := range list {
		if row, column := i%ld, i/ld; row < rows && column < columns {
			*a.at(row, column) = wide(v)
		} else {
			require.Equal(b, narrow[T](gap), v, "element %d is of no column", i)
		}
	}
	return a
}

func reals[T cusolver.Real](b *bench, s cuda.Slice[T], n int) []float64 {
	b.Helper()
	list, err := s.Slice(0, n).Download(b.stream)
	require.NoError(b, err)
	values := make([]float64, n)
	for i, v := range list {
		values[i] = float64(v)
	}
	return values
}

var sizes = []int{0, 1, 2, 3, 8, 33}

func TestSolve(t *testing.T) {
	onBoth(t, func(b *bench) {
		testSolve[float32](b)
		testSolve[float64](b)
		testSolve[complex64](b)
		testSolve[complex128](b)
	})
}

func testSolve[T cusolver.Float](b *bench) {
	info := memory[int32](b.T, b.stream, 1)
	for _, n := range sizes {
		of := fmt.Sprintf("%T %d", *new(T), n)
		ld := n + 3
		a, x := random[T](b, n, n), random[T](b, n, 2)
		for i := range n {
			*a.at(i, i) += complex(float64(n), 0)
		}
		right := upload[T](b, a.times(x), ld)
		require.NoError(b, cusolver.Solve(b.handle, b.stream, n, 2, upload[T](b, a, ld), ld, right, ld), of)
		same[T](b, x, download(b, right, n, 2, ld), of)

		// By the factors, in all three ways, and of another shape.
		factors, ipiv := upload[T](b, a, ld), memory[int32](b.T, b.stream, max(n, 1))
		require.NoError(b, cusolver.Getrf(b.handle, b.stream, n, n, factors, ld, ipiv, info))
		require.NoError(b, cusolver.Check(b.stream, info))
		for _, op := range []cusolver.Operation{cusolver.OpN, cusolver.OpT, cusolver.OpC} {
			m := a
			if op != cusolver.OpN {
				m = a.turned(op == cusolver.OpC)
			}
			right := upload[T](b, m.times(x), ld)
			require.NoError(b, cusolver.Getrs(b.handle, b.stream, op, n, 2, factors, ld, ipiv, right, ld, info), of)
			same[T](b, x, download(b, right, n, 2, ld), of)
		}
		if n > 1 {
			wide := random[T](b, n, n+2)
			factors := upload[T](b, wide, ld)
			require.NoError(b, cusolver.Getrf(b.handle, b.stream, n, n+2, factors, ld, ipiv, info))
			same[T](b, wide, product(b, download(b, factors, n, n+2, ld), ipiv), of)
			singular := zeros(n, n)
			*singular.at(0, 0) = 1
			err := cusolver.Solve(b.handle, b.stream, n, 2, upload[T](b, singular, ld), ld, right, ld)
			var found cusolver.Info
			require.True(b, errors.As(err, &found), "%v", err)
			assert.Equal(b, cusolver.Info(2), found)
		}
	}
}

// product multiplies the factors L and U, and puts the rows back.
func product(b *bench, a dense, ipiv cuda.Slice[int32]) dense {
	l, u := identity(a.rows), zeros(a.rows, a.columns)
	for j := range a.columns {
		for i := range a.rows {
			if i > j {
				*l.at(i, j) = *a.at(i, j)
			} else {
				*u.at(i, j) = *a.at(i, j)
			}
		}
	}
	c := l.times(u)
	pivots, err := ipiv.Slice(0, a.rows).Download(b.stream)
	require.NoError(b, err)
	for i := a.rows - 1; i >= 0; i-- {
		for j := range c.columns {
			*c.at(i, j), *c.at(int(pivots[i])-1, j) = *c.at(int(pivots[i])-1, j), *c.at(i, j)
		}
	}
	return c
}

func TestCholesky(t *testing.T) {
	onBoth(t, func(b *bench) {
		testCholesky(b, cusolver.Potrf[float32], cusolver.Potrs[float32])
		testCholesky(b, cusolver.Potrf[float64], cusolver.Potrs[float64])
		testCholesky(b, cusolver.Potrf[complex64], cusolver.Potrs[complex64])
		testCholesky(b, cusolver.Potrf[complex128], cusolver.Potrs[complex128])
	})
}

type (
	choleskyFactor[T cusolver.Float] = func(h *cusolver.Handle, s *cuda.Stream, uplo cusolver.FillMode, n int, a cuda.Slice[T], lda int, info cuda.Slice[int32]) error
	choleskySolver[T cusolver.Float] = func(h *cusolver.Handle, s *cuda.Stream, uplo cusolver.FillMode, n, nrhs int, a cuda.Slice[T], lda int, b cuda.Slice[T], ldb int, info cuda.Slice[int32]) error
)

func testCholesky[T cusolver.Float](b *bench, potrf choleskyFactor[T], potrs choleskySolver[T]) {
	b.Helper()
	info := memory[int32](b.T, b.stream, 1)
	for _, n := range sizes {
		for _, uplo := range []cusolver.FillMode{cusolver.FillModeLower, cusolver.FillModeUpper} {
			of := fmt.Sprintf("%T %d %v", *new(T), n, uplo)
			ld := n + 2
			m := random[T](b, n, n)
			a := m.times(m.adjoint())
			for i := range n {
				*a.at(i, i) += 1
			}
			x := random[T](b, n, 3)
			right := upload[T](b, a.times(x), ld)
			factor := upload[T](b, other(a, uplo, complex(math.NaN(), 0)), ld)
			require.NoError(b, potrf(b.handle, b.stream, uplo, n, factor, ld, info))
			require.NoError(b, cusolver.Check(b.stream, info))
			require.NoError(b, potrs(b.handle, b.stream, uplo, n, 3, factor, ld, right, ld, info))
			same[T](b, x, download(b, right, n, 3, ld), of)
			l := other(download(b, factor, n, n, ld), uplo, 0)
			if uplo == cusolver.FillModeUpper {
				l = l.adjoint()
			}
			same[T](b, a, l.times(l.adjoint()), of)
			if n > 2 {
				*a.at(2, 2) = -1
				bad := upload[T](b, a, ld)
				require.NoError(b, potrf(b.handle, b.stream, uplo, n, bad, ld, info))
				assert.Equal(b, cusolver.Info(3), cusolver.Check(b.stream, info), of)
			}
		}
	}
}

// other returns a with v in the triangle that uplo does not name.
func other(a dense, uplo cusolver.FillMode, v complex128) dense {
	c := zeros(a.rows, a.columns)
	for j := range a.columns {
		for i := range a.rows {
			if *c.at(i, j) = *a.at(i, j); i != j && (i < j) == (uplo == cusolver.FillModeLower) {
				*c.at(i, j) = v
			}
		}
	}
	return c
}

func TestQR(t *testing.T) {
	onBoth(t, func(b *bench) {
		testQR(b, cusolver.Geqrf[float32])
		testQR(b, cusolver.Geqrf[float64])
		testQR(b, cusolver.Geqrf[complex64])
		testQR(b, cusolver.Geqrf[complex128])
	})
}

type orthogonalFactor[T cusolver.Float] = func(h *cusolver.Handle, s *cuda.Stream, m, n int, a cuda.Slice[T], lda int, tau cuda.Slice[T], info cuda.Slice[int32]) error

func testQR[T cusolver.Float](b *bench, geqrf orthogonalFactor[T]) {
	b.Helper()
	info := memory[int32](b.T, b.stream, 1)
	adjoint := cusolver.OpC
	switch any(*new(T)).(type) {
	case float32, float64:
		adjoint = cusolver.OpT
	}
	for _, shape := range [][2]int{{1, 1}, {3, 3}, {7, 4}, {33, 20}} {
		m, n := shape[0], shape[1]
		of := fmt.Sprintf("%T %v", *new(T), shape)
		ld := m + 1
		a := random[T](b, m, n)
		factors, tau := upload[T](b, a, ld), memory[T](b.T, b.stream, n)
		require.NoError(b, geqrf(b.handle, b.stream, m, n, factors, ld, tau, info))
		require.NoError(b, cusolver.Check(b.stream, info))
		made := download(b, factors, m, n, ld)
		r := zeros(n, n)
		for j := range n {
			for i := range j + 1 {
				*r.at(i, j) = *made.at(i, j)
			}
		}
		q := upload[T](b, made, ld)
		require.NoError(b, cusolver.Orgqr(b.handle, b.stream, m, n, n, q, ld, tau, info))
		thin := download(b, q, m, n, ld)
		same[T](b, a, thin.times(r), of)
		same[T](b, identity(n), thin.adjoint().times(thin), of)

		c := random[T](b, m, 5)
		for _, op := range []cusolver.Operation{cusolver.OpN, adjoint} {
			left, right := upload[T](b, c, ld), upload[T](b, c.adjoint(), 6)
			require.NoError(b, cusolver.Ormqr(b.handle, b.stream, cusolver.SideLeft, op, m, 5, n, factors, ld, tau, left, ld, info))
			turned := cusolver.OpN
			if op == cusolver.OpN {
				turned = adjoint
			}
			require.NoError(b, cusolver.Ormqr(b.handle, b.stream, cusolver.SideRight, turned, 5, m, n, factors, ld, tau, right, 6, info))
			product := download(b, left, m, 5, ld)
			same[T](b, product, download(b, right, 5, m, 6).adjoint(), of)
			if op != cusolver.OpN {
				same[T](b, thin.adjoint().times(c), rows(product, n), of)
			} else {
				same[T](b, c.adjoint().times(c), product.adjoint().times(product), of)
			}
		}
	}
}

// rows returns the first rows of a.
func rows(a dense, n int) dense { return a.adjoint().first(n).adjoint() }

func TestEigenvalues(t *testing.T) {
	onBoth(t, func(b *bench) {
		testEigen(b, cusolver.Syevd[float32, float32])
		testEigen(b, cusolver.Syevd[float64, float64])
		testEigen(b, cusolver.Syevd[complex64, float32])
		testEigen(b, cusolver.Syevd[complex128, float64])
		settings, err := cusolver.NewSyevjInfo(b.device)
		require.NoError(b, err)
		defer settings.Close()
		testEigen(b, jacobi(settings, b.handle.SsyevjBufferSize, b.handle.Ssyevj))
		testEigen(b, jacobi(settings, b.handle.DsyevjBufferSize, b.handle.Dsyevj))
		testEigen(b, jacobi(settings, b.handle.CheevjBufferSize, b.handle.Cheevj))
		testEigen(b, jacobi(settings, b.handle.ZheevjBufferSize, b.handle.Zheevj))
	})
}

type eigenvalues[T cusolver.Float, R cusolver.Real] = func(h *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int, a cuda.Slice[T], lda int, w cuda.Slice[R], info cuda.Slice[int32]) error

// jacobi makes the generic form of a function and the one for its workspace.
func jacobi[T cusolver.Float, R cusolver.Real](settings *cusolver.SyevjInfo, size func(*cuda.Stream, cusolver.EigMode, cusolver.FillMode, int32, cuda.Slice[T], int32, cuda.Slice[R], *cusolver.SyevjInfo) (int32, error), f func(*cuda.Stream, cusolver.EigMode, cusolver.FillMode, int32, cuda.Slice[T], int32, cuda.Slice[R], cuda.Slice[T], int32, cuda.Slice[int32], *cusolver.SyevjInfo) error) eigenvalues[T, R] {
	return func(_ *cusolver.Handle, s *cuda.Stream, jobz cusolver.EigMode, uplo cusolver.FillMode, n int, a cuda.Slice[T], lda int, w cuda.Slice[R], info cuda.Slice[int32]) error {
		count, err := size(s, jobz, uplo, int32(n), a, int32(lda), w, settings)
		if err != nil {
			return err
		}
		work, err := cuda.Alloc[T](s, int(max(count, 1)))
		if err != nil {
			return err
		}
		return errors.Join(f(s, jobz, uplo, int32(n), a, int32(lda), w, work.All(), count, info, settings), work.Close())
	}
}

func testEigen[T cusolver.Float, R cusolver.Real](b *bench, f eigenvalues[T, R]) {
	b.Helper()
	info := memory[int32](b.T, b.stream, 1)
	for _, n := range []int{1, 2, 3, 8, 33} {
		for _, uplo := range []cusolver.FillMode{cusolver.FillModeLower, cusolver.FillModeUpper} {
			of := fmt.Sprintf("%T %d %v", *new(T), n, uplo)
			ld := n + 1
			m := random[T](b, n, n)
			a := zeros(n, n)
			for i := range a.v {
				a.v[i] = m.v[i] + m.adjoint().v[i]
			}
			memoryOf, w := upload[T](b, other(a, uplo, 99), ld), memory[R](b.T, b.stream, n)
			require.NoError(b, f(b.handle, b.stream, cusolver.EigModeVector, uplo, n, memoryOf, ld, w, info), of)
			require.NoError(b, cusolver.Check(b.stream, info), of)
			values := reals(b, w, n)
			v := download(b, memoryOf, n, n, ld)
			scaled := zeros(n, n)
			for j := range n {
				if j > 0 {
					assert.LessOrEqual(b, values[j-1], values[j], of)
				}
				for i := range n {
					*scaled.at(i, j) = *v.at(i, j) * complex(values[j], 0)
				}
			}
			same[T](b, a.times(v), scaled, of)
			same[T](b, identity(n), v.adjoint().times(v), of)
		}
	}
}

func TestSingularValues(t *testing.T) {
	onBoth(t, func(b *bench) {
		testSingular(b, cusolver.Gesvd[float32, float32])
		testSingular(b, cusolver.Gesvd[float64, float64])
		testSingular(b, cusolver.Gesvd[complex64, float32])
		testSingular(b, cusolver.Gesvd[complex128, float64])
		settings, err := cusolver.NewGesvdjInfo(b.device)
		require.NoError(b, err)
		defer settings.Close()
		testGesvdj(b, settings, b.handle.SgesvdjBufferSize, b.handle.Sgesvdj)
		testGesvdj(b, settings, b.handle.DgesvdjBufferSize, b.handle.Dgesvdj)
		testGesvdj(b, settings, b.handle.CgesvdjBufferSize, b.handle.Cgesvdj)
		testGesvdj(b, settings, b.handle.ZgesvdjBufferSize, b.handle.Zgesvdj)
	})
}

// scaled multiplies the columns of u by values.
func scaled(u dense, values []float64) dense {
	c := zeros(u.rows, len(values))
	for j, v := range values {
		for i := range u.rows {
			*c.at(i, j) = *u.at(i, j) * complex(v, 0)
		}
	}
	return c
}

type singularValues[T cusolver.Float, R cusolver.Real] = func(h *cusolver.Handle, s *cuda.Stream, jobu, jobvt byte, m, n int, a cuda.Slice[T], lda int, values cuda.Slice[R], u cuda.Slice[T], ldu int, vt cuda.Slice[T], ldvt int, info cuda.Slice[int32]) error

func testSingular[T cusolver.Float, R cusolver.Real](b *bench, f singularValues[T, R]) {
	b.Helper()
	info := memory[int32](b.T, b.stream, 1)
	for _, shape := range [][2]int{{1, 1}, {3, 2}, {4, 4}, {20, 7}} {
		m, n := shape[0], shape[1]
		for _, jobs := range []string{"AA", "SS", "AN", "OS"} {
			of := fmt.Sprintf("%T %v %s", *new(T), shape, jobs)
			ld := m + 1
			a := random[T](b, m, n)
			x, values := upload[T](b, a, ld), memory[R](b.T, b.stream, n)
			var u, vt cuda.Slice[T]
			columns := map[byte]int{'A': m, 'S': n}[jobs[0]]
			if columns > 0 {
				u = upload[T](b, zeros(m, columns), ld)
			}
			if jobs[1] != 'N' {
				vt = upload[T](b, zeros(n, n), n+2)
			}
			require.NoError(b, f(b.handle, b.stream, jobs[0], jobs[1], m, n, x, ld, values, u, ld, vt, n+2, info), of)
			require.NoError(b, cusolver.Check(b.stream, info), of)
			found := reals(b, values, n)
			for j := 1; j < n; j++ {
				assert.GreaterOrEqual(b, found[j-1], found[j], of)
			}
			if jobs[0] == 'O' {
				u, columns = x, n
			}
			left := download(b, u, m, columns, ld)
			same[T](b, identity(columns), left.adjoint().times(left), of)
			if jobs[1] != 'N' {
				right := download(b, vt, n, n, n+2)
				same[T](b, a, scaled(left, found).times(right), of)
			} else { // A A* U = U S S
				square := make([]float64, n)
				for i, v := range found {
					square[i] = v * v
				}
				same[T](b, scaled(left, square), a.times(a.adjoint()).times(left.first(n)), of)
			}
		}
	}
}

func testGesvdj[T cusolver.Float, R cusolver.Real](b *bench, settings *cusolver.GesvdjInfo,
	size func(*cuda.Stream, cusolver.EigMode, int32, int32, int32, cuda.Slice[T], int32, cuda.Slice[R], cuda.Slice[T], int32, cuda.Slice[T], int32, *cusolver.GesvdjInfo) (int32, error),
	f func(*cuda.Stream, cusolver.EigMode, int32, int32, int32, cuda.Slice[T], int32, cuda.Slice[R], cuda.Slice[T], int32, cuda.Slice[T], int32, cuda.Slice[T], int32, cuda.Slice[int32], *cusolver.GesvdjInfo) error) {
	b.Helper()
	info := memory[int32](b.T, b.stream, 1)
	for _, shape := range [][2]int{{1, 1}, {3, 2}, {2, 5}, {20, 7}} {
		m, n := shape[0], shape[1]
		k := min(m, n)
		for econ := range int32(2) {
			of := fmt.Sprintf("%T %v econ %d", *new(T), shape, econ)
			ld := m + 1
			a := random[T](b, m, n)
			columnsU, columnsV := m, n
			if econ != 0 {
				columnsU, columnsV = k, k
			}
			x, values := upload[T](b, a, ld), memory[R](b.T, b.stream, k)
			u, v := upload[T](b, zeros(m, columnsU), ld), upload[T](b, zeros(n, columnsV), n+2)
			count, err := size(b.stream, cusolver.EigModeVector, econ, int32(m), int32(n), x, int32(ld), values, u, int32(ld), v, int32(n+2), settings)
			require.NoError(b, err, of)
			work := memory[T](b.T, b.stream, int(max(count, 1)))
			require.NoError(b, f(b.stream, cusolver.EigModeVector, econ, int32(m), int32(n), x, int32(ld), values, u, int32(ld), v, int32(n+2), work, count, info, settings), of)
			require.NoError(b, cusolver.Check(b.stream, info), of)
			found := reals(b, values, k)
			left, right := download(b, u, m, columnsU, ld), download(b, v, n, columnsV, n+2)
			same[T](b, a, scaled(left, found).times(right.first(k).adjoint()), of)
			same[T](b, identity(columnsU), left.adjoint().times(left), of)
			same[T](b, identity(columnsV), right.adjoint().times(right), of)
		}
	}
}
