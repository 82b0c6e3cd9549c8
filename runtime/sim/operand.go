package sim

import (
	"math"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
)

// compatible reports whether an operand of type reg may stand where an instruction
// of type t needs one of the same size.
//
// PTX ISA, Instruction Operands, Type Information for Instructions and Operands.
func compatible(reg, t ptx.Type) bool {
	if reg.Size() != t.Size() || reg == "pred" || t == "pred" {
		return false
	}
	return reg[0] == 'b' || t[0] == 'b' || isFloat(reg) == isFloat(t)
}

// dst returns the register that op names as a destination of type t.
func (d *decoder) dst(op ptx.Operand, t ptx.Type) int32 {
	return d.destination(op, t, compatible)
}

// wideDst is dst for ld, cvt and their like: the register may be wider than t.
func (d *decoder) wideDst(op ptx.Operand, t ptx.Type) int32 { return d.destination(op, t, relaxed) }

// relaxed reports whether a register may be wider than the type t that is loaded
// into it, stored from it or converted.
//
// PTX ISA, Operand Size Exceeding Instruction-Type Size.
func relaxed(reg, t ptx.Type) bool {
	if compatible(reg, t) {
		return true
	}
	if reg == "pred" || reg == b128 || reg.Size() <= t.Size() {
		return false
	}
	return reg[0] == 'b' || t[0] == 'b' || !isFloat(t) && !isFloat(reg)
}

func (d *decoder) destination(op ptx.Operand, t ptx.Type, fits func(reg, t ptx.Type) bool) int32 {
	if sym, ok := op.(ptx.Symbol); ok && sym.Name == "_" {
		return regSink
	}
	reg, ok := op.(ptx.Reg)
	if !ok {
		d.invalid("the destination is not a register")
		return regSink
	}
	r, ok := d.lookup(reg.Name)
	switch {
	case !ok:
		d.invalid("register %s is not declared", reg.Name)
		return regSink
	case !fits(r.typ, t):
		d.misfit(reg.Name, r.typ, t)
		return regSink
	}
	return r.index
}

// misfit refuses a register of type reg where an instruction wants a t.
func (d *decoder) misfit(name string, reg, t ptx.Type) {
	if reg == b128 && t != "pred" && d.op != "mov" {
		d.unsupported("register %s of type .%s in %s of type .%s", name, reg, d.op, t)
		return
	}
	d.invalid("register %s has type .%s, want .%s", name, reg, t)
}

// src returns the register that holds op, a source of type t.
func (d *decoder) src(op ptx.Operand, t ptx.Type) int32 { return d.source1(op, t, compatible) }

// wideSrc is src for st, cvt and their like: the register may be wider than t.
func (d *decoder) wideSrc(op ptx.Operand, t ptx.Type) int32 { return d.source1(op, t, relaxed) }

func (d *decoder) source1(op ptx.Operand, t ptx.Type, fits func(reg, t ptx.Type) bool) int32 {
	switch op := op.(type) {
	case ptx.Reg:
		r, ok := d.lookup(op.Name)
		if !ok {
			d.readsSpecial(op.Name)
			if n := clockNamed(op.Name); n >= 0 {
				if !fits(clocks[n].typ, t) {
					d.invalid("special register %s has type .%s, want .%s", op.Name, clocks[n].typ, t)
				}
				return d.readClock(n)
			}
			if s, known := specialNamed(op.Name); known {
				if typ := specialRegisters[s].typ; !fits(typ, t) {
					d.invalid("special register %s has type .%s, want .%s", op.Name, typ, t)
				}
				d.k.reserves = d.k.reserves || strings.HasPrefix(op.Name, reservedPrefix)
				return d.special(s)
			}
			if isSpecial(op.Name) {
				d.unsupported("special register %s", op.Name)
				return regSink
			}
			d.invalid("register %s is not declared", op.Name)
			return regSink
		}
		if !fits(r.typ, t) {
			d.misfit(op.Name, r.typ, t)
			return regSink
		}
		d.read[r.index] = true
		return r.index
	case ptx.Imm:
		if isFloat(t) {
			d.invalid("integer %d where .%s wants a floating-point constant", int64(op.Value), t)
		}
		return d.constant(op.Value)
	case ptx.Float:
		return d.constant(d.float(op, t))
	case ptx.Symbol:
		if op.Name == "WARP_SZ" && op.Offset == 0 && !isFloat(t) {
			return d.constant(warpSize)
		}
		d.invalid("%s is not a register", op.Name)
	default:
		d.invalid("an operand of type .%s is a register or a constant", t)
	}
	return regSink
}

// float returns the bits of a floating-point constant as an operand of type t.
func (d *decoder) float(f ptx.Float, t ptx.Type) uint64 {
	double := math.Float64frombits(f.Bits)
	if f.Size == 32 {
		double = float64(math.Float32frombits(uint32(f.Bits)))
	}
	switch {
	case t.Size()*8 == f.Size && (isFloat(t) || t[0] == 'b'):
		return f.Bits
	case t == "f32":
		return uint64(math.Float32bits(float32(double)))
	case t == "f64":
		return math.Float64bits(double)
	}
	d.invalid("a floating-point constant where the type is .%s", t)
	return 0
}

func (d *decoder) constant(value uint64) int32 {
	index, ok := d.constants[value]
	if !ok {
		index = constBase + int32(len(d.k.constants))
		d.k.constants = append(d.k.constants, value)
		d.constants[value] = index
	}
	return index
}

func (d *decoder) special(s special) int32 {
	index, ok := d.specials[s]
	if !ok {
		index = specialBase + int32(len(d.k.specials))
		d.k.specials = append(d.k.specials, s)
		d.specials[s] = index
	}
	return index
}

// predReg returns the predicate register name.
func (d *decoder) predReg(name string) predicate {
	r, ok := d.lookup(name)
	if !ok {
		d.invalid("register %s is not declared", name)
	} else if r.typ != "pred" {
		d.invalid("register %s has type .%s, want .pred", name, r.typ)
		return predicate{index: predTrue}
	}
	return predicate{index: r.index}
}

// predSrc returns a predicate operand: p, !p, or a constant.
func (d *decoder) predSrc(op ptx.Operand) predicate {
	switch op := op.(type) {
	case ptx.Reg:
		if op.Name == isExplicitCluster {
			s, _ := specialNamed(op.Name)
			return d.predicateOf(d.special(s))
		}
		return d.predReg(op.Name)
	case ptx.Not:
		p := d.predReg(op.Reg.Name)
		p.flip = full
		return p
	case ptx.Imm:
		if op.Value == 0 {
			return predicate{predTrue, full}
		}
		return predicate{predTrue, 0}
	}
	d.invalid("the operand is not a predicate")
	return predicate{}
}

// predicateOf returns a predicate that holds where a register is not zero.
func (d *decoder) predicateOf(r int32) predicate {
	p := int32(d.k.preds)
	d.k.preds++
	d.emit(instr{op: opCompare, compare: ne[uint64], combine: first, a: r, b: d.constant(0), pdst: p, pdst2: predSink}, place{line: d.pos.Line, text: "read of a predicate", source: d.source})
	return predicate{index: p}
}

// predDst returns a predicate destination; _ drops the value.
func (d *decoder) predDst(op ptx.Operand) int32 {
	switch op := op.(type) {
	case ptx.Reg:
		return d.predReg(op.Name).index
	case ptx.Symbol:
		if op.Name == "_" {
			return predSink
		}
	}
	d.invalid("the destination is not a predicate")
	return predSink
}

// readsSpecial checks that a special register stands in mov or cvt: ptxas takes it nowhere else.
func (d *decoder) readsSpecial(name string) {
	_, known := specialNamed(name)
	if (known || clockNamed(name) >= 0 || isSpecial(name)) && d.op != "mov" && d.op != "cvt" {
		d.invalid("special register %s stands in %s: move it to a register first", name, d.op)
	}
}
