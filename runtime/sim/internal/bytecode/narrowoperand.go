package bytecode

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// NumberDst and NumberSrc are dst and src for a number of type t. One that is narrower than an f32
// lies in a register of bits or of its own type, and has no constants.
func (d *Decoder) NumberDst(op ptx.Operand, t ptx.Type) int32 {
	if Formats[t] == nil {
		return d.Dst(op, t)
	}
	return d.Destination(op, Storage(t), holdsNarrow)
}

func (d *Decoder) NumberSrc(op ptx.Operand, t ptx.Type) int32 {
	if Formats[t] == nil {
		return d.Src(op, t)
	}
	return d.Source1(d.Variable16(op, t), Storage(t), holdsNarrow)
}

// WideNumberDst and WideNumberSrc are WideDst and WideSrc for a number.
func (d *Decoder) WideNumberDst(op ptx.Operand, t ptx.Type) int32 {
	if Formats[t] == nil {
		return d.WideDst(op, t)
	}
	return d.Destination(op, Storage(t), holdsNarrowLow)
}

func (d *Decoder) WideNumberSrc(op ptx.Operand, t ptx.Type) int32 {
	if Formats[t] == nil {
		return d.WideSrc(op, t)
	}
	return d.Source1(d.Variable16(op, t), Storage(t), holdsNarrowLow)
}

func holdsNarrow(reg, t ptx.Type) bool {
	return reg.Size() == t.Size() && (reg[0] == 'b' || reg == "f16" || reg == "f16x2")
}

func holdsNarrowLow(reg, t ptx.Type) bool {
	return holdsNarrow(reg, t) || reg[0] == 'b' && reg.Size() > t.Size()
}

// Variable16 returns op, which is not a constant.
func (d *Decoder) Variable16(op ptx.Operand, t ptx.Type) ptx.Operand {
	switch op.(type) {
	case ptx.Imm, ptx.Float:
		d.Invalid("a constant where the type is .%s", t)
	}
	return op
}

// Alike checks that the registers of a vector have one size, and are not both of numbers with and
// without a point.
func (d *Decoder) Alike(in *ptx.Instr, elems []ptx.Operand) {
	var first, number ptx.Type
	for _, elem := range elems {
		reg, ok := elem.(ptx.Reg)
		if !ok {
			continue
		}
		r, _ := d.Lookup(reg.Name)
		if r.Typ == "" {
			continue
		}
		if first == "" {
			first = r.Typ
		}
		if number == "" && r.Typ[0] != 'b' {
			number = r.Typ
		}
		if r.Typ.Size() != first.Size() || r.Typ[0] != 'b' && IsFloat(r.Typ) != IsFloat(number) {
			d.Invalid("%s: the registers of a vector differ in size or kind", in.Text)
			return
		}
	}
}

// Formats has the narrow formats by their types in PTX.
var Formats = map[ptx.Type]*softfloat.Format{
	"f16": softfloat.F16, "f16x2": softfloat.F16, "bf16": softfloat.BF16, "bf16x2": softfloat.BF16, "tf32": softfloat.TF32,
	"e4m3": softfloat.E4M3, "e4m3x2": softfloat.E4M3, "e5m2": softfloat.E5M2, "e5m2x2": softfloat.E5M2,
}

// Storage is the type of a register that holds a t.
func Storage(t ptx.Type) ptx.Type {
	switch {
	case Formats[t] == nil:
		return t
	case t.Size() == 4:
		return "b32"
	}
	return "b16"
}
