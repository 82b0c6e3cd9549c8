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

func TestClusterBlocks(t *testing.T) {
	for _, test := range []struct {
		threads, perBlock, cluster int
		want                       uint32
	}{
		{1000, 256, 2, 4}, {1025, 256, 2, 6}, {0, 256, 4, 0}, {1, 1, 16, 16}, {5, 1, 1, 5},
		{1000, 256, 0, math.MaxUint32}, {1000, 256, 17, math.MaxUint32}, {-1, 256, 2, math.MaxUint32}, {math.MaxUint32, 1, 16, math.MaxUint32},
	} {
		assert.Equal(t, test.want, Arithmetic{}.ClusterBlocks(test.threads, test.perBlock, test.cluster), "%+v", test)
	}
}

func TestLacksBlocks(t *testing.T) {
	for _, test := range []struct {
		grid, block uint32
		want, per   int
		lacks       bool
	}{
		{4, 256, 4, 256, false}, {4, 256, 5, 256, true}, {2, 512, 4, 256, false}, {2, 511, 4, 256, true},
		{2, 512, 4, 0, true}, {4, 1, 4, 0, false}, {math.MaxUint32, math.MaxUint32, math.MaxInt, 4, true}, {1, 1, 0, 0, false},
	} {
		assert.Equal(t, test.lacks, Arithmetic{}.LacksBlocks(test.grid, test.block, test.want, test.per), "%+v", test)
	}
}
