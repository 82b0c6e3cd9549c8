package sizes

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// bitAt returns bit i of b, the lowest of the first byte first.
func bitAt(b []byte, i uint) uint64 { return uint64(b[i/8] >> (i % 8) & 1) }

// Every bit of a bit-field is where it belongs, and no other changes.
func TestBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		count := 1 + random.UintN(64)
		first := random.UintN(40)
		b := make([]byte, (first+count+7)/8)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		before := append([]byte(nil), b...)
		var want uint64
		for i := range count {
			want |= bitAt(b, first+i) << i
		}
		signed := int64(want)
		if count < 64 && want>>(count-1) == 1 {
			signed = int64(want) - 1<<count
		}
		assert.Equal(t, want, Arithmetic{}.Bits(b, first, count))
		assert.Equal(t, signed, Arithmetic{}.SignedBits(b, first, count))
		v := random.Uint64() >> (64 - count)
		Arithmetic{}.SetBits(b, first, count, v)
		for i := range uint(8 * len(b)) {
			want := bitAt(before, i)
			if i >= first && i < first+count {
				want = v >> (i - first) & 1
			}
			if !assert.Equal(t, want, bitAt(b, i), "bit %d of %d bits at %d", i, count, first) {
				return
			}
		}
		signed = int64(v<<(64-count)) >> (64 - count)
		copy(b, before)
		Arithmetic{}.SetSignedBits(b, first, count, signed)
		assert.Equal(t, signed, Arithmetic{}.SignedBits(b, first, count))
		Arithmetic{}.SetBool(b, first, count, v&1 == 1)
		assert.Equal(t, v&1, Arithmetic{}.Bits(b, first, count))
	}
}

// A value that a bit-field cannot hold is a programming error, and changes nothing.
func TestBitsThatDoNotFit(t *testing.T) {
	b := []byte{0xa5, 0x5a, 0, 0, 0, 0, 0, 0, 0}
	before := append([]byte(nil), b...)
	assert.PanicsWithValue(t, "cuda: 8 is not a value of a bit-field with 3 bits (0 to 7)", func() { Arithmetic{}.SetBits(b, 3, 3, 8) })
	assert.PanicsWithValue(t, "cuda: 4 is not a value of a bit-field with 3 bits (-4 to 3)", func() { Arithmetic{}.SetSignedBits(b, 3, 3, 4) })
	assert.PanicsWithValue(t, "cuda: -5 is not a value of a bit-field with 3 bits (-4 to 3)", func() { Arithmetic{}.SetSignedBits(b, 3, 3, -5) })
	assert.PanicsWithValue(t, "cuda: 1 is not a value of a bit-field with 1 bits (-1 to 0)", func() { Arithmetic{}.SetSignedBits(b, 3, 1, 1) })
	assert.Equal(t, before, b)
	assert.NotPanics(t, func() {
		Arithmetic{}.SetBits(b, 3, 64, 1<<64-1)
		Arithmetic{}.SetSignedBits(b, 3, 64, -1<<63)
		Arithmetic{}.SetSignedBits(b, 3, 3, -4)
	})
}

func TestBitsDoNotAllocate(t *testing.T) {
	type params struct{ Bits [9]uint8 }
	var p params
	var sum uint64
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		Arithmetic{}.SetBits(p.Bits[:], 5, 40, 12345)
		Arithmetic{}.SetSignedBits(p.Bits[:], 45, 9, -200)
		Arithmetic{}.SetBool(p.Bits[:], 60, 1, true)
		sum += Arithmetic{}.Bits(p.Bits[:], 5, 40) + uint64(Arithmetic{}.SignedBits(p.Bits[:], 45, 9))
	}))
	assert.NotZero(t, sum)
}
