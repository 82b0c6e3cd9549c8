package arithmetic

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
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
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: v.lanes}
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

func (v *vmad) lanes(d, a, b, c *simd.Lanes) {
	for l := range d {
		d[l] = uint64(v.compute(uint32(a[l]), uint32(b[l]), uint32(c[l])))
	}
}

// compute is as ptxas expands vmad: words count as signed, whatever their types.
func (v *vmad) compute(a, b, c uint32) uint32 {
	third := int64(int32(c))
	if v.negateC {
		third = -third
	}
	product := field(uint64(a), v.selA, v.widthA, v.signedA || v.widthA == 32) * field(uint64(b), v.selB, v.widthB, v.signedB || v.widthB == 32)
	if v.negated {
		product = -product
	}
	sum := product + third + v.more
	switch {
	case !v.sat:
		return uint32(sum >> v.scale)
	case v.signed:
		return uint32(saturated(sum>>v.scale, 32, true))
	case v.scale > 0:
		return uint32(min(uint64(sum)>>v.scale, 1<<32-1))
	}
	return uint32(saturated(sum, 32, false))
}
