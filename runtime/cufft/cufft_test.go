package cufft_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cufft"
	_ "github.com/cudagen/cudagen/runtime/cufft/simulated"
	"github.com/cudagen/cudagen/runtime/simtest"
)

func TestSimulated(t *testing.T) { testTransforms(t, simtest.New(t)) }

// The same transforms on a GPU.
func TestGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() }) // when the plans are closed
	testTransforms(t, dev)
}

// direct transforms values by the definition, in 1 to 3 dimensions.
func direct(values []complex128, dims []int, sign float64) []complex128 {
	result := make([]complex128, len(values))
	for k := range result {
		for j, v := range values {
			angle, kk, jj := 0.0, k, j
			for d := len(dims) - 1; d >= 0; d-- {
				angle += float64(kk%dims[d]*(jj%dims[d])) / float64(dims[d])
				kk, jj = kk/dims[d], jj/dims[d]
			}
			result[k] += v * cmplx.Exp(complex(0, sign*2*math.Pi*angle))
		}
	}
	return result
}

func random(r *rand.Rand, n int, imaginary bool) []complex128 {
	list := make([]complex128, n)
	for i := range list {
		list[i] = complex(2*r.Float64()-1, 0)
		if imaginary {
			list[i] += complex(0, 2*r.Float64()-1)
		}
	}
	return list
}

// half returns the part of each row that determines the other.
func half(values []complex128, last int) (kept []complex128) {
	for i := 0; i < len(values); i += last {
		kept = append(kept, values[i:i+last/2+1]...)
	}
	return kept
}

func convert[To, From any](list []From, f func(From) To) []To {
	converted := make([]To, len(list))
	for i, v := range list {
		converted[i] = f(v)
	}
	return converted
}

func single(v complex128) complex64     { return complex64(v) }
func realPart(v complex128) float64     { return real(v) }
func real32(v complex128) float32       { return float32(real(v)) }
func fromReal(v float64) complex128     { return complex(v, 0) }
func from32(v float32) complex128       { return complex(float64(v), 0) }
func fromSingle(v complex64) complex128 { return complex128(v) }

// close fails unless the numbers are as exact as transforms of n elements are.
func closeTo(t *testing.T, want, got []complex128, precision float64, n int) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if d := cmplx.Abs(want[i] - got[i]); d > precision*float64(n) {
			require.Failf(t, "different", "element %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// transform uploads in, has run transform it, and returns n elements of what is written.
func transform[I, O any](t *testing.T, s *cuda.Stream, in []I, n int, run func(in cuda.Slice[I], out cuda.Slice[O]) error) []O {
	t.Helper()
	x, err := cuda.Upload(s, in)
	require.NoError(t, err)
	defer x.Close()
	y, err := cuda.Alloc[O](s, n)
	require.NoError(t, err)
	defer y.Close()
	require.NoError(t, run(x.All(), y.All()))
	got, err := y.All().Download(s)
	require.NoError(t, err)
	return got
}

func newPlan(t *testing.T, d *cuda.Device, dims []int, kind cufft.Kind, batch int) *cufft.Plan {
	t.Helper()
	var p *cufft.Plan
	var err error
	switch {
	case len(dims) == 1:
		p, err = cufft.NewPlan1D(d, int32(dims[0]), kind, int32(batch))
	case len(dims) == 2 && batch == 1:
		p, err = cufft.NewPlan2D(d, int32(dims[0]), int32(dims[1]), kind)
	case batch == 1:
		p, err = cufft.NewPlan3D(d, int32(dims[0]), int32(dims[1]), int32(dims[2]), kind)
	default:
		n := convert(dims, func(v int) int32 { return int32(v) })
		p, err = cufft.NewPlanMany(d, int32(len(n)), n, nil, 1, 0, nil, 1, 0, kind, int32(batch))
	}
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Close()) })
	return p
}

func testTransforms(t *testing.T, d *cuda.Device) {
	s, err := d.NewStream()
	require.NoError(t, err)
	defer s.Close()
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		dims  []int
		batch int
	}{{[]int{1}, 1}, {[]int{8}, 1}, {[]int{7}, 3}, {[]int{30}, 2}, {[]int{4, 6}, 1}, {[]int{3, 5}, 2}, {[]int{2, 3, 4}, 1}, {[]int{3, 2, 5}, 2}} {
		testKinds(t, d, s, r, c.dims, c.batch)
	}
	testLayouts(t, d, s, r)
	testInPlace(t, d, s, r)
	testMistakes(t, d, s)
}

// testKinds compares all kinds of transforms with the definition.
func testKinds(t *testing.T, d *cuda.Device, s *cuda.Stream, r *rand.Rand, dims []int, batch int) {
	n := 1
	for _, size := range dims {
		n *= size
	}
	last := dims[len(dims)-1]
	values, reals := random(r, n*batch, true), random(r, n*batch, false)
	var forward, backward, ofReals []complex128
	for b := range batch {
		forward = append(forward, direct(values[b*n:(b+1)*n], dims, -1)...)
		backward = append(backward, direct(values[b*n:(b+1)*n], dims, 1)...)
		ofReals = append(ofReals, half(direct(reals[b*n:(b+1)*n], dims, -1), last)...)
	}
	scaled := convert(reals, func(v complex128) complex128 { return v * complex(float64(n), 0) })

	p := newPlan(t, d, dims, cufft.C2C, batch)
	run := func(direction int32) []complex128 {
		return convert(transform(t, s, convert(values, single), n*batch, func(in, out cuda.Slice[complex64]) error { return p.ExecC2C(s, in, out, direction) }), fromSingle)
	}
	closeTo(t, forward, run(cufft.Forward), 1e-6, n)
	closeTo(t, backward, run(cufft.Inverse), 1e-6, n)
	p = newPlan(t, d, dims, cufft.Z2Z, batch)
	closeTo(t, forward, transform(t, s, values, n*batch, func(in, out cuda.Slice[complex128]) error { return p.ExecZ2Z(s, in, out, cufft.Forward) }), 1e-13, n)
	p = newPlan(t, d, dims, cufft.R2C, batch)
	closeTo(t, ofReals, convert(transform(t, s, convert(reals, real32), len(ofReals), func(in cuda.Slice[float32], out cuda.Slice[complex64]) error { return p.ExecR2C(s, in, out) }), fromSingle), 1e-6, n)
	p = newPlan(t, d, dims, cufft.D2Z, batch)
	closeTo(t, ofReals, transform(t, s, convert(reals, realPart), len(ofReals), func(in cuda.Slice[float64], out cuda.Slice[complex128]) error { return p.ExecD2Z(s, in, out) }), 1e-13, n)
	p = newPlan(t, d, dims, cufft.C2R, batch)
	closeTo(t, scaled, convert(transform(t, s, convert(ofReals, single), n*batch, func(in cuda.Slice[complex64], out cuda.Slice[float32]) error { return p.ExecC2R(s, in, out) }), from32), 1e-6, 10*n)
	p = newPlan(t, d, dims, cufft.Z2D, batch)
	closeTo(t, scaled, convert(transform(t, s, ofReals, n*batch, func(in cuda.Slice[complex128], out cuda.Slice[float64]) error { return p.ExecZ2D(s, in, out) }), fromReal), 1e-13, 10*n)
}

// testLayouts transforms columns of a matrix, with gaps, and leaves the gaps alone.
func testLayouts(t *testing.T, d *cuda.Device, s *cuda.Stream, r *rand.Rand) {
	const rows, columns, pitch = 5, 3, 4
	values := random(r, rows*pitch, true)
	want := append([]complex128(nil), values...)
	for c := range columns {
		column := make([]complex128, rows)
		for i := range column {
			column[i] = values[i*pitch+c]
		}
		for i, v := range direct(column, []int{rows}, -1) {
			want[i*pitch+c] = v
		}
	}
	n := []int32{rows}
	p, err := cufft.NewPlanMany(d, 1, n, n, pitch, 1, n, pitch, 1, cufft.Z2Z, columns)
	require.NoError(t, err)
	defer p.Close()
	x, err := cuda.Upload(s, values)
	require.NoError(t, err)
	defer x.Close()
	require.NoError(t, p.ExecZ2Z(s, x.All(), x.All(), cufft.Forward))
	got, err := x.All().Download(s)
	require.NoError(t, err)
	closeTo(t, want, got, 1e-13, rows)
	assert.ErrorIs(t, p.ExecZ2Z(s, x.Slice(0, (rows-1)*pitch+columns-1), x.All(), cufft.Forward), cuda.ErrShortSlice)
	assert.NoError(t, p.ExecZ2Z(s, x.Slice(0, (rows-1)*pitch+columns), x.All(), cufft.Forward))
}

// testInPlace transforms rows of real numbers where they lie.
func testInPlace(t *testing.T, d *cuda.Device, s *cuda.Stream, r *rand.Rand) {
	const rows, last = 3, 5
	const row = 2 * (last/2 + 1)
	reals := random(r, rows*last, false)
	padded := make([]float64, rows*row)
	for i, v := range reals {
		padded[i/last*row+i%last] = real(v)
	}
	p := newPlan(t, d, []int{rows, last}, cufft.D2Z, 1)
	x, err := cuda.Upload(s, padded)
	require.NoError(t, err)
	defer x.Close()
	require.NoError(t, p.ExecD2Z(s, x.All(), cuda.Reinterpret[complex128](x.All())))
	got, err := cuda.Reinterpret[complex128](x.All()).Download(s)
	require.NoError(t, err)
	closeTo(t, half(direct(reals, []int{rows, last}, -1), last), got, 1e-13, rows*last)
}

// testWorkArea: a plan that has no work area does not get to cuFFT.
func testWorkArea(t *testing.T, d *cuda.Device, s *cuda.Stream) {
	n, batch := int32(99991), int32(2) // a prime number, for which cuFFT needs one
	if d.IsSimulated() {               // which needs none
		n = 101
	}
	p, err := cufft.NewPlan(d)
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, p.SetAutoAllocation(0))
	size, err := p.MakePlan1d(n, cufft.C2C, batch)
	require.NoError(t, err)
	x, err := cuda.Alloc[complex64](s, int(n*batch))
	require.NoError(t, err)
	defer x.Close()
	require.NoError(t, x.Clear(s))
	if !d.IsSimulated() {
		require.NotZero(t, size)
		assert.ErrorContains(t, p.ExecC2C(s, x.All(), x.All(), cufft.Forward), "give the plan its work area")
	}
	area, err := cuda.Alloc[uint8](s, int(size))
	require.NoError(t, err)
	defer area.Close()
	require.NoError(t, p.SetWorkArea(s, area.All()))
	require.NoError(t, p.ExecC2C(s, x.All(), x.All(), cufft.Forward))
	require.NoError(t, s.Synchronize())
}

// testMistakes: what would read or write beyond memory never gets to cuFFT.
func testMistakes(t *testing.T, d *cuda.Device, s *cuda.Stream) {
	p := newPlan(t, d, []int{8}, cufft.R2C, 2)
	x, err := cuda.Upload(s, make([]float32, 16))
	require.NoError(t, err)
	defer x.Close()
	y, err := cuda.Alloc[complex64](s, 10)
	require.NoError(t, err)
	defer y.Close()
	assert.NoError(t, p.ExecR2C(s, x.All(), y.All()))
	err = p.ExecR2C(s, x.Slice(0, 15), y.All())
	assert.ErrorIs(t, err, cuda.ErrShortSlice)
	assert.ErrorContains(t, err, "idata has 15 elements, needs 16")
	assert.ErrorContains(t, p.ExecR2C(s, x.All(), y.Slice(0, 9)), "odata has 9 elements, needs 10")
	assert.ErrorContains(t, p.ExecC2C(s, y.All(), y.All(), cufft.Forward), "the plan is for another kind of transform")
	empty, err := cufft.NewPlan(d)
	require.NoError(t, err)
	assert.ErrorIs(t, empty.ExecR2C(s, x.All(), y.All()), cuda.ErrInvalidValue) // it keeps no kind
	_, err = empty.MakePlan1d(8, cufft.R2C, 2)
	require.NoError(t, err)
	assert.NoError(t, empty.ExecR2C(s, x.All(), y.All()))
	require.NoError(t, empty.Close())
	assert.ErrorIs(t, empty.ExecR2C(s, x.All(), y.All()), cuda.ErrClosed)
	testWorkArea(t, d, s)
	_, err = cufft.NewPlan1D(d, -1, cufft.C2C, 1)
	assert.ErrorIs(t, err, cufft.InvalidSize)
	_, err = cufft.NewPlanMany(d, 4, []int32{1, 1, 1, 1}, nil, 1, 0, nil, 1, 0, cufft.C2C, 1)
	assert.ErrorContains(t, err, "a transform has 1 to 3 dimensions")
	_, err = cufft.NewPlanMany(d, 1, []int32{4}, []int32{4}, 1, 0, nil, 1, 0, cufft.C2C, 1)
	assert.ErrorContains(t, err, "both or neither of inembed and onembed are nil")
	var own *clib.Error
	assert.ErrorAs(t, err, &own)
	var none *cufft.Plan
	assert.ErrorIs(t, none.ExecR2C(s, x.All(), y.All()), cuda.ErrInvalidValue)
}
