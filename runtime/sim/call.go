package sim

import (
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
)

// PTX ISA, Control Flow Instructions: call. The one function that kernels can call is
// cudaGraphSetConditional, which the driver has, too.
func callForms() []form {
	return []form{
		{"call.uni?", assembleCall},
		{"st.param.b32|u32|s32|b64|u64|s64", assembleArgument},
	}
}

// An argument is a .param variable of a body: what a call is given. It is a register.
type argument struct {
	index int32
	typ   ptx.Type
}

// argument declares v.
func (d *decoder) argument(s *scope, v *ptx.Var) {
	if v.Vector > 0 || len(v.Dims) > 0 || v.Type.Size() < 4 || v.Type.Size() > 8 {
		d.unsupported("parameter %s of a call is not supported by the simulated device", v.Name)
		return
	}
	if s.arguments == nil {
		s.arguments = make(map[string]argument)
	}
	s.arguments[v.Name] = argument{int32(d.k.regs), v.Type}
	d.k.regs++
}

// argumentOf returns the argument that op names.
func (d *decoder) argumentOf(op ptx.Operand) (argument, bool) {
	name, ok := op.(ptx.Symbol)
	if ok && name.Offset == 0 {
		for i := len(d.scopes) - 1; i >= 0; i-- {
			if a, ok := d.scopes[i].arguments[name.Name]; ok {
				return a, true
			}
		}
	}
	return argument{}, false
}

// assembleArgument gives an argument its value.
func assembleArgument(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opLanes, fn: func(d, a, _, _ *lanes) { *d = *a }}
	if !d.operands(in, 2) {
		return i
	}
	at, _ := in.Args[0].(ptx.Address)
	a, ok := d.argumentOf(at.Base)
	if t := lastType(in); !ok || at.Offset != 0 || t.Size() != a.typ.Size() {
		d.unsupported("%s: storing to a parameter in parts is not supported by the simulated device", in.Text)
		return i
	}
	i.dst, i.a = a.index, d.src(in.Args[1], lastType(in))
	return i
}

// assembleCall takes cudaGraphSetConditional(handle, value).
func assembleCall(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opSetConditional}
	if len(in.Args) == 2 {
		name, _ := in.Args[0].(ptx.Symbol)
		list, _ := in.Args[1].(ptx.List)
		if name.Name == "cudaGraphSetConditional" && len(list.Elems) == 2 {
			handle, there := d.argumentOf(list.Elems[0])
			value, too := d.argumentOf(list.Elems[1])
			if there && too && handle.typ.Size() == 8 && value.typ.Size() == 4 {
				i.a, i.b = handle.index, value.index
				return i
			}
		}
	}
	d.unsupported("instruction %s is not supported by the simulated device", in.Op)
	return i
}

// setConditional sets the values of the conditionals that the lanes name. A handle that is no
// graph's has no effect.
func (b *block) setConditional(w *warp, in *instr, e uint32) {
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e)
		if c, ok := b.mem.conditionals.Load(w.regs[in.a][l]); ok {
			c.(*conditional).value.Store(uint32(w.regs[in.b][l]))
		}
	}
}
