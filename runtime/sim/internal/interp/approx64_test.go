package interp

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
)

// TestApprox64 has the tables of the PTX ISA, and bounds the error.
//
// PTX ISA, Floating Point Instructions: rcp.approx.ftz.f64, rsqrt.approx.ftz.f64, rsqrt.
func TestApprox64(t *testing.T) {
	inf, zero, nan := math.Inf(1), math.Copysign(0, -1), math.NaN()
	const subnormal = 5e-310
	inputs := []float64{-inf, -4, -subnormal, zero, 0, subnormal, 0.25, inf, nan, 3, 1e300, -1e-300, 0.1, math.MaxFloat64}
	run := func(name string) []float64 {
		m := newMachine(t, entry("mul.wide.u32 %rd2, %r2, 8; add.s64 %rd2, %rd1, %rd2; .reg .f64 %fd; ld.global.f64 %fd, [%rd2]; "+name+" %fd, %fd; st.global.f64 [%rd2], %fd;"))
		require.Empty(t, m.lib.Kernels["k"].Unsupported)
		out := make([]float64, len(inputs))
		addr := m.upload(inputs)
		_, fault := m.launch("k", config(1, uint32(len(inputs)), 0), addr, uint32(0))
		require.Nil(t, fault)
		m.download(addr, out)
		return out
	}
	rcp := []float64{zero, -0.25, -inf, -inf, inf, inf, 4, 0, nan}
	rsqrt := []float64{nan, nan, -inf, -inf, inf, inf, 2, 0, nan}
	exact := []float64{nan, nan, nan, -inf, inf, 1 / math.Sqrt(subnormal), 2, 0, nan}
	for _, test := range []struct {
		name   string
		table  []float64
		coarse bool
		fn     func(float64) float64
		bound  float64
	}{
		{"rcp.approx.ftz.f64", rcp, true, func(x float64) float64 { return 1 / x }, 1. / (1 << 19)},
		{"rsqrt.approx.ftz.f64", rsqrt, true, arithmetic.Rsqrt64, 1. / (1 << 19)},
		{"rsqrt.approx.f64", exact, false, arithmetic.Rsqrt64, 1. / (1 << 22)},
	} {
		got := run(test.name)
		for i, want := range test.table {
			if math.IsNaN(want) {
				assert.True(t, math.IsNaN(got[i]), "%s of %v is %v", test.name, inputs[i], got[i])
				continue
			}
			assert.Equal(t, math.Float64bits(want), math.Float64bits(got[i]), "%s of %v is %v", test.name, inputs[i], got[i])
		}
		for i, x := range inputs {
			want := test.fn(x)
			if math.IsNaN(want) || math.IsInf(want, 0) || want == 0 || math.Abs(x) < 1e-307 || math.Abs(want) < 1e-307 {
				continue
			}
			assert.InEpsilon(t, want, got[i], test.bound, "%s of %v", test.name, x)
			if test.coarse {
				assert.Zero(t, uint32(math.Float64bits(got[i])), "the lower word of %s", test.name)
			}
		}
	}
}
