// Package simulated has what cuSPARSE does on simulated devices. A program imports it for that alone:
//
//	import _ "github.com/cudagen/cudagen/runtime/cusparse/simulated"
//
// There are matrices by rows, by columns and by coordinates, with numbers of all four types of one size: SpMV, SpMM, SpSV, SpSM, SDDMM, SpGEMM and
// SpGEMMreuse, SpVV, Axpby, Gather, Scatter, Rot of real numbers, conversions from and to dense matrices, Csr2cscEx2, Xcoo2csr and Xcsr2coo, nnz and
// gtsv2. Their buffers are small. The other functions return clib.ErrNotSimulated. An index beyond a matrix is an error of what
// waits for the stream, and so are values that a solver was not told of.
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
	s.NewSpSMState = func(*cusparse.SpSMState, *cuda.Device) error { return nil }
	s.NewSpGEMMState = func(h *cusparse.SpGEMMState, _ *cuda.Device) error {
		h.SetState(&gemm{})
		return nil
	}
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
	solvers()
	descriptions()
	s.HandleGather, s.HandleScatter = gather, scatter
	s.HandleAxpby, s.HandleAxpbyDevice = axpby[[]uint8], axpby[cuda.Slice[uint8]]
	s.HandleRot, s.HandleRotDevice = rot[[]uint8], rot[cuda.Slice[uint8]]
	s.HandleSpVVBufferSize, s.HandleSpVVBufferSizeDevice = spvvSize[[]uint8], spvvSize[cuda.Slice[uint8]]
	s.HandleSpVV, s.HandleSpVVDevice = spvv, spvvDevice
	s.HandleSparseToDenseBufferSize, s.HandleSparseToDense = sparseToDenseSize, sparseToDense
	s.HandleDenseToSparseBufferSize, s.HandleDenseToSparseAnalysis, s.HandleDenseToSparseConvert = denseToSparseSize, denseToSparseAnalysis, denseToSparse
	s.HandleXcoo2csr, s.HandleXcsr2coo = coo2csr, csr2coo
	s.HandleCsr2cscEx2BufferSize, s.HandleCsr2cscEx2 = csr2cscSize, csr2csc
	s.HandleSnnz, s.HandleDnnz, s.HandleCnnz, s.HandleZnnz = count[float32], count[float64], count[complex64], count[complex128]
	s.HandleSnnzDevice, s.HandleDnnzDevice = countDevice[float32], countDevice[float64]
	s.HandleCnnzDevice, s.HandleZnnzDevice = countDevice[complex64], countDevice[complex128]
}

// products sets what multiplies.
func products() {
	s := &cusparse.Simulated
	s.HandleSpMVBufferSize, s.HandleSpMVBufferSizeDevice = spmvSize[[]uint8], spmvSize[cuda.Slice[uint8]]
	s.HandleSpMVPreprocess, s.HandleSpMVPreprocessDevice = spmvPreprocess[[]uint8], spmvPreprocess[cuda.Slice[uint8]]
	s.HandleSpMV, s.HandleSpMVDevice = spmv[[]uint8], spmv[cuda.Slice[uint8]]
	s.HandleSpMMBufferSize, s.HandleSpMMBufferSizeDevice = spmmSize[[]uint8], spmmSize[cuda.Slice[uint8]]
	s.HandleSpMMPreprocess, s.HandleSpMMPreprocessDevice = spmmPreprocess[[]uint8], spmmPreprocess[cuda.Slice[uint8]]
	s.HandleSpMM, s.HandleSpMMDevice = spmm[[]uint8], spmm[cuda.Slice[uint8]]
	s.HandleSDDMMBufferSize, s.HandleSDDMMBufferSizeDevice = sddmmSize[[]uint8], sddmmSize[cuda.Slice[uint8]]
	s.HandleSDDMMPreprocess, s.HandleSDDMMPreprocessDevice = sddmmPreprocess[[]uint8], sddmmPreprocess[cuda.Slice[uint8]]
	s.HandleSDDMM, s.HandleSDDMMDevice = sddmm[[]uint8], sddmm[cuda.Slice[uint8]]
	s.HandleSpGEMMWorkEstimation, s.HandleSpGEMMWorkEstimationDevice = gemmEstimate[[]uint8], gemmEstimate[cuda.Slice[uint8]]
	s.HandleSpGEMMCompute, s.HandleSpGEMMComputeDevice = gemmCompute[[]uint8], gemmCompute[cuda.Slice[uint8]]
	s.HandleSpGEMMCopy, s.HandleSpGEMMCopyDevice = gemmCopy[[]uint8], gemmCopy[cuda.Slice[uint8]]
	s.SpGEMMStateSpGEMMGetNumProducts = numProducts
	s.HandleSpGEMMreuseWorkEstimation, s.HandleSpGEMMreuseNnz, s.HandleSpGEMMreuseCopy = estimate, reuseCount, reuseCopy
	s.HandleSpGEMMreuseCompute, s.HandleSpGEMMreuseComputeDevice = reuseCompute[[]uint8], reuseCompute[cuda.Slice[uint8]]
}

// solvers sets what solves.
func solvers() {
	s := &cusparse.Simulated
	s.HandleSpSVBufferSize, s.HandleSpSVBufferSizeDevice = spsvSize[[]uint8], spsvSize[cuda.Slice[uint8]]
	s.HandleSpSVAnalysis, s.HandleSpSVAnalysisDevice = spsvAnalysis[[]uint8], spsvAnalysis[cuda.Slice[uint8]]
	s.HandleSpSVSolve, s.HandleSpSVSolveDevice = spsv[[]uint8], spsv[cuda.Slice[uint8]]
	s.HandleSpSVUpdateMatrix, s.HandleSpSMUpdateMatrix = spsvUpdate, spsmUpdate
	s.HandleSpSMBufferSize, s.HandleSpSMBufferSizeDevice = spsmSize[[]uint8], spsmSize[cuda.Slice[uint8]]
	s.HandleSpSMAnalysis, s.HandleSpSMAnalysisDevice = spsmAnalysis[[]uint8], spsmAnalysis[cuda.Slice[uint8]]
	s.HandleSpSMSolve, s.HandleSpSMSolveDevice = spsm[[]uint8], spsm[cuda.Slice[uint8]]
	s.HandleSgtsv2BufferSizeExt, s.HandleSgtsv2 = gtsvSize[float32], gtsv[float32]
	s.HandleSgtsv2NopivotBufferSizeExt, s.HandleSgtsv2Nopivot = gtsvSize[float32], gtsv[float32]
	s.HandleSgtsv2StridedBatchBufferSizeExt, s.HandleSgtsv2StridedBatch = gtsvBatchSize[float32], gtsvBatch[float32]
	s.HandleDgtsv2BufferSizeExt, s.HandleDgtsv2 = gtsvSize[float64], gtsv[float64]
	s.HandleDgtsv2NopivotBufferSizeExt, s.HandleDgtsv2Nopivot = gtsvSize[float64], gtsv[float64]
	s.HandleDgtsv2StridedBatchBufferSizeExt, s.HandleDgtsv2StridedBatch = gtsvBatchSize[float64], gtsvBatch[float64]
	s.HandleCgtsv2BufferSizeExt, s.HandleCgtsv2 = gtsvSize[complex64], gtsv[complex64]
	s.HandleCgtsv2NopivotBufferSizeExt, s.HandleCgtsv2Nopivot = gtsvSize[complex64], gtsv[complex64]
	s.HandleCgtsv2StridedBatchBufferSizeExt, s.HandleCgtsv2StridedBatch = gtsvBatchSize[complex64], gtsvBatch[complex64]
	s.HandleZgtsv2BufferSizeExt, s.HandleZgtsv2 = gtsvSize[complex128], gtsv[complex128]
	s.HandleZgtsv2NopivotBufferSizeExt, s.HandleZgtsv2Nopivot = gtsvSize[complex128], gtsv[complex128]
	s.HandleZgtsv2StridedBatchBufferSizeExt, s.HandleZgtsv2StridedBatch = gtsvBatchSize[complex128], gtsvBatch[complex128]
}

// workspace is the size of all buffers in bytes. Nothing uses them, but a program that works without one here would not on a GPU.
const workspace = 8

// sized returns the size of a buffer, or the error of a call that would get it.
func sized(err error) (uint64, error) {
	if err != nil {
		return 0, err
	}
	return workspace, nil
}

func notSimulated(what string) error { return fmt.Errorf("%s: %w", what, clib.ErrNotSimulated) }

func beyond(i, place, size int) error {
	return fmt.Errorf("cusparse: index %d is %d, in a vector of %d elements", i, place, size)
}
