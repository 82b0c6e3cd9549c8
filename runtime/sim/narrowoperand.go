package sim

import "github.com/cudagen/cudagen/internal/ptx"

// numberDst and numberSrc are dst and src for a number of type t. One that is narrower than an f32
// lies in a register of bits or of its own type, and has no constants.
func (d *decoder) numberDst(op ptx.Operand, t ptx.Type) int32 {
	if formats[t] == nil {
		return d.dst(op, t)
	}
	return d.destination(op, storage(t), holdsNarrow)
}

func (d *decoder) numberSrc(op ptx.Operand, t ptx.Type) int32 {
	if formats[t] == nil {
		return d.src(op, t)
	}
	return d.source1(d.variable16(op, t), storage(t), holdsNarrow)
}

// wideNumberDst and wideNumberSrc are wideDst and wideSrc for a number.
func (d *decoder) wideNumberDst(op ptx.Operand, t ptx.Type) int32 {
	if formats[t] == nil {
		return d.wideDst(op, t)
	}
	return d.destination(op, storage(t), holdsNarrowLow)
}

func (d *decoder) wideNumberSrc(op ptx.Operand, t ptx.Type) int32 {
	if formats[t] == nil {
		return d.wideSrc(op, t)
	}
	return d.source1(d.variable16(op, t), storage(t), holdsNarrowLow)
}

func holdsNarrow(reg, t ptx.Type) bool {
	return reg.Size() == t.Size() && (reg[0] == 'b' || reg == "f16" || reg == "f16x2")
}

func holdsNarrowLow(reg, t ptx.Type) bool {
	return holdsNarrow(reg, t) || reg[0] == 'b' && reg.Size() > t.Size()
}

// variable16 returns op, which is not a constant.
func (d *decoder) variable16(op ptx.Operand, t ptx.Type) ptx.Operand {
	switch op.(type) {
	case ptx.Imm, ptx.Float:
		d.invalid("a constant where the type is .%s", t)
	}
	return op
}

// alike checks that the registers of a vector have one size, and are not both of numbers with and
// without a point.
func (d *decoder) alike(in *ptx.Instr, elems []ptx.Operand) {
	var first, number ptx.Type
	for _, elem := range elems {
		reg, ok := elem.(ptx.Reg)
		if !ok {
			continue
		}
		r, _ := d.lookup(reg.Name)
		if r.typ == "" {
			continue
		}
		if first == "" {
			first = r.typ
		}
		if number == "" && r.typ[0] != 'b' {
			number = r.typ
		}
		if r.typ.Size() != first.Size() || r.typ[0] != 'b' && isFloat(r.typ) != isFloat(number) {
			d.invalid("%s: the registers of a vector differ in size or kind", in.Text)
			return
		}
	}
}
