package bytecode

import (
	"path"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A Module is what the kernels of a PTX module share.
type Module struct {
	Forms     *Forms
	Version   ptx.Version
	Target    int // 75 for sm_75
	files     map[int]string
	strings   map[string][]byte    // of line information
	globals   map[string]Symbol    // variables and functions
	functions map[string]*ptx.Func // those that have a body, also by their aliases
	order     []string             // their names; a function's address counts from here
	calls     map[string]callees   // of functions and entries
	named     bool                 // kernels keep their Names
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
	mod := &Module{Version: m.Version, files: make(map[int]string), strings: m.Strings, globals: globals, functions: make(map[string]*ptx.Func), calls: make(map[string]callees)}
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

// callee returns the function that a call names: a symbol, or a register that holds its
// address.
func callee(in *ptx.Instr) ptx.Operand {
	args := in.Args
	if len(args) > 1 {
		if _, results := args[0].(ptx.List); results {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return nil
	}
	return args[0]
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
