package bytecode

import (
	"math"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// compatible reports whether an operand of type reg may stand where an instruction
// of type t needs one of the same size.
//
// PTX ISA, Instruction Operands, Type Information for Instructions and Operands.
func compatible(reg, t ptx.Type) bool {
	if reg.Size() != t.Size() || reg == "pred" || t == "pred" {
		return false
	}
	return reg[0] == 'b' || t[0] == 'b' || IsFloat(reg) == IsFloat(t)
}

// Dst returns the register that op names as a destination of type t.
func (d *Decoder) Dst(op ptx.Operand, t ptx.Type) int32 {
	return d.Destination(op, t, compatible)
}

// WideDst is dst for ld, cvt and their like: the register may be wider than t.
func (d *Decoder) WideDst(op ptx.Operand, t ptx.Type) int32 { return d.Destination(op, t, relaxed) }

// relaxed reports whether a register may be wider than the type t that is loaded
// into it, stored from it or converted.
//
// PTX ISA, Operand Size Exceeding Instruction-Type Size.
func relaxed(reg, t ptx.Type) bool {
	if compatible(reg, t) {
		return true
	}
	if reg == "pred" || reg == B128 || reg.Size() <= t.Size() {
		return false
	}
	return reg[0] == 'b' || t[0] == 'b' || !IsFloat(t) && !IsFloat(reg)
}

func (d *Decoder) Destination(op ptx.Operand, t ptx.Type, fits func(reg, t ptx.Type) bool) int32 {
	if sym, ok := op.(ptx.Symbol); ok && sym.Name == "_" {
		return RegSink
	}
	reg, ok := op.(ptx.Reg)
	if !ok {
		d.Invalid("the destination is not a register")
		return RegSink
	}
	r, ok := d.Lookup(reg.Name)
	switch {
	case !ok:
		d.Invalid("register %s is not declared", reg.Name)
		return RegSink
	case !fits(r.Typ, t):
		d.misfit(reg.Name, r.Typ, t)
		return RegSink
	}
	return r.index
}

// misfit refuses a register of type reg where an instruction wants a t.
func (d *Decoder) misfit(name string, reg, t ptx.Type) {
	if reg == B128 && t != "pred" && d.op != "mov" {
		d.Unsupported("register %s of type .%s in %s of type .%s", name, reg, d.op, t)
		return
	}
	d.Invalid("register %s has type .%s, want .%s", name, reg, t)
}

// Src returns the register that holds op, a source of type t.
func (d *Decoder) Src(op ptx.Operand, t ptx.Type) int32 { return d.Source1(op, t, compatible) }

// WideSrc is src for st, cvt and their like: the register may be wider than t.
func (d *Decoder) WideSrc(op ptx.Operand, t ptx.Type) int32 { return d.Source1(op, t, relaxed) }

func (d *Decoder) Source1(op ptx.Operand, t ptx.Type, fits func(reg, t ptx.Type) bool) int32 {
	switch op := op.(type) {
	case ptx.Reg:
		r, ok := d.Lookup(op.Name)
		if !ok {
			d.readsSpecial(op.Name)
			if n := clockNamed(op.Name); n >= 0 {
				if !fits(Clocks[n].typ, t) {
					d.Invalid("special register %s has type .%s, want .%s", op.Name, Clocks[n].typ, t)
				}
				return d.readClock(n)
			}
			if s, known := SpecialNamed(op.Name); known {
				if typ := SpecialRegisters[s].Typ; !fits(typ, t) {
					d.Invalid("special register %s has type .%s, want .%s", op.Name, typ, t)
				}
				d.K.Reserves = d.K.Reserves || strings.HasPrefix(op.Name, ReservedPrefix)
				return d.Special(s)
			}
			if isSpecial(op.Name) {
				d.Unsupported("special register %s", op.Name)
				return RegSink
			}
			d.Invalid("register %s is not declared", op.Name)
			return RegSink
		}
		if !fits(r.Typ, t) {
			d.misfit(op.Name, r.Typ, t)
			return RegSink
		}
		d.Read.Set(r.index)
		return r.index
	case ptx.Imm:
		if IsFloat(t) {
			d.Invalid("integer %d where .%s wants a floating-point constant", int64(op.Value), t)
		}
		return d.Constant(op.Value)
	case ptx.Float:
		return d.Constant(d.float(op, t))
	case ptx.Symbol:
		if op.Name == "WARP_SZ" && op.Offset == 0 && !IsFloat(t) {
			return d.Constant(WarpSize)
		}
		d.Invalid("%s is not a register", op.Name)
	default:
		d.Invalid("an operand of type .%s is a register or a constant", t)
	}
	return RegSink
}

// float returns the bits of a floating-point constant as an operand of type t.
func (d *Decoder) float(f ptx.Float, t ptx.Type) uint64 {
	double := math.Float64frombits(f.Bits)
	if f.Size == 32 {
		double = float64(math.Float32frombits(uint32(f.Bits)))
	}
	switch {
	case t.Size()*8 == f.Size && (IsFloat(t) || t[0] == 'b'):
		return f.Bits
	case t == "f32":
		return uint64(math.Float32bits(float32(double)))
	case t == "f64":
		return math.Float64bits(double)
	}
	d.Invalid("a floating-point constant where the type is .%s", t)
	return 0
}

func (d *Decoder) Constant(value uint64) int32 {
	index, ok := d.Constants[value]
	if !ok {
		index = ConstBase + int32(len(d.K.Constants))
		d.K.Constants = append(d.K.Constants, value)
		d.Constants[value] = index
	}
	return index
}

func (d *Decoder) Special(s Special) int32 {
	index, ok := d.Specials[s]
	if !ok {
		index = specialBase + int32(len(d.K.Specials))
		d.K.Specials = append(d.K.Specials, s)
		d.Specials[s] = index
	}
	return index
}

// predReg returns the predicate register name.
func (d *Decoder) predReg(name string) Predicate {
	r, ok := d.Lookup(name)
	if !ok {
		d.Invalid("register %s is not declared", name)
	} else if r.Typ != "pred" {
		d.Invalid("register %s has type .%s, want .pred", name, r.Typ)
		return Predicate{Index: PredTrue}
	}
	return Predicate{Index: r.index}
}

// PredSrc returns a predicate operand: p, !p, or a constant.
func (d *Decoder) PredSrc(op ptx.Operand) Predicate {
	switch op := op.(type) {
	case ptx.Reg:
		if op.Name == IsExplicitCluster {
			s, _ := SpecialNamed(op.Name)
			return d.predicateOf(d.Special(s))
		}
		return d.predReg(op.Name)
	case ptx.Not:
		p := d.predReg(op.Reg.Name)
		p.Flip = Full
		return p
	case ptx.Imm:
		if op.Value == 0 {
			return Predicate{PredTrue, Full}
		}
		return Predicate{PredTrue, 0}
	}
	d.Invalid("the operand is not a predicate")
	return Predicate{}
}

// predicateOf returns a predicate that holds where a register is not zero.
func (d *Decoder) predicateOf(r int32) Predicate {
	p := int32(d.K.Preds)
	d.K.Preds++
	d.Emit(Instr{Op: OpCompare, Compare: simd.Ne[uint64], Combine: simd.First, A: r, B: d.Constant(0), Pdst: p, Pdst2: PredSink}, Place{Line: d.pos.Line, Text: "read of a predicate", Source: d.Source})
	return Predicate{Index: p}
}

// PredDst returns a predicate destination; _ drops the value.
func (d *Decoder) PredDst(op ptx.Operand) int32 {
	switch op := op.(type) {
	case ptx.Reg:
		return d.predReg(op.Name).Index
	case ptx.Symbol:
		if op.Name == "_" {
			return PredSink
		}
	}
	d.Invalid("the destination is not a predicate")
	return PredSink
}

// readsSpecial checks that a special register stands in mov or cvt: ptxas takes it nowhere else.
func (d *Decoder) readsSpecial(name string) {
	_, known := SpecialNamed(name)
	if (known || clockNamed(name) >= 0 || isSpecial(name)) && d.op != "mov" && d.op != "cvt" {
		d.Invalid("special register %s stands in %s: move it to a register first", name, d.op)
	}
}

const B128 = ptx.Type("b128")

// RegistersOf returns the registers of a vector operand, or a single one.
func (d *Decoder) RegistersOf(in *ptx.Instr, op ptx.Operand, want int, one func(op ptx.Operand, t ptx.Type) int32, t ptx.Type) []int32 {
	if _, ok := op.(ptx.Vector); !ok && want == 1 {
		return []int32{one(op, t)}
	}
	return d.VectorOf(in, op, want, one, t)
}

// VectorOf returns the registers of a vector operand.
func (d *Decoder) VectorOf(in *ptx.Instr, op ptx.Operand, want int, one func(op ptx.Operand, t ptx.Type) int32, t ptx.Type) []int32 {
	v, ok := op.(ptx.Vector)
	if !ok || len(v.Elems) != want {
		d.Invalid("%s: an operand is not a vector of %d registers", in.Text, want)
		return make([]int32, want)
	}
	var regs []int32
	for _, elem := range v.Elems {
		regs = append(regs, one(elem, t))
	}
	return regs
}
