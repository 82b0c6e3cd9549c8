package main

import (
	"bytes"
	"image/png"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/simtest"
)

func TestTour(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	require.NoError(t, run(&out))
	assert.Regexp(t, `^device 0 \(.*simulated.*\), compute capability \d+\.\d+\n`, out.String())
	for _, stop := range stops {
		assert.Regexp(t, `(?m)^`+stop.kernel+` +\d+ +\S+ +(\S+ M/s|-) +(\d+ values identical|off by at most \S+, bound \S+)$`, out.String())
	}
	picture, err := os.Open("mandelbrot.png")
	require.NoError(t, err)
	defer picture.Close()
	img, err := png.Decode(picture)
	require.NoError(t, err)
	assert.Equal(t, width, img.Bounds().Dx())
	assert.Equal(t, height, img.Bounds().Dy())
}

func TestRate(t *testing.T) {
	assert.Equal(t, "2000 M/s", rate(1e6, 500*time.Microsecond))
	assert.Equal(t, "-", rate(1e6, 0))
}

func simulated(t *testing.T) []*result {
	results, err := visit(simtest.New(t))
	require.NoError(t, err)
	require.Len(t, results, len(stops))
	return results
}

// TestGPUAgreesWithSimulator: integers are identical, floats within each check's bound.
func TestGPUAgreesWithSimulator(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	results, err := visit(dev)
	require.NoError(t, err)
	for i, sim := range simulated(t) {
		assert.NoError(t, results[i].output.against(sim.output), sim.kernel)
	}
}

// TestChecksFail is the control: each result, with one value off by twice the bound,
// is found wrong.
func TestChecksFail(t *testing.T) {
	for _, r := range simulated(t) {
		_, err := r.output.check()
		assert.NoError(t, err, r.kernel)
		wrong := perturbed(r.output)
		_, err = wrong.check()
		assert.Error(t, err, r.kernel)
		assert.Error(t, r.output.against(wrong), r.kernel)
	}
}

func perturbed(o output) output {
	switch o := o.(type) {
	case near:
		o.got = slices.Clone(o.got)
		o.got[len(o.got)/2] = o.want[len(o.want)/2] + float32(2*o.bound)
		return o
	case exact[byte]:
		return withOther(o)
	case exact[int32]:
		return withOther(o)
	case exact[int64]:
		return withOther(o)
	case exact[float64]:
		return withOther(o)
	case exact[uint32]:
		return withOther(o)
	case exact[vec.UChar4]:
		return withOther(o)
	}
	panic("a kind of output without a control")
}

// withOther exchanges one value for a different one.
func withOther[T comparable](e exact[T]) output {
	e.got = slices.Clone(e.got)
	var zero T
	i := slices.IndexFunc(e.got, func(v T) bool { return v != zero })
	e.got[i] = zero
	return e
}
