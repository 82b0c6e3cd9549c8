package simulated

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

func TestElementsFrom(t *testing.T) {
	assert.Equal(t, elements[float32]{16 + 3*2, 7, cublas.R16F}, elements[float32]{16, 10, cublas.R16F}.from(3))
}

func TestConvert(t *testing.T) {
	assert.Equal(t, []int8{-128, 127, 2, 2, -3}, convert[int8]([]float64{-1000, 128, 1.5, 2.4, -3}))
	assert.Equal(t, []int32{math.MinInt32, 7}, convert[int32]([]float64{math.MinInt32, 7}))
	assert.Equal(t, []complex64{2 + 3i}, convert[complex64]([]complex128{2 + 3i}))
	assert.Equal(t, []float64{0.5, -2}, convert[float64]([]vec.BFloat16{vec.NewBFloat16(0.5), vec.NewBFloat16(-2)}))
	assert.Equal(t, []vec.Float16{vec.NewFloat16(1.5)}, convert[vec.Float16]([]float32{1.5}))
	for _, stored := range []cublas.DataType{cublas.R16F, cublas.R16BF, cublas.R32F, cublas.R64F, cublas.C32F, cublas.C64F} {
		bytes := make([]byte, 16)
		encode(bytes, 1.5, stored)
		assert.Equal(t, 1.5, decode[float64](bytes, stored), stored)
	}
}
