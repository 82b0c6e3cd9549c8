package bytecode

import (
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A Form is a family of instructions that the simulator knows.
//
// pattern is as ptx.ParseForm reads it: "add.rn?.ftz?.sat?.f32".
type Form struct {
	Pattern  string
	Assemble Assembler
}

// An Assembler decodes the operands of an instruction.
type Assembler func(d *Decoder, in *ptx.Instr) Instr

// Forms is a table of forms.
type Forms = ptx.FormTable[Assembler]

// Has reports whether in has the modifier mod.
func Has(in *ptx.Instr, mod string) bool { return slices.Contains(in.Mods, mod) }

// LastType is the last modifier of in, which is its type.
func LastType(in *ptx.Instr) ptx.Type { return ptx.Type(in.Mods[len(in.Mods)-1]) }

// Alu makes the assembler of an instruction that computes lanes from lanes:
// the first operand has type dst, the others have the types srcs.
func Alu(fn simd.Func, dst ptx.Type, srcs ...ptx.Type) Assembler {
	return func(d *Decoder, in *ptx.Instr) Instr {
		i := Instr{Op: OpLanes, Fn: fn, Flush: Has(in, "ftz"), Sat: Has(in, "sat")}
		if i.Flush || i.Sat {
			i.Op = OpLanesFloat
		}
		if !d.Operands(in, 1+len(srcs)) {
			return i
		}
		i.Dst = d.Dst(in.Args[0], dst)
		for n, t := range srcs {
			*[]*int32{&i.A, &i.B, &i.C}[n] = d.Src(in.Args[n+1], t)
		}
		return i
	}
}

func UnaryOp(fn simd.Func, t ptx.Type) Assembler   { return Alu(fn, t, t) }
func BinaryOp(fn simd.Func, t ptx.Type) Assembler  { return Alu(fn, t, t, t) }
func TernaryOp(fn simd.Func, t ptx.Type) Assembler { return Alu(fn, t, t, t, t) }
