// Package evidence holds the result of comparing: which witnesses confirm the kernels,
// variables and types of a source. It compares nothing.
package evidence

import (
	"github.com/cudagen/cudagen/gen/ask"
	"github.com/cudagen/cudagen/gen/compare"
	"github.com/cudagen/cudagen/gen/selection"
)

// Proofs say which witnesses confirm what Go gets.
type Proofs struct {
	Kernels   []*Kernel                // by index in Selection.Kernels
	Variables []*Variable              // by index in Selection.Variables
	Types     map[any]compare.Evidence // by layout.Identity
	Answers   *ask.Answers             // that was compared: of the compiler itself where its companion did not do
}

// A Kernel is a kernel whose source and images agree on every parameter.
type Kernel struct {
	*selection.Kernel
	Symbol    string
	Witnesses [][]string // by parameter: those that confirm it
}

// A Variable is a variable whose source and images agree.
type Variable struct {
	*selection.Variable
	Symbol    string
	Witnesses []string
}
