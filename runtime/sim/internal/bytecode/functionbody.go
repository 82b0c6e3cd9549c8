package bytecode

import (
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

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
	d.Source, d.within = Source{}, nil
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
