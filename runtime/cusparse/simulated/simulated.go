// Package simulated has what cuSPARSE does on simulated devices. A program imports it for that alone:
//
//	import _ "github.com/cudagen/cudagen/runtime/cusparse/simulated"
//
// There are matrices by rows, by columns and by coordinates, with numbers of all four types of one size: SpMV, SpMM, SpSV, SpVV, Axpby, Gather, Scatter,
// conversions from and to dense matrices, Xcoo2csr and Xcsr2coo. They need no buffers. The other functions return clib.ErrNotSimulated. An index
// beyond a matrix is an error of what waits for the stream.
package simulated

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

func init() {
	s := &cusparse.Simulated
	s.NewHandle = func(*cusparse.Handle, *cuda.Device) error { return nil }
	s.NewSpSVState = func(*cusparse.SpSVState, *cuda.Device) error { return nil }
	s.NewCsr, s.NewConstCsr = newCsr, newCsr
	s.NewCsc, s.NewConstCsc = newCsc, newCsc
	s.NewCoo, s.NewConstCoo = newCoo, newCoo
	s.NewDnVec, s.NewConstDnVec = newVector, newVector
	s.NewSpVec, s.NewConstSpVec = newThin, newThin
	s.NewDnMat, s.NewConstDnMat = newMatrix, newMatrix
	s.SparseMatrixSpMatGetSize = func(h *cusparse.SparseMatrix) (int64, int64, int64, error) {
		m, err := stateOf[sparse](h.State())
		return int64(m.rows), int64(m.cols), int64(m.nnz), err
	}
	s.SparseMatrixSpMatGetFormat = func(h *cusparse.SparseMatrix) (cusparse.Format, error) {
		m, err := stateOf[sparse](h.State())
		return m.format, err
	}
	s.SparseMatrixSpMatGetIndexBase = func(h *cusparse.SparseMatrix) (cusparse.IndexBase, error) {
		m, err := stateOf[sparse](h.State())
		return m.base, err
	}
	s.SparseMatrixSpMatSetAttribute = setAttribute
	s.SparseMatrixSpMatSetValues = setValues
	s.SparseMatrixCsrSetPointers = setPointers(cusparse.FormatCsr)
	s.SparseMatrixCscSetPointers = setPointers(cusparse.FormatCsc)
	s.SparseMatrixCooSetPointers = setPointers(cusparse.FormatCoo)
	s.DenseVectorDnVecSetValues = func(h *cusparse.DenseVector, values cuda.Slice[uint8]) error {
		v, err := stateOf[vector](h.State())
		v.values = values
		h.SetState(&v)
		return err
	}
	s.DenseMatrixDnMatSetValues = func(h *cusparse.DenseMatrix, values cuda.Slice[uint8]) error {
		m, err := stateOf[matrix](h.State())
		m.values = values
		h.SetState(&m)
		return err
	}
	s.SparseVectorSpVecSetValues = func(h *cusparse.SparseVector, values cuda.Slice[uint8]) error {
		v, err := stateOf[thin](h.State())
		v.values = values
		h.SetState(&v)
		return err
	}
	products()
	s.HandleGather, s.HandleScatter = gather, scatter
	s.HandleAxpby, s.HandleAxpbyDevice = axpby[[]uint8], axpby[cuda.Slice[uint8]]
	s.HandleSpVVBufferSize, s.HandleSpVVBufferSizeDevice = spvvSize[[]uint8], spvvSize[cuda.Slice[uint8]]
	s.HandleSpVV, s.HandleSpVVDevice = spvv, spvvDevice
	s.HandleSparseToDenseBufferSize, s.HandleSparseToDense = sparseToDenseSize, sparseToDense
	s.HandleDenseToSparseBufferSize, s.HandleDenseToSparseAnalysis, s.HandleDenseToSparseConvert = denseToSparseSize, denseToSparseAnalysis, denseToSparse
	s.HandleXcoo2csr, s.HandleXcsr2coo = coo2csr, csr2coo
}

// products sets what multiplies and solves.
func products() {
	s := &cusparse.Simulated
	s.HandleSpMVBufferSize, s.HandleSpMVBufferSizeDevice = spmvSize[[]uint8], spmvSize[cuda.Slice[uint8]]
	s.HandleSpMVPreprocess, s.HandleSpMVPreprocessDevice = spmvPreprocess[[]uint8], spmvPreprocess[cuda.Slice[uint8]]
	s.HandleSpMV, s.HandleSpMVDevice = spmv[[]uint8], spmv[cuda.Slice[uint8]]
	s.HandleSpMMBufferSize, s.HandleSpMMBufferSizeDevice = spmmSize[[]uint8], spmmSize[cuda.Slice[uint8]]
	s.HandleSpMMPreprocess, s.HandleSpMMPreprocessDevice = spmmPreprocess[[]uint8], spmmPreprocess[cuda.Slice[uint8]]
	s.HandleSpMM, s.HandleSpMMDevice = spmm[[]uint8], spmm[cuda.Slice[uint8]]
	s.HandleSpSVBufferSize, s.HandleSpSVBufferSizeDevice = spsvSize[[]uint8], spsvSize[cuda.Slice[uint8]]
	s.HandleSpSVAnalysis, s.HandleSpSVAnalysisDevice = spsvAnalysis[[]uint8], spsvAnalysis[cuda.Slice[uint8]]
	s.HandleSpSVSolve, s.HandleSpSVSolveDevice = spsv[[]uint8], spsv[cuda.Slice[uint8]]
}

func notSimulated(what string) error { return fmt.Errorf("%s: %w", what, clib.ErrNotSimulated) }

func beyond(i, place, size int) error {
	return fmt.Errorf("cusparse: index %d is %d, in a vector of %d elements", i, place, size)
}
