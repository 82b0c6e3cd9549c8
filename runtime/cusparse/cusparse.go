// Package cusparse is NVIDIA's cuSPARSE: sparse matrices and vectors.
//
//	a, err := cusparse.CSR(dev, rows, columns, offsets.All(), indices.All(), values.All())
//	x, err := cusparse.Vector(dev, xs.All())
//	y, err := cusparse.Vector(dev, ys.All())
//	err = cusparse.SpMV[float32](h, s, cusparse.OperationNonTranspose, 1, a, x, 0, y) // y = A x
//
// Matrices and vectors are descriptors of memory, which they hold: it must stay open as long as they are used. The caller closes them. Their
// shapes are compared before cuSPARSE is called. What indices say is not: those beyond a matrix read and write beyond its memory.
//
// Generic functions of this package get their workspace by themselves, which a capture cannot. Methods of Handle are those of cuSPARSE, with buffers as
// large as it says. Functions with Device behind take scalars in the memory of the device.
//
// libcusparse is loaded when the first handle or descriptor is made: docs/libraries.md says where it is looked for. On simulated devices import
// runtime/cusparse/simulated.
package cusparse

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cuda"
)

//go:generate go run ../../cmd/cudagen library cusparse.h

// A Float is a number that matrices and vectors have.
type Float interface {
	float32 | float64 | complex64 | complex128
}

// An Index is a place in a matrix or a vector, counted from 0.
type Index interface{ int32 | int64 }

// at returns the number of bytes that p tells.
func at(p *uint64) int64 {
	if p == nil {
		return 0 // which is an error of the call
	}
	return clib.Unsigned(*p)
}

// typeOf returns the type of T as cuSPARSE has it.
func typeOf[T Float]() DataType {
	switch any(*new(T)).(type) {
	case float32:
		return R32F
	case float64:
		return R64F
	case complex64:
		return C32F
	}
	return C64F
}

func indexOf[I Index]() IndexType {
	if unsafe.Sizeof(*new(I)) == 4 {
		return Index32I
	}
	return Index64I
}

func bytes[T any](s cuda.Slice[T]) cuda.Slice[uint8] { return cuda.Reinterpret[uint8](s) }

// counted returns how many values there are, or an error if there are not as many indices.
func counted[T any, I Index](values cuda.Slice[T], indices cuda.Slice[I]) (int64, error) {
	if values.Len() != indices.Len() {
		return 0, fmt.Errorf("cusparse: %d values have %d indices: %w", values.Len(), indices.Len(), cuda.ErrInvalidValue)
	}
	return int64(values.Len()), nil
}

// CSR describes a matrix by rows: the values of row i are those from offsets[i] on, up to offsets[i+1], and columns are their places. offsets has
// rows+1 elements.
func CSR[I Index, T Float](d *cuda.Device, rows, cols int, offsets, columns cuda.Slice[I], values cuda.Slice[T]) (*SparseMatrix, error) {
	n, err := counted(values, columns)
	if err != nil {
		return nil, err
	}
	return NewCsr(d, int64(rows), int64(cols), n, bytes(offsets), bytes(columns), bytes(values), indexOf[I](), indexOf[I](), IndexBaseZero, typeOf[T]())
}

// CSC describes a matrix by columns: the values of column j are those from offsets[j] on, up to offsets[j+1], and rows are their places. offsets has
// cols+1 elements.
func CSC[I Index, T Float](d *cuda.Device, rows, cols int, offsets, rowIndices cuda.Slice[I], values cuda.Slice[T]) (*SparseMatrix, error) {
	n, err := counted(values, rowIndices)
	if err != nil {
		return nil, err
	}
	return NewCsc(d, int64(rows), int64(cols), n, bytes(offsets), bytes(rowIndices), bytes(values), indexOf[I](), indexOf[I](), IndexBaseZero, typeOf[T]())
}

// COO describes a matrix by the row and the column of each value. They are sorted by rows.
func COO[I Index, T Float](d *cuda.Device, rows, cols int, rowIndices, columns cuda.Slice[I], values cuda.Slice[T]) (*SparseMatrix, error) {
	n, err := counted(values, columns)
	if err == nil {
		n, err = counted(values, rowIndices)
	}
	if err != nil {
		return nil, err
	}
	return NewCoo(d, int64(rows), int64(cols), n, bytes(rowIndices), bytes(columns), bytes(values), indexOf[I](), IndexBaseZero, typeOf[T]())
}

// Vector describes a vector that has all its values.
func Vector[T Float](d *cuda.Device, values cuda.Slice[T]) (*DenseVector, error) {
	return NewDnVec(d, int64(values.Len()), bytes(values), typeOf[T]())
}

// Sparse describes a vector of size elements, of which those at indices are not 0.
func Sparse[I Index, T Float](d *cuda.Device, size int, indices cuda.Slice[I], values cuda.Slice[T]) (*SparseVector, error) {
	n, err := counted(values, indices)
	if err != nil {
		return nil, err
	}
	return NewSpVec(d, int64(size), n, bytes(indices), bytes(values), indexOf[I](), IndexBaseZero, typeOf[T]())
}

// Matrix describes a matrix that has all its values: with OrderCol they are stored by columns, which begin ld elements apart, and with OrderRow by
// rows.
func Matrix[T Float](d *cuda.Device, rows, cols, ld int, values cuda.Slice[T], order Order) (*DenseMatrix, error) {
	return NewDnMat(d, int64(rows), int64(cols), int64(ld), bytes(values), typeOf[T](), order)
}

// Scalar returns the bytes of v, for functions whose scalars have the type that an argument names.
func Scalar[T any](v T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v))
}

// working calls run with a buffer of size bytes on s, and gives it back behind what that queued.
func working(s *cuda.Stream, size uint64, err error, run func(buffer cuda.Slice[uint8]) error) error {
	switch {
	case err != nil:
		return err
	case size == 0:
		return run(cuda.Slice[uint8]{})
	}
	buffer, err := cuda.Alloc[uint8](s, int(size))
	if err != nil {
		return err
	}
	return errors.Join(run(buffer.All()), buffer.Close())
}

// SpMV makes y = alpha op(A) x + beta y.
func SpMV[T Float](h *Handle, s *cuda.Stream, op Operation, alpha T, a *SparseMatrix, x *DenseVector, beta T, y *DenseVector) error {
	one, two, kind := Scalar(alpha), Scalar(beta), typeOf[T]()
	size, err := h.SpMVBufferSize(s, op, one, a, x, two, y, kind, SpmvAlgDefault)
	return working(s, size, err, func(buffer cuda.Slice[uint8]) error {
		return h.SpMV(s, op, one, a, x, two, y, kind, SpmvAlgDefault, buffer)
	})
}

// SpMM makes C = alpha op(A) op(B) + beta C, where A is sparse.
func SpMM[T Float](h *Handle, s *cuda.Stream, opA, opB Operation, alpha T, a *SparseMatrix, b *DenseMatrix, beta T, c *DenseMatrix) error {
	one, two, kind := Scalar(alpha), Scalar(beta), typeOf[T]()
	size, err := h.SpMMBufferSize(s, opA, opB, one, a, b, two, c, kind, SpmmAlgDefault)
	return working(s, size, err, func(buffer cuda.Slice[uint8]) error {
		return h.SpMM(s, opA, opB, one, a, b, two, c, kind, SpmmAlgDefault, buffer)
	})
}
