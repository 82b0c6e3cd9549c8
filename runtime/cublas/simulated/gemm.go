package simulated

import (
	"math"
	"reflect"
	"slices"
	"strings"

	gonumblas "gonum.org/v1/gonum/blas"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cublas"
)

func addGemm() {
	for suffix, k := range map[string]kind{"": one, "Batched": addressed, "StridedBatched": strided} {
		four("?gemm"+suffix, gemm[float32](k, same(cublas.R32F), cublas.R32F), gemm[float64](k, same(cublas.R64F), cublas.R64F),
			gemm[complex64](k, same(cublas.C32F), cublas.C32F), gemm[complex128](k, same(cublas.C64F), cublas.C64F))
		operations["Cgemm3m"+suffix] = gemm[complex64](k, same(cublas.C32F), cublas.C32F)
		operations["Hgemm"+suffix] = gemm[float32](k, same(cublas.R16F), cublas.R16F)
		operations["Gemm"+suffix+"Ex"] = gemmEx(k)
	}
	operations["Zgemm3m"] = gemm[complex128](one, same(cublas.C64F), cublas.C64F)
	operations["SgemmEx"], operations["CgemmEx"], operations["Cgemm3mEx"] = gemmTyped[float32], gemmTyped[complex64], gemmTyped[complex64]
}

// multiply returns alpha a b.
func multiply[T number](alpha T, a, b matrix[T]) matrix[T] {
	to := newMatrix[T](a.rows, b.columns)
	switch {
	case a.columns == 0 || len(to.v) == 0:
	case isFinite(a):
		fast(alpha, a, b, to)
	default: // gonum takes 0 times infinity for 0
		for j := range b.columns {
			copy(to.column(j), a.times(alpha, b.column(j)))
		}
	}
	return to
}

func isFinite[T number](m matrix[T]) bool {
	for _, v := range m.v {
		if s := magnitude(v); math.IsInf(s, 0) || math.IsNaN(s) {
			return false
		}
	}
	return true
}

// fast has gonum multiply. It stores matrices by rows: what a matrix stored by columns is there is its transpose.
func fast[T number](alpha T, a, b, to matrix[T]) {
	const as = gonumblas.NoTrans
	m, n, k := b.columns, a.rows, a.columns
	switch alpha := any(alpha).(type) {
	case float32:
		blas.Sgemm(as, as, m, n, k, alpha, any(b.v).([]float32), k, any(a.v).([]float32), n, 0, any(to.v).([]float32), n)
	case float64:
		blas.Dgemm(as, as, m, n, k, alpha, any(b.v).([]float64), k, any(a.v).([]float64), n, 0, any(to.v).([]float64), n)
	case complex64:
		blas.Cgemm(as, as, m, n, k, alpha, any(b.v).([]complex64), k, any(a.v).([]complex64), n, 0, any(to.v).([]complex64), n)
	case complex128:
		blas.Zgemm(as, as, m, n, k, alpha, any(b.v).([]complex128), k, any(a.v).([]complex128), n, 0, any(to.v).([]complex128), n)
	}
}

// gemm computes C = alpha op(A) op(B) + beta C in T, for one matrix or many. types are those of the elements of A, B and C, unless
// slices have a type, and scalars is that of alpha and beta.
func gemm[T number](k kind, types typesOf, scalars cublas.DataType) operation {
	return func(c *call) job {
		always := strings.HasPrefix(c.name, "HgemmBatched") // which multiplies by 0, too
		opA, opB, m, n, inner := c.operation(), c.operation(), c.size("m"), c.size("n"), c.size("k")
		alpha := scalar[T](c, scalars)
		a, lda := operands[T](c, k, types[0])
		b, ldb := operands[T](c, k, types[1])
		beta := scalar[T](c, scalars)
		to, ldc := operands[T](c, k, types[2])
		count := k.count(c)
		if m == 0 || n == 0 || count == 0 {
			return nil
		}
		return func(w *hostwork.Work) {
			aa, bb, cc := a(w, count), b(w, count), to(w, count)
			factor, keep := alpha.get(w), beta.get(w)
			for i := range count {
				sum := newMatrix[T](m, n)
				if (factor != 0 || always) && inner > 0 {
					left := stored[T]{aa[i], operand(opA, m, inner, lda)}.get(w).op(opA)
					right := stored[T]{bb[i], operand(opB, inner, n, ldb)}.get(w).op(opB)
					sum = multiply(factor, left, right)
				}
				stored[T]{cc[i], dense(m, n, ldc)}.combine(w, sum, keep)
			}
		}
	}
}

// operand returns the layout of the matrix of which op is rows by columns.
func operand(op cublas.Operation, rows, columns, ld int) layout {
	if op == cublas.OpN {
		return dense(rows, columns, ld)
	}
	return dense(columns, rows, ld)
}

// gemmEx is gemm with types that are arguments.
func gemmEx(k kind) operation {
	return func(c *call) job {
		types, compute := c.typesOfThree()
		isComplex := types[2] == cublas.C32F || types[2] == cublas.C64F
		switch compute {
		case cublas.Compute16F, cublas.Compute16FPedantic:
			return gemm[float32](k, types, cublas.R16F)(c)
		case cublas.Compute32I, cublas.Compute32IPedantic:
			return gemm[float64](k, types, cublas.R32I)(c)
		case cublas.Compute64F, cublas.Compute64FPedantic, cublas.Compute64FEmulatedFixedpoint:
			if isComplex {
				return gemm[complex128](k, types, cublas.C64F)(c)
			}
			return gemm[float64](k, types, cublas.R64F)(c)
		}
		if isComplex {
			return gemm[complex64](k, types, cublas.C32F)(c)
		}
		return gemm[float32](k, types, cublas.R32F)(c)
	}
}

// gemmTyped is gemm in T with types of elements that are arguments.
func gemmTyped[T number](c *call) job {
	types, _ := c.typesOfThree()
	return gemm[T](one, types, typeOf[T]())(c)
}

// typesOfThree takes the types out of the arguments of a product.
func (c *call) typesOfThree() (types typesOf, compute cublas.ComputeType) {
	compute = c.takeTypes()
	copy(types[:], c.types)
	c.types = nil
	return types, compute
}

// takeTypes takes the types out of the arguments, wherever they are, to c.types.
func (c *call) takeTypes() (compute cublas.ComputeType) {
	c.args = slices.DeleteFunc(c.args, func(v reflect.Value) bool {
		switch v := v.Interface().(type) {
		case cublas.DataType:
			c.types = append(c.types, v)
			if sizeOf(v) == 0 && c.err == nil {
				c.err = c.error(clib.ErrNotSimulated, "elements of type %v", v)
			}
			return true
		case cublas.ComputeType:
			compute = v
			return true
		}
		return false
	})
	return compute
}
