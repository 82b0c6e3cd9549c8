package arithmetic_test

import (
	"encoding/binary"
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/images"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// TestApprox64 has the tables of the PTX ISA, and bounds the error.
//
// PTX ISA, Floating Point Instructions: rcp.approx.ftz.f64, rsqrt.approx.ftz.f64, rsqrt.
func TestApprox64(t *testing.T) {
	inf, zero, nan := math.Inf(1), math.Copysign(0, -1), math.NaN()
	const subnormal = 5e-310
	inputs := []float64{-inf, -4, -subnormal, zero, 0, subnormal, 0.25, inf, nan, 3, 1e300, -1e-300, 0.1, math.MaxFloat64}
	run := func(name string) []float64 {
		var mem memory.Memory
		t.Cleanup(mem.Reset)
		lib, refused := images.Load(bytecode.ImageName, []byte(".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) {\n.reg .b32 %r1; .reg .b64 %rd<3>; .reg .f64 %fd; ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd2, %rd1, %rd2;\nld.global.f64 %fd, [%rd2]; "+name+" %fd, %fd; st.global.f64 [%rd2], %fd;\nret; }"), &mem, 0)
		require.Nil(t, refused)
		k := lib.Kernels["k"]
		require.Empty(t, k.Unsupported)
		addr, ok := mem.Alloc(uint64(8*len(inputs)), memory.Allocation{})
		require.True(t, ok)
		bytes, ok := memory.BytesAt(addr, uint64(8*len(inputs)))
		require.True(t, ok)
		_, err := binary.Encode(bytes, binary.LittleEndian, inputs)
		require.NoError(t, err)
		cfg := driver.LaunchConfig{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: uint32(len(inputs)), Y: 1, Z: 1}}
		done := interp.Execute(k, &mem, cfg, interp.Alone(), binary.LittleEndian.AppendUint64(nil, addr), new(atomic.Bool), 1, new(atomic.Uint64), interp.Checks{})
		require.Nil(t, done.Fault)
		out := make([]float64, len(inputs))
		_, err = binary.Decode(bytes, binary.LittleEndian, out)
		require.NoError(t, err)
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
