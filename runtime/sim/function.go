package sim

import (
	"fmt"
	"path"
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// A module is what the kernels of a PTX module share.
type module struct {
	version   ptx.Version
	target    int // 75 for sm_75
	files     map[int]string
	globals   map[string]symbol    // variables and functions
	functions map[string]*ptx.Func // those that have a body, also by their aliases
	order     []string             // their names; a function's address counts from here
	calls     map[string]callees   // of functions and entries
	addressed names                // functions whose address is taken somewhere
}

// callees are the functions that a body calls.
type callees struct {
	names
	indirect bool // it also calls functions by their address
}

// names are distinct, in the order in which they were added.
type names struct {
	list []string
	has  map[string]bool
}

func (n *names) add(name string) {
	if n.has[name] {
		return
	}
	if n.has == nil {
		n.has = make(map[string]bool)
	}
	n.has[name] = true
	n.list = append(n.list, name)
}

// functionsOf collects the functions of m.
func functionsOf(m *ptx.Module, globals map[string]symbol) *module {
	mod := &module{version: m.Version, files: make(map[int]string), globals: globals, functions: make(map[string]*ptx.Func), calls: make(map[string]callees)}
	for _, f := range m.Files {
		mod.files[f.Index] = path.Clean(f.Name)
	}
	for _, f := range m.Funcs {
		if f.Body != nil && !f.Entry && mod.functions[f.Name] == nil {
			mod.functions[f.Name] = f
			mod.order = append(mod.order, f.Name)
		}
	}
	for _, alias := range m.Aliases {
		if f := mod.functions[alias.Target]; f != nil {
			mod.functions[alias.Name] = f
		}
	}
	if len(mod.functions) == 0 {
		return mod
	}
	for _, v := range m.Vars {
		mod.take(v.Init)
	}
	for _, f := range m.Funcs {
		if f.Body != nil {
			var c callees
			mod.scan(f.Body, &c)
			mod.calls[f.Name] = c
		}
	}
	return mod
}

// scan finds what b calls, and whose address it takes.
func (mod *module) scan(b *ptx.Block, c *callees) {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *ptx.Block:
			mod.scan(stmt, c)
		case *ptx.Var:
			mod.take(stmt.Init)
		case *ptx.Instr:
			if stmt.Op != "call" {
				mod.take(stmt.Args)
				continue
			}
			switch callee := callee(stmt).(type) {
			case ptx.Symbol:
				if f := mod.functions[callee.Name]; f != nil {
					c.add(f.Name)
				}
			case ptx.Reg:
				c.indirect = true
			}
		}
	}
}

// take notes the functions whose address is among values.
func (mod *module) take(values []ptx.Operand) {
	for _, value := range values {
		switch value := value.(type) {
		case ptx.Symbol:
			if f := mod.functions[value.Name]; f != nil {
				mod.addressed.add(f.Name)
			}
		case ptx.Generic:
			mod.take([]ptx.Operand{value.Symbol})
		case ptx.Mask:
			mod.take([]ptx.Operand{value.Value})
		case ptx.Vector:
			mod.take(value.Elems)
		}
	}
}

// reached returns the functions that a body can call, each behind those that it calls where it
// does not call itself. direct has those that are reached without an address.
func (mod *module) reached(name string) (order []string, direct map[string]bool) {
	seen := make(map[string]bool)
	direct = make(map[string]bool)
	indirect := false
	var visit func(name string)
	visit = func(name string) {
		seen[name] = true
		indirect = indirect || mod.calls[name].indirect
		for _, callee := range mod.calls[name].list {
			if !seen[callee] {
				visit(callee)
				order = append(order, callee)
			}
		}
	}
	visit(name)
	for _, callee := range order {
		direct[callee] = true
	}
	if indirect {
		for _, callee := range mod.addressed.list {
			if !seen[callee] {
				visit(callee)
				order = append(order, callee)
			}
		}
	}
	return order, direct
}

// A function is a device function, decoded as a part of a kernel. Its registers are those of
// the kernel from one number to another, so that no two functions share any; a call of a
// function that is under way in the same thread saves them. Its parameters, its result and
// its local variables lie in its frame, which is local memory.
type function struct {
	name    string
	start   int32
	frame   int32 // the register that holds the address of the frame
	params  []slot
	results []slot

	firstReg, lastReg   int32 // the last is beyond them
	firstPred, lastPred int32

	frameBytes  int64
	unsupported string // why it cannot be called, or empty
}

// A slot is where a parameter or a result lies: in a register or in the frame.
type slot struct {
	reg    int32 // or -1
	offset int64 // in the frame
	size   int64
}

// functions decodes the functions that the entry called name can call.
func (d *decoder) functions(name string) {
	order, direct := d.mod.reached(name)
	d.calls = make(map[string]*function)
	for _, name := range order {
		d.calls[name] = &function{name: name}
	}
	for _, name := range order {
		d.function(d.mod.functions[name], d.calls[name], direct[name])
	}
	if len(order) == 0 {
		return
	}
	d.k.functions = make([]*function, len(d.mod.order))
	for n, name := range d.mod.order {
		d.k.functions[n] = d.calls[name]
	}
}

// function decodes f. What it needs that is not supported is an error of the kernel if it is
// called by its name; by its address it may never be.
func (d *decoder) function(f *ptx.Func, into *function, direct bool) {
	errs, code, fixups := d.errs, len(d.k.code), len(d.fixups)
	d.errs = &problems{}
	d.fn, d.frameBytes = into, &into.frameBytes
	d.scopes = nil
	d.source = source{}
	into.start = int32(len(d.k.code))
	into.firstReg, into.firstPred = int32(d.k.regs), int32(d.k.preds)
	into.frame = int32(d.k.regs)
	d.k.regs++
	s := d.push()
	d.pos = f.Pos
	into.params = d.slots(s, f.Params)
	into.results = d.slots(s, f.Results)
	for _, a := range f.Attrs {
		if d.pos = a.Pos; !slices.Contains([]string{"noreturn", "pragma", "maxnreg", "minnctapersm", "maxntid", "reqntid", "maxnctapersm", "abi_preserve", "abi_preserve_control"}, a.Name) {
			d.unsupported("directive .%s", a.Name)
		}
	}
	d.block(f.Body)
	d.emit(instr{op: opReturn}, place{line: f.Body.End.Line, text: "}"})
	into.lastReg, into.lastPred = int32(d.k.regs), int32(d.k.preds)
	d.fn = nil
	d.scopes = nil
	into.frameBytes = roundUp(into.frameBytes, frameAlign)
	if lacks := d.errs.unsupported(); lacks != "" && !direct {
		into.unsupported = lacks
		d.k.code, d.k.places, d.fixups = d.k.code[:code], d.k.places[:code], d.fixups[:fixups]
		d.errs = errs
		return
	}
	errs.list = append(errs.list, d.errs.list...)
	d.errs = errs
}

// frameAlign is the alignment of frames.
const frameAlign = 16

// slots gives parameters or results their places.
func (d *decoder) slots(s *scope, vars []*ptx.Var) []slot {
	var slots []slot
	for _, v := range vars {
		size, sized := v.Size()
		switch {
		case v.Space == "reg":
			d.declare(s, v)
			r, ok := d.lookup(v.Name)
			if !ok || r.typ == "pred" || r.typ == b128 {
				d.unsupported("parameter %s of type .%s", v.Name, v.Type)
			}
			slots = append(slots, slot{reg: r.index, size: int64(v.Type.Size())})
		case !sized || size > limits.MaxParamBytes:
			d.unsupported("parameter %s without a size", v.Name)
		default:
			at := allot(d.frameBytes, size, v.Alignment())
			s.vars[v.Name] = symbol{space: local, address: at, callParam: true, framed: true, size: size, arrays: anyArray}
			slots = append(slots, slot{reg: -1, offset: int64(at), size: size})
		}
	}
	return slots
}

// fits reports whether the arguments of a call are those of a function.
func fits(args, params []slot) bool {
	return slices.EqualFunc(args, params, func(a, p slot) bool { return a.size == p.size || a.reg >= 0 && p.reg < 0 && p.size <= 8 })
}

// functionAddress returns the address of the nth function of a module.
func functionAddress(n int) uint64 {
	return memory.CodeWindow<<memory.OffsetBits | uint64(n+1)*frameAlign
}

// functionAt returns the function at an address, or what is wrong with it.
func (k *kernel) functionAt(addr uint64) (f *function, what string) {
	n := int(addr&memory.OffsetMask)/frameAlign - 1
	if addr>>memory.OffsetBits != memory.CodeWindow || addr%frameAlign != 0 || n < 0 || n >= len(k.functions) || k.functions[n] == nil {
		return nil, fmt.Sprintf("address %#x is not that of a function which this kernel can call", addr)
	}
	if f = k.functions[n]; f.unsupported != "" {
		return nil, fmt.Sprintf("function %s cannot be called: %s", f.name, f.unsupported)
	}
	return f, ""
}
