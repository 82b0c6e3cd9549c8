package sizes

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCount(t *testing.T) {
	for _, test := range []struct {
		n    int
		want uint32
	}{
		{0, 0}, {1, 1}, {math.MaxUint32, math.MaxUint32}, {math.MaxUint32 + 1, math.MaxUint32}, {-1, math.MaxUint32}, {math.MinInt, math.MaxUint32},
	} {
		assert.Equal(t, test.want, Arithmetic{}.Count(test.n), "Count(%d)", test.n)
	}
}

func TestBlocks(t *testing.T) {
	for _, test := range []struct {
		threads, perBlock int
		want              uint32
	}{
		{0, 256, 0}, {1, 256, 1}, {256, 256, 1}, {257, 256, 2}, {7, 1, 7},
		{math.MaxInt, 1024, math.MaxUint32}, {math.MaxInt, 1, math.MaxUint32},
		{-1, 256, math.MaxUint32}, {math.MinInt, 256, math.MaxUint32},
		{5, 0, 0}, {5, -1, math.MaxUint32},
	} {
		assert.Equal(t, test.want, Arithmetic{}.Blocks(test.threads, test.perBlock), "Blocks(%d, %d)", test.threads, test.perBlock)
	}
}
