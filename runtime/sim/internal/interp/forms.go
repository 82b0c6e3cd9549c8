package interp

import (
	"slices"
	"sync"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// chapters lists the forms by chapter of the PTX ISA, Instructions.
func chapters() [][]bytecode.Form {
	return [][]bytecode.Form{
		arithmetic.IntegerForms(), arithmetic.BitForms(), arithmetic.VideoForms(), arithmetic.CarryForms(), arithmetic.FloatForms(), arithmetic.DirectedForms(), arithmetic.HalfForms(), arithmetic.CompareForms(), arithmetic.LogicForms(),
		arithmetic.MoveForms(), arithmetic.ConvertForms(), arithmetic.NarrowForms(), arithmetic.BlackwellForms(), LongForms(), MemoryForms(), controlForms(), stackForms(), MatrixForms(), sparseForms(), matrixMoveForms(), asyncForms(), clusterForms(), mbarrierForms(), bulkForms(), tensorForms(), tensorReplaceForms(), asyncStoreForms(), warpgroupForms(), WideForms(), barrierForms(), WarpForms(), AtomicForms(), AtomicVectorForms(), hintForms(), arithmetic.Approx64Forms(), textureForms(), surfaceForms(),
	}
}

// Opcodes returns the instructions that the simulated device executes, as sorted
// patterns: | separates alternatives, and a question mark makes a modifier optional. Any
// other instruction is an error when its kernel is launched.
func Opcodes() []string {
	var patterns []string
	for _, chapter := range chapters() {
		for _, f := range chapter {
			patterns = append(patterns, f.Pattern)
		}
	}
	slices.Sort(patterns)
	return patterns
}

// Assemblers is all forms.
var Assemblers = sync.OnceValue(func() *ptx.FormTable[bytecode.Assembler] {
	table := new(ptx.FormTable[bytecode.Assembler])
	for _, chapter := range chapters() {
		for _, f := range chapter {
			table.Add(ptx.ParseForm(f.Pattern), f.Assemble)
		}
	}
	return table
})

// What is known of these keeps the analysis of array bounds precise.
var _ = []bytecode.Mover{(*asyncCopy)(nil), (*bulkCopy)(nil), (*tensorCopy)(nil), (*copyGroup)(nil), (*mbarrierOp)(nil), (*matrixMove)(nil), (*longAccess)(nil)}
