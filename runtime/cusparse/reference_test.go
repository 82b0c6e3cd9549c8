package cusparse_test

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// A reference calls functions with random arguments of a size, compares what they make with plain loops, and returns it.
type reference func(b *bench, n int) []complex128

func references[T cusparse.Float]() map[string]reference {
	return map[string]reference{
		"SpMV": spmvOf[T], "SpSM": spsmOf[T], "update": updateOf[T], "SDDMM": sddmmOf[T], "SpGEMM": spgemmOf[T], "SpGEMMreuse": reuseOf[T],
		"Csr2cscEx2": csr2cscOf[T], "nnz": nnzOf[T], "gtsv2": gtsvOf[T], "gtsv2StridedBatch": gtsvBatchOf[T],
	}
}

// Functions make on simulated devices what plain loops do, and on a GPU the same.
func TestReferences(t *testing.T) {
	testReferences(t, references[float32]())
	testReferences(t, references[float64]())
	testReferences(t, references[complex64]())
	testReferences(t, references[complex128]())
	testReferences(t, map[string]reference{"Rot": rotOf[float32]})
	testReferences(t, map[string]reference{"Rot": rotOf[float64]})
}

func testReferences(t *testing.T, list map[string]reference) {
	t.Helper()
	for name, f := range list {
		t.Run(name, func(t *testing.T) {
			var simulated [][]complex128
			all := func(b *bench) (results [][]complex128) {
				for _, n := range []int{1, 2, 3, 8, 37} {
					b.r = rand.New(rand.NewPCG(uint64(n), 1))
					results = append(results, f(b, n))
				}
				return results
			}
			run(t, simtest.New(t), func(b *bench) { simulated = all(b) })
			t.Run("GPU", func(t *testing.T) {
				testenv.Need(t, testenv.GPU)
				d, err := cuda.Open(0)
				require.NoError(t, err)
				t.Cleanup(func() { assert.NoError(t, d.Close()) })
				run(t, d, func(b *bench) {
					for i, found := range all(b) {
						near(b, simulated[i], found, "simulated device and GPU, %s, size %d", name, i)
					}
				})
			})
		})
	}
}

// near compares numbers up to what float32 rounds.
func near(b *bench, want, got []complex128, message string, args ...any) {
	b.Helper()
	require.Len(b, got, len(want), fmt.Sprintf(message, args...))
	for i, v := range want {
		require.LessOrEqual(b, cmplx.Abs(got[i]-v), 1e-4*max(1, cmplx.Abs(v)), "%s, element %d: %v, want %v", fmt.Sprintf(message, args...), i, got[i], v)
	}
}

// found returns elements in the memory of the device.
func found[T cusparse.Float](b *bench, s cuda.Slice[T]) []complex128 {
	b.Helper()
	values, err := s.Download(b.stream)
	require.NoError(b, err)
	return all(values)
}

func all[T cusparse.Float](values []T) []complex128 {
	list := make([]complex128, len(values))
	for i, v := range values {
		list[i] = wide(v)
	}
	return list
}

func one[T cusparse.Float]() []byte { return cusparse.Scalar(narrow[T](1)) }

// room returns memory that nothing has written, or the zero slice.
func room(b *bench, size uint64) cuda.Slice[uint8] {
	b.Helper()
	if size == 0 {
		return cuda.Slice[uint8]{}
	}
	buffer, err := cuda.Alloc[uint8](b.stream, int(size))
	require.NoError(b, err)
	b.Cleanup(func() { assert.NoError(b, buffer.Close()) })
	return buffer.All()
}

// csr describes m, with the memory of its values.
func csr[I cusparse.Index, T cusparse.Float](b *bench, m table[T]) (*cusparse.SparseMatrix, cuda.Slice[T]) {
	b.Helper()
	offsets, _, columns, values := compressed[I](m, false)
	memoryOf := memory(b, values)
	return kept[*cusparse.SparseMatrix](b)(cusparse.CSR(b.device, m.rows, m.cols, memory(b, offsets), memory(b, columns), memoryOf)), memoryOf
}

// dense describes a matrix with ld elements between columns, or rows.
func dense[T cusparse.Float](b *bench, m table[T], order cusparse.Order) (*cusparse.DenseMatrix, cuda.Slice[T], func(i, j int) int) {
	b.Helper()
	ld, lines := m.rows+1, m.cols
	if order == cusparse.OrderRow {
		ld, lines = m.cols+1, m.rows
	}
	place := func(i, j int) int {
		if order == cusparse.OrderRow {
			return i*ld + j
		}
		return j*ld + i
	}
	values := numbers[T](b.r, ld*lines)
	for i := range m.rows {
		for j := range m.cols {
			values[place(i, j)] = m.v[i*m.cols+j]
		}
	}
	s := memory(b, values)
	return kept[*cusparse.DenseMatrix](b)(cusparse.Matrix(b.device, m.rows, m.cols, ld, s, order)), s, place
}

func full[T cusparse.Float](b *bench, rows, cols int) table[T] {
	return table[T]{rows, cols, numbers[T](b.r, rows*cols)}
}

// spmvOf multiplies by a matrix whose indices count from 1, with scalars in the memory of the device.
func spmvOf[T cusparse.Float](b *bench, n int) []complex128 {
	m, x, y, alpha, beta := random[T](b.r, n, n+2), numbers[T](b.r, n+2), numbers[T](b.r, n), number[T](b.r), number[T](b.r)
	offsets, _, columns, values := compressed[int64](m, false)
	for _, list := range [][]int64{offsets, columns} {
		for i := range list {
			list[i]++
		}
	}
	a := kept[*cusparse.SparseMatrix](b)(cusparse.NewCsr(b.device, int64(n), int64(n+2), int64(len(values)), bytesOf(memory(b, offsets)), bytesOf(memory(b, columns)),
		bytesOf(memory(b, values)), cusparse.Index64I, cusparse.Index64I, cusparse.IndexBaseOne, kindOf[T]()))
	out, vector := memory(b, y), kept[*cusparse.DenseVector](b)
	from, to := vector(cusparse.Vector(b.device, memory(b, x))), vector(cusparse.Vector(b.device, out))
	factor, keep := bytesOf(memory(b, []T{alpha})), bytesOf(memory(b, []T{beta}))
	size, err := b.handle.SpMVBufferSizeDevice(b.stream, cusparse.OperationNonTranspose, factor, a, from, keep, to, kindOf[T](), cusparse.SpmvAlgDefault)
	require.NoError(b, err)
	require.NoError(b, b.handle.SpMVDevice(b.stream, cusparse.OperationNonTranspose, factor, a, from, keep, to, kindOf[T](), cusparse.SpmvAlgDefault, room(b, size)))
	want := make([]complex128, n)
	for i := range want {
		want[i] = wide(beta) * wide(y[i])
		for j := range n + 2 {
			want[i] += wide(alpha) * m.at(cusparse.OperationNonTranspose, i, j) * wide(x[j])
		}
	}
	got := found(b, out)
	near(b, want, got, "SpMV of %T, %d rows", *new(T), n)
	return got
}

// triangle returns a matrix that has all its diagonal, and the values of which are small beside it.
func triangle[T cusparse.Float](b *bench, n int) table[T] {
	m := random[T](b.r, n, n)
	for i := range m.v {
		m.v[i] /= narrow[T](complex(float64(16*n), 0))
	}
	for i := range n {
		m.v[i*n+i] = narrow[T](complex(float64(1+b.r.IntN(3)), 0))
	}
	return m
}

// half returns one triangle of op(m), with the diagonal 1 if unit.
func half[T cusparse.Float](m table[T], op cusparse.Operation, fill cusparse.FillMode, unit bool) table[complex128] {
	h := table[complex128]{m.rows, m.cols, make([]complex128, len(m.v))}
	for i := range m.rows {
		for j := range m.cols {
			lower := i > j
			if op != cusparse.OperationNonTranspose {
				lower = i < j
			}
			switch {
			case i == j && unit:
				h.v[i*m.cols+j] = 1
			case i == j || lower == (fill == cusparse.FillModeLower):
				h.v[i*m.cols+j] = m.at(op, i, j)
			}
		}
	}
	return h
}

func attributes(b *bench, a *cusparse.SparseMatrix, fill cusparse.FillMode, diag cusparse.DiagType) {
	b.Helper()
	require.NoError(b, a.SpMatSetAttribute(cusparse.SpmatFillMode, cusparse.Scalar(fill), 4))
	require.NoError(b, a.SpMatSetAttribute(cusparse.SpmatDiagType, cusparse.Scalar(diag), 4))
}

func spsmOf[T cusparse.Float](b *bench, n int) (results []complex128) {
	const columns = 3
	for _, op := range operations[T]() {
		for _, fill := range []cusparse.FillMode{cusparse.FillModeLower, cusparse.FillModeUpper} {
			for _, opB := range []cusparse.Operation{cusparse.OperationNonTranspose, cusparse.OperationTranspose} {
				for _, order := range []cusparse.Order{cusparse.OrderCol, cusparse.OrderRow} {
					diag := cusparse.DiagType(b.r.IntN(2))
					of := fmt.Sprintf("SpSM of %T, %d rows, %v %v %v %v %v", *new(T), n, op, fill, opB, order, diag)
					m, right := triangle[T](b, n), full[T](b, n, columns)
					if opB == cusparse.OperationTranspose {
						right = full[T](b, columns, n)
					}
					a, _ := csr[int32](b, m)
					attributes(b, a, fill, diag)
					from, _, _ := dense(b, right, order)
					to, out, place := dense(b, full[T](b, n, columns), order)
					before := found(b, out)
					state := kept[*cusparse.SpSMState](b)(cusparse.NewSpSMState(b.device))
					size, err := b.handle.SpSMBufferSize(b.stream, op, opB, one[T](), a, from, to, kindOf[T](), cusparse.SpsmAlgDefault, state)
					require.NoError(b, err, of)
					require.NoError(b, b.handle.SpSMAnalysis(b.stream, op, opB, one[T](), a, from, to, kindOf[T](), cusparse.SpsmAlgDefault, state, room(b, size)), of)
					require.NoError(b, b.handle.SpSMSolve(b.stream, op, opB, one[T](), a, from, to, kindOf[T](), cusparse.SpsmAlgDefault, state), of)
					got := found(b, out)
					h := half(m, op, fill, diag == cusparse.DiagTypeUnit)
					for j := range columns {
						var sums, want []complex128
						for i := range n {
							var sum complex128
							for k := range n {
								sum += h.v[i*n+k] * got[place(k, j)]
							}
							sums, want = append(sums, sum), append(want, right.at(opB, i, j))
						}
						near(b, want, sums, "%s, column %d", of, j)
					}
					used := make([]bool, len(got))
					for i := range n {
						for j := range columns {
							used[place(i, j)] = true
							results = append(results, got[place(i, j)])
						}
					}
					for i, v := range before {
						require.True(b, used[i] || got[i] == v, "%s: element %d is not of the matrix", of, i)
					}
				}
			}
		}
	}
	return results
}

// updateOf solves with values that were replaced after the analysis: all of them, and those of the diagonal.
func updateOf[T cusparse.Float](b *bench, n int) []complex128 {
	m, x := triangle[T](b, n), numbers[T](b.r, n)
	a, values := csr[int32](b, m)
	attributes(b, a, cusparse.FillModeLower, cusparse.DiagTypeNonUnit)
	out, vector, op := memory(b, make([]T, n)), kept[*cusparse.DenseVector](b), cusparse.OperationNonTranspose
	from, to := vector(cusparse.Vector(b.device, memory(b, x))), vector(cusparse.Vector(b.device, out))
	state := kept[*cusparse.SpSVState](b)(cusparse.NewSpSVState(b.device))
	require.ErrorIs(b, b.handle.SpSVUpdateMatrix(b.stream, state, bytesOf(values), cusparse.SpsvUpdateGeneral), cuda.ErrShortSlice)
	size, err := b.handle.SpSVBufferSize(b.stream, op, one[T](), a, from, to, kindOf[T](), cusparse.SpsvAlgDefault, state)
	require.NoError(b, err)
	require.NoError(b, b.handle.SpSVAnalysis(b.stream, op, one[T](), a, from, to, kindOf[T](), cusparse.SpsvAlgDefault, state, room(b, size)))
	var results []complex128
	for _, part := range []cusparse.SpSVUpdate{cusparse.SpsvUpdateGeneral, cusparse.SpsvUpdateDiagonal} {
		changed := m
		changed.v = append([]T(nil), m.v...)
		for i, v := range changed.v {
			if part == cusparse.SpsvUpdateGeneral || i%(n+1) == 0 {
				changed.v[i] = v + v
			}
		}
		_, _, _, stored := compressed[int32](changed, false)
		news := stored
		if part == cusparse.SpsvUpdateDiagonal {
			news = nil
			for i := range n {
				news = append(news, changed.v[i*n+i])
			}
		}
		require.NoError(b, values.CopyFrom(b.stream, stored))
		given := bytesOf(memory(b, news))
		require.ErrorIs(b, b.handle.SpSVUpdateMatrix(b.stream, state, given.Slice(0, given.Len()-1), part), cuda.ErrShortSlice)
		require.NoError(b, b.handle.SpSVUpdateMatrix(b.stream, state, given, part))
		require.NoError(b, b.handle.SpSVSolve(b.stream, op, one[T](), a, from, to, kindOf[T](), cusparse.SpsvAlgDefault, state))
		got, h := found(b, out), half(changed, op, cusparse.FillModeLower, false)
		sums := make([]complex128, n)
		for i := range n {
			for k := range n {
				sums[i] += h.v[i*n+k] * got[k]
			}
		}
		near(b, all(x), sums, "%v of %T, %d rows", part, *new(T), n)
		results, m = append(results, got...), changed
	}
	return results
}

func sddmmOf[T cusparse.Float](b *bench, n int) (results []complex128) {
	inner := 4
	for _, opA := range operations[T]()[:2] {
		for _, opB := range operations[T]()[:2] {
			for _, beta := range []T{0, 3} {
				of := fmt.Sprintf("SDDMM of %T, %d rows, %v %v, beta %v", *new(T), n, opA, opB, beta)
				shape := func(op cusparse.Operation, rows, cols int) table[T] {
					if op == cusparse.OperationTranspose {
						rows, cols = cols, rows
					}
					return full[T](b, rows, cols)
				}
				left, right, m, alpha := shape(opA, n, inner), shape(opB, inner, n+1), random[T](b.r, n, n+1), number[T](b.r)
				from, _, _ := dense(b, left, cusparse.OrderRow)
				with, _, _ := dense(b, right, cusparse.OrderCol)
				to, out := csr[int32](b, m)
				factor, keep := cusparse.Scalar(alpha), cusparse.Scalar(beta)
				size, err := b.handle.SDDMMBufferSize(b.stream, opA, opB, factor, from, with, keep, to, kindOf[T](), cusparse.SddmmAlgDefault)
				require.NoError(b, err, of)
				buffer := room(b, size)
				require.NoError(b, b.handle.SDDMMPreprocess(b.stream, opA, opB, factor, from, with, keep, to, kindOf[T](), cusparse.SddmmAlgDefault, buffer), of)
				require.NoError(b, b.handle.SDDMM(b.stream, opA, opB, factor, from, with, keep, to, kindOf[T](), cusparse.SddmmAlgDefault, buffer), of)
				var want []complex128
				for i := range n {
					for j := range n + 1 {
						v := wide(m.v[i*(n+1)+j])
						if v == 0 {
							continue
						}
						v *= wide(beta)
						for k := range inner {
							v += wide(alpha) * left.at(opA, i, k) * right.at(opB, k, j)
						}
						want = append(want, v)
					}
				}
				got := found(b, out)
				near(b, want, got, "%s", of)
				results = append(results, got...)
			}
		}
	}
	return results
}

// A multiplication is A B, all of whose places are known by plain loops.
type multiplication[T cusparse.Float] struct {
	left, right *cusparse.SparseMatrix
	to          *cusparse.SparseMatrix
	offsets     cuda.Slice[int32]
	state       *cusparse.SpGEMMState
	product     [][]complex128
	places      [][]bool
	count       int // of the places
}

func multiply[T cusparse.Float](b *bench, n int) *multiplication[T] {
	b.Helper()
	left, right := random[T](b.r, n, n+1), random[T](b.r, n+1, n+2)
	left.v[0], right.v[0] = 1, 1 // one place at least
	m := &multiplication[T]{offsets: memory(b, make([]int32, n+1)), state: kept[*cusparse.SpGEMMState](b)(cusparse.NewSpGEMMState(b.device))}
	m.left, _ = csr[int32](b, left)
	m.right, _ = csr[int32](b, right)
	m.to = kept[*cusparse.SparseMatrix](b)(cusparse.CSR(b.device, n, n+2, m.offsets, memory(b, []int32{}), memory(b, []T{})))
	for i := range n {
		m.product, m.places = append(m.product, make([]complex128, n+2)), append(m.places, make([]bool, n+2))
		for j := range n + 2 {
			for k := range n + 1 {
				x, y := left.v[i*(n+1)+k], right.v[k*(n+2)+j]
				m.product[i][j] += wide(x) * wide(y)
				m.places[i][j] = m.places[i][j] || x != 0 && y != 0
			}
			if m.places[i][j] {
				m.count++
			}
		}
	}
	return m
}

// room gives C memory for its values, all of which are v.
func (m *multiplication[T]) room(b *bench, v T) (columns cuda.Slice[int32], values cuda.Slice[T]) {
	b.Helper()
	_, _, nnz, err := m.to.SpMatGetSize()
	require.NoError(b, err)
	require.EqualValues(b, m.count, nnz)
	filled := make([]T, nnz)
	for i := range filled {
		filled[i] = v
	}
	columns, values = memory(b, make([]int32, nnz)), memory(b, filled)
	require.NoError(b, m.to.CsrSetPointers(bytesOf(m.offsets), bytesOf(columns), bytesOf(values)))
	return columns, values
}

// check compares C with alpha A B + more, and returns it with zeros where it has no values.
func (m *multiplication[T]) check(b *bench, columns cuda.Slice[int32], values cuda.Slice[T], alpha, more complex128, of string) (results []complex128) {
	b.Helper()
	offsets, err := m.offsets.Download(b.stream)
	require.NoError(b, err)
	places, err := columns.Download(b.stream)
	require.NoError(b, err)
	got := found(b, values)
	require.EqualValues(b, []int32{0, int32(len(got))}, []int32{offsets[0], offsets[len(offsets)-1]}, of)
	for i, row := range m.product {
		line, there := make([]complex128, len(row)), make([]bool, len(row))
		for at := offsets[i]; at < offsets[i+1]; at++ {
			line[places[at]], there[places[at]] = got[at], true
		}
		require.Equal(b, m.places[i], there, "%s, row %d", of, i)
		want := make([]complex128, len(row))
		for j, v := range row {
			if there[j] {
				want[j] = alpha*v + more
			}
		}
		near(b, want, line, "%s, row %d", of, i)
		results = append(results, line...)
	}
	return results
}

func spgemmOf[T cusparse.Float](b *bench, n int) []complex128 {
	m, op, alg := multiply[T](b, n), cusparse.OperationNonTranspose, cusparse.SpgemmDefault
	alpha, beta := cusparse.Scalar(narrow[T](2)), cusparse.Scalar(narrow[T](3))
	var size uint64
	require.NoError(b, b.handle.SpGEMMWorkEstimation(b.stream, op, op, alpha, m.left, m.right, beta, m.to, kindOf[T](), alg, m.state, &size, cuda.Slice[uint8]{}))
	require.NoError(b, b.handle.SpGEMMWorkEstimation(b.stream, op, op, alpha, m.left, m.right, beta, m.to, kindOf[T](), alg, m.state, &size, room(b, max(1, size))))
	require.NoError(b, b.handle.SpGEMMCompute(b.stream, op, op, alpha, m.left, m.right, beta, m.to, kindOf[T](), alg, m.state, &size, cuda.Slice[uint8]{}))
	require.NoError(b, b.handle.SpGEMMCompute(b.stream, op, op, alpha, m.left, m.right, beta, m.to, kindOf[T](), alg, m.state, &size, room(b, max(1, size))))
	columns, values := m.room(b, narrow[T](5))
	require.NoError(b, b.handle.SpGEMMCopy(b.stream, op, op, alpha, m.left, m.right, beta, m.to, kindOf[T](), alg, m.state))
	return m.check(b, columns, values, 2, 15, fmt.Sprintf("SpGEMM of %T, %d rows", *new(T), n))
}

// reuseOf multiplies twice. Buffers that a later function reads cannot be closed before.
func reuseOf[T cusparse.Float](b *bench, n int) []complex128 {
	m, op, alg := multiply[T](b, n), cusparse.OperationNonTranspose, cusparse.SpgemmDefault
	of := fmt.Sprintf("SpGEMMreuse of %T, %d rows", *new(T), n)
	var none cuda.Slice[uint8]
	var sizes [5]uint64
	var buffers [5]*cuda.Buffer[uint8]
	allocate := func(i int) cuda.Slice[uint8] {
		var err error
		buffers[i], err = cuda.Alloc[uint8](b.stream, int(max(1, sizes[i])))
		require.NoError(b, err)
		b.Cleanup(func() { assert.NoError(b, buffers[i].Close()) })
		return buffers[i].All()
	}
	estimate := func(buffer cuda.Slice[uint8]) error {
		return b.handle.SpGEMMreuseWorkEstimation(b.stream, op, op, m.left, m.right, m.to, alg, m.state, &sizes[0], buffer)
	}
	count := func(two, three, four cuda.Slice[uint8]) error {
		return b.handle.SpGEMMreuseNnz(b.stream, op, op, m.left, m.right, m.to, alg, m.state, &sizes[1], two, &sizes[2], three, &sizes[3], four)
	}
	copied := func(buffer cuda.Slice[uint8]) error {
		return b.handle.SpGEMMreuseCopy(b.stream, op, op, m.left, m.right, m.to, alg, m.state, &sizes[4], buffer)
	}
	compute := func(alpha, beta T) error {
		return b.handle.SpGEMMreuseCompute(b.stream, op, op, cusparse.Scalar(alpha), m.left, m.right, cusparse.Scalar(beta), m.to, kindOf[T](), alg, m.state)
	}
	require.NoError(b, estimate(none), of)
	early := room(b, max(1, sizes[0]))
	require.NoError(b, estimate(early), of)
	require.NoError(b, estimate(allocate(0)), of)
	require.NoError(b, count(none, none, none), of)
	require.NoError(b, count(allocate(1), allocate(2), allocate(3)), of)
	require.NoError(b, buffers[1].Close())
	require.NoError(b, buffers[0].Close())
	require.ErrorIs(b, count(none, none, none), cuda.ErrClosed, of) // it reads the first buffer
	columns, values := m.room(b, 0)
	require.NoError(b, copied(none), of)
	require.NoError(b, copied(allocate(4)), of)
	require.NoError(b, compute(2, 0), of)
	results := m.check(b, columns, values, 2, 0, of)
	require.NoError(b, compute(3, 1), of)
	results = append(results, m.check(b, columns, values, 5, 0, of)...)
	require.NoError(b, buffers[3].Close())
	require.ErrorIs(b, compute(1, 0), cuda.ErrClosed, of)
	return results
}

func csr2cscOf[T cusparse.Float](b *bench, n int) (results []complex128) {
	m := random[T](b.r, n, n+1)
	m.v[0] = 1
	for _, base := range []cusparse.IndexBase{cusparse.IndexBaseZero, cusparse.IndexBaseOne} {
		offsets, _, columns, values := compressed[int32](m, false)
		wantOffsets, _, wantRows, wantValues := compressed[int32](m, true)
		for _, list := range [][]int32{offsets, columns, wantOffsets, wantRows} {
			for i := range list {
				list[i] += int32(base)
			}
		}
		count := len(values)
		from, at, places := bytesOf(memory(b, values)), memory(b, offsets), memory(b, columns)
		made, toOffsets, toRows := memory(b, make([]T, count)), memory(b, make([]int32, n+2)), memory(b, make([]int32, count))
		size, err := b.handle.Csr2cscEx2BufferSize(b.stream, int32(n), int32(n+1), int32(count), from, at, places, bytesOf(made), toOffsets, toRows, kindOf[T](), cusparse.ActionNumeric, base, cusparse.CSR2CSCAlg1)
		require.NoError(b, err)
		require.NoError(b, b.handle.Csr2cscEx2(b.stream, int32(n), int32(n+1), int32(count), from, at, places, bytesOf(made), toOffsets, toRows, kindOf[T](), cusparse.ActionNumeric, base, cusparse.CSR2CSCAlg1, room(b, size)))
		for _, one := range []struct {
			want []int32
			got  cuda.Slice[int32]
		}{{wantOffsets, toOffsets}, {wantRows, toRows}} {
			got, err := one.got.Download(b.stream)
			require.NoError(b, err)
			require.Equal(b, one.want, got)
		}
		near(b, all(wantValues), found(b, made), "Csr2cscEx2 of %T, %d rows, base %v", *new(T), n, base)
		results = append(results, found(b, made)...)
	}
	return results
}

// counting is nnz of T.
func counting[T cusparse.Float](b *bench, dir cusparse.Direction, m, n int32, of *cusparse.Description, a cuda.Slice[T], lda int32, per cuda.Slice[int32]) (int32, error) {
	switch a := any(a).(type) {
	case cuda.Slice[float32]:
		return b.handle.Snnz(b.stream, dir, m, n, of, a, lda, per)
	case cuda.Slice[float64]:
		return b.handle.Dnnz(b.stream, dir, m, n, of, a, lda, per)
	case cuda.Slice[complex64]:
		return b.handle.Cnnz(b.stream, dir, m, n, of, a, lda, per)
	}
	return b.handle.Znnz(b.stream, dir, m, n, of, any(a).(cuda.Slice[complex128]), lda, per)
}

func nnzOf[T cusparse.Float](b *bench, n int) (results []complex128) {
	m, of := random[T](b.r, n, n+2), kept[*cusparse.Description](b)(cusparse.NewDescription(b.device))
	_, values, _ := dense(b, m, cusparse.OrderCol)
	for dir, lines := range map[cusparse.Direction]int{cusparse.DirectionRow: n, cusparse.DirectionColumn: n + 2} {
		per := memory(b, make([]int32, lines))
		total, err := counting(b, dir, int32(n), int32(n+2), of, values, int32(n+1), per)
		require.NoError(b, err)
		want, sum := make([]int32, lines), int32(0)
		for i, v := range m.v {
			if v != 0 {
				sum++
				if dir == cusparse.DirectionRow {
					want[i/(n+2)]++
				} else {
					want[i%(n+2)]++
				}
			}
		}
		got, err := per.Download(b.stream)
		require.NoError(b, err)
		require.Equal(b, want, got)
		require.Equal(b, sum, total)
		results = append(results[:0], complex(float64(total), 0)) // the same in both directions
	}
	return results
}

// A gtsv is the functions of T that solve systems with three diagonals.
type gtsv[T cusparse.Float] struct {
	size, nopivotSize func(s *cuda.Stream, m, n int32, dl, d, du, b cuda.Slice[T], ldb int32) (uint64, error)
	solve, nopivot    func(s *cuda.Stream, m, n int32, dl, d, du, b cuda.Slice[T], ldb int32, buffer cuda.Slice[uint8]) error
	batchSize         func(s *cuda.Stream, m int32, dl, d, du, x cuda.Slice[T], count, stride int32) (uint64, error)
	batch             func(s *cuda.Stream, m int32, dl, d, du, x cuda.Slice[T], count, stride int32, buffer cuda.Slice[uint8]) error
}

func gtsvs[T cusparse.Float](h *cusparse.Handle) gtsv[T] {
	for _, one := range []any{
		gtsv[float32]{h.Sgtsv2BufferSizeExt, h.Sgtsv2NopivotBufferSizeExt, h.Sgtsv2, h.Sgtsv2Nopivot, h.Sgtsv2StridedBatchBufferSizeExt, h.Sgtsv2StridedBatch},
		gtsv[float64]{h.Dgtsv2BufferSizeExt, h.Dgtsv2NopivotBufferSizeExt, h.Dgtsv2, h.Dgtsv2Nopivot, h.Dgtsv2StridedBatchBufferSizeExt, h.Dgtsv2StridedBatch},
		gtsv[complex64]{h.Cgtsv2BufferSizeExt, h.Cgtsv2NopivotBufferSizeExt, h.Cgtsv2, h.Cgtsv2Nopivot, h.Cgtsv2StridedBatchBufferSizeExt, h.Cgtsv2StridedBatch},
	} {
		if f, ok := one.(gtsv[T]); ok {
			return f
		}
	}
	return any(gtsv[complex128]{h.Zgtsv2BufferSizeExt, h.Zgtsv2NopivotBufferSizeExt, h.Zgtsv2, h.Zgtsv2Nopivot, h.Zgtsv2StridedBatchBufferSizeExt, h.Zgtsv2StridedBatch}).(gtsv[T])
}

// diagonals returns three of them, with stride elements from one system to the next. The systems need pivots, or not.
func diagonals[T cusparse.Float](b *bench, m, stride, count int, pivots bool) (dl, d, du []T) {
	dl, d, du = numbers[T](b.r, stride*count), numbers[T](b.r, stride*count), numbers[T](b.r, stride*count)
	for i := range d {
		if pivots {
			dl[i], d[i], du[i] = narrow[T](40), narrow[T](2), narrow[T](40)
		} else {
			d[i] += narrow[T](40)
		}
		if i%stride == 0 {
			dl[i] = 0
		}
		if i%stride == m-1 {
			du[i] = 0
		}
	}
	return dl, d, du
}

// back multiplies by three diagonals.
func back[T cusparse.Float](dl, d, du []T, x []complex128) []complex128 {
	right := make([]complex128, len(x))
	for i := range x {
		right[i] = wide(d[i]) * x[i]
		if i > 0 {
			right[i] += wide(dl[i]) * x[i-1]
		}
		if i+1 < len(x) {
			right[i] += wide(du[i]) * x[i+1]
		}
	}
	return right
}

func gtsvOf[T cusparse.Float](b *bench, n int) (results []complex128) {
	f, m, ld := gtsvs[T](b.handle), n+2, n+4
	const sides = 2
	for _, pivot := range []bool{true, false} {
		dl, d, du := diagonals[T](b, m, m, 1, pivot)
		low, middle, high := memory(b, dl), memory(b, d), memory(b, du)
		// Systems of two equations are refused by what solves them, not by what tells the size.
		small, err := f.nopivotSize(b.stream, 2, 1, low, middle, high, middle, 2)
		require.NoError(b, err)
		require.ErrorIs(b, f.nopivot(b.stream, 2, 1, low, middle, high, middle, 2, room(b, small)), cusparse.StatusInvalidValue)
		_, err = f.batchSize(b.stream, 2, low, middle, high, middle, 1, 2)
		require.ErrorIs(b, err, cusparse.StatusInvalidValue)
		sizeOf, solve := f.size, f.solve
		if !pivot {
			sizeOf, solve = f.nopivotSize, f.nopivot
		}
		given := numbers[T](b.r, ld*sides)
		x := memory(b, given)
		size, err := sizeOf(b.stream, int32(m), sides, low, middle, high, x, int32(ld))
		require.NoError(b, err)
		require.NoError(b, solve(b.stream, int32(m), sides, low, middle, high, x, int32(ld), room(b, size)))
		got := found(b, x)
		for j := range sides {
			column := got[j*ld : j*ld+m]
			near(b, all(given[j*ld:j*ld+m]), back(dl, d, du, column), "gtsv2 of %T, %d rows, pivot %v", *new(T), m, pivot)
			near(b, all(given[j*ld+m:(j+1)*ld]), got[j*ld+m:(j+1)*ld], "behind column %d", j)
			results = append(results, column...)
		}
	}
	return results
}

func gtsvBatchOf[T cusparse.Float](b *bench, n int) (results []complex128) {
	f, m, stride := gtsvs[T](b.handle), n+2, n+5
	const count = 3
	dl, d, du := diagonals[T](b, m, stride, count, false)
	low, middle, high, given := memory(b, dl), memory(b, d), memory(b, du), numbers[T](b.r, stride*count)
	x := memory(b, given)
	size, err := f.batchSize(b.stream, int32(m), low, middle, high, x, count, int32(stride))
	require.NoError(b, err)
	require.NoError(b, f.batch(b.stream, int32(m), low, middle, high, x, count, int32(stride), room(b, size)))
	got := found(b, x)
	for j := range count {
		at, end, next := j*stride, j*stride+m, (j+1)*stride
		near(b, all(given[at:end]), back(dl[at:end], d[at:end], du[at:end], got[at:end]), "gtsv2StridedBatch of %T, %d rows", *new(T), m)
		near(b, all(given[end:next]), got[end:next], "behind system %d", j)
		results = append(results, got[at:end]...)
	}
	return results
}

func rotOf[T float32 | float64](b *bench, n int) []complex128 {
	places := make([]int32, 0, n)
	for i := range n {
		places = append(places, int32(2*i+1))
	}
	x, y := numbers[T](b.r, n), numbers[T](b.r, 2*n)
	xs, ys := memory(b, x), memory(b, y)
	sparse := kept[*cusparse.SparseVector](b)(cusparse.Sparse(b.device, 2*n, memory(b, places), xs))
	vector := kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, ys))
	c, s := T(3), T(2)
	require.NoError(b, b.handle.Rot(b.stream, cusparse.Scalar(c), cusparse.Scalar(s), sparse, vector))
	for i, p := range places {
		x[i], y[p] = c*x[i]+s*y[p], c*y[p]-s*x[i]
	}
	got := append(found(b, xs), found(b, ys)...)
	near(b, append(all(x), all(y)...), got, "Rot of %T, %d", *new(T), n)
	return got
}

// Values that change between an analysis and a solution are an error on a simulated device, where a GPU may use those of before.
func TestChanges(t *testing.T) {
	run(t, simtest.New(t), func(b *bench) {
		a, values := csr[int32](b, table[float32]{2, 2, []float32{1, 0, 1, 1}})
		attributes(b, a, cusparse.FillModeLower, cusparse.DiagTypeNonUnit)
		v := kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, memory(b, []float32{1, 1})))
		state := kept[*cusparse.SpSVState](b)(cusparse.NewSpSVState(b.device))
		buffer := room(b, 8)
		failing, err := b.device.NewStream()
		require.NoError(b, err)
		defer failing.Close()
		op := cusparse.OperationNonTranspose
		require.NoError(b, b.stream.Synchronize())
		require.NoError(b, b.handle.SpSVAnalysis(failing, op, one[float32](), a, v, v, cusparse.R32F, cusparse.SpsvAlgDefault, state, buffer))
		require.NoError(b, values.CopyFrom(failing, []float32{2, 2, 2}))
		require.NoError(b, b.handle.SpSVSolve(failing, op, one[float32](), a, v, v, cusparse.R32F, cusparse.SpsvAlgDefault, state))
		assert.ErrorContains(b, failing.Synchronize(), "values of the matrix have changed since the analysis")
	})
}
