// Package simulated has what cuFFT does on simulated devices. A program imports it for that alone:
//
//	import _ "github.com/cudagen/cudagen/runtime/cufft/simulated"
//
// Transforms are calculated in double precision, so that results in single precision are at least as exact as a GPU's. Plans need no work area.
package simulated

import (
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cufft"
)

func init() {
	s := &cufft.Simulated
	s.NewPlan = func(h *cufft.Plan, _ *cuda.Device) error { h.SetState(&plan{}); return nil }
	s.NewPlan1D = func(h *cufft.Plan, _ *cuda.Device, nx int32, kind cufft.Kind, batch int32) error {
		return set(h, kind, batch, nx)
	}
	s.NewPlan2D = func(h *cufft.Plan, _ *cuda.Device, nx, ny int32, kind cufft.Kind) error {
		return set(h, kind, 1, nx, ny)
	}
	s.NewPlan3D = func(h *cufft.Plan, _ *cuda.Device, nx, ny, nz int32, kind cufft.Kind) error {
		return set(h, kind, 1, nx, ny, nz)
	}
	s.NewPlanMany = func(h *cufft.Plan, _ *cuda.Device, rank int32, n, inembed []int32, istride, idist int32, onembed []int32, ostride, odist int32, kind cufft.Kind, batch int32) error {
		return setMany(h, n[:rank], inembed, istride, idist, onembed, ostride, odist, kind, batch)
	}
	s.PlanMakePlan1d = func(h *cufft.Plan, nx int32, kind cufft.Kind, batch int32) (uint64, error) {
		return 0, set(h, kind, batch, nx)
	}
	s.PlanMakePlan2d = func(h *cufft.Plan, nx, ny int32, kind cufft.Kind) (uint64, error) { return 0, set(h, kind, 1, nx, ny) }
	s.PlanMakePlan3d = func(h *cufft.Plan, nx, ny, nz int32, kind cufft.Kind) (uint64, error) {
		return 0, set(h, kind, 1, nx, ny, nz)
	}
	s.PlanMakePlanMany = func(h *cufft.Plan, rank int32, n, inembed []int32, istride, idist int32, onembed []int32, ostride, odist int32, kind cufft.Kind, batch int32) (uint64, error) {
		return 0, setMany(h, n[:rank], inembed, istride, idist, onembed, ostride, odist, kind, batch)
	}
	s.PlanMakePlanMany64 = func(h *cufft.Plan, rank int32, n, inembed []int64, istride, idist int64, onembed []int64, ostride, odist int64, kind cufft.Kind, batch int64) (uint64, error) {
		return 0, setMany(h, n[:rank], inembed, istride, idist, onembed, ostride, odist, kind, batch)
	}
	executions()
	settings()
}

// executions sets what runs transforms.
func executions() {
	s := &cufft.Simulated
	s.PlanExecC2C = func(h *cufft.Plan, s *cuda.Stream, in, out cuda.Slice[complex64], direction int32) error {
		if direction != cufft.Forward && direction != cufft.Inverse {
			return cufft.InvalidValue
		}
		return exec(h, s, in, out, direction == cufft.Inverse, fromComplex64, toComplex64)
	}
	s.PlanExecZ2Z = func(h *cufft.Plan, s *cuda.Stream, in, out cuda.Slice[complex128], direction int32) error {
		if direction != cufft.Forward && direction != cufft.Inverse {
			return cufft.InvalidValue
		}
		return exec(h, s, in, out, direction == cufft.Inverse, same, same)
	}
	s.PlanExecR2C = func(h *cufft.Plan, s *cuda.Stream, in cuda.Slice[float32], out cuda.Slice[complex64]) error {
		return exec(h, s, in, out, false, func(v float32) complex128 { return complex(float64(v), 0) }, toComplex64)
	}
	s.PlanExecD2Z = func(h *cufft.Plan, s *cuda.Stream, in cuda.Slice[float64], out cuda.Slice[complex128]) error {
		return exec(h, s, in, out, false, func(v float64) complex128 { return complex(v, 0) }, same)
	}
	s.PlanExecC2R = func(h *cufft.Plan, s *cuda.Stream, in cuda.Slice[complex64], out cuda.Slice[float32]) error {
		return exec(h, s, in, out, true, fromComplex64, func(v complex128) float32 { return float32(real(v)) })
	}
	s.PlanExecZ2D = func(h *cufft.Plan, s *cuda.Stream, in cuda.Slice[complex128], out cuda.Slice[float64]) error {
		return exec(h, s, in, out, true, same, func(v complex128) float64 { return real(v) })
	}
}

func fromComplex64(v complex64) complex128 { return complex128(v) }
func toComplex64(v complex128) complex64   { return complex64(v) }
func same(v complex128) complex128         { return v }

// settings sets what is about work areas, which transforms here do not need.
func settings() {
	s := &cufft.Simulated
	s.PlanGetSize = func(*cufft.Plan) (uint64, error) { return 0, nil }
	s.PlanSetWorkArea = func(*cufft.Plan, *cuda.Stream, cuda.Slice[uint8]) error { return nil }
	s.PlanSetAutoAllocation = func(*cufft.Plan, int32) error { return nil }
}

// set makes h a plan of these dimensions.
func set(h *cufft.Plan, kind cufft.Kind, batch int32, dims ...int32) error {
	return setMany(h, dims, nil, 1, 0, nil, 1, 0, kind, batch)
}

// setMany makes h a plan of any layout.
func setMany[T int32 | int64](h *cufft.Plan, n, inembed []T, istride, idist T, onembed []T, ostride, odist T, kind cufft.Kind, batch T) error {
	p := &plan{kind: kind, batch: int(batch), in: layout{ints(inembed), int(istride), int(idist)}, out: layout{ints(onembed), int(ostride), int(odist)}}
	switch kind {
	case cufft.C2C, cufft.R2C, cufft.C2R, cufft.Z2Z, cufft.D2Z, cufft.Z2D:
	default:
		return cufft.InvalidType
	}
	if batch <= 0 || istride <= 0 || ostride <= 0 {
		return cufft.InvalidValue
	}
	for _, size := range n {
		if size <= 0 {
			return cufft.InvalidSize
		}
	}
	p.dims = ints(n)
	h.SetState(p)
	return nil
}

func ints[T int32 | int64](list []T) (all []int) {
	for _, v := range list {
		all = append(all, int(v))
	}
	return all
}
