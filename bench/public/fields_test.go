package public_test

import (
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A field is one of sppark's: numbers below a prime, times shift, which is what Montgomery's
// multiplication takes out.
type field struct {
	name  string
	prime string // hexadecimal
	words int    // of 32 bits
	plain bool   // not Montgomery's
}

var fieldsOfSppark = []field{
	{"bn254", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47", 8, false},
	{"bls12_381", "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab", 12, false},
	{"bls12_381_fr", "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 8, false},
	{"pallas", "40000000000000000000000000000000224698fc094cf91b992d30ed00000001", 8, false},
	{"goldilocks", "ffffffff00000001", 2, true},
	{"baby_bear", "78000001", 1, false},
}

func (f field) modulus() *big.Int {
	p, _ := new(big.Int).SetString(f.prime, 16)
	return p
}

// factor is what numbers are multiplied by in memory.
func (f field) factor() *big.Int {
	if f.plain {
		return big.NewInt(1)
	}
	return new(big.Int).Lsh(big.NewInt(1), uint(32*f.words))
}

// numbers returns n numbers, those at the ends first.
func (f field) numbers(r *run, n int) []*big.Int {
	p := f.modulus()
	x := []*big.Int{new(big.Int), big.NewInt(1), new(big.Int).Sub(p, big.NewInt(1)), new(big.Int).Rsh(p, 1)}
	for len(x) < n {
		v := new(big.Int).SetBytes(r.bytes(4*f.words+8, 256))
		x = append(x, v.Mod(v, p))
	}
	return x[:n]
}

// memory returns the words of numbers.
func (f field) memory(x []*big.Int) (words []uint32) {
	for _, v := range x {
		m := new(big.Int).Mul(v, f.factor())
		m.Mod(m, f.modulus())
		b := m.FillBytes(make([]byte, 4*f.words))
		slices.Reverse(b)
		words = append(words, words32(b, binary.LittleEndian)...)
	}
	return words
}

// each applies an operation to numbers, modulo the prime.
func (f field) each(x []*big.Int, operation func(i int) *big.Int) []uint32 {
	return f.memory(each(len(x), func(i int) *big.Int { v := operation(i); return v.Mod(v, f.modulus()) }))
}

func init() {
	for _, f := range fieldsOfSppark {
		unit, p := "sppark/"+f.name, f.modulus()
		inputs := func(r *run, n int) (x, y []*big.Int, a, b cuda.Slice[uint32]) {
			x, y = f.numbers(r, n), f.numbers(r, n)
			r.rand.Shuffle(n, func(i, j int) { y[i], y[j] = y[j], y[i] })
			return x, y, on(r, f.memory(x)), on(r, f.memory(y))
		}
		add(unit, "field_sums", func(r *run) {
			for _, n := range []int{1, 300} {
				x, y, a, b := inputs(r, n)
				sum, difference, negative := fresh[uint32](r, n*f.words), fresh[uint32](r, n*f.words), fresh[uint32](r, n*f.words)
				launch(r, dim(over(n, 128)), dim(128), 0, with6(a, b, sum, difference, negative, int32(n)))
				equal(r, "sums", from(r, sum), f.each(x, func(i int) *big.Int { return new(big.Int).Add(x[i], y[i]) }))
				equal(r, "differences", from(r, difference), f.each(x, func(i int) *big.Int { return new(big.Int).Sub(x[i], y[i]) }))
				equal(r, "negatives", from(r, negative), f.each(x, func(i int) *big.Int { return new(big.Int).Neg(x[i]) }))
			}
		})
		add(unit, "field_products", func(r *run) {
			for _, n := range []int{1, 300} {
				x, y, a, b := inputs(r, n)
				product, square, power := fresh[uint32](r, n*f.words), fresh[uint32](r, n*f.words), fresh[uint32](r, n*f.words)
				e := r.rand.Uint32N(10000) + 2
				launch(r, dim(over(n, 128)), dim(128), 0, with7(a, b, product, square, power, e, int32(n)))
				equal(r, "products", from(r, product), f.each(x, func(i int) *big.Int { return new(big.Int).Mul(x[i], y[i]) }))
				equal(r, "squares", from(r, square), f.each(x, func(i int) *big.Int { return new(big.Int).Mul(x[i], x[i]) }))
				equal(r, "powers", from(r, power), f.each(x, func(i int) *big.Int { return new(big.Int).Exp(x[i], big.NewInt(int64(e)), p) }))
			}
		})
		add(unit, "field_shifts", func(r *run) {
			for _, by := range []uint{1, 5, 31} {
				const n = 100
				x, _, a, _ := inputs(r, n)
				left, right := fresh[uint32](r, n*f.words), fresh[uint32](r, n*f.words)
				launch(r, dim(1), dim(128), 0, with6(a, left, right, uint32(by), uint32(by), int32(n)))
				power := new(big.Int).Lsh(big.NewInt(1), by)
				inverse := new(big.Int).ModInverse(power, p)
				equal(r, "left", from(r, left), f.each(x, func(i int) *big.Int { return new(big.Int).Mul(x[i], power) }))
				equal(r, "right", from(r, right), f.each(x, func(i int) *big.Int { return new(big.Int).Mul(x[i], inverse) }))
			}
		})
		add(unit, "field_inverses", func(r *run) {
			for _, n := range []int{1, 100} {
				x, _, a, _ := inputs(r, n)
				dst := fresh[uint32](r, n*f.words)
				launch(r, dim(over(n, 64)), dim(64), 0, with3(a, dst, int32(n)))
				equal(r, "inverses", from(r, dst), f.each(x, func(i int) *big.Int {
					if x[i].Sign() == 0 {
						return new(big.Int)
					}
					return new(big.Int).ModInverse(x[i], p)
				}))
			}
		})
	}
}
