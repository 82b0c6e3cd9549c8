package sim

import (
	"slices"
	"sync"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A form is a family of instructions that the simulator knows.
//
// pattern is as ptx.ParseForm reads it: "add.rn?.ftz?.sat?.f32".
type form struct {
	pattern  string
	assemble assembler
}

// An assembler decodes the operands of an instruction.
type assembler func(d *decoder, in *ptx.Instr) instr

// chapters lists the forms by chapter of the PTX ISA, Instructions.
func chapters() [][]form {
	return [][]form{
		integerForms(), bitForms(), videoForms(), carryForms(), floatForms(), directedForms(), halfForms(), compareForms(), logicForms(),
		moveForms(), convertForms(), narrowForms(), blackwellForms(), longForms(), memoryForms(), controlForms(), stackForms(), matrixForms(), sparseForms(), matrixMoveForms(), asyncForms(), clusterForms(), mbarrierForms(), bulkForms(), tensorForms(), tensorReplaceForms(), asyncStoreForms(), warpgroupForms(), wideForms(), barrierForms(), warpForms(), atomicForms(), atomicVectorForms(), hintForms(), approx64Forms(), textureForms(), surfaceForms(),
	}
}

// Opcodes returns the instructions that the simulated device executes, as sorted
// patterns: | separates alternatives, and a question mark makes a modifier optional. Any
// other instruction is an error when its kernel is launched.
func Opcodes() []string {
	var patterns []string
	for _, chapter := range chapters() {
		for _, f := range chapter {
			patterns = append(patterns, f.pattern)
		}
	}
	slices.Sort(patterns)
	return patterns
}

// assemblers is all forms.
var assemblers = sync.OnceValue(func() *ptx.FormTable[assembler] {
	table := new(ptx.FormTable[assembler])
	for _, chapter := range chapters() {
		for _, f := range chapter {
			table.Add(ptx.ParseForm(f.pattern), f.assemble)
		}
	}
	return table
})

// has reports whether in has the modifier mod.
func has(in *ptx.Instr, mod string) bool { return slices.Contains(in.Mods, mod) }

// lastType is the last modifier of in, which is its type.
func lastType(in *ptx.Instr) ptx.Type { return ptx.Type(in.Mods[len(in.Mods)-1]) }

// alu makes the assembler of an instruction that computes lanes from lanes:
// the first operand has type dst, the others have the types srcs.
func alu(fn simd.Func, dst ptx.Type, srcs ...ptx.Type) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := instr{op: opLanes, fn: fn, flush: has(in, "ftz"), sat: has(in, "sat")}
		if i.flush || i.sat {
			i.op = opLanesFloat
		}
		if !d.operands(in, 1+len(srcs)) {
			return i
		}
		i.dst = d.dst(in.Args[0], dst)
		for n, t := range srcs {
			*[]*int32{&i.a, &i.b, &i.c}[n] = d.src(in.Args[n+1], t)
		}
		return i
	}
}

func unaryOp(fn simd.Func, t ptx.Type) assembler   { return alu(fn, t, t) }
func binaryOp(fn simd.Func, t ptx.Type) assembler  { return alu(fn, t, t, t) }
func ternaryOp(fn simd.Func, t ptx.Type) assembler { return alu(fn, t, t, t, t) }
