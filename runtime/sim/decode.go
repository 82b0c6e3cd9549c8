package sim

import (
	"go/token"
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// A decoder turns one entry into bytecode. Errors are collected in errs.
type decoder struct {
	errs   *problems
	k      *kernel
	mod    *module
	shared map[string]symbol // variables of the module with their places in shared memory
	calls  map[string]*function

	fn         *function // that is being decoded, or nil in the entry
	frameBytes *int64    // of its frame; of the local memory of the entry

	scopes    []*scope // innermost last
	constants map[uint64]int32
	addresses map[addressKey]int32
	dynamic   int32 // the constant that is the address of dynamic shared memory, or 0
	specials  map[special]int32
	fixups    []fixup
	source    source
	inlined   map[location]location // where the code at a location was inlined
	read      map[int32]bool
	atomics   []int32 // destinations of integer atomics on global memory
	pos       token.Position
	guard     predicate // of the instruction
	op        string    // of the instruction
}

// A fixup is a branch whose target is known when the whole body has been read.
type fixup struct {
	pc      int
	targets []*int32
	indexed bool
}

// Constants and special registers are numbered from these while the number of
// registers in front of them is not known, and renumbered at the end.
const (
	constBase   = 1 << 28
	specialBase = 1 << 29
)

// decode decodes the entry f. What the simulated device does not support is a property of
// the kernel; what is wrong with the PTX goes to errs.
func decode(f *ptx.Func, mod *module, errs *problems) *kernel {
	d := &decoder{
		errs: &problems{}, mod: mod, shared: make(map[string]symbol),
		k:         &kernel{bases: make(map[int32]arraySet), name: f.Name, file: f.Pos.Filename, regs: 1, preds: firstPred, maxThreads: limits.MaxThreadsPerBlock},
		constants: make(map[uint64]int32), addresses: make(map[addressKey]int32), specials: make(map[special]int32), read: make(map[int32]bool),
	}
	d.functions(f.Name)
	d.k.start, d.k.stack = int32(len(d.k.code)), d.k.stack || len(d.k.functions) > 0
	d.frameBytes, d.source = &d.k.localBytes, source{}
	d.params(f)
	d.attributes(f)
	d.k.code, d.k.places = slices.Grow(d.k.code, len(f.Body.Stmts)+1), slices.Grow(d.k.places, len(f.Body.Stmts)+1)
	d.block(f.Body)
	d.emit(instr{op: opExit}, place{line: f.Body.End.Line, text: "}"})
	d.scopes = nil
	d.limits()
	d.k.lacks = d.errs.lacks()
	if d.k.unsupported = d.errs.unsupported(); d.k.unsupported == "" {
		d.link()
	}
	errs.addInvalid(d.errs)
	return d.k
}

// block decodes the statements of b in a scope of its own.
func (d *decoder) block(b *ptx.Block) {
	s := d.push()
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *ptx.Var:
			d.variable(s, stmt)
		case *ptx.Label:
			s.labels[stmt.Name] = new(int32)
		case *ptx.Directive:
			if stmt.Label != "" {
				s.lists[stmt.Label] = stmt.Text
			}
		}
	}
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *ptx.Label:
			*s.labels[stmt.Name] = int32(len(d.k.code))
		case *ptx.Directive:
			d.directive(stmt)
		case *ptx.Block:
			d.block(stmt)
		case *ptx.Instr:
			d.instr(stmt)
		}
	}
	d.scopes = d.scopes[:len(d.scopes)-1]
}

// limits checks shared and local memory. Dynamic shared memory begins behind the
// static, with the alignment of the strictest variable.
func (d *decoder) limits() {
	d.pos = token.Position{Filename: d.k.file, Line: d.k.places[len(d.k.places)-1].line}
	d.k.sharedBytes = roundUp(d.k.sharedBytes, max(1, d.k.dynamicAlign))
	if d.k.sharedBytes > limits.MaxSharedPerBlock {
		d.invalid("%s: static shared memory of %d bytes exceeds %d", d.k.name, d.k.sharedBytes, limits.MaxSharedPerBlock)
	}
	if d.k.localBytes > limits.MaxLocalBytes {
		d.invalid("%s: local memory of %d bytes exceeds %d", d.k.name, d.k.localBytes, limits.MaxLocalBytes)
	}
}

func (d *decoder) instr(in *ptx.Instr) {
	d.pos, d.guard, d.op = in.Pos, predicate{}, in.Op
	d.discards(in)
	if in.Guard != nil {
		d.guard = d.predReg(in.Guard.Reg)
		if in.Guard.Not {
			d.guard.flip = full
		}
	}
	i, ok := d.assemble(in)
	if !ok {
		d.unsupported("instruction %s%s", in.Name(), reasons[in.Op])
		return
	}
	d.emitGuarded(i, in)
}

// discards checks that a result is dropped by _ only where ptxas takes it.
func (d *decoder) discards(in *ptx.Instr) {
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
		d.invalid("%s: its result cannot be _", in.Text)
	}
}

// emitGuarded emits i, which is in or a part of it.
func (d *decoder) emitGuarded(i instr, in *ptx.Instr) {
	i.guard = d.guard
	d.emit(i, place{in.Pos.Line, in.Text, d.source})
}

// assemble decodes in by its form. ok is false if it has none.
func (d *decoder) assemble(in *ptx.Instr) (i instr, ok bool) {
	if assemble, ok := assemblers().Find(in); ok {
		return assemble(d, in), true
	}
	if assemble, ordered, ok := assemblers().FindReordered(in); ok {
		return assemble(d, ordered), true
	}
	return instr{}, false
}

func (d *decoder) emit(i instr, at place) {
	d.k.code = append(d.k.code, i)
	d.k.places = append(d.k.places, at)
}

// operands reports whether in has n operands; otherwise it is an error.
func (d *decoder) operands(in *ptx.Instr, n int) bool {
	if len(in.Args) == n {
		return true
	}
	d.invalid("%s has %d operands, want %d", in.Text, len(in.Args), n)
	return false
}

// link gives registers their final numbers, branches their targets and dynamic
// shared variables their address, and finds out whether blocks must run in order.
func (d *decoder) link() {
	for key, r := range d.addresses {
		d.k.bases[int32(d.k.firstConst())+r-constBase] = key.arrays
	}
	if d.dynamic != 0 {
		d.k.constants[d.dynamic-constBase] = uint64(d.k.sharedBytes)
		d.k.bases[int32(d.k.firstConst())+d.dynamic-constBase] = d.k.addArray(array{space: shared, from: uint64(d.k.sharedBytes), dynamic: true})
	}
	final := func(r *int32) {
		switch {
		case *r >= specialBase:
			*r += int32(d.k.firstSpecial()) - specialBase
		case *r >= constBase:
			*r += int32(d.k.firstConst()) - constBase
		}
	}
	for n := range d.k.code {
		i := &d.k.code[n]
		i.returns = i.op == opAtomic && i.dst > regSink && d.read[i.dst]
		for _, r := range []*int32{&i.dst, &i.a, &i.b, &i.c, &i.vec[0], &i.vec[1], &i.vec[2], &i.vec[3]} {
			final(r)
		}
		if i.call != nil {
			for _, r := range i.call.registers() {
				final(r)
			}
		}
		if i.own != nil {
			for _, r := range i.own.registers() {
				final(r)
			}
		}
	}
	for _, f := range d.fixups {
		i := &d.k.code[f.pc]
		for _, target := range f.targets {
			i.targets = append(i.targets, *target)
		}
		if !f.indexed {
			i.target = *f.targets[0]
		}
	}
	for _, dst := range d.atomics {
		d.k.ordered = d.k.ordered || d.read[dst]
	}
}
