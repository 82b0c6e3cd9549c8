package simulated_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// settingNames are the functions that TestSettings calls.
var settingNames = []string{"NewHandle", "GetVersion", "GetProperty", "SetWorkspace", "GetAtomicsMode", "SetAtomicsMode", "GetMathMode", "SetMathMode", "GetSmCountTarget", "SetSmCountTarget"}

func TestSettings(t *testing.T) {
	h := newHarness(t)
	version, err := h.h.GetVersion()
	require.NoError(t, err)
	sum := int32(0)
	for which, factor := range map[cublas.LibraryPropertyType]int32{cublas.MajorVersion: 10000, cublas.MinorVersion: 100, cublas.PatchLevel: 1} {
		part, err := cublas.GetProperty(h.dev, which)
		require.NoError(t, err)
		sum += part * factor
	}
	assert.Equal(t, version, sum)
	_, err = cublas.GetProperty(h.dev, 9)
	assert.ErrorIs(t, err, cublas.StatusInvalidValue)

	require.NoError(t, h.h.SetAtomicsMode(cublas.AtomicsAllowed))
	require.NoError(t, h.h.SetMathMode(cublas.PedanticMath))
	require.NoError(t, h.h.SetSmCountTarget(5))
	atomics, err := h.h.GetAtomicsMode()
	require.NoError(t, err)
	math, err := h.h.GetMathMode()
	require.NoError(t, err)
	processors, err := h.h.GetSmCountTarget()
	require.NoError(t, err)
	assert.Equal(t, []any{cublas.AtomicsAllowed, cublas.PedanticMath, int32(5)}, []any{atomics, math, processors})

	b := upload32(t, h.s, 1, 2)
	require.NoError(t, h.h.SetWorkspace(h.s, cuda.Reinterpret[uint8](b.All()), 8))
}

func upload32(t *testing.T, s *cuda.Stream, values ...float32) *cuda.Buffer[float32] {
	t.Helper()
	b, err := cuda.Upload(s, values)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func download(t *testing.T, s *cuda.Stream, b *cuda.Buffer[float32]) []float32 {
	t.Helper()
	values, err := b.All().Download(s)
	require.NoError(t, err)
	return values
}

// What is multiplied by 0 as a scalar does not count, and what is multiplied by 0 as an element does.
func TestNoNumbers(t *testing.T) { noNumbers(t, newHarness(t)) }

func noNumbers(t *testing.T, h *harness) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	gemm := func(a, b, c []float32, alpha, beta float32) []float32 {
		x, y, z := upload32(t, h.s, a...), upload32(t, h.s, b...), upload32(t, h.s, c...)
		require.NoError(t, h.h.Sgemm(h.s, cublas.OpN, cublas.OpN, 2, 2, 2, alpha, x.All(), 2, y.All(), 2, beta, z.All(), 2))
		return download(t, h.s, z)
	}
	one := []float32{1, 0, 0, 1}
	assert.Equal(t, one, gemm(one, one, []float32{nan, nan, nan, inf}, 1, 0))
	assert.Equal(t, []float32{2, 4, 6, 8}, gemm([]float32{nan, 0, 0, inf}, one, []float32{1, 2, 3, 4}, 0, 2))
	for _, got := range [][]float32{gemm([]float32{inf, 1, 1, 1}, []float32{0, 1, 1, 1}, one, 1, 0), gemm([]float32{0, 1, 1, 1}, []float32{inf, 1, 1, 1}, one, 1, 0)} {
		assert.True(t, math.IsNaN(float64(got[0])), "%v", got)
	}
	// The other triangle is no number times 0.
	a, x := upload32(t, h.s, 1, nan, 3, 4), upload32(t, h.s, 1, inf)
	require.NoError(t, h.h.Strmv(h.s, cublas.FillModeUpper, cublas.OpN, cublas.DiagUnit, 2, a.All(), 2, x.All(), 1))
	assert.Equal(t, []float32{inf, inf}, download(t, h.s, x))
}

// Arguments that cuBLAS refuses are errors with its status.
func TestInvalid(t *testing.T) { invalid(t, newHarness(t)) }

func invalid(t *testing.T, h *harness) {
	x := upload32(t, h.s, 1, 2, 3, 4)
	a := x.All()
	for name, err := range map[string]error{
		"m":    h.h.Sgemm(h.s, cublas.OpN, cublas.OpN, -1, 1, 1, 1, a, 1, a, 1, 0, a, 1),
		"k":    h.h.Sgemm(h.s, cublas.OpN, cublas.OpN, 1, 1, -1, 1, a, 1, a, 1, 0, a, 1),
		"op":   h.h.Sgemm(h.s, 9, cublas.OpN, 1, 1, 1, 1, a, 1, a, 1, 0, a, 1),
		"uplo": h.h.Ssyrk(h.s, cublas.FillModeFull, cublas.OpN, 1, 1, 1, a, 1, 0, a, 1),
		"diag": h.h.Strmv(h.s, cublas.FillModeUpper, cublas.OpN, 7, 1, a, 1, a, 1),
		"side": h.h.Ssymm(h.s, 5, cublas.FillModeUpper, 1, 1, 1, a, 1, a, 1, 0, a, 1),
		"n":    h.h.SsyrDevice(h.s, cublas.FillModeUpper, -2, a, a, 1, a, 1),
	} {
		assert.ErrorIs(t, err, cublas.StatusInvalidValue, name)
		assert.ErrorContains(t, err, "cublasS", name)
	}
	assert.NoError(t, h.h.Sscal(h.s, -1, 2, a, 1), "level 1 does nothing")
	sum, err := h.h.Sdot(h.s, -1, a, 1, a, 1)
	require.NoError(t, err)
	assert.Zero(t, sum)
	assert.Equal(t, []float32{1, 2, 3, 4}, download(t, h.s, x))
}

// What a GPU does with an increment of 0 or the conjugate of a matrix is not known here.
func TestNotSimulated(t *testing.T) {
	h := newHarness(t)
	a := upload32(t, h.s, 1, 2, 3, 4).All()
	assert.ErrorIs(t, h.h.Sgemv(h.s, cublas.OpConjg, 1, 1, 1, a, 1, a, 1, 0, a, 1), clib.ErrNotSimulated)
	assert.ErrorIs(t, h.h.Sgemv(h.s, cublas.OpN, 1, 1, 1, a, 1, a, 0, 0, a, 1), clib.ErrNotSimulated)
}

// Calls with scalars of the device are captured, and read them when the graph runs. Those with results of the host cannot be captured.
func TestGraph(t *testing.T) {
	h := newHarness(t)
	alpha, x, y := upload32(t, h.s, 2), upload32(t, h.s, 1, 2), upload32(t, h.s, 10, 20)
	graph, err := cuda.Capture(h.s, func(s *cuda.Stream) error {
		if err := h.h.SaxpyDevice(s, 2, alpha.All(), x.All(), 1, y.All(), 1); err != nil {
			return err
		}
		_, err := h.h.Sdot(s, 2, x.All(), 1, y.All(), 1)
		assert.ErrorIs(t, err, cuda.ErrStreamCaptureUnsupported)
		return h.h.SdotDevice(s, 2, x.All(), 1, y.All(), 1, alpha.All())
	})
	require.NoError(t, err)
	exec, err := graph.Instantiate()
	require.NoError(t, err)
	defer exec.Close()
	for range 2 {
		require.NoError(t, exec.Launch(h.s))
	}
	// y: 12 24, alpha: 60, y: 72 144, alpha: 360
	assert.Equal(t, []float32{72, 144}, download(t, h.s, y))
	assert.Equal(t, []float32{360}, download(t, h.s, alpha))
}

// Other streams may use what lies between columns, in the other triangle, and C before a product with beta 0.
func TestBesideOtherStreams(t *testing.T) {
	h := newHarness(t)
	other, err := h.dev.NewStream()
	require.NoError(t, err)
	defer other.Close()
	a, c := upload32(t, h.s, 1, 2, 3, 4), upload32(t, h.s, 0, 0, 0, 0, 0, 0)
	require.NoError(t, h.s.Synchronize())
	hold, held := make(chan struct{}), make(chan struct{})
	require.NoError(t, h.s.LaunchHostFunc(func() { close(held); <-hold }))
	require.NoError(t, h.h.Ssyrk(h.s, cublas.FillModeLower, cublas.OpN, 2, 2, 1, a.All(), 2, 0, c.All(), 3))
	<-held
	for _, i := range []int{2, 3, 5} { // after the call, before its work
		require.NoError(t, c.Slice(i, i+1).CopyFrom(other, []float32{9}))
	}
	close(hold)
	assert.Equal(t, []float32{10, 14, 9, 9, 20, 9}, download(t, h.s, c))
}

// Freed memory behind an address is found when the work runs.
func TestFreedAddress(t *testing.T) {
	h := newHarness(t, simtest.AllowFault())
	a, err := cuda.Upload(h.s, []float32{2})
	require.NoError(t, err)
	list, err := cuda.Upload(h.s, []cuda.Ptr[float32]{a.All().Ptr()})
	require.NoError(t, err)
	defer list.Close()
	multiply := func() error {
		require.NoError(t, h.h.SgemmBatched(h.s, cublas.OpN, cublas.OpN, 1, 1, 1, 1, list.All(), 1, list.All(), 1, 0, list.All(), 1, 1))
		return h.s.Synchronize()
	}
	require.NoError(t, multiply())
	got, err := a.All().Download(h.s)
	require.NoError(t, err)
	assert.Equal(t, []float32{4}, got)
	require.NoError(t, a.Close())
	var f *cuda.Fault
	require.ErrorAs(t, multiply(), &f)
	assert.Contains(t, f.Reason, "a host function accesses")
	assert.NotEmpty(t, f.FreedAt)
}
