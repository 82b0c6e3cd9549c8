package proof

import (
	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/selection"
)

// Proofs say which witnesses confirm what Go gets.
type Proofs struct {
	Kernels   []*KernelProof           // by index in Selection.Kernels
	Variables []*VariableProof         // by index in Selection.Variables
	Types     map[any]compare.Evidence // by layout.Identity
	Answers   *compare.Answers         // that was compared: of the compiler itself where its companion did not do
}

// A KernelProof is a kernel whose source and images agree on every parameter.
type KernelProof struct {
	*selection.Kernel
	Symbol    string
	Witnesses [][]string // by parameter: those that confirm it
}

// A VariableProof is a variable whose source and images agree.
type VariableProof struct {
	*selection.Variable
	Symbol    string
	Witnesses []string
}
