package proof

import (
	"slices"

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
		at := slices.IndexFunc(r.Kernels, func(old record.Kernel) bool {
			same := func(a, b record.Param) bool { return a.Type == b.Type }
			var params []record.Param
			for _, param := range k.Params {
				params = append(params, record.Param{Type: param.Type.String()})
			}
			return old.Name == k.QualifiedName() && slices.EqualFunc(old.Params, params, same)
		})
		if k.Symbol == "" && at >= 0 {
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
