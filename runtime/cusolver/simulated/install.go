// Package simulated has what cuSOLVER does on simulated devices. A program imports it for that alone:
//
//	import _ "github.com/cudagen/cudagen/runtime/cusolver/simulated"
//
// There are potrf, potrs, potri, getrf, getrs, geqrf, orgqr, ormqr, syevd, syevj, gesvd and gesvdj for all four types, and the forms that begin with X of
// potrf, potrs, getrf, getrs, geqrf, syevd and gesvd. They calculate in double precision.
// What is not unique, such as the signs of eigenvectors, is not what a GPU makes. The other functions return clib.ErrNotSimulated.
package simulated

import (
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
)

func init() {
	s := &cusolver.Simulated
	s.NewHandle = func(*cusolver.Handle, *cuda.Device) error { return nil }
	s.NewParams = func(*cusolver.Params, *cuda.Device) error { return nil }
	s.NewSyevjInfo = func(*cusolver.SyevjInfo, *cuda.Device) error { return nil }
	s.NewGesvdjInfo = func(*cusolver.GesvdjInfo, *cuda.Device) error { return nil }
	// How exact a result is decides nothing: it is as exact as can be.
	s.SyevjInfoXsyevjSetTolerance = func(*cusolver.SyevjInfo, float64) error { return nil }
	s.SyevjInfoXsyevjSetMaxSweeps = func(*cusolver.SyevjInfo, int32) error { return nil }
	s.SyevjInfoXsyevjSetSortEig = func(h *cusolver.SyevjInfo, sort int32) error {
		return unsorted(h.Device(), "cusolverDnXsyevjSetSortEig", sort)
	}
	s.GesvdjInfoXgesvdjSetTolerance = func(*cusolver.GesvdjInfo, float64) error { return nil }
	s.GesvdjInfoXgesvdjSetMaxSweeps = func(*cusolver.GesvdjInfo, int32) error { return nil }
	s.GesvdjInfoXgesvdjSetSortEig = func(h *cusolver.GesvdjInfo, sort int32) error {
		return unsorted(h.Device(), "cusolverDnXgesvdjSetSortEig", sort)
	}

	s.HandleSpotrfBufferSize, s.HandleSpotrf, s.HandleSpotrs = potrfSize[float32], potrf[float32], potrs[float32]
	s.HandleDpotrfBufferSize, s.HandleDpotrf, s.HandleDpotrs = potrfSize[float64], potrf[float64], potrs[float64]
	s.HandleCpotrfBufferSize, s.HandleCpotrf, s.HandleCpotrs = potrfSize[complex64], potrf[complex64], potrs[complex64]
	s.HandleZpotrfBufferSize, s.HandleZpotrf, s.HandleZpotrs = potrfSize[complex128], potrf[complex128], potrs[complex128]
	s.HandleSpotriBufferSize, s.HandleSpotri = potrfSize[float32], potri[float32]
	s.HandleDpotriBufferSize, s.HandleDpotri = potrfSize[float64], potri[float64]
	s.HandleCpotriBufferSize, s.HandleCpotri = potrfSize[complex64], potri[complex64]
	s.HandleZpotriBufferSize, s.HandleZpotri = potrfSize[complex128], potri[complex128]

	s.HandleSgetrfBufferSize, s.HandleSgetrf, s.HandleSgetrs = rectangleSize[float32], getrf[float32], getrs[float32]
	s.HandleDgetrfBufferSize, s.HandleDgetrf, s.HandleDgetrs = rectangleSize[float64], getrf[float64], getrs[float64]
	s.HandleCgetrfBufferSize, s.HandleCgetrf, s.HandleCgetrs = rectangleSize[complex64], getrf[complex64], getrs[complex64]
	s.HandleZgetrfBufferSize, s.HandleZgetrf, s.HandleZgetrs = rectangleSize[complex128], getrf[complex128], getrs[complex128]

	s.HandleSgeqrfBufferSize, s.HandleSgeqrf = rectangleSize[float32], geqrf[float32]
	s.HandleDgeqrfBufferSize, s.HandleDgeqrf = rectangleSize[float64], geqrf[float64]
	s.HandleCgeqrfBufferSize, s.HandleCgeqrf = rectangleSize[complex64], geqrf[complex64]
	s.HandleZgeqrfBufferSize, s.HandleZgeqrf = rectangleSize[complex128], geqrf[complex128]
	s.HandleSorgqrBufferSize, s.HandleSorgqr = orgqrSize[float32], orgqr[float32]
	s.HandleDorgqrBufferSize, s.HandleDorgqr = orgqrSize[float64], orgqr[float64]
	s.HandleCungqrBufferSize, s.HandleCungqr = orgqrSize[complex64], orgqr[complex64]
	s.HandleZungqrBufferSize, s.HandleZungqr = orgqrSize[complex128], orgqr[complex128]
	s.HandleSormqrBufferSize, s.HandleSormqr = ormqrSize[float32], ormqr[float32]
	s.HandleDormqrBufferSize, s.HandleDormqr = ormqrSize[float64], ormqr[float64]
	s.HandleCunmqrBufferSize, s.HandleCunmqr = ormqrSize[complex64], ormqr[complex64]
	s.HandleZunmqrBufferSize, s.HandleZunmqr = ormqrSize[complex128], ormqr[complex128]

	s.HandleSsyevdBufferSize, s.HandleSsyevd = syevdSize[float32, float32], syevd[float32, float32]
	s.HandleDsyevdBufferSize, s.HandleDsyevd = syevdSize[float64, float64], syevd[float64, float64]
	s.HandleCheevdBufferSize, s.HandleCheevd = syevdSize[complex64, float32], syevd[complex64, float32]
	s.HandleZheevdBufferSize, s.HandleZheevd = syevdSize[complex128, float64], syevd[complex128, float64]
	s.HandleSsyevjBufferSize, s.HandleSsyevj = syevjSize[float32, float32], syevj[float32, float32]
	s.HandleDsyevjBufferSize, s.HandleDsyevj = syevjSize[float64, float64], syevj[float64, float64]
	s.HandleCheevjBufferSize, s.HandleCheevj = syevjSize[complex64, float32], syevj[complex64, float32]
	s.HandleZheevjBufferSize, s.HandleZheevj = syevjSize[complex128, float64], syevj[complex128, float64]

	s.HandleSgesvdBufferSize, s.HandleSgesvd = gesvdSize, gesvd[float32, float32]
	s.HandleDgesvdBufferSize, s.HandleDgesvd = gesvdSize, gesvd[float64, float64]
	s.HandleCgesvdBufferSize, s.HandleCgesvd = gesvdSize, gesvd[complex64, float32]
	s.HandleZgesvdBufferSize, s.HandleZgesvd = gesvdSize, gesvd[complex128, float64]
	s.HandleSgesvdjBufferSize, s.HandleSgesvdj = gesvdjSize[float32, float32], gesvdj[float32, float32]
	s.HandleDgesvdjBufferSize, s.HandleDgesvdj = gesvdjSize[float64, float64], gesvdj[float64, float64]
	s.HandleCgesvdjBufferSize, s.HandleCgesvdj = gesvdjSize[complex64, float32], gesvdj[complex64, float32]
	s.HandleZgesvdjBufferSize, s.HandleZgesvdj = gesvdjSize[complex128, float64], gesvdj[complex128, float64]

	s.HandleXpotrfBufferSize, s.HandleXpotrf, s.HandleXpotrs = xpotrfSize, xpotrf, xpotrs
	s.HandleXgetrfBufferSize, s.HandleXgetrf, s.HandleXgetrs = xgetrfSize, xgetrf, xgetrs
	s.HandleXgeqrfBufferSize, s.HandleXgeqrf = xgeqrfSize, xgeqrf
	s.HandleXsyevdBufferSize, s.HandleXsyevd = xsyevdSize, xsyevd
	s.HandleXgesvdBufferSize, s.HandleXgesvd = xgesvdSize, xgesvd
}
