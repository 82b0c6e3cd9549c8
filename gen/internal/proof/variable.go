package proof

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
)

// proveVariables compares the exported variables with what every image says of them.
func (p *prover) proveVariables() (errs diag.List) {
	for _, chosen := range p.Variables {
		v := &provedVariable{VariableProof: &VariableProof{Variable: chosen, Witnesses: []string{record.Source}}}
		p.variables = append(p.variables, v)
		err := v.compareAll(p.images, p.compiler == "clang")
		if err == nil {
			before := v.Witnesses
			err = p.demand(v.Name, func(t *compare.Answers) error {
				v.Witnesses, v.classes = slices.Clone(before), nil
				return v.compareAnswers(t)
			})
		}
		report(&errs, v.Pos, err)
	}
	return errs
}

// compareAll compares v with every image, and takes its symbol from them: they must agree.
//
// clang puts the initial value of what is not visible into the kernels, unless one of them
// writes it.
func (v *provedVariable) compareAll(images []*image.Image, clang bool) error {
	for _, img := range images {
		found := img.VariablesNamed(v.ImageName())
		if len(found) > 1 {
			return diag.NotInImage.Errorf("%s has %d variables of this name, and they cannot be told apart: %w", img.File, len(found), diag.Do("rename it")).About(v.Name)
		}
		if clang && (len(found) == 0 || !found[0].Visible && witnessOf(img) == record.PTX) {
			return diag.NotInImage.Errorf("%s has no visible variable %s: clang removes what no kernel uses, and inlines values with internal linkage (%w)", img.File, v.ImageName(), diag.Do("use it in a kernel, and take it out of unnamed namespaces, without static and with a type that has a name; or remove the directive")).About(v.Name)
		}
		if len(found) == 0 {
			return diag.NotInImage.Errorf("%s has no variable %s: compilers leave out what no kernel uses: %w", img.File, v.ImageName(), diag.Do("use it or remove the directive (if a kernel uses it: %s compiles again)", diag.Call("-force"))).About(v.Name)
		}
		compiled := found[0]
		if err := compare.Storage(v.Name, v.Source, compiled); err != nil {
			return err
		}
		if v.Symbol != "" && v.Symbol != compiled.Symbol {
			return diag.LayoutsDisagree.Errorf("its symbol is %s in one image and %s in %s", v.Symbol, compiled.Symbol, img.File).About(v.Name)
		}
		v.Symbol = compiled.Symbol
		if witness := witnessOf(img); !slices.Contains(v.Witnesses, witness) {
			v.Witnesses = append(v.Witnesses, witness)
		}
	}
	return nil
}

// compareAnswers compares the type of v with what the compiler states about it.
func (v *provedVariable) compareAnswers(t *compare.Answers) (err error) {
	there := t.Image.VariablesNamed(v.ImageName())
	if len(there) != 1 {
		return nil
	}
	debug := t.Debug.Variable(there[0].Symbol)
	if debug == nil {
		return nil
	}
	if v.classes, err = compare.Variable(v.Name, v.Type, debug); err == nil {
		v.Witnesses = append(v.Witnesses, record.Debug)
	}
	return err
}
