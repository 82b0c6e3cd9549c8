package cusparse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

// Methods can be captured, with a buffer from before the capture. Generic functions that allocate one cannot.
func TestCapture(t *testing.T) {
	onBoth(t, func(b *bench) {
		a, _ := csr[int32](b, table[float32]{2, 3, []float32{1, 0, 2, 0, 3, 0}})
		xs, ys := memory(b, []float32{1, 2, 3}), memory(b, []float32{0, 0})
		x, y := kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, xs)), kept[*cusparse.DenseVector](b)(cusparse.Vector(b.device, ys))
		op, alpha, beta := cusparse.OperationNonTranspose, one[float32](), one[float32]()
		size, err := b.handle.SpMVBufferSize(b.stream, op, alpha, a, x, beta, y, cusparse.R32F, cusparse.SpmvAlgDefault)
		require.NoError(b, err)
		buffer := room(b, size)
		graph, err := cuda.Capture(b.stream, func(s *cuda.Stream) error {
			if size > 0 {
				assert.ErrorIs(b, cusparse.SpMV[float32](b.handle, s, op, 1, a, x, 1, y), cuda.ErrStreamCaptureUnsupported)
			}
			return b.handle.SpMV(s, op, alpha, a, x, beta, y, cusparse.R32F, cusparse.SpmvAlgDefault, buffer)
		})
		require.NoError(b, err)
		exec, err := graph.Instantiate()
		require.NoError(b, err)
		defer exec.Close()
		for n := range 2 {
			require.NoError(b, exec.Launch(b.stream))
			got, err := ys.Download(b.stream)
			require.NoError(b, err)
			assert.Equal(b, []float32{float32(n+1) * 7, float32(n+1) * 6}, got)
		}
		require.NoError(b, x.Close())
		assert.ErrorIs(b, exec.Launch(b.stream), cuda.ErrClosed, "a graph needs the descriptors of its calls")
	})
}
