package texture

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A length of nothing adds nothing, and an infinite one stays.
func TestHypotenuse(t *testing.T) {
	for _, long := range []float64{0x1p-10, 3, math.Inf(1)} {
		assert.Equal(t, long, hypotenuse(long, 0))
		assert.Equal(t, long, hypotenuse(0, long))
	}
	assert.Equal(t, math.Inf(1), hypotenuse(1, math.Inf(1)))
	assert.Greater(t, hypotenuse(3, 1), 3.0)
}
