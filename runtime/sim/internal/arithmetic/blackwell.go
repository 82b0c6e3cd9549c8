package arithmetic

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// Blackwell is the first .target that has what stands here.
const Blackwell = 100

// PTX ISA, Floating-Point Instructions: add, sub, mul, fma of .f32x2; min and max of three; Mixed Precision
// Floating-Point Instructions; cvt to tf32 with .satfinite. They were not compared with a GPU.
func BlackwellForms() []bytecode.Form {
	forms := []bytecode.Form{
		{Pattern: "cvt.rn|rz.satfinite.relu?.tf32.f32", Assemble: toNarrow},
		{Pattern: "cvt.rn|rz.relu.satfinite.tf32.f32", Assemble: toNarrow},
	}
	for name, choose := range map[string]simd.Func{"min": simd.MinF32, "max": simd.MaxF32} {
		forms = append(forms, bytecode.Form{Pattern: name + ".ftz?.NaN?.abs.f32", Assemble: ofThree(choose)})
	}
	for _, r := range []struct {
		name               string
		add, sub, mul, fma simd.Func
		mode               softfloat.Rounding
	}{
		{"rn", simd.AddF32, simd.SubF32, simd.MulF32, simd.FmaF32, softfloat.Nearest},
		{"rz", addDirected(softfloat.TowardZero), subDirected(softfloat.TowardZero), mulDirected(softfloat.TowardZero), fmaDirected(softfloat.TowardZero), softfloat.TowardZero},
		{"rm", addDirected(softfloat.Down), subDirected(softfloat.Down), mulDirected(softfloat.Down), fmaDirected(softfloat.Down), softfloat.Down},
		{"rp", addDirected(softfloat.Up), subDirected(softfloat.Up), mulDirected(softfloat.Up), fmaDirected(softfloat.Up), softfloat.Up},
	} {
		optional := r.name
		if r.mode == softfloat.Nearest {
			optional += "?"
		}
		forms = append(forms,
			bytecode.Form{Pattern: "add." + optional + ".ftz?.f32x2", Assemble: inPairs(r.add, nil, r.mode, 2)},
			bytecode.Form{Pattern: "sub." + optional + ".ftz?.f32x2", Assemble: inPairs(r.sub, nil, r.mode, 2)},
			bytecode.Form{Pattern: "mul." + optional + ".ftz?.f32x2", Assemble: inPairs(r.mul, exactProduct, r.mode, 2)},
			bytecode.Form{Pattern: "fma." + r.name + ".ftz?.f32x2", Assemble: inPairs(r.fma, exactFMA, r.mode, 3)},
			bytecode.Form{Pattern: "add." + optional + ".sat?.f32.f16|bf16", Assemble: mixed(r.add, 1)},
			bytecode.Form{Pattern: "sub." + optional + ".sat?.f32.f16|bf16", Assemble: mixed(r.sub, 1)},
			bytecode.Form{Pattern: "fma." + r.name + ".sat?.f32.f16|bf16", Assemble: mixed(r.fma, 2)})
	}
	for n := range forms {
		forms[n].Assemble = Since(Blackwell, forms[n].Assemble)
	}
	return forms
}

// Since makes the assembler of an instruction that modules for older targets do not have.
func Since(target int, assemble bytecode.Assembler) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		if d.Mod.Target < target {
			d.Unsupported("instruction %s of a .target older than sm_%d", in.Name(), target)
		}
		return assemble(d, in)
	}
}

// inPairs makes the assembler of an f32 operation on both halves of registers of 64 bits.
func inPairs(fn simd.Func, exact exactly, mode softfloat.Rounding, sources int) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		one := fn
		if bytecode.Has(in, "ftz") {
			if exact != nil {
				one = flushing(one, exact, mode)
			}
			one = flushedAround(one)
		}
		i := bytecode.Instr{Op: bytecode.OpLanes, Fn: pairwise(one)}
		if !d.Operands(in, 1+sources) {
			return i
		}
		i.Dst = d.Destination(in.Args[0], "b64", exactlyBits)
		for n := range sources {
			*[]*int32{&i.A, &i.B, &i.C}[n] = d.Source1(d.Variable16(in.Args[n+1], "f32x2"), "b64", exactlyBits)
		}
		return i
	}
}

// exactlyBits reports whether a register has the type .bN of an instruction's operand.
func exactlyBits(reg, t ptx.Type) bool { return reg == t }

// pairwise applies fn to the low and the high halves of lanes.
func pairwise(fn simd.Func) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		var low, high [3]simd.Lanes
		for n, source := range []*simd.Lanes{a, b, c} {
			for l, v := range source {
				low[n][l], high[n][l] = v&(1<<32-1), v>>32
			}
		}
		var r, s simd.Lanes
		fn(&r, &low[0], &low[1], &low[2])
		fn(&s, &high[0], &high[1], &high[2])
		for l := range d {
			d[l] = r[l]&(1<<32-1) | s[l]<<32
		}
	}
}

// flushedAround is fn with subnormal operands and results as zeros.
func flushedAround(fn simd.Func) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		var x, y, z simd.Lanes
		Flushed(&x, a)
		Flushed(&y, b)
		Flushed(&z, c)
		fn(d, &x, &y, &z)
		Flushed(d, d)
	}
}

// mixed makes the assembler of an f32 operation whose first sources are f16 or bf16.
func mixed(fn simd.Func, narrow int) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		t := bytecode.LastType(in)
		f := bytecode.Formats[t]
		widen := func(to, from *simd.Lanes) {
			for l := range to {
				to[l] = simd.Bits32(float32(f.Value(from[l])))
			}
		}
		i := bytecode.Instr{Op: bytecode.OpLanes, Sat: bytecode.Has(in, "sat")}
		if i.Sat {
			i.Op = bytecode.OpLanesFloat
		}
		i.Fn = func(d, a, b, c *simd.Lanes) {
			var x, y simd.Lanes
			if widen(&x, a); narrow == 1 {
				fn(d, &x, b, c)
				return
			}
			widen(&y, b)
			fn(d, &x, &y, c)
		}
		if !d.Operands(in, 2+narrow) {
			return i
		}
		i.Dst, i.A = d.Dst(in.Args[0], "f32"), d.NumberSrc(in.Args[1], t)
		if narrow == 1 {
			i.B = d.Src(in.Args[2], "f32")
		} else {
			i.B, i.C = d.NumberSrc(in.Args[2], t), d.Src(in.Args[3], "f32")
		}
		return i
	}
}

// ofThree makes the assembler of min or max of three numbers, or of their absolute values.
func ofThree(choose simd.Func) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		one, sign := choose, uint64(0)
		if bytecode.Has(in, "NaN") {
			one = nanWins(choose)
		}
		if bytecode.Has(in, "abs") {
			sign = 1 << 31
		}
		return bytecode.Alu(func(d, a, b, c *simd.Lanes) {
			var sizes [3]simd.Lanes
			for n, source := range []*simd.Lanes{a, b, c} {
				for l, v := range source {
					sizes[n][l] = v &^ sign
				}
			}
			one(&sizes[0], &sizes[0], &sizes[1], nil)
			one(d, &sizes[0], &sizes[2], nil)
		}, "f32", "f32", "f32", "f32")(d, in)
	}
}

// orThree is the assembler of min or max of two numbers, or of three.
func orThree(two bytecode.Assembler, choose simd.Func) bytecode.Assembler {
	three := Since(Blackwell, ofThree(choose))
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		if len(in.Args) == 4 {
			return three(d, in)
		}
		return two(d, in)
	}
}
