package arithmetic

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// A vmad is the instruction vmad: a product of parts of registers, plus a register, of which some
// bits from 0, 7 or 15 on are the result.
//
// PTX ISA, Video Instructions: vmad.
type vmad struct {
	signedA, signedB bool
	selA, selB       int
	widthA, widthB   int
	negateC          bool
	negated          bool // the product
	more             int64
	sat, signed      bool
	scale            uint
}

func assembleVmad(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	v := &vmad{signedA: in.Mods[1] == "s32", signedB: in.Mods[2] == "s32", sat: bytecode.Has(in, "sat")}
	v.signed = v.signedA || v.signedB
	if bytecode.Has(in, "po") {
		v.more = 1
	}
	if bytecode.Has(in, "shr7") {
		v.scale = 7
	} else if bytecode.Has(in, "shr15") {
		v.scale = 15
	}
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: lanewise(v.compute)}
	if !d.Operands(in, 4) {
		return i
	}
	a, negatedA := opposite(in.Args[1])
	b, negatedB := opposite(in.Args[2])
	c, negatedC := opposite(in.Args[3])
	v.negated, v.negateC = negatedA != negatedB, negatedC
	v.signed = v.signed || negatedA || negatedB || negatedC
	if v.more > 0 && (negatedA || negatedB || negatedC) {
		d.Invalid("%s: .po takes no negated operand", in.Text)
	}
	a, asel := selected(a)
	b, bsel := selected(b)
	var okA, okB bool
	v.selA, v.widthA, okA = part(asel)
	v.selB, v.widthB, okB = part(bsel)
	if !okA || !okB {
		d.Invalid("the selectors of %s", in.Text)
	}
	i.Dst, i.A, i.B, i.C = d.Dst(in.Args[0], "u32"), d.Src(a, "u32"), d.Src(b, "u32"), d.Src(c, "u32")
	return i
}

// opposite returns the register of -r, and whether op is one.
func opposite(op ptx.Operand) (register ptx.Operand, negated bool) {
	if n, ok := op.(ptx.Neg); ok {
		return n.Reg, true
	}
	return op, false
}

// compute is as ptxas expands vmad: words count as signed, whatever their types.
func (v *vmad) compute(a, b, c uint64) uint64 {
	third := int64(int32(c))
	if v.negateC {
		third = -third
	}
	product := field(uint64(uint32(a)), v.selA, v.widthA, v.signedA || v.widthA == 32) * field(uint64(uint32(b)), v.selB, v.widthB, v.signedB || v.widthB == 32)
	if v.negated {
		product = -product
	}
	sum := product + third + v.more
	switch {
	case !v.sat:
		return uint64(uint32(sum >> v.scale))
	case v.signed:
		return uint64(uint32(saturated(sum>>v.scale, 32, true)))
	case v.scale > 0:
		return min(uint64(sum)>>v.scale, 1<<32-1)
	}
	return uint64(saturated(sum, 32, false))
}
