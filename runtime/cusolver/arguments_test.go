//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package cusolver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/clibtest"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
)

const refused = cusolver.Status(clibtest.Refused)

// What is nil, closed or too short never gets to C, and everything else does.
func TestArguments(t *testing.T) {
	if !clibtest.Alone(t) {
		return
	}
	works := map[string]string{"cusolverDnSgetrf_bufferSize": "(void *h, int m, int n, void *a, int lda, int *size) { *size = 7; return 0; }"}
	for _, name := range []string{"", "Params", "SyevjInfo", "GesvdjInfo"} {
		works["cusolverDnCreate"+name], works["cusolverDnDestroy"+name] = clibtest.Makes, clibtest.Works
	}
	for _, name := range []string{"Params", "Infos"} {
		works["cusolverDnIRS"+name+"Create"], works["cusolverDnIRS"+name+"Destroy"] = clibtest.Makes, clibtest.Works
	}
	works["cusolverDnSetStream"], works["cusolverDnIRSParamsSetSolverMainPrecision"] = clibtest.Works, clibtest.Works
	d, s := clibtest.Refusing(t, "cusolver", "cusolver_clib.go", works)
	h, closed := made(t, d, cusolver.NewHandle)
	assert.Equal(t, 332, clibtest.NeverCalled(t, s, (*cusolver.Handle)(nil), new(cusolver.Handle), closed))
	_, params := made(t, d, cusolver.NewParams)
	assert.Equal(t, 1, clibtest.NeverCalled(t, s, (*cusolver.Params)(nil), new(cusolver.Params), params))
	_, syevj := made(t, d, cusolver.NewSyevjInfo)
	assert.Equal(t, 3, clibtest.NeverCalled(t, s, (*cusolver.SyevjInfo)(nil), new(cusolver.SyevjInfo), syevj))
	_, gesvdj := made(t, d, cusolver.NewGesvdjInfo)
	assert.Equal(t, 3, clibtest.NeverCalled(t, s, (*cusolver.GesvdjInfo)(nil), new(cusolver.GesvdjInfo), gesvdj))
	irs, closedIRS := made(t, d, cusolver.NewIRSParams)
	assert.Equal(t, 11, clibtest.NeverCalled(t, s, (*cusolver.IRSParams)(nil), new(cusolver.IRSParams), closedIRS))
	infos, closedInfos := made(t, d, cusolver.NewIRSInfos)
	assert.Equal(t, 4, clibtest.NeverCalled(t, s, (*cusolver.IRSInfos)(nil), new(cusolver.IRSInfos), closedInfos))

	x, i, bytes := memory[float32](t, s, 64), memory[int32](t, s, 8), memory[uint8](t, s, 64)
	for name, call := range map[string]struct {
		need int
		call func(n int) error
	}{
		"potrf":   {3*4 + 3, func(n int) error { return h.Spotrf(s, 0, 3, x.Slice(0, n), 6, x, 1, i) }},
		"lwork":   {5, func(n int) error { return h.Spotrf(s, 0, 3, x, 6, x.Slice(0, n), 5, i) }},
		"potrs":   {2*4 + 3, func(n int) error { return h.Spotrs(s, 0, 3, 3, x, 3, x.Slice(0, n), 4, i) }},
		"batched": {2, func(n int) error { return h.SpotrfBatched(s, 0, 3, memory[cuda.Ptr[float32]](t, s, n), 3, i, 2) }},
		"getrf":   {7, func(n int) error { return h.Sgetrf(s, 2, 3, x, 2, x.Slice(0, n), i, i) }},
		"pivots":  {2, func(n int) error { return h.Sgetrf(s, 2, 3, x, 2, x, i.Slice(0, n), i) }},
		"laswp":   {3, func(n int) error { return h.Slaswp(s, 1, x, 3, 1, 2, i.Slice(0, n), -2) }},
		"tau":     {2, func(n int) error { return h.Sgeqrf(s, 2, 3, x, 2, x.Slice(0, n), x, 1, i) }},
		"ormqr": {2*4 + 3, func(n int) error {
			return h.Sormqr(s, cusolver.SideRight, 0, 2, 3, 3, x.Slice(0, n), 4, x, x, 2, x, 1, i)
		}},
		"gesvd U": {2*4 + 4, func(n int) error {
			return h.Sgesvd(s, 'S', 'N', 4, 3, x, 4, x, x.Slice(0, n), 4, cuda.Slice[float32]{}, 1, x, 1, cuda.Slice[float32]{}, i)
		}},
		"gesvd VT": {2*3 + 3, func(n int) error {
			return h.Sgesvd(s, 'N', 'A', 4, 3, x, 4, x, cuda.Slice[float32]{}, 4, x.Slice(0, n), 3, x, 1, x, i)
		}},
		"irs": {2 * 2 * 8, func(n int) error { return irsGesv(h, s, irs, infos, bytes.Slice(0, n), bytes, i) }},
	} {
		assert.ErrorIs(t, call.call(call.need), refused, name)
		err := call.call(call.need - 1)
		assert.ErrorIs(t, err, cuda.ErrShortSlice, name)
	}
	require.NoError(t, irs.Close())
}

// irsGesv solves by refinement in double precision.
func irsGesv(h *cusolver.Handle, s *cuda.Stream, params *cusolver.IRSParams, infos *cusolver.IRSInfos, a, b cuda.Slice[uint8], info cuda.Slice[int32]) error {
	if err := params.IRSParamsSetSolverMainPrecision(cusolver.PrecR64F); err != nil {
		return err
	}
	_, err := h.IRSXgesv(s, params, infos, 2, 1, a, 2, b, 2, b, 2, b, 0, info)
	return err
}

// made makes two handles, and closes the second one.
func made[H interface{ Close() error }](t *testing.T, d *cuda.Device, create func(*cuda.Device) (H, error)) (open, closed H) {
	t.Helper()
	open, err := create(d)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, open.Close()) })
	closed, err = create(d)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	_, err = create(nil)
	require.ErrorIs(t, err, cuda.ErrInvalidValue)
	return open, closed
}
