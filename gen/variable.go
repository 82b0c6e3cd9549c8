package gen

import (
	"fmt"
	"go/scanner"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
)

// A variable is one whose source and images agree.
type variable struct {
	*selection.Variable
	symbol    string
	witnesses []string
	classes   map[any]bool // by layout.Identity: those whose fields the compiler confirmed
}

// proveVariables compares the exported variables with what every image says of them.
func (u *unit) proveVariables(images []*image.Image) scanner.ErrorList {
	var errs scanner.ErrorList
	u.variables = nil
	for _, chosen := range u.sel.Variables {
		v := &variable{Variable: chosen, witnesses: []string{record.Source}}
		u.variables = append(u.variables, v)
		err := v.compareAll(images, u.record.Compiler.Name == "clang")
		if err == nil {
			before := v.witnesses
			err = u.confront(v.Name, func(t *testimony) error {
				v.witnesses, v.classes = slices.Clone(before), nil
				return v.compareTestimony(t)
			})
		}
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				errs.Add(v.Pos, line)
			}
		}
	}
	return errs
}

// compareAll compares v with every image and takes its symbol from them, which is one.
//
// clang puts the initial value of what is not visible into the kernels, unless one of them
// writes it.
func (v *variable) compareAll(images []*image.Image, clang bool) error {
	for _, img := range images {
		found := img.VariablesNamed(v.ImageName())
		if len(found) > 1 {
			return fmt.Errorf("%s: %s has %d variables of this name, and which is which cannot be told: rename it", v.Name, img.File, len(found))
		}
		if clang && (len(found) == 0 || !found[0].Visible && witnessOf(img) == record.PTX) {
			return fmt.Errorf("%s: %s shows no variable %s to others: clang leaves out what no kernel uses, and assumes that nobody else writes what only this file knows (use it in a kernel, and take it out of unnamed namespaces, without static and with a type that has a name; or remove the directive)", v.Name, img.File, v.ImageName())
		}
		if len(found) == 0 {
			return fmt.Errorf("%s: %s has no variable %s: compilers leave out what no kernel uses, so use it or remove the directive (if a kernel uses it: cudagen -force compiles again)", v.Name, img.File, v.ImageName())
		}
		compiled := found[0]
		if err := image.ProveVariable(v.Name, v.Source, compiled); err != nil {
			return err
		}
		if v.symbol != "" && v.symbol != compiled.Symbol {
			return fmt.Errorf("%s: its symbol is %s in one image and %s in %s", v.Name, v.symbol, compiled.Symbol, img.File)
		}
		v.symbol = compiled.Symbol
		if witness := witnessOf(img); !slices.Contains(v.witnesses, witness) {
			v.witnesses = append(v.witnesses, witness)
		}
	}
	return nil
}

// compareTestimony compares the type of v with what the compiler says of it.
func (v *variable) compareTestimony(t *testimony) (err error) {
	there := t.image.VariablesNamed(v.ImageName())
	if len(there) != 1 {
		return nil
	}
	debug := t.debug.Variable(there[0].Symbol)
	if debug == nil {
		return nil
	}
	if v.classes, err = proof.Variable(v.Name, v.Type, debug); err == nil {
		v.witnesses = append(v.witnesses, record.Debug)
	}
	return err
}

// recordVariables is what the record says of the variables.
func (u *unit) recordVariables() []record.Variable {
	var list []record.Variable
	for _, v := range u.variables {
		list = append(list, record.Variable{
			Name: v.QualifiedName(), Symbol: v.symbol, Space: v.Space, Type: v.Type.String(), Size: v.Source.Size, Align: v.Source.Align, Witnesses: v.witnesses,
		})
	}
	return list
}
