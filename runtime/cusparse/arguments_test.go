//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package cusparse_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/clibtest"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

// What is nil or closed never gets to C.
func TestArguments(t *testing.T) {
	if !clibtest.Alone(t) {
		return
	}
	works := map[string]string{
		"cusparseSetStream": clibtest.Works, "cusparseSetPointerMode": clibtest.Works, "cusparseCreate": clibtest.Makes,
		"cusparseGetErrorString": "(void) { return 0; }",
	}
	code, err := os.ReadFile("cusparse_clib.go")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`Symbol: "(cusparse\w*([dD]estroy|[cC]reate)\w*)"`).FindAllStringSubmatch(string(code), -1) {
		if works[m[1]] = clibtest.Works; m[2] == "create" || m[2] == "Create" {
			works[m[1]] = clibtest.Makes
		}
	}
	d, s := clibtest.Refusing(t, "cusparse", "cusparse_clib.go", works)
	methods := refuses(t, d, s, cusparse.NewHandle)
	refuses(t, d, s, cusparse.NewDescription)
	refuses(t, d, s, cusparse.NewSpSVState)
	refuses(t, d, s, cusparse.NewSpGEMMState)
	buffer, err := cuda.Alloc[uint8](s, 64)
	require.NoError(t, err)
	defer buffer.Close()
	refuses(t, d, s, func(d *cuda.Device) (*cusparse.DenseVector, error) {
		return cusparse.NewDnVec(d, 2, buffer.All(), cusparse.R32F)
	})
	refuses(t, d, s, func(d *cuda.Device) (*cusparse.DenseMatrix, error) {
		return cusparse.NewDnMat(d, 2, 2, 2, buffer.All(), cusparse.R32F, cusparse.OrderCol)
	})
	refuses(t, d, s, func(d *cuda.Device) (*cusparse.SparseVector, error) {
		return cusparse.NewSpVec(d, 2, 2, buffer.All(), buffer.All(), cusparse.Index32I, cusparse.IndexBaseZero, cusparse.R32F)
	})
	refuses(t, d, s, func(d *cuda.Device) (*cusparse.SparseMatrix, error) {
		return cusparse.NewCsr(d, 2, 2, 2, buffer.All(), buffer.All(), buffer.All(), cusparse.Index32I, cusparse.Index32I, cusparse.IndexBaseZero, cusparse.R32F)
	})
	assert.Greater(t, methods, 400)

	// A control: what is right gets there.
	h, err := cusparse.NewHandle(d)
	require.NoError(t, err)
	defer h.Close()
	x, err := cusparse.Vector(d, cuda.Reinterpret[float32](buffer.All()))
	require.NoError(t, err)
	defer x.Close()
	assert.ErrorIs(t, h.Scatter(s, nil, x), cuda.ErrInvalidValue)
	_, err = h.SpMVBufferSize(s, 0, cusparse.Scalar[float32](1), descriptor(t, d, buffer.All()), x, cusparse.Scalar[float32](0), x, cusparse.R32F, 0)
	assert.ErrorIs(t, err, cusparse.Status(clibtest.Refused))
}

// refuses calls all methods of no handle, of one that nothing made and of a closed one.
func refuses[H interface {
	comparable
	Close() error
}](t *testing.T, d *cuda.Device, s *cuda.Stream, create func(*cuda.Device) (H, error)) int {
	t.Helper()
	_, err := create(nil)
	require.ErrorIs(t, err, cuda.ErrInvalidValue)
	closed, err := create(d)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	return clibtest.NeverCalled(t, s, *new(H), closed)
}

// descriptor returns a matrix of 16 by 16 numbers, of which none is there.
func descriptor(t *testing.T, d *cuda.Device, memory cuda.Slice[uint8]) *cusparse.SparseMatrix {
	t.Helper()
	a, err := cusparse.NewCoo(d, 16, 16, 0, memory, memory, memory, cusparse.Index32I, cusparse.IndexBaseZero, cusparse.R32F)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	return a
}
