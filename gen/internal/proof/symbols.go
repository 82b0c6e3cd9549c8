package proof

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/internal/record"
)

// Symbols returns the symbols of kernels and variables, by their indices.
func (p *Proofs) Symbols() (kernels, variables []string) {
	for _, k := range p.Kernels {
		kernels = append(kernels, k.Symbol)
	}
	for _, v := range p.Variables {
		variables = append(variables, v.Symbol)
	}
	return kernels, variables
}

// RecallSymbols takes symbols that no image tells, because it is missing, from the record of the
// run that made the images.
func (p *Proofs) RecallSymbols(r *record.Record) {
	if p == nil || r == nil {
		return
	}
	for _, k := range p.Kernels {
		if k.Symbol != "" {
			continue
		}
		same := func(param cu.Param, old record.Param) bool { return param.Type.String() == old.Type }
		name := k.QualifiedName()
		at := slices.IndexFunc(r.Kernels, func(old record.Kernel) bool { return old.Name == name && slices.EqualFunc(k.Params, old.Params, same) })
		if at >= 0 {
			k.Symbol = r.Kernels[at].Symbol
		}
	}
	for _, v := range p.Variables {
		at := slices.IndexFunc(r.Variables, func(old record.Variable) bool { return old.Name == v.QualifiedName() })
		if v.Symbol == "" && at >= 0 {
			v.Symbol = r.Variables[at].Symbol
		}
	}
}

// Known reports whether the symbols of all kernels and variables are known: without them
// the generated code is unknown.
func (p *Proofs) Known() bool {
	if p == nil {
		return false
	}
	kernels, variables := p.Symbols()
	return !slices.Contains(kernels, "") && !slices.Contains(variables, "")
}
