package public_test

import (
	"bytes"
	"crypto/sha512"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// hashed tests a kernel that replaces each of many 64-byte inputs by its hash. start runs it for
// so many inputs, with their numbers from first on, or with the listed ones.
func hashed(hash func([]byte) []byte, start func(r *run, n int, first uint32, data cuda.Slice[byte], numbers cuda.Slice[uint32])) func(r *run) {
	return func(r *run) {
		for _, n := range []int{1, 45, 300} {
			x := r.bytes(64*n, 256)
			first := r.rand.Uint32N(1 << 30)
			for _, listed := range []bool{false, true} {
				data := on(r, x)
				numbers, chosen := none[uint32](), each(n, func(i int) int { return i })
				if listed {
					chosen = r.rand.Perm(n)[:(n+1)/2]
					numbers = on(r, each(len(chosen), func(i int) uint32 { return first + uint32(chosen[i]) }))
				}
				start(r, len(chosen), first, data, numbers)
				want := slices.Clone(x)
				for _, i := range chosen {
					copy(want[64*i:64*i+64], make([]byte, 64))
					copy(want[64*i:], hash(x[64*i:64*i+64]))
				}
				equal(r, "hashes", from(r, data), want)
			}
		}
	}
}

func init() {
	const unit = "ccminer/"
	type bytesOf = cuda.Slice[byte]
	type list = cuda.Slice[uint32]
	// dataFirst starts a kernel whose last parameters are its data and the list of numbers.
	dataFirst := func(block, each int) func(r *run, n int, first uint32, data bytesOf, numbers list) {
		return func(r *run, n int, first uint32, data bytesOf, numbers list) {
			launch(r, dim(over(n*each, block)), dim(block), 0, with4(uint32(n), first, data, numbers))
		}
	}
	keccak512 := func(x []byte) []byte { return keccak(x, 64) }
	for _, name := range []string{"quark_keccak512_gpu_hash_64", "quark_keccak512_gpu_hash_64_v30"} {
		add(unit+"keccak512", name, hashed(keccak512, func(r *run, n int, first uint32, data bytesOf, numbers list) {
			set(r, "d_keccak_round_constants", keccakConstants())
			dataFirst(256, 1)(r, n, first, data, numbers)
		}))
	}
	add(unit+"blake512", "quark_blake512_gpu_hash_64_sp", hashed(blake512, func(r *run, n int, first uint32, data bytesOf, numbers list) {
		launch(r, dim(over(n, 32)), dim(32), 0, with4(uint32(n), first, numbers, data))
	}))
	add(unit+"skein512", "quark_skein512_gpu_hash_64", hashed(skein512, dataFirst(512, 1)))
	add(unit+"jh512", "quark_jh512_gpu_hash_64", hashed(jh512, dataFirst(256, 1)))
	// Between the reads of four lanes and the write of one are shuffles only.
	addWith(globalRaces, unit+"groestl512", "quark_groestl512_gpu_hash_64_quad", hashed(groestl512, dataFirst(256, 4)))
	add(unit+"bmw512", "quark_bmw512_gpu_hash_64", hashed(bmw512, dataFirst(32, 1)))
	add(unit+"cubehash512", "x11_cubehash512_gpu_hash_64", hashed(cubehash512, dataFirst(256, 1)))
	add(unit+"shabal512", "x14_shabal512_gpu_hash_64", hashed(shabal512, dataFirst(256, 1)))

	all := func(r *run, n, block int, data bytesOf) {
		launch(r, dim(over(n, block)), dim(block), 0, with2(uint32(n), data))
	}
	inPlace := func(hash func([]byte) []byte, sizes []int, start func(r *run, n int, data bytesOf)) func(r *run) {
		return func(r *run) {
			for _, n := range sizes {
				x := r.bytes(64*n, 256)
				data := on(r, x)
				start(r, n, data)
				want := make([]byte, len(x))
				for i := range n {
					copy(want[64*i:], hash(x[64*i:64*i+64]))
				}
				equal(r, "hashes", from(r, data), want)
			}
		}
	}
	add(unit+"sm3", "sm3_gpu_hash_64", inPlace(sm3, []int{1, 300}, func(r *run, n int, data bytesOf) { all(r, n, 256, data) }))
	add(unit+"sha512", "x17_sha512_gpu_hash_64", inPlace(
		func(x []byte) []byte { sum := sha512.Sum512(x); return sum[:] }, []int{1, 300},
		func(r *run, n int, data bytesOf) {
			set(r, "c_WB", [80]uint64(roots(80, true)))
			all(r, n, 256, data)
		}))
	// A barrier is for threads that have a hash only: there are as many as threads.
	add(unit+"whirlpool", "x15_whirlpool_gpu_hash_64", inPlace(whirlpool, []int{384, 768}, func(r *run, n int, data bytesOf) {
		var constants [10]uint64
		var keys [72]uint64
		var first, last [256]uint64
		for i := range constants {
			constants[i] = binary.LittleEndian.Uint64(whirlpoolBox[8*i:])
		}
		for i, key := range whirlpoolKeys([64]byte{}) {
			if i > 0 {
				copy(keys[8*(i-1):], words64(key[:], binary.LittleEndian))
			}
		}
		for i := range first {
			row := whirlpoolRow(byte(i))
			first[i] = binary.LittleEndian.Uint64(row[:])
			last[i] = bits.RotateLeft64(first[i], 56)
		}
		set(r, "InitVector_RC", constants)
		set(r, "precomputed_round_key_64", keys)
		set(r, "b0", first)
		set(r, "b7", last)
		all(r, n, 384, data)
	}))

	// A header of 80 bytes, whose last word is what miners try.
	header := func(r *run, number uint32, x []byte, order binary.ByteOrder) []byte {
		y := slices.Clone(x)
		order.PutUint32(y[76:], number)
		return y
	}
	padded := func(x []byte, block int) []byte {
		return append(append(slices.Clone(x), 0x80), make([]byte, block-81)...)
	}
	add(unit+"blake512", "quark_blake512_gpu_hash_80", func(r *run) {
		for _, n := range []int{1, 300} {
			x, first := r.bytes(80, 256), r.rand.Uint32()
			message := padded(x, 128)
			message[111] = 1
			binary.BigEndian.PutUint64(message[120:], 640)
			set(r, "c_PaddedMessage80", [16]uint64(words64(message, binary.LittleEndian)))
			dst := fresh[byte](r, 64*n)
			launch(r, dim(over(n, 256)), dim(256), 0, with3(uint32(n), first, dst))
			var want []byte
			for i := range uint32(n) {
				want = append(want, blake512(header(r, first+i, x, binary.BigEndian))...)
			}
			equal(r, "hashes", from(r, dst), want)
		}
	})
	add(unit+"bmw512", "quark_bmw512_gpu_hash_80", func(r *run) {
		for _, n := range []int{1, 300} {
			x, first := r.bytes(80, 256), r.rand.Uint32()
			message := padded(x, 128)
			binary.LittleEndian.PutUint64(message[120:], 640)
			set(r, "c_PaddedMessage80", [16]uint64(words64(message, binary.LittleEndian)))
			dst := fresh[byte](r, 64*n)
			launch(r, dim(over(n, 256)), dim(256), 0, with3(uint32(n), first, dst))
			var want []byte
			for i := range uint32(n) {
				want = append(want, bmw512(header(r, first+i, x, binary.BigEndian))...)
			}
			equal(r, "hashes", from(r, dst), want)
		}
	})

	// least returns the number whose hash has the least word, and the word.
	least := func(n int, word func(i uint32) uint64) (at uint32, value uint64) {
		value = word(0)
		for i := range uint32(n) {
			if w := word(i); w < value {
				at, value = i, w
			}
		}
		return at, value
	}
	const nothing = 1<<32 - 1
	add(unit+"blake2b", "blake2b_gpu_hash", func(r *run) {
		const n = 320
		x, first := r.bytes(80, 256), r.rand.Uint32()
		set(r, "d_data", [10]uint64(words64(x, binary.LittleEndian)))
		at, word := least(n, func(i uint32) uint64 {
			sum := blake2b(header(r, first+i, x, binary.LittleEndian), 32)
			return binary.LittleEndian.Uint64(sum[24:]) >> 32
		})
		found := on(r, []uint32{nothing, nothing})
		target := vec.UInt2{X: nothing, Y: uint32(word)}
		launch(r, dim(n/64), dim(64), 8, with4(uint32(n), first, found, target))
		equal(r, "found", from(r, found), []uint32{first + at, nothing})
	})
	keccak256 := func(r *run, first uint32, x []byte) func(i uint32) uint64 {
		return func(i uint32) uint64 {
			return binary.LittleEndian.Uint64(keccak(header(r, first+i, x, binary.BigEndian), 32)[24:])
		}
	}
	add(unit+"keccak256_sm3", "keccak256_sm3_gpu_hash_80", func(r *run) {
		const n = 300
		x, first := r.bytes(80, 256), r.rand.Uint32()
		at, word := least(n, keccak256(r, first, x))
		set(r, "c_PaddedMessage80", [10]uint64(words64(x, binary.LittleEndian)))
		set(r, "pTarget", [4]uint64{3: word})
		set(r, "keccak_round_constants", keccakConstants())
		found := on(r, []uint32{nothing})
		launch(r, dim(over(n, 128)), dim(128), 0, with3(uint32(n), first, found))
		equal(r, "found", from(r, found), []uint32{first + at})
	})
	add(unit+"keccak256", "keccak256_gpu_hash_80", func(r *run) {
		const n = 1500
		x, first := r.bytes(80, 256), r.rand.Uint32N(1<<31)
		at, word := least(n, keccak256(r, first, x))
		e := words64(x, binary.LittleEndian)
		rotate := bits.RotateLeft64
		t := [4]uint64{e[0] ^ e[5] ^ 1, e[1] ^ e[6] ^ 1<<63, e[2] ^ e[7], e[3] ^ e[8]}
		u1, u2, u4 := t[0]^rotate(t[2], 1), t[1]^rotate(t[3], 1), t[3]^rotate(t[0], 1)
		set(r, "c_mid", [17]uint64{
			rotate(t[1], 1), t[2], u4, rotate(e[1]^u1, 1), rotate(e[6]^u1, 44), rotate(e[2]^u2, 62), rotate(u2, 61), rotate(u4, 39), rotate(u2, 43),
			rotate(u4, 8), rotate(e[4]^u4, 27), rotate(u4, 14), rotate(u1, 2), rotate(1<<63^u1, 45), rotate(u2, 15), rotate(u1, 10), rotate(e[7]^u2, 6),
		})
		set(r, "c_message48", [6]uint64{e[9], e[4], e[8], e[5], e[3], e[0]})
		found := on(r, []uint32{nothing, nothing})
		launch(r, dim(1), dim(1024), 0, with4(uint32(n), first, found, word)) // each thread tries several
		equal(r, "found", from(r, found), []uint32{first + at, nothing})
	})
}

// ethash is the memory-hard hash of Ethereum, with small tables.
type ethash struct{ nodes [][16]uint32 }

func fnvMix(x, y uint32) uint32 { return x*0x01000193 ^ y }

// search returns the mix and the result for a nonce.
func (e *ethash) search(header []byte, nonce uint64) (mix []byte, result uint64) {
	seed := keccak(binary.LittleEndian.AppendUint64(slices.Clone(header), nonce), 64)
	x := words32(append(slices.Clone(seed), seed...), binary.LittleEndian)
	first := x[0]
	for i := range uint32(64) {
		page := fnvMix(first^i, x[i%32]) % uint32(len(e.nodes)/2)
		for k := range uint32(32) {
			x[k] = fnvMix(x[k], e.nodes[2*page+k/16][k%16])
		}
	}
	for i := 0; i < 32; i += 4 {
		mix = binary.LittleEndian.AppendUint32(mix, fnvMix(fnvMix(fnvMix(x[i], x[i+1]), x[i+2]), x[i+3]))
	}
	return mix, binary.BigEndian.Uint64(keccak(append(seed, mix...), 32))
}

func init() {
	const unit = "ethminer/ethash"
	add(unit, "ethash_search", func(r *run) {
		const n, pages = 96, 61
		e := ethash{nodes: each(2*pages, func(int) [16]uint32 { return [16]uint32(r.words(16)) })}
		header, first := r.bytes(32, 256), r.rand.Uint64()
		results := each(n, func(i int) uint64 { _, result := e.search(header, first+uint64(i)); return result })
		limits := slices.Sorted(slices.Values(results))
		for _, wanted := range []int{1, 3, 4} {
			dag := on(r, e.nodes)
			set(r, "d_dag", dag.Ptr())
			set(r, "d_dag_size", uint32(pages))
			set(r, "d_header", [32]byte(header))
			set(r, "d_target", limits[wanted-1])
			out := zeros[uint32](r, 4*16+1)
			launch(r, dim(n/32), dim(32), 0, with2(out, first))
			got := unordered(r, out) // those that are found come in any order
			equal(r, "count", got[64:], []uint32{uint32(wanted)})
			var rows, want [][]byte
			for row := range slices.Chunk(got[:64], 16) {
				rows = append(rows, little32(row))
			}
			for i, result := range results {
				if result <= limits[wanted-1] {
					mix, _ := e.search(header, first+uint64(i))
					want = append(want, append(append(little32([]uint32{uint32(i)}), mix...), make([]byte, 28)...))
				}
			}
			slices.SortFunc(rows[:wanted], func(a, b []byte) int { return bytes.Compare(a[:1], b[:1]) })
			equal(r, "found", slices.Concat(rows[:wanted]...), slices.Concat(want...))
			r.results = append(r.results, slices.Concat(want...))
		}
	})
}
