package bytecode

import (
	"fmt"
	"go/token"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// A Decoder turns one entry into bytecode. Errors are collected in errs.
type Decoder struct {
	Errs   *Problems
	K      *Program
	Mod    *Module
	Shared map[string]Symbol // variables of the module with their places in shared memory
	calls  map[string]*Function

	Fn         *Function // that is being decoded, or nil in the entry
	frameBytes *int64    // of its frame; of the local memory of the entry

	Scopes    []*scope // innermost last
	Constants map[uint64]int32
	Addresses map[AddressKey]int32
	placed    map[Placed]int32 // whose Constant is 0
	dynamic   int32            // the constant that is the address of dynamic shared memory, or 0
	Specials  map[Special]int32
	Fixups    []Fixup
	Source    Source
	within    *Inlined
	inlined   map[location]inlining // where the code at a location was inlined
	Read      Marks
	Atomics   []int32 // destinations of integer atomics on global memory
	pos       token.Position
	Guard     Predicate // of the instruction
	op        string    // of the instruction
}

// Marks are registers of which something is known.
type Marks []bool

// Set marks a register.
func (m *Marks) Set(r int32) {
	for len(*m) <= int(r) {
		*m = append(*m, false)
	}
	(*m)[r] = true
}

// Has reports whether a register is marked.
func (m Marks) Has(r int32) bool { return int(r) < len(m) && m[r] }

// A Fixup is a branch whose target is known when the whole body has been read.
type Fixup struct {
	Pc      int
	Targets []*int32
	Indexed bool
}

// Constants and special registers are numbered from these while the number of
// registers in front of them is not known, and renumbered at the end.
const (
	ConstBase   = 1 << 28
	specialBase = 1 << 29
)

// block decodes the statements of b in a scope of its own.
func (d *Decoder) block(b *ptx.Block) {
	s := d.Push()
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *ptx.Var:
			d.variable(s, stmt)
		case *ptx.Label:
			s.labels[stmt.Name] = new(int32)
		case *ptx.Directive:
			if stmt.Label != "" {
				s.Lists[stmt.Label] = stmt.Text
			}
		}
	}
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *ptx.Label:
			*s.labels[stmt.Name] = int32(len(d.K.Code))
		case *ptx.Directive:
			d.directive(stmt)
		case *ptx.Block:
			d.block(stmt)
		case *ptx.Instr:
			d.Instr(stmt)
		}
	}
	d.Scopes = d.Scopes[:len(d.Scopes)-1]
}

// limits checks shared and local memory. Dynamic shared memory begins behind the
// static, with the alignment of the strictest variable.
func (d *Decoder) limits() {
	d.pos = token.Position{Filename: d.K.file, Line: d.K.Places[len(d.K.Places)-1].Line}
	d.K.SharedBytes = RoundUp(d.K.SharedBytes, max(1, d.K.dynamicAlign))
	if d.K.SharedBytes > limits.MaxSharedPerBlock {
		d.Invalid("%s: static shared memory of %d bytes exceeds %d", d.K.Name, d.K.SharedBytes, limits.MaxSharedPerBlock)
	}
	if d.K.LocalBytes > limits.MaxLocalBytes {
		d.Invalid("%s: local memory of %d bytes exceeds %d", d.K.Name, d.K.LocalBytes, limits.MaxLocalBytes)
	}
}

func (d *Decoder) Instr(in *ptx.Instr) {
	d.pos, d.Guard, d.op = in.Pos, Predicate{}, in.Op
	first := len(d.K.Code)
	d.discards(in)
	if in.Guard != nil {
		d.Guard = d.predReg(in.Guard.Reg)
		if in.Guard.Not {
			d.Guard.Flip = Full
		}
	}
	i, ok := d.assemble(in)
	if !ok {
		d.Unsupported("instruction %s%s", in.Name(), reasons[in.Op])
		return
	}
	d.EmitGuarded(i, in)
	for pc := first; pc < len(d.K.Code)-1; pc++ {
		d.K.Places[pc].Part = true
	}
}

// discards checks that a result is dropped by _ only where ptxas takes it.
func (d *Decoder) discards(in *ptx.Instr) {
	if len(in.Args) == 0 {
		return
	}
	wrong := false
	switch dst := in.Args[0].(type) {
	case ptx.Symbol:
		wrong = dst.Name == "_" && in.Op != "atom" && in.Op != "setp" && in.Op != "mbarrier"
	case ptx.Pair:
		wrong = in.Op == "shfl" && dst.First == ptx.Operand(ptx.Symbol{Name: "_"}) || in.Op == "lop3" && dst.Second == ptx.Operand(ptx.Symbol{Name: "_"})
	}
	if wrong {
		d.Invalid("%s: its result cannot be _", in.Text)
	}
}

// EmitGuarded emits i, which is in or a part of it.
func (d *Decoder) EmitGuarded(i Instr, in *ptx.Instr) {
	i.Guard = d.Guard
	d.Emit(i, Place{Line: in.Pos.Line, Text: in.Text, Source: d.Source, Within: d.within})
}

// assemble decodes in by its form. ok is false if it has none.
func (d *Decoder) assemble(in *ptx.Instr) (i Instr, ok bool) {
	if assemble, ok := d.Mod.Forms.Find(in); ok {
		return assemble(d, in), true
	}
	if assemble, ordered, ok := d.Mod.Forms.FindReordered(in); ok {
		return assemble(d, ordered), true
	}
	return Instr{}, false
}

func (d *Decoder) Emit(i Instr, at Place) {
	d.K.Code = append(d.K.Code, i)
	d.K.Places = append(d.K.Places, at)
}

// Operands reports whether in has n operands; otherwise it is an error.
func (d *Decoder) Operands(in *ptx.Instr, n int) bool {
	if len(in.Args) == n {
		return true
	}
	d.Invalid("%s has %d operands, want %d", in.Text, len(in.Args), n)
	return false
}

// link gives registers their final numbers, branches their targets and dynamic
// shared variables their address, and finds out whether blocks must run in order.
func (d *Decoder) link() {
	for key, r := range d.Addresses {
		d.K.Bases[int32(d.K.FirstConst())+r-ConstBase] = key.arrays
	}
	if d.dynamic != 0 {
		d.K.Constants[d.dynamic-ConstBase] = uint64(d.K.SharedBytes)
		d.K.Bases[int32(d.K.FirstConst())+d.dynamic-ConstBase] = d.K.AddArray(Array{Space: Shared, From: uint64(d.K.SharedBytes), dynamic: true})
	}
	final := func(r *int32) {
		switch {
		case *r >= specialBase:
			*r += int32(d.K.FirstSpecial()) - specialBase
		case *r >= ConstBase:
			*r += int32(d.K.FirstConst()) - ConstBase
		}
	}
	for n := range d.K.Code {
		i := &d.K.Code[n]
		i.Returns = i.Op == OpAtomic && i.Dst > RegSink && d.Read.Has(i.Dst)
		for _, r := range []*int32{&i.Dst, &i.A, &i.B, &i.C, &i.Vec[0], &i.Vec[1], &i.Vec[2], &i.Vec[3]} {
			final(r)
		}
		if i.Call != nil {
			for _, r := range i.Call.Registers() {
				final(r)
			}
		}
		if i.Own != nil {
			for _, r := range i.Own.Registers() {
				final(r)
			}
		}
	}
	for _, f := range d.Fixups {
		i := &d.K.Code[f.Pc]
		for _, target := range f.Targets {
			i.Targets = append(i.Targets, *target)
		}
		if !f.Indexed {
			i.Target = *f.Targets[0]
		}
	}
	for _, dst := range d.Atomics {
		d.K.Ordered = d.K.Ordered || d.Read.Has(dst)
	}
}

// reasons says why no instruction of an opcode can be executed.
var reasons = map[string]string{
	"multimem":             " (there are no multicast objects on the simulated device)",
	"clusterlaunchcontrol": " (the simulated device starts no clusters on behalf of others)",
}

// Invalid notes that the PTX is wrong.
func (d *Decoder) Invalid(format string, args ...any) {
	d.Errs.add(problem{pos: d.pos, text: fmt.Sprintf(format, args...), invalid: true})
}

// Unsupported notes what the simulated device does not support.
func (d *Decoder) Unsupported(format string, args ...any) {
	d.Errs.add(problem{pos: d.pos, text: fmt.Sprintf(format, args...), source: d.Source})
}
