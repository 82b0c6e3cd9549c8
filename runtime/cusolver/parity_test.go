package cusolver_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// pair returns a simulated device, and the GPU.
func pair(t *testing.T) (simulated, gpu *bench) {
	t.Helper()
	testenv.Need(t, testenv.GPU)
	d, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	return newBench(t, simtest.New(t)), newBench(t, d)
}

// What is unique is the same on simulated devices as on a GPU: factors, pivots, infos, eigenvalues and singular values.
func TestParity(t *testing.T) {
	simulated, gpu := pair(t)
	testParity[float32, float32](simulated, gpu)
	testParity[float64, float64](simulated, gpu)
	testParity[complex64, float32](simulated, gpu)
	testParity[complex128, float64](simulated, gpu)
}

func testParity[T cusolver.Float, R cusolver.Real](simulated, gpu *bench) {
	simulated.Helper()
	for _, shape := range [][2]int{{1, 1}, {3, 2}, {2, 3}, {8, 8}, {33, 20}, {65, 65}} {
		for _, rank := range []int{min(shape[0], shape[1]), min(shape[0], shape[1]) / 2} { // the second one has no factors
			for name, f := range map[string]func(b *bench, m, n, rank int) dense{
				"getrf": luOf[T], "potrf": choleskyOf[T], "geqrf": qrOf[T], "syevd": eigenOf[T, R], "gesvd": singularOf[T, R],
			} {
				of := fmt.Sprintf("%s of %T, %v, rank %d", name, *new(T), shape, rank)
				var results []dense
				for _, b := range []*bench{simulated, gpu} {
					b.r = rand.New(rand.NewPCG(uint64(shape[0]), uint64(rank)))
					results = append(results, f(b, shape[0], shape[1], rank))
				}
				same[T](simulated, results[1], results[0], of)
			}
		}
	}
}

// pieces returns numbers of integers as a matrix, and behind them those of m.
func pieces(b *bench, integers cuda.Slice[int32], m dense) dense {
	b.Helper()
	list, err := integers.Download(b.stream)
	require.NoError(b, err)
	all := dense{1, len(list) + len(m.v), nil}
	for _, v := range list {
		all.v = append(all.v, complex(float64(v), 0))
	}
	all.v = append(all.v, m.v...)
	return all
}

// ranked returns a random matrix of which the columns behind rank are 0.
func ranked[T cusolver.Float](b *bench, m, n, rank int) dense {
	a := random[T](b, m, n)
	clear(a.v[m*rank:])
	return a
}

func luOf[T cusolver.Float](b *bench, m, n, rank int) dense {
	x, k := upload[T](b, ranked[T](b, m, n, rank), m+1), min(m, n)
	integers := memory[int32](b.T, b.stream, k+1)
	require.NoError(b, cusolver.Getrf(b.handle, b.stream, m, n, x, m+1, integers.Slice(0, k), integers.Slice(k, k+1)))
	if cusolver.Check(b.stream, integers.Slice(k, k+1)) != nil {
		return pieces(b, integers.Slice(k, k+1), zeros(0, 0)) // a GPU may divide by the pivot that is 0
	}
	return pieces(b, integers, download(b, x, m, n, m+1))
}

func choleskyOf[T cusolver.Float](b *bench, n, _, rank int) dense {
	info := memory[int32](b.T, b.stream, 1)
	a := random[T](b, n, n)
	a = a.times(a.adjoint())
	for i := range n {
		if *a.at(i, i) += 1; i >= rank && rank < n/2 {
			*a.at(i, i) = -1
		}
	}
	x := upload[T](b, a, n+1)
	require.NoError(b, cusolver.Potrf(b.handle, b.stream, cusolver.FillModeLower, n, x, n+1, info))
	factor := other(download(b, x, n, n, n+1), cusolver.FillModeLower, 0)
	if cusolver.Check(b.stream, info) != nil {
		factor = zeros(0, 0) // what is there then is not defined
	}
	return pieces(b, info, factor)
}

func qrOf[T cusolver.Float](b *bench, m, n, _ int) dense {
	x, k, info := upload[T](b, random[T](b, m, n), m+1), min(m, n), memory[int32](b.T, b.stream, 1)
	tau := memory[T](b.T, b.stream, k)
	require.NoError(b, cusolver.Geqrf(b.handle, b.stream, m, n, x, m+1, tau, info))
	made := download(b, x, m, n, m+1)
	return pieces(b, info, dense{1, 0, append(made.v, download(b, tau, k, 1, k).v...)})
}

func eigenOf[T cusolver.Float, R cusolver.Real](b *bench, n, _, rank int) dense {
	a := ranked[T](b, n, n, min(rank, n))
	x, w, info := upload[T](b, a.times(a.adjoint()), n), memory[R](b.T, b.stream, n), memory[int32](b.T, b.stream, 1)
	require.NoError(b, cusolver.Syevd(b.handle, b.stream, cusolver.EigModeNoVector, cusolver.FillModeUpper, n, x, n, w, info))
	return pieces(b, info, realsOf(reals(b, w, n)))
}

func singularOf[T cusolver.Float, R cusolver.Real](b *bench, m, n, rank int) dense {
	m, n = max(m, n), min(m, n)
	x, w, info := upload[T](b, ranked[T](b, m, n, rank), m), memory[R](b.T, b.stream, n), memory[int32](b.T, b.stream, 1)
	require.NoError(b, cusolver.Gesvd(b.handle, b.stream, 'N', 'N', m, n, x, m, w, cuda.Slice[T]{}, m, cuda.Slice[T]{}, n, info))
	return pieces(b, info, realsOf(reals(b, w, n)))
}

func realsOf(values []float64) dense {
	a := zeros(1, len(values))
	for i, v := range values {
		a.v[i] = complex(v, 0)
	}
	return a
}

// What is refused does not get to cuSOLVER, which would access memory beyond matrices, or has the same status on simulated devices.
func TestRefusals(t *testing.T) {
	simulated, gpu := pair(t)
	for name, f := range map[string]func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error{
		"potrf n": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Potrf(b.handle, b.stream, cusolver.FillModeLower, -1, x, 3, i)
		},
		"potrf lda": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Potrf(b.handle, b.stream, cusolver.FillModeLower, 3, x, 2, i)
		},
		"potrs nrhs": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Potrs(b.handle, b.stream, cusolver.FillModeLower, 2, -1, x, 2, x, 2, i)
		},
		"getrf m": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Getrf(b.handle, b.stream, -1, 3, x, 3, i, i)
		},
		"getrs ldb": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Getrs(b.handle, b.stream, cusolver.OpN, 3, 1, x, 3, i, x, 2, i)
		},
		"geqrf lda": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Geqrf(b.handle, b.stream, 3, 2, x, 2, x, i)
		},
		"orgqr k": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Orgqr(b.handle, b.stream, 3, 2, 3, x, 3, x, i)
		},
		"ormqr ldc": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Ormqr(b.handle, b.stream, cusolver.SideLeft, cusolver.OpN, 3, 2, 2, x, 3, x, x, 2, i)
		},
		"syevd n": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Syevd(b.handle, b.stream, cusolver.EigModeVector, cusolver.FillModeLower, -1, x, 1, x, i)
		},
		"gesvd shape": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Gesvd(b.handle, b.stream, 'N', 'N', 2, 3, x, 2, x, x, 2, x, 3, i)
		},
		"gesvd job": func(b *bench, x cuda.Slice[float32], i cuda.Slice[int32]) error {
			return cusolver.Gesvd(b.handle, b.stream, 'x', 'N', 3, 2, x, 3, x, x, 3, x, 2, i)
		},
	} {
		var found [2]cusolver.Status // or none, if it does not get to cuSOLVER
		for at, b := range []*bench{simulated, gpu} {
			err := f(b, filled[float32](b, 16, 1), filled[int32](b, 4, 1))
			require.Error(t, err, name)
			errors.As(err, &found[at])
			require.NoError(t, b.stream.Synchronize(), name)
		}
		assert.Equal(t, found[1], found[0], name)
	}
}
