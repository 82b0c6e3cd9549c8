package public_test

import (
	"crypto/mlkem"
	"crypto/mlkem/mlkemtest"
	"crypto/sha3"
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A kem is a parameter set of ML-KEM, with what the standard library computes.
type kem struct {
	k, du, dv int
	key       func(seed []byte) (encapsulation []byte, decapsulate func(c []byte) ([]byte, error))
	seal      func(key, random []byte) (shared, c []byte, err error)
}

var kems = []kem{
	{3, 10, 4, func(seed []byte) ([]byte, func([]byte) ([]byte, error)) {
		k, err := mlkem.NewDecapsulationKey768(seed)
		if err != nil {
			panic(err)
		}
		return k.EncapsulationKey().Bytes(), k.Decapsulate
	}, func(key, random []byte) ([]byte, []byte, error) {
		k, err := mlkem.NewEncapsulationKey768(key)
		if err != nil {
			return nil, nil, err
		}
		return mlkemtest.Encapsulate768(k, random)
	}},
	{4, 11, 5, func(seed []byte) ([]byte, func([]byte) ([]byte, error)) {
		k, err := mlkem.NewDecapsulationKey1024(seed)
		if err != nil {
			panic(err)
		}
		return k.EncapsulationKey().Bytes(), k.Decapsulate
	}, func(key, random []byte) ([]byte, []byte, error) {
		k, err := mlkem.NewEncapsulationKey1024(key)
		if err != nil {
			return nil, nil, err
		}
		return mlkemtest.Encapsulate1024(k, random)
	}},
}

func (m kem) keygen() string {
	return fmt.Sprintf("icicle::pqc::ml_kem::ml_kem_keygen_kernel<(unsigned char)%d, (unsigned char)2>", m.k)
}

// generate runs the kernel that makes keys.
func (m kem) generate(r *run, seeds []byte) (public, secret cuda.Slice[byte]) {
	n := len(seeds) / 64
	public, secret = fresh[byte](r, n*(384*m.k+32)), fresh[byte](r, n*(768*m.k+96))
	matrix := fresh[uint16](r, n*256*m.k*m.k)
	symbol, err := symbolOf(r.text, m.keygen())
	check(r.t, err)
	k, err := cuda.Bind[args4[cuda.Slice[byte], cuda.Slice[byte], cuda.Slice[byte], cuda.Slice[uint16]]](r.lib, symbol)
	check(r.t, err)
	args := with4(on(r, seeds), public, secret, matrix)
	check(r.t, k.LaunchArgsWith(r.s, cuda.LaunchConfig{Grid: dim(n), Block: dim(128)}, &args))
	return public, secret
}

func init() {
	const unit, batch = "icicle/ml_kem", 3
	// Lanes of a warp exchange the state of Keccak in shared memory without waiting for each other.
	for _, m := range kems {
		parameters := fmt.Sprintf("<(unsigned char)%d, (unsigned char)2, (unsigned char)2, (unsigned char)%d, (unsigned char)%d>", m.k, m.du, m.dv)
		addWith(sharedRaces, unit, m.keygen(), func(r *run) {
			seeds := r.bytes(64*batch, 256)
			public, secret := m.generate(r, seeds)
			var want, tail, got []byte
			for seed := range slices.Chunk(seeds, 64) {
				key, _ := m.key(seed)
				want = append(want, key...)
				sum := sha3.Sum256(key)
				tail = slices.Concat(tail, key, sum[:], seed[32:])
			}
			equal(r, "public keys", from(r, public), want)
			for key := range slices.Chunk(from(r, secret), 768*m.k+96) {
				got = append(got, key[384*m.k:]...)
			}
			equal(r, "secret keys", got, tail)
		})
		addWith(sharedRaces, unit, "icicle::pqc::ml_kem::ml_kem_encaps_kernel"+parameters, func(r *run) {
			random := r.bytes(32*batch, 256)
			var keys, shared, sealed []byte
			for i := range batch {
				key, _ := m.key(r.bytes(64, 256))
				secret, c, err := m.seal(key, random[32*i:32*i+32])
				check(r.t, err)
				keys, shared, sealed = append(keys, key...), append(shared, secret...), append(sealed, c...)
			}
			secrets, c := fresh[byte](r, len(shared)), fresh[byte](r, len(sealed))
			launch(r, dim(batch), dim(128), 0, with5(on(r, keys), on(r, random), secrets, c, fresh[uint16](r, batch*256*m.k*m.k)))
			equal(r, "shared secrets", from(r, secrets), shared)
			equal(r, "ciphertexts", from(r, c), sealed)
		})
		addWith(sharedRaces, unit, "icicle::pqc::ml_kem::ml_kem_decaps_kernel"+parameters, func(r *run) {
			seeds := r.bytes(64*batch, 256)
			_, secret := m.generate(r, seeds)
			var sealed, want []byte
			for i := range batch {
				key, open := m.key(seeds[64*i : 64*i+64])
				_, c, err := m.seal(key, r.bytes(32, 256))
				check(r.t, err)
				c[7] ^= byte(i % 2) // a wrong one opens to something else
				shared, err := open(c)
				check(r.t, err)
				sealed, want = append(sealed, c...), append(want, shared...)
			}
			shared := fresh[byte](r, len(want))
			launch(r, dim(batch), dim(128), 0, with4(secret, on(r, sealed), shared, fresh[uint16](r, batch*256*m.k*m.k)))
			equal(r, "shared secrets", from(r, shared), want)
		})
	}
}
