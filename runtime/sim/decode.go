package sim

import (
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
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

// A register is a declared register that an instruction names.
type register struct {
	index int32
	typ   ptx.Type
}

// A scope holds what a block declares.
type scope struct {
	decls  []*ptx.Var // .reg, in source order
	regs   map[string]register
	vars   map[string]symbol
	labels map[string]*int32 // where they point; filled when the label is met
	lists  map[string]string // .branchtargets
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
		k:         &kernel{name: f.Name, file: f.Pos.Filename, regs: 1, preds: firstPred, maxThreads: maxThreadsPerBlock},
		constants: make(map[uint64]int32), specials: make(map[special]int32), read: make(map[int32]bool),
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

func (d *decoder) params(f *ptx.Func) {
	s := d.push()
	d.pos = f.Pos
	offsets, end, ok := ptx.Offsets(f.Params)
	if !ok || end > maxParamBytes {
		d.invalid("%s: its parameters have no size or exceed %d bytes", f.Name, maxParamBytes)
		return
	}
	d.k.paramBytes = end
	for n, p := range f.Params {
		size, _ := p.Size()
		d.k.params = append(d.k.params, parameter{uint64(offsets[n]), uint64(size)})
		s.vars[p.Name] = symbol{space: param, address: uint64(offsets[n])}
	}
}

func (d *decoder) attributes(f *ptx.Func) {
	for _, a := range f.Attrs {
		d.pos = a.Pos
		dims := [3]uint32{1, 1, 1}
		if len(a.Values) <= 3 {
			for n, v := range a.Values {
				dims[n] = uint32(v)
			}
		}
		threads := uint64(dims[0]) * uint64(dims[1]) * uint64(dims[2])
		switch a.Name {
		case "maxntid", "reqntid":
			if len(a.Values) == 0 || len(a.Values) > 3 || threads == 0 || threads > maxThreadsPerBlock {
				d.invalid(".%s wants one to three dimensions of at most %d threads in all", a.Name, maxThreadsPerBlock)
				continue
			}
			d.k.maxThreads = uint32(threads)
			if a.Name == "reqntid" {
				d.k.required = dims
			}
		case "reqnctapercluster":
			if len(a.Values) == 0 || len(a.Values) > 3 || threads == 0 || threads > nonPortableCluster {
				d.invalid(".%s wants one to three dimensions of at most %d blocks in all", a.Name, nonPortableCluster)
				continue
			}
			d.k.requiredCluster = driver.Dim3{X: dims[0], Y: dims[1], Z: dims[2]}
		case "explicitcluster":
			d.k.explicitCluster = true
		case "maxclusterrank", "minnctapersm", "maxnreg", "pragma", "maxnctapersm", "noreturn":
		default:
			d.unsupported("directive .%s", a.Name)
		}
	}
}

func (d *decoder) push() *scope {
	s := &scope{regs: map[string]register{}, vars: map[string]symbol{}, labels: map[string]*int32{}, lists: map[string]string{}}
	d.scopes = append(d.scopes, s)
	return s
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

// variable declares v, a variable inside a body.
func (d *decoder) variable(s *scope, v *ptx.Var) {
	d.pos = v.Pos
	if _, twice := s.vars[v.Name]; twice {
		d.invalid("%s is declared twice", v.Name)
	}
	size, sized := v.Size()
	switch {
	case v.Space == "reg":
		if v.Vector > 0 || v.Type.Size() > 8 && v.Type != b128 || len(v.Dims) > 0 {
			d.unsupported("register %s of type .v%d .%s", v.Name, v.Vector, v.Type)
		}
		if d.isParameter(v.Name) {
			d.invalid("register %s has the name of a parameter", v.Name)
		}
		s.decls = append(s.decls, v)
	case !sized || size > 1<<30:
		d.invalid("%s has no size, or too large a one", v.Name)
	case v.Space == "shared":
		s.vars[v.Name] = symbol{space: shared, address: allot(&d.k.sharedBytes, size, v.Alignment())}
	case v.Space == "local", v.Space == "param":
		s.vars[v.Name] = symbol{space: local, address: allot(d.frameBytes, size, v.Alignment()), callParam: v.Space == "param", framed: d.fn != nil, size: size}
	default:
		d.unsupported("variable %s in .%s inside a body", v.Name, v.Space)
	}
	if len(v.Init) > 0 {
		d.unsupported("initial values of %s in .%s", v.Name, v.Space)
	}
}

// isParameter reports whether name is a parameter of the function or entry.
func (d *decoder) isParameter(name string) bool {
	v, ok := d.scopes[0].vars[name]
	return ok && (v.space == param || v.callParam)
}

// allot takes size bytes at an aligned offset behind *end.
func allot(end *int64, size, align int64) uint64 {
	offset := roundUp(*end, align)
	*end = offset + size
	return uint64(offset)
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// limits checks shared and local memory. Dynamic shared memory begins behind the
// static, with the alignment of the strictest variable.
func (d *decoder) limits() {
	d.pos = token.Position{Filename: d.k.file, Line: d.k.places[len(d.k.places)-1].line}
	d.k.sharedBytes = roundUp(d.k.sharedBytes, max(1, d.k.dynamicAlign))
	if d.k.sharedBytes > maxSharedPerBlock {
		d.invalid("%s: static shared memory of %d bytes exceeds %d", d.k.name, d.k.sharedBytes, maxSharedPerBlock)
	}
	if d.k.localBytes > maxLocalBytes {
		d.invalid("%s: local memory of %d bytes exceeds %d", d.k.name, d.k.localBytes, maxLocalBytes)
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

// readsSpecial checks that a special register stands in mov or cvt: ptxas takes it nowhere else.
func (d *decoder) readsSpecial(name string) {
	_, known := specialNamed(name)
	if (known || clockNamed(name) >= 0 || isSpecial(name)) && d.op != "mov" && d.op != "cvt" {
		d.invalid("special register %s stands in %s: move it to a register first", name, d.op)
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

// lookup finds the register name in the scopes and gives it an index when it is
// first used.
func (d *decoder) lookup(name string) (register, bool) {
	for _, s := range slices.Backward(d.scopes) {
		if r, ok := s.regs[name]; ok {
			return r, true
		}
		for _, v := range s.decls {
			if !declares(v, name) {
				continue
			}
			r := register{typ: v.Type}
			if v.Type == "pred" {
				r.index = int32(d.k.preds)
				d.k.preds++
			} else {
				r.index = int32(d.k.regs)
				d.k.regs++
				d.k.setSize(r.index, min(v.Type.Size(), 8))
				if v.Type == b128 {
					d.k.setSize(int32(d.k.regs), 8)
					d.k.regs++
				}
			}
			s.regs[name] = r
			return r, true
		}
	}
	return register{}, false
}

// declares reports whether v declares the register name, alone or as one of a range.
func declares(v *ptx.Var, name string) bool {
	if v.Count == 0 {
		return v.Name == name
	}
	tail, ok := strings.CutPrefix(name, v.Name)
	if !ok || tail == "" || len(tail) > 1 && tail[0] == '0' {
		return false
	}
	n, err := strconv.ParseUint(tail, 10, 31)
	return err == nil && int(n) < v.Count
}

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

// label returns where the label called name will point.
func (d *decoder) label(name string) *int32 {
	for _, s := range slices.Backward(d.scopes) {
		if target, ok := s.labels[name]; ok {
			return target
		}
	}
	d.invalid("label %s is not declared", name)
	return new(int32)
}

// link gives registers their final numbers, branches their targets and dynamic
// shared variables their address, and finds out whether blocks must run in order.
func (d *decoder) link() {
	if d.dynamic != 0 {
		d.k.constants[d.dynamic-constBase] = uint64(d.k.sharedBytes)
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
