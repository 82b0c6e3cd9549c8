package cusparse_test

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
	_ "github.com/cudagen/cudagen/runtime/cusparse/simulated"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// A bench has what a test of matrices needs.
type bench struct {
	*testing.T
	device *cuda.Device
	stream *cuda.Stream
	handle *cusparse.Handle
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
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	h, err := cusparse.NewHandle(d)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, h.Close()) })
	test(&bench{t, d, s, h, rand.New(rand.NewPCG(8, 9))})
}

// memory returns elements with these values.
func memory[T any](b *bench, values []T) cuda.Slice[T] {
	b.Helper()
	buffer, err := cuda.Upload(b.stream, values)
	require.NoError(b, err)
	b.Cleanup(func() { assert.NoError(b, buffer.Close()) })
	return buffer.All()
}

// kept closes what was made at the end of the test.
func kept[C interface{ Close() error }](b *bench) func(c C, err error) C {
	return func(c C, err error) C {
		b.Helper()
		require.NoError(b, err)
		b.Cleanup(func() { assert.NoError(b, c.Close()) })
		return c
	}
}

func number[T cusparse.Float](r *rand.Rand) T {
	v := complex(float64(r.IntN(17)-8), float64(r.IntN(17)-8))
	if v == 0 {
		v = 1
	}
	return narrow[T](v)
}

func numbers[T cusparse.Float](r *rand.Rand, n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = number[T](r)
	}
	return list
}

func wide[T cusparse.Float](v T) complex128 {
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

func narrow[T cusparse.Float](v complex128) T {
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

// A table is a matrix in the memory of the host, by rows, of which some elements are not 0.
type table[T cusparse.Float] struct {
	rows, cols int
	v          []T
}

func random[T cusparse.Float](r *rand.Rand, rows, cols int) table[T] {
	m := table[T]{rows, cols, make([]T, rows*cols)}
	for i := range m.v {
		if r.IntN(3) == 0 {
			m.v[i] = number[T](r)
		}
	}
	return m
}

// at returns an element of op(m).
func (m table[T]) at(op cusparse.Operation, i, j int) complex128 {
	switch op {
	case cusparse.OperationNonTranspose:
		return wide(m.v[i*m.cols+j])
	case cusparse.OperationTranspose:
		return wide(m.v[j*m.cols+i])
	}
	return cmplx.Conj(wide(m.v[j*m.cols+i]))
}

// shape returns the rows and columns of op(m).
func (m table[T]) shape(op cusparse.Operation) (rows, cols int) {
	if op == cusparse.OperationNonTranspose {
		return m.rows, m.cols
	}
	return m.cols, m.rows
}

// compressed returns the offsets, the places and the values of m by rows, or by columns.
func compressed[I cusparse.Index, T cusparse.Float](m table[T], byColumns bool) (offsets, firsts, seconds []I, values []T) {
	lines, others := m.rows, m.cols
	if byColumns {
		lines, others = others, lines
	}
	offsets = []I{0}
	for i := range lines {
		for j := range others {
			v := m.v
			at := i*m.cols + j
			if byColumns {
				at = j*m.cols + i
			}
			if v[at] != 0 {
				firsts, seconds, values = append(firsts, I(i)), append(seconds, I(j)), append(values, v[at])
			}
		}
		offsets = append(offsets, I(len(values)))
	}
	return offsets, firsts, seconds, values
}

// describe makes descriptors of m in each format.
func describe[I cusparse.Index, T cusparse.Float](b *bench, m table[T]) map[string]*cusparse.SparseMatrix {
	keep := kept[*cusparse.SparseMatrix](b)
	offsets, rows, cols, values := compressed[I](m, false)
	columnOffsets, _, rowIndices, byColumns := compressed[I](m, true)
	return map[string]*cusparse.SparseMatrix{
		"csr": keep(cusparse.CSR(b.device, m.rows, m.cols, memory(b, offsets), memory(b, cols), memory(b, values))),
		"csc": keep(cusparse.CSC(b.device, m.rows, m.cols, memory(b, columnOffsets), memory(b, rowIndices), memory(b, byColumns))),
		"coo": keep(cusparse.COO(b.device, m.rows, m.cols, memory(b, rows), memory(b, cols), memory(b, values))),
	}
}

// operations are those that T has.
func operations[T cusparse.Float]() []cusparse.Operation {
	switch any(*new(T)).(type) {
	case float32, float64:
		return []cusparse.Operation{cusparse.OperationNonTranspose, cusparse.OperationTranspose}
	}
	return []cusparse.Operation{cusparse.OperationNonTranspose, cusparse.OperationTranspose, cusparse.OperationConjugateTranspose}
}

func TestProducts(t *testing.T) {
	onBoth(t, func(b *bench) {
		testProducts[int32, float32](b)
		testProducts[int64, float32](b)
		testProducts[int32, float64](b)
		testProducts[int32, complex64](b)
		testProducts[int32, complex128](b)
	})
}

func testProducts[I cusparse.Index, T cusparse.Float](b *bench) {
	for _, shape := range [][2]int{{1, 1}, {3, 5}, {17, 9}} {
		m := random[T](b.r, shape[0], shape[1])
		for format, a := range describe[I](b, m) {
			for _, op := range operations[T]() {
				for _, beta := range []T{0, 2} {
					of := fmt.Sprintf("%T %v %s %v beta %v", *new(T), shape, format, op, beta)
					alpha := number[T](b.r)
					testVector(b, of, m, a, op, alpha, beta)
					testMatrix(b, of, m, a, op, alpha, beta)
				}
			}
		}
	}
}

func testVector[T cusparse.Float](b *bench, of string, m table[T], a *cusparse.SparseMatrix, op cusparse.Operation, alpha, beta T) {
	b.Helper()
	rows, cols := m.shape(op)
	x, y := numbers[T](b.r, cols), numbers[T](b.r, rows)
	xs, ys := memory(b, x), memory(b, y)
	if beta == 0 { // what is there does not matter
		buffer, err := cuda.Alloc[T](b.stream, rows)
		require.NoError(b, err)
		b.Cleanup(func() { assert.NoError(b, buffer.Close()) })
		ys = buffer.All()
	}
	require.NoError(b, cusparse.SpMV(b.handle, b.stream, op, alpha, a, kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, xs)), beta, kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, ys))), of)
	got, err := ys.Download(b.stream)
	require.NoError(b, err)
	for i := range rows {
		var want complex128
		for j := range cols {
			want += wide(alpha) * m.at(op, i, j) * wide(x[j])
		}
		if beta != 0 {
			want += wide(beta) * wide(y[i])
		}
		require.Equal(b, narrow[T](want), got[i], "%s, element %d", of, i) // small integers are exact
	}
}

func testMatrix[T cusparse.Float](b *bench, of string, m table[T], a *cusparse.SparseMatrix, op cusparse.Operation, alpha, beta T) {
	b.Helper()
	const columns = 3
	rows, inner := m.shape(op)
	for _, order := range []cusparse.Order{cusparse.OrderCol, cusparse.OrderRow} {
		x, y := numbers[T](b.r, inner*columns), numbers[T](b.r, rows*columns)
		place := func(i, j, rows, columns int) int {
			if order == cusparse.OrderRow {
				return i*columns + j
			}
			return i + j*rows
		}
		ldX, ldY := inner, rows
		if order == cusparse.OrderRow {
			ldX, ldY = columns, columns
		}
		c := memory(b, y)
		keep := kept[*cusparse.DenseMatrix](b)
		require.NoError(b, cusparse.SpMM(b.handle, b.stream, op, cusparse.OperationNonTranspose, alpha, a, keep(cusparse.Matrix(b.device, inner, columns, ldX, memory(b, x), order)), beta,
			keep(cusparse.Matrix(b.device, rows, columns, ldY, c, order))), "%s %v", of, order)
		got, err := c.Download(b.stream)
		require.NoError(b, err)
		for i := range rows {
			for j := range columns {
				want := wide(beta) * wide(y[place(i, j, rows, columns)])
				for k := range inner {
					want += wide(alpha) * m.at(op, i, k) * wide(x[place(k, j, inner, columns)])
				}
				require.Equal(b, narrow[T](want), got[place(i, j, rows, columns)], "%s %v, element %d, %d", of, order, i, j)
			}
		}
	}
}

func TestSolve(t *testing.T) {
	onBoth(t, func(b *bench) {
		testTriangle[float32](b)
		testTriangle[float64](b)
		testTriangle[complex64](b)
		testTriangle[complex128](b)
	})
}

func testTriangle[T cusparse.Float](b *bench) {
	const n = 6
	for _, op := range operations[T]() {
		for _, uplo := range []cusparse.FillMode{cusparse.FillModeLower, cusparse.FillModeUpper} {
			of := fmt.Sprintf("%T %v %v", *new(T), op, uplo)
			m := random[T](b.r, n, n)
			for i := range n {
				m.v[i*n+i] = 2
			}
			offsets, _, cols, values := compressed[int32](m, false)
			a := kept[*cusparse.SparseMatrix](b)(cusparse.CSR(b.device, n, n, memory(b, offsets), memory(b, cols), memory(b, values)))
			require.NoError(b, a.SpMatSetAttribute(cusparse.SpmatFillMode, cusparse.Scalar(uplo), 4))
			require.NoError(b, a.SpMatSetAttribute(cusparse.SpmatDiagType, cusparse.Scalar(cusparse.DiagTypeNonUnit), 4))
			x := numbers[T](b.r, n)
			right := make([]T, n)
			for i := range n {
				var sum complex128
				for j := range n {
					row, col := i, j
					if op != cusparse.OperationNonTranspose {
						row, col = j, i
					}
					if row == col || (row > col) == (uplo == cusparse.FillModeLower) {
						sum += m.at(op, i, j) * wide(x[j])
					}
				}
				right[i] = narrow[T](sum)
			}
			out := memory(b, make([]T, n))
			in := kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, memory(b, right)))
			to := kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, out))
			state := kept[*cusparse.SpSVState](b)(cusparse.NewSpSVState(b.device))
			one, kind := cusparse.Scalar(narrow[T](1)), kindOf[T]()
			size, err := b.handle.SpSVBufferSize(b.stream, op, one, a, in, to, kind, cusparse.SpsvAlgDefault, state)
			require.NoError(b, err, of)
			var buffer cuda.Slice[uint8]
			if size > 0 {
				buffer = memory(b, make([]uint8, size))
			}
			require.NoError(b, b.handle.SpSVAnalysis(b.stream, op, one, a, in, to, kind, cusparse.SpsvAlgDefault, state, buffer), of)
			require.NoError(b, b.handle.SpSVSolve(b.stream, op, one, a, in, to, kind, cusparse.SpsvAlgDefault, state), of)
			got, err := out.Download(b.stream)
			require.NoError(b, err)
			for i := range n {
				require.InDelta(b, 0, cmplx.Abs(wide(got[i])-wide(x[i])), 1e-2, "%s, element %d: %v, %v", of, i, x, got)
			}
		}
	}
}

func kindOf[T cusparse.Float]() cusparse.DataType {
	switch any(*new(T)).(type) {
	case float32:
		return cusparse.R32F
	case float64:
		return cusparse.R64F
	case complex64:
		return cusparse.C32F
	}
	return cusparse.C64F
}

func TestVectors(t *testing.T) {
	onBoth(t, func(b *bench) {
		testVectors[int32, float32](b)
		testVectors[int64, float64](b)
		testVectors[int32, complex64](b)
		testVectors[int64, complex128](b)
	})
}

func testVectors[I cusparse.Index, T cusparse.Float](b *bench) {
	const n = 9
	places := []I{1, 4, 8}
	x, y := numbers[T](b.r, len(places)), numbers[T](b.r, n)
	xs, ys := memory(b, x), memory(b, y)
	sparse := kept[*cusparse.SparseVector](b)(cusparse.Sparse(b.device, n, memory(b, places), xs))
	dense := kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, ys))
	kind := kindOf[T]()

	result := make([]uint8, len(cusparse.Scalar(x[0])))
	size, err := b.handle.SpVVBufferSize(b.stream, cusparse.OperationNonTranspose, sparse, dense, result, kind)
	require.NoError(b, err)
	var buffer cuda.Slice[uint8]
	if size > 0 {
		buffer = memory(b, make([]uint8, size))
	}
	require.NoError(b, b.handle.SpVV(b.stream, cusparse.OperationNonTranspose, sparse, dense, result, kind, buffer))
	require.NoError(b, b.stream.Synchronize())
	var sum complex128
	for i, p := range places {
		sum += wide(x[i]) * wide(y[p])
	}
	assert.Equal(b, cusparse.Scalar(narrow[T](sum)), result)

	alpha, beta := number[T](b.r), number[T](b.r)
	require.NoError(b, b.handle.Axpby(b.stream, cusparse.Scalar(alpha), sparse, cusparse.Scalar(beta), dense))
	want := make([]T, n)
	for i := range want {
		want[i] = narrow[T](wide(beta) * wide(y[i]))
	}
	for i, p := range places {
		want[p] = narrow[T](wide(want[p]) + wide(alpha)*wide(x[i]))
	}
	got, err := ys.Download(b.stream)
	require.NoError(b, err)
	assert.Equal(b, want, got)

	require.NoError(b, b.handle.Gather(b.stream, dense, sparse))
	picked, err := xs.Download(b.stream)
	require.NoError(b, err)
	assert.Equal(b, []T{want[1], want[4], want[8]}, picked)
	require.NoError(b, ys.Clear(b.stream))
	require.NoError(b, b.handle.Scatter(b.stream, sparse, dense))
	got, err = ys.Download(b.stream)
	require.NoError(b, err)
	assert.Equal(b, []T{0, picked[0], 0, 0, picked[1], 0, 0, 0, picked[2]}, got)
}

func TestConversions(t *testing.T) {
	onBoth(t, func(b *bench) {
		testConversion[float32](b)
		testConversion[complex128](b)
		offsets, rows := memory(b, []int32{0, 0, 0, 0}), memory(b, []int32{0, 0, 2})
		require.NoError(b, b.handle.Xcoo2csr(b.stream, rows, 3, 3, offsets, cusparse.IndexBaseZero))
		got, err := offsets.Download(b.stream)
		require.NoError(b, err)
		assert.Equal(b, []int32{0, 2, 2, 3}, got)
		back := memory(b, make([]int32, 3))
		require.NoError(b, b.handle.Xcsr2coo(b.stream, offsets, 3, 3, back, cusparse.IndexBaseZero))
		got, err = back.Download(b.stream)
		require.NoError(b, err)
		assert.Equal(b, []int32{0, 0, 2}, got)
	})
}

func testConversion[T cusparse.Float](b *bench) {
	m := random[T](b.r, 4, 5)
	dense := kept[*cusparse.DenseMatrix](b)(cusparse.Matrix(b.device, 4, 5, 5, memory(b, m.v), cusparse.OrderRow))
	offsets := memory(b, make([]int32, 5))
	var none cuda.Slice[int32]
	empty, err := cuda.Alloc[T](b.stream, 0)
	require.NoError(b, err)
	b.Cleanup(func() { assert.NoError(b, empty.Close()) })
	places, err := cuda.Alloc[int32](b.stream, 0)
	require.NoError(b, err)
	b.Cleanup(func() { assert.NoError(b, places.Close()) })
	_, err = cusparse.CSR(b.device, 4, 5, offsets, none, empty.All())
	require.ErrorIs(b, err, cuda.ErrInvalidValue)
	a := kept[*cusparse.SparseMatrix](b)(cusparse.CSR(b.device, 4, 5, offsets, places.All(), empty.All()))
	size, err := b.handle.DenseToSparseBufferSize(b.stream, dense, a, cusparse.DensetosparseAlgDefault)
	require.NoError(b, err)
	var buffer cuda.Slice[uint8]
	if size > 0 {
		buffer = memory(b, make([]uint8, size))
	}
	require.NoError(b, b.handle.DenseToSparseAnalysis(b.stream, dense, a, cusparse.DensetosparseAlgDefault, buffer))

	// How many values there are nothing knows until it is asked for.
	wantOffsets, _, wantColumns, wantValues := compressed[int32](m, false)
	columns, values := memory(b, make([]int32, len(wantValues))), memory(b, make([]T, len(wantValues)))
	require.ErrorIs(b, a.CsrSetPointers(bytesOf(offsets), bytesOf(columns), bytesOf(values)), cuda.ErrShortSlice)
	rows, cols, nnz, err := a.SpMatGetSize()
	require.NoError(b, err)
	assert.Equal(b, []int64{4, 5, int64(len(wantValues))}, []int64{rows, cols, nnz})
	require.ErrorIs(b, a.CsrSetPointers(bytesOf(offsets), bytesOf(columns.Slice(0, columns.Len()-1)), bytesOf(values)), cuda.ErrShortSlice)
	require.NoError(b, a.CsrSetPointers(bytesOf(offsets), bytesOf(columns), bytesOf(values)))
	require.NoError(b, b.handle.DenseToSparseConvert(b.stream, dense, a, cusparse.DensetosparseAlgDefault, buffer))
	for _, one := range []struct {
		want []int32
		got  cuda.Slice[int32]
	}{{wantOffsets, offsets}, {wantColumns, columns}} {
		got, err := one.got.Download(b.stream)
		require.NoError(b, err)
		assert.Equal(b, one.want, got)
	}
	found, err := values.Download(b.stream)
	require.NoError(b, err)
	assert.Equal(b, wantValues, found)

	out := memory(b, numbers[T](b.r, 20))
	other := kept[*cusparse.DenseMatrix](b)(cusparse.Matrix(b.device, 4, 5, 5, out, cusparse.OrderRow))
	size, err = b.handle.SparseToDenseBufferSize(b.stream, a, other, cusparse.SparsetodenseAlgDefault)
	require.NoError(b, err)
	buffer = cuda.Slice[uint8]{}
	if size > 0 {
		buffer = memory(b, make([]uint8, size))
	}
	require.NoError(b, b.handle.SparseToDense(b.stream, a, other, cusparse.SparsetodenseAlgDefault, buffer))
	got, err := out.Download(b.stream)
	require.NoError(b, err)
	assert.Equal(b, m.v, got)
}

func bytesOf[T any](s cuda.Slice[T]) cuda.Slice[uint8] { return cuda.Reinterpret[uint8](s) }

// What does not fit together does not get to cuSPARSE.
func TestMistakes(t *testing.T) {
	onBoth(t, func(b *bench) {
		a := describe[int32](b, random[float32](b.r, 3, 4))["csr"]
		three, four := kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, memory(b, make([]float32, 3)))), kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, memory(b, make([]float32, 4))))
		err := cusparse.SpMV[float32](b.handle, b.stream, cusparse.OperationNonTranspose, 1, a, three, 0, three)
		assert.ErrorContains(b, err, "x has an element for each column of op(A)")
		assert.ErrorContains(b, err, "matA.cols is 4, matA.rows is 3, vecX.size is 3")
		assert.NoError(b, cusparse.SpMV[float32](b.handle, b.stream, cusparse.OperationTranspose, 1, a, three, 0, four))
		_, err = cusparse.CSR(b.device, 3, 4, memory(b, make([]int32, 3)), memory(b, make([]int32, 2)), memory(b, make([]float32, 2)))
		assert.ErrorContains(b, err, "csrRowOffsets has 12 elements, needs 16")
		assert.ErrorIs(b, four.DnVecSetValues(bytesOf(memory(b, make([]float32, 3)))), cuda.ErrShortSlice)

		// Memory of a descriptor must stay open as long as it is used, and may be replaced.
		buffer, err := cuda.Upload(b.stream, []float32{1, 2, 3})
		require.NoError(b, err)
		x := kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, buffer.All()))
		require.NoError(b, buffer.Close())
		require.ErrorIs(b, cusparse.SpMV[float32](b.handle, b.stream, cusparse.OperationTranspose, 1, a, x, 0, four), cuda.ErrClosed)
		require.NoError(b, x.DnVecSetValues(bytesOf(memory(b, []float32{1, 2, 3}))))
		require.NoError(b, cusparse.SpMV[float32](b.handle, b.stream, cusparse.OperationTranspose, 1, a, x, 0, four))
		require.NoError(b, b.stream.Synchronize())
	})
}

// An index beyond a matrix is an error on a simulated device, where it would be a wrong access on a GPU.
func TestIndices(t *testing.T) {
	run(t, simtest.New(t), func(b *bench) {
		a := kept[*cusparse.SparseMatrix](b)(cusparse.CSR(b.device, 2, 2, memory(b, []int32{0, 1, 2}), memory(b, []int32{0, 2}), memory(b, []float32{1, 1})))
		v := kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, memory(b, []float32{1, 1})))
		require.NoError(b, b.stream.Synchronize())
		failing, err := b.device.NewStream() // closing it tells of the error, too
		require.NoError(b, err)
		defer failing.Close()
		require.NoError(b, cusparse.SpMV[float32](b.handle, failing, cusparse.OperationNonTranspose, 1, a, v, 0, v))
		err = failing.Synchronize()
		require.ErrorIs(b, err, cuda.ErrHostFunc)
		assert.ErrorContains(b, err, "value 1 is at row 1 and column 2 of a matrix with 2 rows and 2 columns")
		_, err = cusparse.NewPruneInfo(b.device)
		assert.ErrorIs(b, err, clib.ErrNotSimulated)
	})
}
