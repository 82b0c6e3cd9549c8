package curand_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/curand"
	_ "github.com/cudagen/cudagen/runtime/curand/simulated"
)

var update = flag.Bool("update", false, "have TestNumbers write what the GPU makes to testdata")

// numbersFile has what cuRAND made on a GPU.
const numbersFile = "testdata/numbers.json"

// A sequence is what a generator makes.
type sequence struct {
	Kind   curand.Kind `json:"kind"`
	Seed   uint64      `json:"seed"`
	Offset uint64      `json:"offset"`
	Calls  []made      `json:"calls"`
}

// A made is what one call makes of n elements: the sum of their bytes where these are exact, otherwise some of them.
type made struct {
	What   string    `json:"what"`
	N      int       `json:"n"`
	Sum    string    `json:"sum,omitempty"`
	Values []float64 `json:"values,omitempty"`
}

// picked are the elements of n whose values are kept.
func picked(n int) []int { return []int{0, 1, n / 3, n / 2, n/2 + 1, n - 2, n - 1} }

// make makes the numbers of a call.
func (m *made) make(t *testing.T, g *curand.Generator, s *cuda.Stream) (result made) {
	t.Helper()
	result = made{What: m.What, N: m.N}
	switch m.What {
	case "bits":
		result.Sum = sum(out(t, s, m.N, func(x cuda.Slice[uint32]) error { return g.Generate(s, x, uint64(m.N)) }))
	case "uniform32":
		result.Sum = sum(out(t, s, m.N, func(x cuda.Slice[float32]) error { return curand.Uniform(g, s, x) }))
	case "uniform64":
		result.Sum = sum(out(t, s, m.N, func(x cuda.Slice[float64]) error { return curand.Uniform(g, s, x) }))
	case "normal32":
		result.Values = some(out(t, s, m.N, func(x cuda.Slice[float32]) error { return curand.Normal(g, s, x, 0, 1) }))
	case "normal64":
		result.Values = some(out(t, s, m.N, func(x cuda.Slice[float64]) error { return curand.Normal(g, s, x, 0, 1) }))
	case "lognormal32":
		result.Values = some(out(t, s, m.N, func(x cuda.Slice[float32]) error { return curand.LogNormal(g, s, x, 1, 0.5) }))
	case "lognormal64":
		result.Values = some(out(t, s, m.N, func(x cuda.Slice[float64]) error { return curand.LogNormal(g, s, x, 1, 0.5) }))
	default:
		require.Fail(t, m.What)
	}
	return result
}

// out returns what f writes to n elements.
func out[T any](t *testing.T, s *cuda.Stream, n int, f func(x cuda.Slice[T]) error) []T {
	t.Helper()
	x, err := cuda.Alloc[T](s, n)
	require.NoError(t, err)
	defer x.Close()
	require.NoError(t, f(x.All()))
	values, err := x.All().Download(s)
	require.NoError(t, err)
	return values
}

func sum[T any](values []T) string {
	bytes := sha256.Sum256(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(values[0]))))
	return hex.EncodeToString(bytes[:8])
}

func some[T float32 | float64](values []T) (list []float64) {
	for _, i := range picked(len(values)) {
		list = append(list, float64(values[i]))
	}
	return list
}

// A simulated device makes the numbers of a GPU.
func TestNumbers(t *testing.T) { onBoth(t, testNumbers) }

func testNumbers(t *testing.T, dev *cuda.Device, s *cuda.Stream) {
	content, err := os.ReadFile(numbersFile)
	require.NoError(t, err)
	var sequences []sequence
	require.NoError(t, json.Unmarshal(content, &sequences))
	for i, want := range sequences {
		g, err := curand.NewGenerator(dev, want.Kind)
		require.NoError(t, err)
		require.NoError(t, g.SetSeed(want.Seed))
		require.NoError(t, g.SetOffset(want.Offset))
		for j := range want.Calls {
			one := &want.Calls[j]
			got := one.make(t, g, s)
			if *update && !dev.IsSimulated() {
				*one = got
				continue
			}
			assert.Equal(t, one.Sum, got.Sum, "%v, seed %d, offset %d, call %d: %s", want.Kind, want.Seed, want.Offset, j, one.What)
			within := 1e-13
			if one.What == "normal32" || one.What == "lognormal32" {
				within = 2e-5
			}
			require.Len(t, got.Values, len(one.Values))
			for k, v := range one.Values {
				assert.InDelta(t, v, got.Values[k], within*max(1, v), "%v, seed %d, offset %d, call %d: %s", want.Kind, want.Seed, want.Offset, j, one.What)
			}
		}
		require.NoError(t, g.Close())
		sequences[i] = want
	}
	if *update && !dev.IsSimulated() {
		content, err := json.MarshalIndent(sequences, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(numbersFile, append(content, '\n'), 0o644))
	}
}
