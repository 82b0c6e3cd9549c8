package public_test

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// jh512 is JH-512 of 64 bytes, on nibbles.
func jh512(message []byte) []byte {
	var state [128]byte
	state[0] = 2 // 512 bits
	jhCompress(&state, make([]byte, 64))
	jhCompress(&state, message)
	last := make([]byte, 64)
	last[0], last[62] = 0x80, 2
	jhCompress(&state, last)
	return state[64:]
}

func jhCompress(h *[128]byte, m []byte) {
	for i, b := range m {
		h[i] ^= b
	}
	bit := func(i int) byte { return h[i>>3] >> (7 - i&7) & 1 }
	nibbles := make([]byte, 256)
	for i := range nibbles {
		nibbles[i>>7|i<<1&0xff] = bit(i)<<3 | bit(i+256)<<2 | bit(i+512)<<1 | bit(i+768)
	}
	constant := make([]byte, 0, 64)
	for _, w := range [4]uint64{0x6a09e667f3bcc908, 0xb2fb1366ea957d3e, 0x3adec17512775099, 0xda2f590b0667322a} {
		for shift := 60; shift >= 0; shift -= 4 {
			constant = append(constant, byte(w>>shift&15))
		}
	}
	for range 42 {
		nibbles = jhRound(nibbles, func(i int) byte { return constant[i>>2] >> (3 - i&3) & 1 })
		constant = jhRound(constant, func(int) byte { return 0 })
	}
	*h = [128]byte{}
	for i := range nibbles {
		x := nibbles[i>>7|i<<1&0xff]
		for j := range 4 {
			h[(i+256*j)>>3] |= x >> (3 - j) & 1 << (7 - i&7)
		}
	}
	for i, b := range m {
		h[64+i] ^= b
	}
}

// jhRound substitutes, mixes and permutes nibbles.
func jhRound(x []byte, box func(i int) byte) []byte {
	boxes := [2][16]byte{
		{9, 0, 4, 11, 13, 12, 3, 15, 1, 10, 2, 6, 7, 5, 8, 14},
		{3, 12, 6, 13, 5, 7, 1, 9, 15, 2, 0, 4, 11, 10, 14, 8},
	}
	n := len(x)
	y, z := make([]byte, n), make([]byte, n)
	for i := range x {
		y[i] = boxes[box(i)][x[i]]
	}
	double := func(a byte) byte { return (a<<1 ^ a>>3 ^ a>>2&2) & 15 }
	for i := 0; i < n; i += 2 {
		y[i+1] ^= double(y[i])
		y[i] ^= double(y[i+1])
	}
	for i := 0; i < n; i += 4 {
		y[i+2], y[i+3] = y[i+3], y[i+2]
	}
	for i := range n / 2 {
		z[i], z[n/2+i] = y[2*i], y[2*i+1]
	}
	for i := n / 2; i < n; i += 2 {
		z[i], z[i+1] = z[i+1], z[i]
	}
	return z
}

// galois multiplies in the field of 256 elements with the given polynomial.
func galois(a, b byte, polynomial int) byte {
	x, y := int(a), 0
	for ; b != 0; b >>= 1 {
		if b&1 != 0 {
			y ^= x
		}
		if x <<= 1; x&0x100 != 0 {
			x ^= polynomial
		}
	}
	return byte(y)
}

// aesBox is the substitution of AES: the inverse and an affine map.
var aesBox = func() (s [256]byte) {
	for x := range 256 {
		inverse := byte(0)
		for y := range 256 {
			if galois(byte(x), byte(y), 0x11b) == 1 {
				inverse = byte(y)
			}
		}
		s[x] = 0x63
		for by := range 5 {
			s[x] ^= bits.RotateLeft8(inverse, by)
		}
	}
	return s
}()

// groestl512 is Grøstl-512 of 64 bytes.
func groestl512(message []byte) []byte {
	block := make([]byte, 128)
	block[copy(block, message)] = 0x80
	block[127] = 1
	h := make([]byte, 128)
	h[126] = 2
	p, q := slices.Clone(h), slices.Clone(block)
	for i := range p {
		p[i] ^= block[i]
	}
	groestlPermute(p, false)
	groestlPermute(q, true)
	for i := range h {
		h[i] ^= p[i] ^ q[i]
	}
	p = slices.Clone(h)
	groestlPermute(p, false)
	for i := range h {
		h[i] ^= p[i]
	}
	return h[64:]
}

// groestlPermute permutes 16 columns of 8 bytes.
func groestlPermute(a []byte, q bool) {
	for round := range byte(14) {
		for column := range byte(16) {
			if !q {
				a[8*column] ^= column<<4 ^ round
				continue
			}
			for row := range byte(8) {
				a[8*column+row] ^= 0xff
			}
			a[8*column+7] ^= column<<4 ^ round
		}
		shifts := [8]int{0, 1, 2, 3, 4, 5, 6, 11}
		if q {
			shifts = [8]int{1, 3, 5, 11, 0, 2, 4, 6}
		}
		b := make([]byte, 128)
		for i := range b {
			b[i] = aesBox[a[(i+8*shifts[i%8])%128]]
		}
		for i := range a {
			a[i] = 0
			for k, factor := range [8]byte{2, 2, 3, 4, 5, 3, 5, 7} {
				a[i] ^= galois(b[i/8*8+(i+k)%8], factor, 0x11b)
			}
		}
	}
}

// cubehash512 is CubeHash16/32-512.
func cubehash512(message []byte) []byte {
	var x [32]uint32
	x[0], x[1], x[2] = 64, 32, 16
	rounds := func(n int) {
		for range n {
			for half := range 2 {
				for i := range 16 {
					x[16+i] += x[i]
				}
				y := x
				for i := range 16 {
					x[i] = bits.RotateLeft32(y[i^8>>half], 7+4*half) ^ y[16+i]
				}
				y = x
				for i := range 16 {
					x[16+i] = y[16+i^2>>half]
				}
			}
		}
	}
	rounds(160)
	padded := append(slices.Clone(message), 0x80)
	padded = append(padded, make([]byte, (32-len(padded)%32)%32)...)
	for block := range slices.Chunk(padded, 32) {
		for i, w := range words32(block, binary.LittleEndian) {
			x[i] ^= w
		}
		rounds(16)
	}
	x[31] ^= 1
	rounds(160)
	return little32(x[:16])
}

// sm3 is the hash of the Chinese standard GM/T 0004.
func sm3(message []byte) (sum []byte) {
	padded := append(slices.Clone(message), 0x80)
	for len(padded)%64 != 56 {
		padded = append(padded, 0)
	}
	padded = binary.BigEndian.AppendUint64(padded, uint64(8*len(message)))
	rotate := bits.RotateLeft32
	h := [8]uint32{0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e}
	for block := range slices.Chunk(padded, 64) {
		w := words32(block, binary.BigEndian)
		for i := 16; i < 68; i++ {
			x := w[i-16] ^ w[i-9] ^ rotate(w[i-3], 15)
			w = append(w, x^rotate(x, 15)^rotate(x, 23)^rotate(w[i-13], 7)^w[i-6])
		}
		s := h
		for i := range 64 {
			a, b, c, e, f, g := s[0], s[1], s[2], s[4], s[5], s[6]
			t, left, right := uint32(0x79cc4519), a^b^c, e^f^g
			if i >= 16 {
				t, left, right = 0x7a879d8a, a&b|a&c|b&c, e&f|^e&g
			}
			first := rotate(rotate(a, 12)+e+rotate(t, i), 7)
			x := left + s[3] + (first ^ rotate(a, 12)) + (w[i] ^ w[i+4])
			y := right + s[7] + first + w[i]
			s = [8]uint32{x, a, rotate(b, 9), c, y ^ rotate(y, 9) ^ rotate(y, 17), e, rotate(f, 19), g}
		}
		for i := range h {
			h[i] ^= s[i]
		}
	}
	for _, w := range h {
		sum = binary.BigEndian.AppendUint32(sum, w)
	}
	return sum
}

// whirlpoolBox is the substitution of Whirlpool, made of three small ones.
var whirlpoolBox = func() (s [256]byte) {
	e := [16]byte{1, 11, 9, 12, 13, 6, 15, 3, 14, 8, 7, 4, 10, 2, 5, 0}
	r := [16]byte{7, 12, 11, 13, 14, 4, 9, 15, 6, 3, 8, 10, 2, 5, 1, 0}
	var inverse [16]byte
	for i, x := range e {
		inverse[x] = byte(i)
	}
	for x := range s {
		u, l := e[x>>4], inverse[x&15]
		middle := r[u^l]
		s[x] = e[u^middle]<<4 | inverse[l^middle]
	}
	return s
}()

// whirlpoolRow is what one byte gives to the row in which it ends.
func whirlpoolRow(x byte) (row [8]byte) {
	for i, factor := range [8]byte{1, 1, 4, 1, 8, 5, 2, 9} {
		row[i] = galois(whirlpoolBox[x], factor, 0x11d)
	}
	return row
}

// whirlpoolRound is a round without its key.
func whirlpoolRound(a [64]byte) (b [64]byte) {
	for i := range b { // row i/8
		for column := range 8 {
			b[i] ^= whirlpoolRow(a[(i/8+8-column)%8*8+column])[(i+8-column)%8]
		}
	}
	return b
}

// whirlpoolKeys are the keys of the ten rounds after the first.
func whirlpoolKeys(key [64]byte) (keys [10][64]byte) {
	for round := range keys {
		key = whirlpoolRound(key)
		for i := range 8 {
			key[i] ^= whirlpoolBox[8*round+i]
		}
		keys[round] = key
	}
	return keys
}

// whirlpool is Whirlpool of 64 bytes.
func whirlpool(message []byte) []byte {
	var h, last [64]byte
	last[0], last[62] = 0x80, 2
	for _, m := range [][64]byte{[64]byte(message), last} {
		s := m
		for i := range s {
			s[i] ^= h[i]
		}
		for _, key := range whirlpoolKeys(h) {
			s = whirlpoolRound(s)
			for i := range s {
				s[i] ^= key[i]
			}
		}
		for i := range h {
			h[i] ^= s[i] ^ m[i]
		}
	}
	return h[:]
}

// shabal512 is Shabal-512.
func shabal512(message []byte) []byte {
	var a [12]uint32
	var b, c, m [16]uint32
	var w uint64
	mix := func() {
		a[0] ^= uint32(w)
		a[1] ^= uint32(w >> 32)
		for i := range b {
			b[i] = bits.RotateLeft32(b[i], 17)
		}
		for i := range 48 {
			x, y := &a[i%12], &b[i%16]
			*x = 3*(*x^5*bits.RotateLeft32(a[(i+11)%12], 15)^c[(24-i%16)%16]) ^ b[(i+13)%16] ^ (b[(i+9)%16] &^ b[(i+6)%16]) ^ m[i%16]
			*y = ^(bits.RotateLeft32(*y, 1) ^ *x)
		}
		for i := range 36 {
			a[i%12] += c[(i+3)%16]
		}
	}
	block := func(words []uint32, last bool) {
		m = [16]uint32(words)
		for i := range b {
			b[i] += m[i]
		}
		mix()
		if last {
			for range 3 {
				b, c = c, b
				mix()
			}
			return
		}
		for i := range c {
			c[i] -= m[i]
		}
		b, c = c, b
		w++
	}
	w--
	for first := range uint32(2) {
		block(each(16, func(i int) uint32 { return 512 + 16*first + uint32(i) }), false)
	}
	padded := append(slices.Clone(message), 0x80)
	padded = append(padded, make([]byte, (64-len(padded)%64)%64)...)
	for i := 0; i < len(padded); i += 64 {
		block(words32(padded[i:i+64], binary.LittleEndian), i+64 == len(padded))
	}
	return little32(b[:])
}
