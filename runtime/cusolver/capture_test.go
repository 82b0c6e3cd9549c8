package cusolver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// Methods can be captured, with a workspace from before the capture. Generic functions that allocate one cannot.
func TestCapture(t *testing.T) {
	run(t, simtest.New(t), func(b *bench) {
		const n = 5
		m := random[float64](b, n, n)
		a := m.times(m.adjoint())
		for i := range n {
			*a.at(i, i) += 1
		}
		x := random[float64](b, n, 2)
		matrix, sides := upload[float64](b, a, n), upload[float64](b, a.times(x), n)
		factor, right, info := memory[float64](b.T, b.stream, n*n), memory[float64](b.T, b.stream, n*2), memory[int32](b.T, b.stream, 1)
		lwork, err := b.handle.DpotrfBufferSize(b.stream, cusolver.FillModeLower, n, factor, n)
		require.NoError(b, err)
		work := memory[float64](b.T, b.stream, int(lwork))
		graph, err := cuda.Capture(b.stream, func(s *cuda.Stream) error {
			assert.ErrorIs(b, cusolver.Potrf(b.handle, s, cusolver.FillModeLower, n, factor, n, info), cuda.ErrStreamCaptureUnsupported)
			if err := cuda.Copy(factor, matrix).Launch(s); err != nil {
				return err
			}
			if err := cuda.Copy(right, sides).Launch(s); err != nil {
				return err
			}
			if err := b.handle.Dpotrf(s, cusolver.FillModeLower, n, factor, n, work, lwork, info); err != nil {
				return err
			}
			return cusolver.Potrs(b.handle, s, cusolver.FillModeLower, n, 2, factor, n, right, n, info)
		})
		require.NoError(b, err)
		exec, err := graph.Instantiate()
		require.NoError(b, err)
		defer exec.Close()
		for range 2 {
			require.NoError(b, exec.Launch(b.stream))
			require.NoError(b, cusolver.Check(b.stream, info))
			same[float64](b, x, download(b, right, n, 2, n), "captured")
		}
	})
}
