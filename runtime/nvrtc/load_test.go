package nvrtc

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

// TestLoadAndLaunch runs what was compiled, on the simulated device.
func TestLoadAndLaunch(t *testing.T) {
	c := newCompiler(t, "")
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	arch, err := ArchFor(dev)
	require.NoError(t, err)
	assert.Regexp(t, `^compute_\d+$`, arch)
	code := compile(t, c, scale, Options{Arch: arch, Kernels: []string{"scale<float>"}})

	lib, err := dev.LoadLibrary(code.Image)
	require.NoError(t, err)
	defer lib.Close()
	spec := cuda.Spec{Name: "scale<float>", Symbol: code.Symbols["scale<float>"],
		Params: []cuda.ParamSpec{{Offset: 0, Size: 8, Align: 8}, {Offset: 8, Size: 4, Align: 4}, {Offset: 16, Size: 8, Align: 8}}}
	k, err := lib.Kernel(spec)
	require.NoError(t, err)
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	x, err := cuda.Upload(s, []float32{1, 2, 3})
	require.NoError(t, err)
	defer x.Close()
	params := struct {
		x uint64
		a float32
		_ [4]byte
		n int64
	}{x: x.All().Ptr().Address(), a: 2, n: 2}
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
	require.NoError(t, cuda.Generated.Launch(k, s, &cfg, false, unsafe.Pointer(&params)))
	host := make([]float32, 3)
	require.NoError(t, x.CopyTo(s, host))
	assert.Equal(t, []float32{2, 4, 3}, host)

	type args struct {
		X cuda.Slice[float32]
		A float32
		N int64
	}
	bound, err := cuda.Bind[args](lib, spec.Symbol)
	require.NoError(t, err)
	require.NoError(t, bound.LaunchArgsWith(s, cfg, &args{x.All(), 0.5, 3}))
	require.NoError(t, x.CopyTo(s, host))
	assert.Equal(t, []float32{1, 2, 1.5}, host)

	spec.Params[2].Offset = 12
	_, err = lib.Kernel(spec)
	assert.ErrorIs(t, err, cuda.ErrABI)
}
