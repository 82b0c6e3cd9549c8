package bytecode

import (
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A builtin is a function of the device's system library. Its parameters and its result lie
// in .param variables of the caller, which are part of its local memory.
//
// PTX Writer's Guide to Interoperability, System Calls.
type builtin struct {
	Name   string
	params []int64 // bytes of each
	result int64   // bytes, or 0
}

// Builtins are the functions without a body that kernels can call.
var Builtins = []builtin{
	{"vprintf", []int64{8, 8}, 4},
	{"__assertfail", []int64{8, 8, 4, 8, 8}, 0},
	{"malloc", []int64{8}, 8},
	{"free", []int64{8}, 0},
	{"cudaGraphSetConditional", []int64{8, 4}, 0},
}

// AssembleCall decodes call (result), function, (arguments){, prototype}.
func AssembleCall(d *Decoder, in *ptx.Instr) Instr {
	site := &CallSite{Builtin: -1, Frame: -1}
	if d.Fn != nil {
		site.Frame = d.Fn.Frame
	}
	i := Instr{Op: OpInvoke, Call: site}
	rest := in.Args
	if list, ok := rest[0].(ptx.List); ok && len(rest) > 1 {
		site.Results = d.arguments(in, list.Elems, true)
		rest = rest[1:]
	}
	if len(rest) > 1 {
		if list, ok := rest[1].(ptx.List); ok {
			site.Args = d.arguments(in, list.Elems, false)
		}
	}
	if len(site.Results) > 1 {
		d.Unsupported("a call with several results, %s,", in.Text)
		return i
	}
	switch f := rest[0].(type) {
	case ptx.Symbol:
		d.named(&i, in, f.Name)
	case ptx.Reg:
		site.Address = d.Src(f, "u64")
	default:
		d.Invalid("%s: the operand is not a function", in.Text)
	}
	return i
}

// named makes i the call of a function by its name.
func (d *Decoder) named(i *Instr, in *ptx.Instr, name string) {
	if f := d.Mod.functions[name]; f != nil {
		i.Call.Callee = d.calls[f.Name]
		if !d.suits(i.Call, f) {
			d.Invalid("%s: function %s has other parameters", in.Text, name)
		}
		return
	}
	n := slices.IndexFunc(Builtins, func(f builtin) bool { return f.Name == name })
	if n < 0 || d.Mod.globals[name].function != functionDeclared {
		d.Unsupported("call of %s", name)
		return
	}
	if f := Builtins[n].Name; f == "malloc" || f == "free" {
		d.K.Ordered = true // what is left of the heap shows
	}
	f := Builtins[n]
	i.Op, i.Call.Builtin = OpCall, n
	same := len(i.Call.Args) == len(f.params) && (len(i.Call.Results) == 0 || f.result > 0 && i.Call.Results[0].Size == f.result)
	for j, arg := range i.Call.Args {
		same = same && (arg.Size == f.params[j] || arg.Reg >= 0)
	}
	if !same {
		d.Unsupported("the arguments of %s", in.Text)
	}
}

// suits reports whether a call has the arguments that f wants.
func (d *Decoder) suits(site *CallSite, f *ptx.Func) bool {
	same := func(list []Slot, vars []*ptx.Var) bool {
		return slices.EqualFunc(list, vars, func(s Slot, v *ptx.Var) bool {
			size, ok := v.Size()
			return ok && (s.Size == size || s.Reg >= 0 && size <= 8)
		})
	}
	return same(site.Args, f.Params) && (len(site.Results) == 0 || same(site.Results, f.Results))
}

// arguments returns where the arguments or results of a call are: .param variables, which
// are part of the frame, registers, or constants.
func (d *Decoder) arguments(in *ptx.Instr, ops []ptx.Operand, results bool) (slots []Slot) {
	for _, op := range ops {
		switch op := op.(type) {
		case ptx.Symbol:
			if v, known := d.VariableOf(op.Name); known && v.callParam && op.Offset == 0 {
				slots = append(slots, Slot{Reg: -1, Offset: int64(v.address), Size: v.size})
				continue
			}
		case ptx.Reg:
			if r, known := d.Lookup(op.Name); known && r.Typ != "pred" {
				d.Read.Set(r.index)
				slots = append(slots, Slot{Reg: r.index, Size: int64(r.Typ.Size())})
				continue
			}
		case ptx.Imm:
			if !results {
				slots = append(slots, Slot{Reg: d.Constant(op.Value), Size: 8})
				continue
			}
		case ptx.Float:
			if !results {
				slots = append(slots, Slot{Reg: d.Constant(op.Bits), Size: int64(op.Size / 8)})
				continue
			}
		}
		d.Unsupported("the arguments of %s", in.Text)
		return nil
	}
	return slots
}
