package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
)

// float is a real number: an eigenvalue, or a singular one.
type float interface{ float32 | float64 }

// index is a pivot, or a size.
type index interface{ int32 | int64 }

// needed returns how large a workspace is: what a GPU's functions want, those here do without.
func needed[I index](ok bool, n I) (I, error) {
	if !ok {
		return 0, cusolver.StatusInvalidValue
	}
	return max(n, 1), nil
}

// valid reports whether a matrix with so many rows and columns can be.
func valid[I index](rows, columns, ld I) bool { return rows >= 0 && columns >= 0 && ld >= max(1, rows) }

func isFill(uplo cusolver.FillMode) bool { return uplo <= cusolver.FillModeUpper }

// queue queues work whose info goes to memory. Functions refuse arguments unless ok holds.
func queue(s *cuda.Stream, ok bool, info cuda.Slice[int32], work func(w *hostwork.Work) int, owners ...cuda.Owner) error {
	if !ok {
		return cusolver.StatusInvalidValue
	}
	return hostwork.Queue(s, func(w *hostwork.Work) {
		result := work(w)
		hostwork.Write(w, info, hostwork.Vector(1, 1), []int32{int32(result)})
	}, append(owners, info.Owner())...)
}

// missing is the error of what is not simulated.
func missing(d *cuda.Device, function, detail string) error {
	return &clib.Error{Function: function, Device: d.String(), Detail: detail, Err: clib.ErrNotSimulated}
}

// unsorted refuses results in no order.
func unsorted(d *cuda.Device, function string, sort int32) error {
	if sort != 0 {
		return nil
	}
	return missing(d, function, "without an order")
}
