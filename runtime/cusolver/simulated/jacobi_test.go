package simulated

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// ranked returns a random matrix with a rank, whose largest elements are about as large as scale.
func ranked(r *rand.Rand, rows, columns, rank int, scale float64) *matrix {
	a := newMatrix(rows, columns)
	for range rank {
		u, v := make([]complex128, rows), make([]complex128, columns)
		for i := range u {
			u[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		for j := range v {
			v[j] = complex(r.NormFloat64(), r.NormFloat64())
		}
		for j := range columns {
			for i := range rows {
				a.set(i, j, a.at(i, j)+u[i]*v[j])
			}
		}
	}
	for i := range a.v {
		a.v[i] *= complex(scale, 0)
	}
	return a
}

// orthonormal asserts that the columns of m are.
func orthonormal(t *testing.T, m *matrix, of string) {
	t.Helper()
	for j := range m.columns {
		for k := range j + 1 {
			sum := complex(0, 0)
			for i, x := range m.column(j) {
				sum += cmplx.Conj(x) * m.column(k)[i]
			}
			if k == j {
				sum -= 1
			}
			assert.Less(t, cmplx.Abs(sum), 1e-12, "%s: columns %d and %d", of, k, j)
		}
	}
}

// Singular values and vectors are right for matrices of all magnitudes, also for those that have not the full rank.
func TestSingular(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, scale := range []float64{1e-300, 1e-170, 1, 1e160, 1e290} {
		for _, shape := range [][3]int{{5, 5, 5}, {7, 4, 4}, {9, 6, 1}, {6, 6, 3}, {4, 3, 0}, {1, 1, 1}, {3, 0, 0}} {
			of := fmt.Sprint(scale, shape)
			a := ranked(r, shape[0], shape[1], shape[2], scale)
			u, values, v, ok := singular(a)
			assert.True(t, ok, of)
			orthonormal(t, u, of)
			orthonormal(t, v, of)
			for i := range a.rows {
				for j := range a.columns {
					sum := a.at(i, j)
					for k, value := range values {
						sum -= u.at(i, k) * complex(value, 0) * cmplx.Conj(v.at(j, k))
					}
					assert.Less(t, cmplx.Abs(sum), 1e-12*scale, of)
				}
			}
		}
	}
}

// Eigenvalues and eigenvectors are, too.
func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, scale := range []float64{1e-300, 1e-170, 1, 1e160, 1e290} {
		for n := range 8 {
			of := fmt.Sprint(scale, n)
			a := ranked(r, n, n, (n+1)/2, scale)
			for j := range n {
				for i := range j + 1 {
					sum := a.at(i, j) + cmplx.Conj(a.at(j, i))
					a.set(i, j, sum)
					a.set(j, i, cmplx.Conj(sum))
				}
			}
			values, vectors, ok := eigen(a)
			assert.True(t, ok, of)
			orthonormal(t, vectors, of)
			for k, value := range values {
				for i := range n {
					sum := vectors.at(i, k) * complex(-value, 0)
					for j := range n {
						sum += a.at(i, j) * vectors.at(j, k)
					}
					assert.Less(t, cmplx.Abs(sum), 1e-12*scale, of)
				}
			}
		}
	}
}

// What is not finite does not converge.
func TestNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := identity(3, 3)
		a.set(1, 2, complex(v, 0))
		a.set(2, 1, complex(v, 0))
		_, values, _, ok := singular(a)
		assert.False(t, ok, v)
		assert.Len(t, values, 3)
		values, _, ok = eigen(a)
		assert.False(t, ok, v)
		assert.Len(t, values, 3)
	}
}
