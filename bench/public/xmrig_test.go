package public_test

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// aesRound is a round of AES with a key, forward or back.
func aesRound(x, key [4]uint32, back bool) [4]uint32 {
	box, factors, turn := aesBox, [4]byte{2, 3, 1, 1}, 1
	if back {
		for i, v := range aesBox {
			box[v] = byte(i)
		}
		factors, turn = [4]byte{14, 11, 13, 9}, 3
	}
	in, out := little32(x[:]), make([]byte, 16)
	for column := range 4 {
		for row := range 4 {
			for k, factor := range factors {
				from := (row + k) % 4
				out[4*column+row] ^= galois(box[in[(column+turn*from)%4*4+from]], factor, 0x11b)
			}
		}
	}
	y := [4]uint32(words32(out, binary.LittleEndian))
	for i := range y {
		y[i] ^= key[i]
	}
	return y
}

func init() {
	const unit = "xmrig/randomx_"
	const batch = 32
	key := func(words []uint32, i int) [4]uint32 { return [4]uint32(words[4*i:]) }
	add(unit+"aes", "fillAes1Rx4<512ul, false, 64ul>", func(r *run) {
		keys := get[[16]uint32](r, "AES_KEY_FILL")
		x := r.words(16 * batch)
		state, dst := on(r, x), zeros[uint32](r, batch*(512+64)/4)
		launch(r, dim(1), dim(128), 0, with3(state, dst, uint32(batch)))
		want, last := make([]uint32, batch*(512+64)/4), slices.Clone(x)
		for i := range 4 * batch {
			y := key(x, i)
			for line := range 8 {
				y = aesRound(y, key(keys[:], i%4), i%2 == 0)
				copy(want[i/4*(512+64)/4+16*line+4*(i%4):], y[:])
			}
			copy(last[4*i:], y[:])
		}
		equal(r, "out", from(r, dst), want)
		equal(r, "state", from(r, state), last)
	})
	for _, strided := range []bool{false, true} {
		add(unit+"aes", fmt.Sprintf("fillAes4Rx4_v103<512ul, %v>", strided), func(r *run) {
			keys := []uint32{ // of RandomX 1.0.3
				0xf890465d, 0x7ffbe4a6, 0x141f82b7, 0xcf359e95, 0x6a55c450, 0xfee8278a, 0xbd5c5ac3, 0x6741ffdc,
				0x114c47a4, 0xd524fde4, 0xa7279ad2, 0x3d324aac, 0x810c3a2a, 0x99a9aeff, 0x42d3dbd9, 0x76f6db08,
			}
			x := r.words(16 * batch)
			state, dst := on(r, x), fresh[uint32](r, batch*512/4)
			launch(r, dim(1), dim(128), 0, with3(state, dst, uint32(batch)))
			want, last := make([]uint32, batch*512/4), slices.Clone(x)
			for i := range 4 * batch {
				y := key(x, i)
				for line := range 8 {
					for k := range 4 {
						y = aesRound(y, key(keys, k), i%2 == 0)
					}
					at := i/4*512/4 + 16*line + 4*(i%4)
					if strided {
						at = batch*16*line + 4*i
					}
					copy(want[at:], y[:])
				}
				copy(last[4*i:], y[:])
			}
			equal(r, "out", from(r, dst), want)
			equal(r, "state", from(r, state), last)
		})
	}
	add(unit+"aes", "hashAes1Rx4<1024ul, 192u, 256u, 64ul>", func(r *run) {
		first := get[[16]uint32](r, "AES_STATE_HASH")
		x := r.words(batch * (1024 + 64) / 4)
		dst := zeros[uint32](r, batch*256/4)
		launch(r, dim(1), dim(128), 0, with3(on(r, x), dst, uint32(batch)))
		want := make([]uint32, batch*256/4)
		for i := range 4 * batch {
			y := key(first[:], i%4)
			for line := range 16 {
				y = aesRound(y, [4]uint32(x[i/4*(1024+64)/4+16*line+4*(i%4):]), i%2 == 1)
			}
			y = aesRound(y, [4]uint32{0xf6fa8389, 0x8b24949f, 0x90dc56bf, 0x06890201}, i%2 == 1)
			y = aesRound(y, [4]uint32{0x61b263d1, 0x51f4e03c, 0xee1043c6, 0xed18f99b}, i%2 == 1)
			copy(want[i/4*256/4+192/4+4*(i%4):], y[:])
		}
		equal(r, "hash", from(r, dst), want)
	})

	// A template of a block, with the number that is tried.
	block := func(x []byte, number uint32) []byte {
		y := slices.Clone(x)
		binary.LittleEndian.PutUint32(y[39:], number)
		return y
	}
	add(unit+"blake2b", "blake2b_initial_hash", func(r *run) {
		for _, n := range []int{76, 80, 128} {
			x, first := r.bytes(n, 256), r.rand.Uint32N(1<<30)
			dst := fresh[byte](r, 64*batch)
			in := append(slices.Clone(x), make([]byte, 128-n)...)
			launch(r, dim(1), dim(batch), 0, with4(dst, on(r, in), uint32(n), first))
			var want []byte
			for i := range uint32(batch) {
				want = append(want, blake2b(block(x, first+i), 64)...)
			}
			equal(r, "hashes", from(r, dst), want)
		}
	})
	add(unit+"blake2b", "blake2b_initial_hash_double", func(r *run) {
		for _, n := range []int{129, 200, 256} {
			x, first := r.bytes(n, 256), r.rand.Uint32N(1<<30)
			dst := fresh[byte](r, 64*batch)
			in := append(slices.Clone(x), make([]byte, 256-n)...)
			launch(r, dim(1), dim(batch), 0, with4(dst, on(r, in), uint32(n), first))
			var want []byte
			for i := range uint32(batch) {
				want = append(want, blake2b(block(x, first+i), 64)...)
			}
			equal(r, "hashes", from(r, dst), want)
		}
	})
	for _, size := range []int{32, 64} {
		add(unit+"blake2b", fmt.Sprintf("blake2b_hash_registers<256u, 512u, %du>", size), func(r *run) {
			x := r.bytes(512*batch, 256)
			dst := fresh[byte](r, size*batch)
			launch(r, dim(1), dim(batch), 0, with2(dst, on(r, x)))
			var want []byte
			for i := range batch {
				want = append(want, blake2b(x[512*i:512*i+256], size)...)
			}
			equal(r, "hashes", from(r, dst), want)
		})
	}
}
