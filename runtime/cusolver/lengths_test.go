package cusolver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// Arguments are as long as LAPACK's and NVIDIA's documentation say, and one element less is an error. What may be absent is an error, too, where other
// arguments ask for it.
func TestLengths(t *testing.T) {
	run(t, simtest.New(t), func(b *bench) {
		h, s := b.handle, b.stream
		x, y, bytes := filled[float32](b, 64, 0), filled[float32](b, 64, 0), filled[uint8](b, 512, 0)
		info, pivots, longs := filled[int32](b, 2, 0), filled[int32](b, 8, 1), filled[int64](b, 8, 1)
		var none cuda.Slice[float32]
		var nothing cuda.Slice[uint8]
		host := make([]byte, 64)
		lower, left, right, vectors := cusolver.FillModeLower, cusolver.SideLeft, cusolver.SideRight, cusolver.EigModeVector
		single, double, complexes := cusolver.R32F, cusolver.R64F, cusolver.C32F
		jacobi, err := cusolver.NewGesvdjInfo(b.device)
		require.NoError(b, err)
		defer jacobi.Close()
		eigen, err := cusolver.NewSyevjInfo(b.device)
		require.NoError(b, err)
		defer eigen.Close()
		params, err := cusolver.NewParams(b.device)
		require.NoError(b, err)
		defer params.Close()
		gesvdj := func(econ, m, n int32, u, v cuda.Slice[float32]) error {
			return h.Sgesvdj(s, vectors, econ, m, n, x, 5, x, u, 5, v, 4, x, 0, info, jacobi)
		}
		batched := func(values, u, v cuda.Slice[float32], info cuda.Slice[int32]) error {
			return h.SgesvdjBatched(s, vectors, 4, 3, x, 5, values, u, 5, v, 4, x, 0, info, jacobi, 2)
		}
		gesvda := func(a, values, u, v cuda.Slice[float32], norms int) error {
			return h.SgesvdaStridedBatched(s, vectors, 2, 4, 3, a, 5, 20, values, 3, u, 6, 14, v, 4, 9, x, 0, info, make([]float64, norms), 2)
		}
		ormtr := func(side cusolver.SideMode, a, tau, c cuda.Slice[float32]) error {
			return h.Sormtr(s, side, lower, cusolver.OpN, 4, 2, a, 5, tau, c, 6, x, 0, info)
		}
		gebrd := func(d, e, q, p cuda.Slice[float32]) error { return h.Sgebrd(s, 4, 3, x, 4, d, e, q, p, x, 0, info) }
		gesv := func(a, c, z cuda.Slice[float32], ipiv cuda.Slice[int32]) error {
			_, err := h.SSgesv(s, 3, 2, a, 4, ipiv, c, 5, z, 6, bytes, 0, info)
			return err
		}
		gels := func(a, c, z cuda.Slice[float32]) error {
			_, err := h.SSgels(s, 4, 3, 2, a, 5, c, 6, z, 4, bytes, 0, info)
			return err
		}
		xpotrf := func(device uint64, onDevice cuda.Slice[uint8], onHost []byte) error {
			return h.Xpotrf(s, params, lower, 3, single, bytes, 4, single, onDevice, device, onHost, 5, info)
		}
		xgeev := func(typ cusolver.DataType, values, vr cuda.Slice[uint8]) error {
			return h.Xgeev(s, params, cusolver.EigModeNoVector, vectors, 3, typ, bytes, 3, typ, values, typ, nothing, 3, typ, vr, 4, typ, bytes, 0, host, 0, info)
		}
		xgesvd := func(jobu, jobvt int8, u, vt cuda.Slice[uint8]) error {
			return h.Xgesvd(s, params, jobu, jobvt, 4, 3, double, bytes, 4, double, bytes, double, u, 5, double, vt, 4, double, bytes, 0, host, 0, info)
		}
		xgesvdp := func(econ int32, u, v cuda.Slice[uint8]) error {
			_, err := h.Xgesvdp(s, params, vectors, econ, 4, 3, single, bytes, 4, single, bytes, single, u, 5, single, v, 4, single, bytes, 0, host, 0, info)
			return err
		}
		xsyevdx := func(kind cusolver.EigRange, vl, vu []byte) error {
			_, err := h.Xsyevdx(s, params, vectors, kind, lower, 3, double, bytes, 3, vl, vu, 1, 2, double, bytes, double, bytes, 0, host, 0, info)
			return err
		}
		gesvd := func(jobu, jobvt int8, u, vt, rwork cuda.Slice[float32]) error {
			return h.Sgesvd(s, jobu, jobvt, 4, 3, x, 4, x, u, 5, vt, 4, x, 0, rwork, info)
		}
		for name, test := range map[string]struct {
			need int
			call func(n int) error
		}{
			"potri": {2*5 + 3, func(n int) error { return h.Spotri(s, lower, 3, x.Slice(0, n), 5, y, 0, info) }},
			"lauum": {2*5 + 3, func(n int) error { return h.Slauum(s, lower, 3, x.Slice(0, n), 5, y, 0, info) }},
			"potrf batched": {2, func(n int) error {
				return h.SpotrfBatched(s, lower, 3, filled[cuda.Ptr[float32]](b, 2, cuda.Ptr[float32]{}), 3, info.Slice(0, n), 2)
			}},
			"getrs A":      {2*4 + 3, func(n int) error { return h.Sgetrs(s, cusolver.OpN, 3, 2, x.Slice(0, n), 4, pivots, y, 4, info) }},
			"getrs pivots": {3, func(n int) error { return h.Sgetrs(s, cusolver.OpN, 3, 2, x, 4, pivots.Slice(0, n), y, 4, info) }},
			"getrs B":      {4 + 3, func(n int) error { return h.Sgetrs(s, cusolver.OpN, 3, 2, x, 4, pivots, y.Slice(0, n), 4, info) }},
			"laswp A":      {3 * 4, func(n int) error { return h.Slaswp(s, 3, x.Slice(0, n), 4, 2, 3, pivots, 2) }},
			"laswp pivots": {2 + 2, func(n int) error { return h.Slaswp(s, 3, x, 4, 2, 3, pivots.Slice(0, n), 2) }},
			"orgqr":        {2*5 + 4, func(n int) error { return h.Sorgqr(s, 4, 3, 2, x.Slice(0, n), 5, y, y, 0, info) }},
			"orgqr tau":    {2, func(n int) error { return h.Sorgqr(s, 4, 3, 2, x, 5, y.Slice(0, n), y, 0, info) }},
			"ormqr A": {5 + 4, func(n int) error {
				return h.Sormqr(s, left, cusolver.OpN, 4, 3, 2, x.Slice(0, n), 5, y, y, 6, y, 0, info)
			}},
			"ormqr C": {2*6 + 4, func(n int) error {
				return h.Sormqr(s, left, cusolver.OpN, 4, 3, 2, x, 5, x, y.Slice(0, n), 6, y, 0, info)
			}},
			"sytrf":         {3, func(n int) error { return h.Ssytrf(s, lower, 3, x, 3, pivots.Slice(0, n), y, 0, info) }},
			"gebrd D":       {3, func(n int) error { return gebrd(x.Slice(0, n), x, x, x) }},
			"gebrd E":       {3, func(n int) error { return gebrd(x, x.Slice(0, n), x, x) }},
			"gebrd TAUQ":    {3, func(n int) error { return gebrd(x, x, x.Slice(0, n), x) }},
			"gebrd TAUP":    {3, func(n int) error { return gebrd(x, x, x, x.Slice(0, n)) }},
			"orgbr Q":       {2, func(n int) error { return h.Sorgbr(s, left, 4, 3, 2, x, 4, y.Slice(0, n), y, 0, info) }},
			"orgbr P":       {3, func(n int) error { return h.Sorgbr(s, right, 2, 3, 4, x, 4, y.Slice(0, n), y, 0, info) }},
			"sytrd d":       {4, func(n int) error { return h.Ssytrd(s, lower, 4, x, 4, y.Slice(0, n), y, y, y, 0, info) }},
			"sytrd e":       {3, func(n int) error { return h.Ssytrd(s, lower, 4, x, 4, y, y.Slice(0, n), y, y, 0, info) }},
			"sytrd tau":     {3, func(n int) error { return h.Ssytrd(s, lower, 4, x, 4, y, y, y.Slice(0, n), y, 0, info) }},
			"orgtr":         {3, func(n int) error { return h.Sorgtr(s, lower, 4, x, 4, y.Slice(0, n), y, 0, info) }},
			"ormtr left A":  {3*5 + 4, func(n int) error { return ormtr(left, y.Slice(0, n), x, x) }},
			"ormtr right A": {5 + 2, func(n int) error { return ormtr(right, y.Slice(0, n), x, x) }},
			"ormtr left":    {3, func(n int) error { return ormtr(left, x, y.Slice(0, n), x) }},
			"ormtr right":   {1, func(n int) error { return ormtr(right, x, y.Slice(0, n), x) }},
			"ormtr C":       {6 + 4, func(n int) error { return ormtr(left, x, x, y.Slice(0, n)) }},
			"syevd":         {4, func(n int) error { return h.Ssyevd(s, vectors, lower, 4, x, 4, y.Slice(0, n), y, 0, info) }},
			"sygvd B":       {3*5 + 4, func(n int) error { return h.Ssygvd(s, 1, vectors, lower, 4, x, 4, y.Slice(0, n), 5, x, x, 0, info) }},
			"syevj batched A": {3*4 + 2*4 + 3, func(n int) error {
				return h.SsyevjBatched(s, vectors, lower, 3, x.Slice(0, n), 4, y, y, 0, info, eigen, 2)
			}},
			"syevj batched W": {6, func(n int) error {
				return h.SsyevjBatched(s, vectors, lower, 3, x, 4, y.Slice(0, n), y, 0, info, eigen, 2)
			}},
			"syevj batched": {2, func(n int) error {
				return h.SsyevjBatched(s, vectors, lower, 3, x, 4, y, y, 0, info.Slice(0, n), eigen, 2)
			}},
			"gesvd rwork":       {2, func(n int) error { return gesvd('N', 'N', none, none, y.Slice(0, n)) }},
			"gesvd all":         {3*5 + 4, func(n int) error { return gesvd('A', 'N', y.Slice(0, n), none, none) }},
			"gesvd unknown":     {3*5 + 4, func(n int) error { return gesvd('a', 'N', y.Slice(0, n), none, none) }},
			"gesvdj U":          {3*5 + 4, func(n int) error { return gesvdj(0, 4, 3, y.Slice(0, n), x) }},
			"gesvdj economic U": {2*5 + 4, func(n int) error { return gesvdj(1, 4, 3, y.Slice(0, n), x) }},
			"gesvdj V":          {2*4 + 3, func(n int) error { return gesvdj(0, 4, 3, x, y.Slice(0, n)) }},
			"gesvdj economic V": {2*4 + 4, func(n int) error { return gesvdj(1, 3, 4, x, y.Slice(0, n)) }},
			"gesvdj batched S":  {6, func(n int) error { return batched(y.Slice(0, n), x, x, info) }},
			"gesvdj batched U":  {4*5 + 3*5 + 4, func(n int) error { return batched(x, y.Slice(0, n), x, info) }},
			"gesvdj batched V":  {3*4 + 2*4 + 3, func(n int) error { return batched(x, x, y.Slice(0, n), info) }},
			"gesvdj batched":    {2, func(n int) error { return batched(x, x, x, info.Slice(0, n)) }},
			"gesvda A":          {20 + 2*5 + 4, func(n int) error { return gesvda(y.Slice(0, n), x, x, x, 2) }},
			"gesvda S":          {3 + 2, func(n int) error { return gesvda(x, y.Slice(0, n), x, x, 2) }},
			"gesvda U":          {14 + 6 + 4, func(n int) error { return gesvda(x, x, y.Slice(0, n), x, 2) }},
			"gesvda V":          {9 + 4 + 3, func(n int) error { return gesvda(x, x, x, y.Slice(0, n), 2) }},
			"gesvda norms":      {2, func(n int) error { return gesvda(x, x, x, x, n) }},
			"gesv A":            {2*4 + 3, func(n int) error { return gesv(y.Slice(0, n), x, x, pivots) }},
			"gesv B":            {5 + 3, func(n int) error { return gesv(x, y.Slice(0, n), x, pivots) }},
			"gesv X":            {6 + 3, func(n int) error { return gesv(x, x, y.Slice(0, n), pivots) }},
			"gesv pivots":       {3, func(n int) error { return gesv(x, x, x, pivots.Slice(0, n)) }},
			"gels A":            {2*5 + 4, func(n int) error { return gels(y.Slice(0, n), x, x) }},
			"gels B":            {6 + 4, func(n int) error { return gels(x, y.Slice(0, n), x) }},
			"gels X":            {4 + 3, func(n int) error { return gels(x, x, y.Slice(0, n)) }},
			"device":            {7, func(n int) error { return xpotrf(7, bytes.Slice(0, n), host) }},
			"host":              {5, func(n int) error { return xpotrf(0, nothing, host[:n]) }},
			"Xpotrf": {(2*4 + 3) * 8, func(n int) error {
				return h.Xpotrf(s, params, lower, 3, double, bytes.Slice(0, n), 4, double, nothing, 0, nil, 0, info)
			}},
			"Xtrtri": {(2*4 + 3) * 8, func(n int) error {
				return h.Xtrtri(s, lower, 0, 3, complexes, bytes.Slice(0, n), 4, nothing, 0, nil, 0, info)
			}},
			"Xgetrf": {3, func(n int) error {
				return h.Xgetrf(s, params, 3, 4, single, bytes, 3, longs.Slice(0, n), single, nothing, 0, nil, 0, info)
			}},
			"Xgetrs": {3, func(n int) error {
				return h.Xgetrs(s, params, cusolver.OpN, 3, 1, single, bytes, 3, longs.Slice(0, n), single, bytes, 3, info)
			}},
			"Xgeqrf": {3 * 8, func(n int) error {
				return h.Xgeqrf(s, params, 3, 4, complexes, bytes, 3, complexes, bytes.Slice(0, n), complexes, nothing, 0, nil, 0, info)
			}},
			"Xsyevd": {3 * 4, func(n int) error {
				return h.Xsyevd(s, params, vectors, lower, 3, complexes, bytes, 3, single, bytes.Slice(0, n), complexes, nothing, 0, nil, 0, info)
			}},
			"Xsyev batched": {6 * 4, func(n int) error {
				return h.XsyevBatched(s, params, vectors, lower, 3, single, bytes, 3, single, bytes.Slice(0, n), single, nothing, 0, nil, 0, info, 2)
			}},
			"Xsyevdx":          {8, func(n int) error { return xsyevdx(cusolver.EigRangeV, host[:n], host) }},
			"Xgeev real":       {2 * 3 * 4, func(n int) error { return xgeev(single, bytes.Slice(0, n), bytes) }},
			"Xgeev complex":    {3 * 8, func(n int) error { return xgeev(complexes, bytes.Slice(0, n), bytes) }},
			"Xgeev VR":         {(2*4 + 3) * 4, func(n int) error { return xgeev(single, bytes, bytes.Slice(0, n)) }},
			"Xgesvd U":         {(2*5 + 4) * 8, func(n int) error { return xgesvd('S', 'N', bytes.Slice(0, n), nothing) }},
			"Xgesvd VT":        {(2*4 + 3) * 8, func(n int) error { return xgesvd('N', 'A', nothing, bytes.Slice(0, n)) }},
			"Xgesvdp U":        {(3*5 + 4) * 4, func(n int) error { return xgesvdp(0, bytes.Slice(0, n), bytes) }},
			"Xgesvdp economic": {(2*5 + 4) * 4, func(n int) error { return xgesvdp(1, bytes.Slice(0, n), bytes) }},
			"Xlarft": {(4 + 4) * 4, func(n int) error {
				return h.Xlarft(s, params, 0, 0, 4, 2, single, bytes.Slice(0, n), 4, single, bytes, single, bytes, 2, single, nothing, 0, nil, 0)
			}},
			"Xsytrs": {3, func(n int) error {
				return h.Xsytrs(s, lower, 3, 1, single, bytes, 3, longs.Slice(0, n), single, bytes, 3, nothing, 0, nil, 0, info)
			}},
		} {
			assert.NotErrorIs(b, test.call(test.need), cuda.ErrShortSlice, name)
			assert.ErrorIs(b, test.call(test.need-1), cuda.ErrShortSlice, name)
		}

		for name, err := range map[string]error{
			"gesvd U":    gesvd('S', 'N', none, none, none),
			"gesvd VT":   gesvd('N', 'S', none, none, none),
			"device":     xpotrf(7, nothing, host),
			"host":       xpotrf(0, nothing, nil),
			"Xgesvd U":   xgesvd('A', 'N', nothing, nothing),
			"Xgesvd VT":  xgesvd('N', 'S', nothing, nothing),
			"Xgeev VR":   xgeev(single, bytes, nothing),
			"Xsyevdx vl": xsyevdx(cusolver.EigRangeV, nil, host),
			"Xsyevdx vu": xsyevdx(cusolver.EigRangeV, host, nil),
		} {
			assert.ErrorIs(b, err, cuda.ErrShortSlice, name)
		}
		assert.NotErrorIs(b, xsyevdx(cusolver.EigRangeI, nil, nil), cuda.ErrShortSlice)
		assert.ErrorContains(b, h.Slaswp(s, 3, x, 4, 0, 3, pivots, 1), "rows count from 1")
		assert.ErrorContains(b, h.Slaswp(s, 3, x, 4, 1, 5, pivots, 1), "rows count from 1")
		require.NoError(b, s.Synchronize())
	})
}

// filled returns n elements that have a value.
func filled[T any](b *bench, n int, v T) cuda.Slice[T] {
	b.Helper()
	m := memory[T](b.T, b.stream, n)
	values := make([]T, n)
	for i := range values {
		values[i] = v
	}
	require.NoError(b, m.CopyFrom(b.stream, values))
	return m
}
