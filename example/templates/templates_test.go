package templates

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// saxpy is Go for the kernel of that name: a reference for its fuzz test.
func saxpy(a float32, x, y []float32) {
	for i := range x {
		y[i] += a * x[i]
	}
}

// histogram is Go for the kernel of that name.
func histogram(data []uint8, counts []uint32, bins int32) {
	for _, d := range data {
		counts[int(d)%int(bins)]++
	}
}

// step is a program's own code: it launches kernels and knows nothing of devices.
func step(k KernelsLauncher, s *cuda.Stream, x, y cuda.Slice[float32]) error {
	if err := k.Saxpy(s, 2, x, y); err != nil {
		return err
	}
	return k.SaxpyWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(64)}, 3, x, y)
}

// What uses kernels is tested without any device.
func TestMock(t *testing.T) {
	x, y := cuda.SliceAt[float32](0x100, 8, cuda.Owner{}), cuda.SliceAt[float32](0x200, 8, cuda.Owner{})
	k := NewFakeKernels(t)
	k.ExpectSaxpy(func(args SaxpyArgs) error {
		assert.Equal(t, SaxpyArgs{A: 2, X: x, Y: y}, args)
		return nil
	})
	broken := errors.New("broken")
	k.ExpectSaxpy(func(SaxpyArgs) error { return broken })
	assert.ErrorIs(t, step(k, nil, x, y), broken)
	launches := k.Launches()
	require.Len(t, launches, 2)
	assert.Equal(t, "Saxpy", launches[1].Kernel)
	assert.Nil(t, launches[0].Config)
	assert.Equal(t, cuda.Dim(64), launches[1].Config.Block)
}

// A tester is a test that the fake fails.
type tester struct {
	failures []string
	cleanups []func()
}

func (t *tester) Helper()                   {}
func (t *tester) Errorf(f string, _ ...any) { t.failures = append(t.failures, f) }
func (t *tester) Cleanup(f func())          { t.cleanups = append(t.cleanups, f) }

// The fake fails tests in which a launch is not expected, or an expected one does not come.
func TestMockFails(t *testing.T) {
	var failing tester
	k := NewFakeKernels(&failing)
	k.ExpectHistogram(nil)
	assert.Error(t, k.Saxpy(nil, 1, cuda.Slice[float32]{}, cuda.Slice[float32]{}))
	assert.Equal(t, []string{"kernels.cu: %s was launched, and %s was expected"}, failing.failures)
	for _, f := range failing.cleanups {
		f()
	}
	assert.Len(t, failing.failures, 2)

	recording := NewFakeKernels(t) // without expectations everything is recorded
	assert.NoError(t, recording.Move(nil, cuda.Slice[Particle]{}, cuda.Slice[Vec]{}, 1))
	assert.Len(t, recording.Launches(), 1)
}

func TestRealKernels(t *testing.T) {
	dev := simtest.New(t)
	k, err := LoadKernels(dev)
	require.NoError(t, err)
	defer k.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	x, err := cuda.Upload(s, []float32{1, 2, 3})
	require.NoError(t, err)
	defer x.Close()
	y, err := cuda.Upload(s, []float32{10, 20, 30})
	require.NoError(t, err)
	defer y.Close()
	require.NoError(t, step(NewKernelsLauncher(k), s, x.All(), y.All()))
	got := make([]float32, 3)
	require.NoError(t, y.CopyTo(s, got))
	assert.Equal(t, []float32{15, 30, 45}, got)
}

func TestSlices(t *testing.T) {
	dev := simtest.New(t) // it fails the test if a buffer stays open
	k, err := LoadKernels(dev)
	require.NoError(t, err)
	defer k.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	x, y := []float32{1, 2, 3}, []float32{10, 20, 30}
	require.NoError(t, SaxpySlices(k, s, 2, x, y))
	assert.Equal(t, []float32{12, 24, 36}, y)
	assert.Equal(t, []float32{1, 2, 3}, x)

	particles := []Particle{{At: Vec{Z: 100}, Mode: ModeFALLING}, {At: Vec{Z: 100}}}
	require.NoError(t, MoveSlices(k, s, particles, nil, 1), "nil forces are NULL")
	assert.InDelta(t, 90.19, particles[0].At.Z, 1e-4)
	assert.Equal(t, float32(100), particles[1].At.Z)
	require.NoError(t, MoveSlices(k, s, particles, []Vec{{X: 2}, {X: 3}}, 1))
	assert.Equal(t, float32(3), particles[1].At.X)

	assert.ErrorContains(t, SaxpySlices(k, s, 2, x, y[:2]), "y has 2 elements", "nothing is left open")
}

// The header is C and C++, and the structs have the sizes of the Go structs.
func TestHeader(t *testing.T) {
	cc := testenv.CCPath(t)
	main := filepath.Join(t.TempDir(), "main.c")
	require.NoError(t, os.WriteFile(main, []byte("#include \"kernels_types.h\"\nint main(void) { Particle p = {0}; p.at.x = 1; p.mode = ModeFALLING; return sizeof p == 48 && LIMIT == 2147483648 ? p.mode : 1; }\n"), 0o644))
	here, err := os.Getwd()
	require.NoError(t, err)
	out, err := exec.Command(cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", here, "-o", main+".out", main).CombinedOutput()
	require.NoError(t, err, "%s", out)
	err = exec.Command(main + ".out").Run()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 3, exit.ExitCode())

	header, err := os.ReadFile("kernels_types.h")
	require.NoError(t, err)
	wrong := filepath.Join(t.TempDir(), "wrong.c")
	require.NoError(t, os.WriteFile(wrong, []byte(strings.Replace(string(header), "offsetof(Particle, mass) == 16", "offsetof(Particle, mass) == 12", 1)), 0o644))
	assert.Error(t, exec.Command(cc, "-std=c11", "-fsyntax-only", wrong).Run(), "the assertions are checked")
}

func TestNames(t *testing.T) {
	assert.Equal(t, "x cuda.Slice[float32]", strings.Split(KernelsSignatures["Saxpy"], ", ")[1])
}
