package interp

import (
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// TestWideArithmetic compares integers of 128 bits, as nvcc computes with them, with math/big: its quotients read with
// addc the flag of subc.cc.
func TestWideArithmetic(t *testing.T) {
	nvcc := testenv.NVCCPath(t)
	ptx := filepath.Join(t.TempDir(), "wide.ptx")
	out, err := exec.Command(nvcc, "-ptx", "-arch=compute_75", "-o", ptx, filepath.Join("testdata", "wide.cu")).CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(ptx)
	require.NoError(t, err)
	m := newMachine(t, string(text))
	const n = 4096
	rng := rand.New(rand.NewPCG(1, 2))
	in, got := make([]uint64, 4*n), make([]uint64, 12*n)
	for i := range in {
		in[i] = oneOf(rng, 0, 1, ^uint64(0), 1<<63, rng.Uint64(), rng.Uint64()>>rng.IntN(64))
	}
	for i := range n {
		if in[4*i+2] == 0 && in[4*i+3] == 0 {
			in[4*i+2] = 3
		}
	}
	to := m.upload(got)
	_, fault := m.launch("wide", config(n/128, 128, 0), to, m.upload(in), uint32(n))
	require.Nil(t, fault)
	m.download(to, got)
	limit := new(big.Int).Lsh(big.NewInt(1), 128)
	number := func(words []uint64) *big.Int {
		high := new(big.Int).Lsh(new(big.Int).SetUint64(words[1]), 64)
		return high.Or(high, new(big.Int).SetUint64(words[0]))
	}
	signed := func(x *big.Int) *big.Int {
		if x.Bit(127) == 1 {
			return new(big.Int).Sub(x, limit)
		}
		return x
	}
	wrapped := func(x *big.Int) *big.Int { return x.Mod(x, limit) }
	for i := range n {
		a, b := number(in[4*i:]), number(in[4*i+2:])
		want := []*big.Int{
			new(big.Int).Quo(a, b), new(big.Int).Rem(a, b), wrapped(new(big.Int).Quo(signed(a), signed(b))), wrapped(new(big.Int).Rem(signed(a), signed(b))),
			wrapped(new(big.Int).Mul(a, b)), wrapped(new(big.Int).Sub(a, b)),
		}
		for j, w := range want {
			require.Equal(t, 0, w.Cmp(number(got[12*i+2*j:])), "%x and %x: result %d is %x, want %x", a, b, j, number(got[12*i+2*j:]), w)
		}
	}
}
