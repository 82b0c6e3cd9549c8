package bytecode

import (
	"fmt"
	"path"
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// A Module is what the kernels of a PTX module share.
type Module struct {
	Forms     *Forms
	Version   ptx.Version
	Target    int // 75 for sm_75
	files     map[int]string
	globals   map[string]Symbol    // variables and functions
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
func functionsOf(m *ptx.Module, globals map[string]Symbol) *Module {
	mod := &Module{Version: m.Version, files: make(map[int]string), globals: globals, functions: make(map[string]*ptx.Func), calls: make(map[string]callees)}
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
func (mod *Module) scan(b *ptx.Block, c *callees) {
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
func (mod *Module) take(values []ptx.Operand) {
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
func (mod *Module) reached(name string) (order []string, direct map[string]bool) {
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

// A Function is a device function, decoded as a part of a kernel. Its registers are those of
// the kernel from one number to another, so that no two functions share any; a call of a
// function that is under way in the same thread saves them. Its parameters, its result and
// its local variables lie in its frame, which is local memory.
type Function struct {
	Name    string
	Start   int32
	Frame   int32 // the register that holds the address of the frame
	Params  []Slot
	Results []Slot

	FirstReg, LastReg   int32 // the last is beyond them
	FirstPred, LastPred int32

	FrameBytes  int64
	unsupported string // why it cannot be called, or empty
}

// A Slot is where a parameter or a result lies: in a register or in the frame.
type Slot struct {
	Reg    int32 // or -1
	Offset int64 // in the frame
	Size   int64
}

// functions decodes the functions that the entry called name can call.
func (d *Decoder) functions(name string) {
	order, direct := d.Mod.reached(name)
	d.calls = make(map[string]*Function)
	for _, name := range order {
		d.calls[name] = &Function{Name: name}
	}
	for _, name := range order {
		d.function(d.Mod.functions[name], d.calls[name], direct[name])
	}
	if len(order) == 0 {
		return
	}
	d.K.Functions = make([]*Function, len(d.Mod.order))
	for n, name := range d.Mod.order {
		d.K.Functions[n] = d.calls[name]
	}
}

// function decodes f. What it needs that is not supported is an error of the kernel if it is
// called by its name; by its address it may never be.
func (d *Decoder) function(f *ptx.Func, into *Function, direct bool) {
	errs, code, fixups := d.Errs, len(d.K.Code), len(d.Fixups)
	d.Errs = &Problems{}
	d.Fn, d.frameBytes = into, &into.FrameBytes
	d.Scopes = nil
	d.Source = Source{}
	into.Start = int32(len(d.K.Code))
	into.FirstReg, into.FirstPred = int32(d.K.Regs), int32(d.K.Preds)
	into.Frame = int32(d.K.Regs)
	d.K.Regs++
	s := d.Push()
	d.pos = f.Pos
	into.Params = d.slots(s, f.Params)
	into.Results = d.slots(s, f.Results)
	for _, a := range f.Attrs {
		if d.pos = a.Pos; !slices.Contains([]string{"noreturn", "pragma", "maxnreg", "minnctapersm", "maxntid", "reqntid", "maxnctapersm", "abi_preserve", "abi_preserve_control"}, a.Name) {
			d.Unsupported("directive .%s", a.Name)
		}
	}
	d.block(f.Body)
	d.Emit(Instr{Op: OpReturn}, Place{Line: f.Body.End.Line, Text: "}"})
	into.LastReg, into.LastPred = int32(d.K.Regs), int32(d.K.Preds)
	d.Fn = nil
	d.Scopes = nil
	into.FrameBytes = RoundUp(into.FrameBytes, FrameAlign)
	if lacks := d.Errs.unsupported(); lacks != "" && !direct {
		into.unsupported = lacks
		d.K.Code, d.K.Places, d.Fixups = d.K.Code[:code], d.K.Places[:code], d.Fixups[:fixups]
		d.Errs = errs
		return
	}
	errs.List = append(errs.List, d.Errs.List...)
	d.Errs = errs
}

// FrameAlign is the alignment of frames.
const FrameAlign = 16

// slots gives parameters or results their places.
func (d *Decoder) slots(s *scope, vars []*ptx.Var) []Slot {
	var slots []Slot
	for _, v := range vars {
		size, sized := v.Size()
		switch {
		case v.Space == "reg":
			d.Declare(s, v)
			r, ok := d.Lookup(v.Name)
			if !ok || r.Typ == "pred" || r.Typ == B128 {
				d.Unsupported("parameter %s of type .%s", v.Name, v.Type)
			}
			slots = append(slots, Slot{Reg: r.index, Size: int64(v.Type.Size())})
		case !sized || size > limits.MaxParamBytes:
			d.Unsupported("parameter %s without a size", v.Name)
		default:
			at := allot(d.frameBytes, size, v.Alignment())
			s.vars[v.Name] = Symbol{Space: Local, address: at, callParam: true, framed: true, size: size, arrays: AnyArray}
			slots = append(slots, Slot{Reg: -1, Offset: int64(at), Size: size})
		}
	}
	return slots
}

// Fits reports whether the arguments of a call are those of a function.
func Fits(args, params []Slot) bool {
	return slices.EqualFunc(args, params, func(a, p Slot) bool { return a.Size == p.Size || a.Reg >= 0 && p.Reg < 0 && p.Size <= 8 })
}

// functionAddress returns the address of the nth function of a module.
func functionAddress(n int) uint64 {
	return memory.CodeWindow<<memory.OffsetBits | uint64(n+1)*FrameAlign
}

// FunctionAt returns the function at an address, or what is wrong with it.
func (k *Kernel) FunctionAt(addr uint64) (f *Function, what string) {
	n := int(addr&memory.OffsetMask)/FrameAlign - 1
	if addr>>memory.OffsetBits != memory.CodeWindow || addr%FrameAlign != 0 || n < 0 || n >= len(k.Functions) || k.Functions[n] == nil {
		return nil, fmt.Sprintf("address %#x is not that of a function which this kernel can call", addr)
	}
	if f = k.Functions[n]; f.unsupported != "" {
		return nil, fmt.Sprintf("function %s cannot be called: %s", f.Name, f.unsupported)
	}
	return f, ""
}

// A CallSite is a call: whom it calls, and where arguments and results lie in the caller.
type CallSite struct {
	Callee  *Function // nil for a call by address
	Address int32     // the register that holds it
	Builtin int       // index of the builtin, or -1
	Frame   int32     // the caller's frame register; -1 in an entry
	Args    []Slot
	Results []Slot
}

// Registers returns the registers that the call names.
func (c *CallSite) Registers() (regs []*int32) {
	regs = append(regs, &c.Address)
	for _, list := range [][]Slot{c.Args, c.Results} {
		for n := range list {
			regs = append(regs, &list[n].Reg)
		}
	}
	return regs
}
