package arithmetic

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// assembleTestp decodes testp.class p, a.
func assembleTestp(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	t := bytecode.LastType(in)
	i := bytecode.Instr{Op: bytecode.OpCompare, Compare: testp(in.Mods[0], t), Combine: simd.First, Pdst2: bytecode.PredSink}
	if d.Operands(in, 2) {
		i.Pdst, i.A = d.PredDst(in.Args[0]), d.Src(in.Args[1], t)
	}
	return i
}

// testp tests which class a number belongs to. Zero is normal.
func testp(class string, t ptx.Type) func(a, _ *simd.Lanes) uint32 {
	exponent, fraction := uint64(0x7f800000), uint64(1<<23-1)
	if t == "f64" {
		exponent, fraction = 0x7ff<<52, 1<<52-1
	}
	is := map[string]func(e, f uint64) bool{
		"finite":     func(e, f uint64) bool { return e != exponent },
		"infinite":   func(e, f uint64) bool { return e == exponent && f == 0 },
		"number":     func(e, f uint64) bool { return e != exponent || f == 0 },
		"notanumber": func(e, f uint64) bool { return e == exponent && f != 0 },
		"normal":     func(e, f uint64) bool { return e != exponent && (e != 0 || f == 0) },
		"subnormal":  func(e, f uint64) bool { return e == 0 && f != 0 },
	}[class]
	return func(a, _ *simd.Lanes) (p uint32) {
		for l := range a {
			p |= simd.Bit(is(a[l]&exponent, a[l]&fraction)) << l
		}
		return p
	}
}
