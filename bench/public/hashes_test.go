package public_test

import (
	"encoding/binary"
	"math/big"
	"math/bits"
	"slices"
)

// Hash functions of miners, written from their specifications, for whole bytes.

// keccakConstants are those of iota, from their shift register.
func keccakConstants() (c [24]uint64) {
	state := uint8(1)
	for round := range c {
		for j := range 7 {
			state = state<<1 ^ state>>7*0x71
			if state&2 != 0 {
				c[round] |= 1 << (1<<j - 1)
			}
		}
	}
	return c
}

// keccakF permutes a state of 5 × 5 lanes.
func keccakF(a *[25]uint64) {
	for _, constant := range keccakConstants() {
		var sums [5]uint64
		for i, lane := range a {
			sums[i%5] ^= lane
		}
		for i := range a {
			a[i] ^= sums[(i+4)%5] ^ bits.RotateLeft64(sums[(i+1)%5], 1)
		}
		x, y, lane := 1, 0, a[1]
		for t := range 24 {
			x, y = y, (2*x+3*y)%5
			lane, a[x+5*y] = a[x+5*y], bits.RotateLeft64(lane, (t+1)*(t+2)/2)
		}
		for y := 0; y < 25; y += 5 {
			row := [5]uint64(a[y:])
			for x := range row {
				a[y+x] ^= ^row[(x+1)%5] & row[(x+2)%5]
			}
		}
		a[0] ^= constant
	}
}

// keccak is the hash of size bytes as it was before SHA-3 changed the padding.
func keccak(message []byte, size int) []byte {
	rate := 200 - 2*size
	padded := append(slices.Clone(message), 1)
	padded = append(padded, make([]byte, (rate-len(padded)%rate)%rate)...)
	padded[len(padded)-1] |= 0x80
	var state [25]uint64
	for block := range slices.Chunk(padded, rate) {
		for i := range rate / 8 {
			state[i] ^= binary.LittleEndian.Uint64(block[8*i:])
		}
		keccakF(&state)
	}
	return little64(state[:])[:size]
}

// little64 are the bytes of words, the least significant one first.
func little64(x []uint64) (y []byte) {
	for _, v := range x {
		y = binary.LittleEndian.AppendUint64(y, v)
	}
	return y
}

// big64 are the bytes of words, the most significant one first.
func big64(x []uint64) (y []byte) {
	for _, v := range x {
		y = binary.BigEndian.AppendUint64(y, v)
	}
	return y
}

func little32(x []uint32) (y []byte) {
	for _, v := range x {
		y = binary.LittleEndian.AppendUint32(y, v)
	}
	return y
}

func words64(x []byte, order binary.ByteOrder) []uint64 {
	return each(len(x)/8, func(i int) uint64 { return order.Uint64(x[8*i:]) })
}

func words32(x []byte, order binary.ByteOrder) []uint32 {
	return each(len(x)/4, func(i int) uint32 { return order.Uint32(x[4*i:]) })
}

// roots returns the first n words after the point of the square or cube roots of the first primes.
func roots(n int, cube bool) (c []uint64) {
	for p := int64(2); len(c) < n; p++ {
		if !big.NewInt(p).ProbablyPrime(0) {
			continue
		}
		x := new(big.Int).Lsh(big.NewInt(p), 192)
		if !cube {
			x.Sqrt(x.Rsh(x, 64))
		} else {
			low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), 80)
			for one := big.NewInt(1); new(big.Int).Sub(high, low).Cmp(one) > 0; {
				middle := new(big.Int).Rsh(new(big.Int).Add(low, high), 1)
				if new(big.Int).Exp(middle, big.NewInt(3), nil).Cmp(x) > 0 {
					high = middle
				} else {
					low = middle
				}
			}
			x = low
		}
		c = append(c, new(big.Int).And(x, new(big.Int).SetUint64(1<<64-1)).Uint64())
	}
	return c
}

// sigma are the orders of message words of BLAKE and BLAKE2.
var sigma = [10][16]int{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// quarters are the columns and diagonals that a round of BLAKE mixes.
var quarters = [8][4]int{
	{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15},
	{0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14},
}

// blake512 is BLAKE-512 of up to 111 bytes.
func blake512(message []byte) []byte {
	pi := [16]uint64{
		0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89,
		0x452821e638d01377, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917,
		0x9216d5d98979fb1b, 0xd1310ba698dfb5ac, 0x2ffd72dbd01adfb7, 0xb8e1afed6a267e96,
		0xba7c9045f12c7f99, 0x24a19947b3916cf7, 0x0801f2e2858efc16, 0x636920d871574e69,
	}
	block := make([]byte, 128)
	block[copy(block, message)] = 0x80
	block[111] |= 1
	length := uint64(8 * len(message))
	binary.BigEndian.PutUint64(block[120:], length)
	m := words64(block, binary.BigEndian)
	h := roots(8, false)
	v := append(slices.Clone(h), pi[:8]...)
	v[12] ^= length
	v[13] ^= length
	for round := range 16 {
		s := sigma[round%10]
		for i, q := range quarters {
			a, b, c, d := &v[q[0]], &v[q[1]], &v[q[2]], &v[q[3]]
			x, y := s[2*i], s[2*i+1]
			*a += *b + (m[x] ^ pi[y])
			*d = bits.RotateLeft64(*d^*a, -32)
			*c += *d
			*b = bits.RotateLeft64(*b^*c, -25)
			*a += *b + (m[y] ^ pi[x])
			*d = bits.RotateLeft64(*d^*a, -16)
			*c += *d
			*b = bits.RotateLeft64(*b^*c, -11)
		}
	}
	for i := range h {
		h[i] ^= v[i] ^ v[i+8]
	}
	return big64(h)
}

// blake2b is BLAKE2b without a key.
func blake2b(message []byte, size int) []byte {
	iv := roots(8, false)
	h := slices.Clone(iv)
	h[0] ^= 0x01010000 ^ uint64(size)
	for start := 0; start == 0 || start < len(message); start += 128 {
		end := min(start+128, len(message))
		m := words64(append(slices.Clone(message[start:end]), make([]byte, 128+start-end)...), binary.LittleEndian)
		v := append(slices.Clone(h), iv...)
		v[12] ^= uint64(end)
		if end == len(message) {
			v[14] = ^v[14]
		}
		for round := range 12 {
			for i, q := range quarters {
				a, b, c, d := &v[q[0]], &v[q[1]], &v[q[2]], &v[q[3]]
				*a += *b + m[sigma[round%10][2*i]]
				*d = bits.RotateLeft64(*d^*a, -32)
				*c += *d
				*b = bits.RotateLeft64(*b^*c, -24)
				*a += *b + m[sigma[round%10][2*i+1]]
				*d = bits.RotateLeft64(*d^*a, -16)
				*c += *d
				*b = bits.RotateLeft64(*b^*c, -63)
			}
		}
		for i := range h {
			h[i] ^= v[i] ^ v[i+8]
		}
	}
	return little64(h)[:size]
}

// threefish is the block cipher of Skein.
func threefish(key [8]uint64, low, high uint64, p [8]uint64) [8]uint64 {
	rotations := [8][4]int{
		{46, 36, 19, 37}, {33, 27, 14, 42}, {17, 49, 36, 39}, {44, 9, 54, 56},
		{39, 30, 34, 24}, {13, 50, 10, 17}, {25, 29, 39, 43}, {8, 35, 56, 22},
	}
	k := append(key[:], 0x1bd11bdaa9fc1a22)
	for _, word := range key {
		k[8] ^= word
	}
	tweak := [3]uint64{low, high, low ^ high}
	add := func(s int) {
		for i := range p {
			p[i] += k[(s+i)%9]
		}
		p[5] += tweak[s%3]
		p[6] += tweak[(s+1)%3]
		p[7] += uint64(s)
	}
	for d := range 72 {
		if d%4 == 0 {
			add(d / 4)
		}
		for j, by := range rotations[d%8] {
			p[2*j] += p[2*j+1]
			p[2*j+1] = bits.RotateLeft64(p[2*j+1], by) ^ p[2*j]
		}
		p = [8]uint64{p[2], p[1], p[4], p[7], p[6], p[5], p[0], p[3]}
	}
	add(18)
	return p
}

// skein512 is Skein-512-512 of up to 64 bytes.
func skein512(message []byte) []byte {
	var chain [8]uint64
	block := func(kind, length uint64, m [8]uint64) {
		c := threefish(chain, length, kind<<56|3<<62, m)
		for i := range chain {
			chain[i] = c[i] ^ m[i]
		}
	}
	block(4, 32, [8]uint64{0x133414853, 512})
	block(48, uint64(len(message)), [8]uint64(words64(append(slices.Clone(message), make([]byte, 64-len(message))...), binary.LittleEndian)))
	block(63, 8, [8]uint64{})
	return little64(chain[:])
}

// bmw512 is Blue Midnight Wish of 512 bits, of up to 119 bytes.
func bmw512(message []byte) []byte {
	block := make([]byte, 128)
	block[copy(block, message)] = 0x80
	binary.LittleEndian.PutUint64(block[120:], uint64(8*len(message)))
	h, last := make([]uint64, 16), make([]uint64, 16)
	for i := range h {
		h[i] = 0x8081828384858687 + 0x0808080808080808*uint64(i)
		last[i] = 0xaaaaaaaaaaaaaaa0 + uint64(i)
	}
	h = bmwCompress(h, words64(block, binary.LittleEndian))
	return little64(bmwCompress(last, h)[8:])
}

func bmwCompress(h, m []uint64) []uint64 {
	rotate := bits.RotateLeft64
	s := [...]func(x uint64) uint64{
		func(x uint64) uint64 { return x>>1 ^ x<<3 ^ rotate(x, 4) ^ rotate(x, 37) },
		func(x uint64) uint64 { return x>>1 ^ x<<2 ^ rotate(x, 13) ^ rotate(x, 43) },
		func(x uint64) uint64 { return x>>2 ^ x<<1 ^ rotate(x, 19) ^ rotate(x, 53) },
		func(x uint64) uint64 { return x>>2 ^ x<<2 ^ rotate(x, 28) ^ rotate(x, 59) },
		func(x uint64) uint64 { return x>>1 ^ x },
		func(x uint64) uint64 { return x>>2 ^ x },
	}
	const n = 16 // what is subtracted
	terms := [16][5]int{
		{5, 7 + n, 10, 13, 14}, {6, 8 + n, 11, 14, 15 + n}, {0, 7, 9, 12 + n, 15}, {0, 1 + n, 8, 10 + n, 13},
		{1, 2, 9, 11 + n, 14 + n}, {3, 2 + n, 10, 12 + n, 15}, {4, 0 + n, 3 + n, 11 + n, 13}, {1, 4 + n, 5 + n, 12 + n, 14 + n},
		{2, 5 + n, 6 + n, 13, 15 + n}, {0, 3 + n, 6, 7 + n, 14}, {8, 1 + n, 4 + n, 7 + n, 15}, {8, 0 + n, 2 + n, 5 + n, 9},
		{1, 3, 6 + n, 9 + n, 10}, {2, 4, 7, 10, 11}, {3, 5 + n, 8, 11 + n, 12 + n}, {12, 4 + n, 6 + n, 9 + n, 13},
	}
	var q [32]uint64
	for i, t := range terms {
		var w uint64
		for _, j := range t {
			if x := m[j%n] ^ h[j%n]; j < n {
				w += x
			} else {
				w -= x
			}
		}
		q[i] = s[i%5](w) + h[(i+1)%16]
	}
	for i := 16; i < 32; i++ {
		turned := func(j int) uint64 { return rotate(m[j%16], j%16+1) }
		q[i] = (turned(i) + turned(i+3) - turned(i+10) + uint64(i)*0x0555555555555555) ^ h[(i+7)%16]
		for j := range 16 {
			x := q[i-16+j]
			switch {
			case i < 18:
				x = s[(j+1)%4](x)
			case j >= 14:
				x = s[j-10](x)
			case j%2 == 1:
				x = rotate(x, [...]int{5, 11, 27, 32, 37, 43, 53}[j/2])
			}
			q[i] += x
		}
	}
	var low, high uint64
	for i := 16; i < 24; i++ {
		low ^= q[i]
		high ^= q[i] ^ q[i+8]
	}
	shift := func(x uint64, by int) uint64 { // to the left, or to the right
		if by < 0 {
			return x >> -by
		}
		return x << by
	}
	y := make([]uint64, 16)
	for i, by := range [8][2]int{{5, -5}, {-7, 8}, {-5, 5}, {-1, 5}, {-3, 0}, {6, -6}, {-4, 6}, {-11, 2}} {
		y[i] = (shift(high, by[0]) ^ shift(q[16+i], by[1]) ^ m[i]) + (low ^ q[24+i] ^ q[i])
	}
	for i, by := range [8]int{8, -6, 6, 4, -3, -4, -7, -2} {
		y[8+i] = rotate(y[(4+i)%8], 9+i) + (high ^ q[24+i] ^ m[8+i]) + (shift(low, by) ^ q[16+(7+i)%8] ^ q[8+i])
	}
	return y
}
