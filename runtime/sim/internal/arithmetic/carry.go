package arithmetic

import (
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Extended-Precision Integer Arithmetic Instructions.
func CarryForms() []bytecode.Form {
	return []bytecode.Form{
		{Pattern: "add.cc.u32|s32", Assemble: extended(addCarry32, 2)},
		{Pattern: "add.cc.u64|s64", Assemble: extended(addCarry64, 2)},
		{Pattern: "addc.cc?.u32|s32", Assemble: extended(addCarry32, 2)},
		{Pattern: "addc.cc?.u64|s64", Assemble: extended(addCarry64, 2)},
		{Pattern: "sub.cc.u32|s32", Assemble: extended(subCarry32, 2)},
		{Pattern: "sub.cc.u64|s64", Assemble: extended(subCarry64, 2)},
		{Pattern: "subc.cc?.u32|s32", Assemble: extended(subCarry32, 2)},
		{Pattern: "subc.cc?.u64|s64", Assemble: extended(subCarry64, 2)},
		{Pattern: "mad.lo.cc.u32|s32", Assemble: extended(product(simd.MulLo[uint32], addCarry32), 3)},
		{Pattern: "mad.lo.cc.u64|s64", Assemble: extended(product(simd.MulLo[uint64], addCarry64), 3)},
		{Pattern: "mad.hi.cc.u32", Assemble: extended(product(simd.MulHiU32, addCarry32), 3)},
		{Pattern: "mad.hi.cc.s32", Assemble: extended(product(simd.MulHiS32, addCarry32), 3)},
		{Pattern: "mad.hi.cc.u64", Assemble: extended(product(mulHiU64, addCarry64), 3)},
		{Pattern: "mad.hi.cc.s64", Assemble: extended(product(mulHiS64, addCarry64), 3)},
		{Pattern: "madc.lo.cc?.u32|s32", Assemble: extended(product(simd.MulLo[uint32], addCarry32), 3)},
		{Pattern: "madc.lo.cc?.u64|s64", Assemble: extended(product(simd.MulLo[uint64], addCarry64), 3)},
		{Pattern: "madc.hi.cc?.u32", Assemble: extended(product(simd.MulHiU32, addCarry32), 3)},
		{Pattern: "madc.hi.cc?.s32", Assemble: extended(product(simd.MulHiS32, addCarry32), 3)},
		{Pattern: "madc.hi.cc?.u64", Assemble: extended(product(mulHiU64, addCarry64), 3)},
		{Pattern: "madc.hi.cc?.s64", Assemble: extended(product(mulHiS64, addCarry64), 3)},
	}
}

// extended makes the assembler of an instruction that reads the condition code's
// carry (its name ends in c) or writes it (.cc).
func extended(fn simd.CarryFunc, sources int) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := bytecode.Instr{Op: bytecode.OpCarry, Carry: fn, SetCarry: bytecode.Has(in, "cc")}
		if in.Op[len(in.Op)-1] != 'c' {
			none := uint32(0) // the carry that changes nothing
			if in.Op == "sub" {
				none = bytecode.Full
			}
			i.Carry = func(d, a, b, c *simd.Lanes, _ uint32) uint32 { return fn(d, a, b, c, none) }
		}
		if !d.Operands(in, 1+sources) {
			return i
		}
		t := bytecode.LastType(in)
		i.Dst, i.A, i.B = d.Dst(in.Args[0], t), d.Src(in.Args[1], t), d.Src(in.Args[2], t)
		if sources == 3 {
			i.C = d.Src(in.Args[3], t)
		}
		return i
	}
}

func addCarry32(d, a, b, _ *simd.Lanes, carryIn uint32) (carryOut uint32) {
	for l := range d {
		sum, carry := bits.Add32(uint32(a[l]), uint32(b[l]), carryIn>>l&1)
		d[l] = uint64(sum)
		carryOut |= carry << l
	}
	return carryOut
}

func addCarry64(d, a, b, _ *simd.Lanes, carryIn uint32) (carryOut uint32) {
	for l := range d {
		sum, carry := bits.Add64(a[l], b[l], uint64(carryIn>>l&1))
		d[l] = sum
		carryOut |= uint32(carry) << l
	}
	return carryOut
}

// subCarry32 adds the complement of b, as a GPU does: the carry is set where nothing is borrowed. subc and addc
// read the same flag, and nvcc's division of 128-bit integers reads it with addc behind subc.cc.
func subCarry32(d, a, b, _ *simd.Lanes, carryIn uint32) (carryOut uint32) {
	for l := range d {
		diff, carry := bits.Add32(uint32(a[l]), ^uint32(b[l]), carryIn>>l&1)
		d[l] = uint64(diff)
		carryOut |= carry << l
	}
	return carryOut
}

// subCarry64 is subCarry32 of 64 bits.
func subCarry64(d, a, b, _ *simd.Lanes, carryIn uint32) (carryOut uint32) {
	for l := range d {
		diff, carry := bits.Add64(a[l], ^b[l], uint64(carryIn>>l&1))
		d[l] = diff
		carryOut |= uint32(carry) << l
	}
	return carryOut
}

// product adds c and the carry to a half of the product of a and b.
func product(mul simd.Func, add simd.CarryFunc) simd.CarryFunc {
	return func(d, a, b, c *simd.Lanes, carryIn uint32) uint32 {
		var half simd.Lanes
		mul(&half, a, b, nil)
		return add(d, &half, c, nil, carryIn)
	}
}
