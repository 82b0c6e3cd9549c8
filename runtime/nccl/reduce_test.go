package nccl

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// An average of integers divides what the type holds of the sum by the number of ranks, which the type need not hold.
func TestAverageOfManyRanks(t *testing.T) {
	for _, c := range []struct {
		t       dataType
		v       byte
		ranks   int
		average byte
	}{
		{typeInt8, 0xff, 128, 0xff}, // -128/128
		{typeInt8, 0xff, 256, 0},    // 0/256
		{typeInt8, 0xff, 129, 0},    // 127/129
		{typeUint8, 0xff, 256, 0},   // 0/256
		{typeUint8, 1, 255, 1},
	} {
		inputs := slices.Repeat([][]byte{bytes.Repeat([]byte{c.v}, 3)}, c.ranks)
		assert.Equal(t, bytes.Repeat([]byte{c.average}, 3), reduce(c.t, Avg, inputs, nil), "%+v", c)
	}
}
