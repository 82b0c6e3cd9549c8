//go:build !amd64 || cudagen_portable

package simd

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFuses: on arm64 the compiler has always fused. Where it does not, the function rounds twice,
// and fuses tells.
func TestFuses(t *testing.T) {
	if runtime.GOARCH == "arm64" {
		assert.True(t, fuses())
	}
	x, y, z := float32(1+1.0/(1<<12)), float32(1+1.0/(1<<12)), float32(-(1 + 1.0/(1<<11)))
	var d, a, b, c Lanes
	Fill(&a, Bits32(x))
	Fill(&b, Bits32(y))
	Fill(&c, Bits32(z))
	fmaFusedF32(&d, &a, &b, &c)
	assert.Equal(t, fuses(), F32(d[warpSize-1]) != 0)
}
