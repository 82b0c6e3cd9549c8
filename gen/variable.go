package gen

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/directive"
	"github.com/cudagen/cudagen/gen/goname"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/record"
)

// A variable is one that an export directive asks for.
type variable struct {
	*cu.Variable
	directive cu.Directive
	source    image.Variable // what the source says of it

	// prove
	symbol    string
	witnesses []string
	classes   map[any]bool // by layout.Identity: those whose fields the compiler confirmed
}

// spaces are the state spaces of variables by the words that declare them.
//
// PTX ISA, State Spaces; CUDA C++ Programming Guide, Variable Memory Space Specifiers.
var spaces = map[string]image.Variable{
	"__constant__": {Space: image.Const},
	"__device__":   {Space: image.Global},
	"__managed__":  {Space: image.Global, Managed: true},
}

// selectVariables returns the variables of file that have an export directive. errs says
// which cannot have one, and why.
func selectVariables(file *cu.File) (chosen []*variable, errs scanner.ErrorList) {
	seen := make(map[token.Position]bool)
	for _, v := range file.Variables {
		if v.Included {
			continue
		}
		for _, d := range v.Directives {
			switch {
			case seen[d.Pos] && d.Verb == "export":
				errs.Add(d.Pos, "export: the declaration below has several variables: give each a declaration of its own")
			case seen[d.Pos], directive.OfFile(d.Verb):
			default:
				errs.Add(d.Pos, cmp.Or(directive.UnknownVerb(d.Verb), fmt.Sprintf("directive %s belongs to kernels, and %s is a variable: write //cudagen:export, or nothing", d.Verb, v.Name)))
			}
			seen[d.Pos] = true
		}
		exports := directive.Exported(v)
		if len(exports) == 0 {
			continue
		}
		if len(exports) > 1 {
			errs.Add(exports[1].Pos, fmt.Sprintf("export is given twice, first in line %d", exports[0].Pos.Line))
		}
		chosen = append(chosen, &variable{Variable: v, directive: exports[0], witnesses: []string{record.Source}})
		errs = append(errs, chosen[len(chosen)-1].problems()...)
	}
	errs.Sort()
	return chosen, errs
}

// problems returns why Go cannot have v, and notes what the source says of it.
func (v *variable) problems() (errs scanner.ErrorList) {
	refuse := func(format string, args ...any) {
		errs.Add(v.Pos, v.Name+": "+fmt.Sprintf(format, args...))
	}
	if d := v.directive; d.Args != "" && !goname.IsExported(d.Args) {
		errs.Add(d.ArgsPos, fmt.Sprintf("export: %s is no exported Go name", d.Args))
	}
	reason := directive.Unexportable(v.Variable)
	switch {
	case reason != "":
		refuse("%s", reason)
	case len(v.Errors) > 0:
		errs = append(errs, v.Errors...)
	default:
		_, err := layout.GoType(v.Type, func(ctype.Type) model.GoType { return model.GoType{} })
		if err == nil {
			v.source = spaces[v.Space]
			v.source.Size, v.source.Align, err = layout.Of(v.Type)
		}
		if err != nil {
			refuse("%v", err)
		}
	}
	return errs
}

// imageName returns the name of v in images.
func (v *variable) imageName() string {
	if v.ExternC {
		return v.Name
	}
	return v.QualifiedName()
}

// proveVariables compares the exported variables with what every image says of them.
func (u *unit) proveVariables(images []*image.Image) scanner.ErrorList {
	var errs scanner.ErrorList
	for _, v := range u.variables {
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
		found := img.VariablesNamed(v.imageName())
		if len(found) > 1 {
			return fmt.Errorf("%s: %s has %d variables of this name, and which is which cannot be told: rename it", v.Name, img.File, len(found))
		}
		if clang && (len(found) == 0 || !found[0].Visible && witnessOf(img) == record.PTX) {
			return fmt.Errorf("%s: %s shows no variable %s to others: clang leaves out what no kernel uses, and assumes that nobody else writes what only this file knows (use it in a kernel, and take it out of unnamed namespaces, without static and with a type that has a name; or remove the directive)", v.Name, img.File, v.imageName())
		}
		if len(found) == 0 {
			return fmt.Errorf("%s: %s has no variable %s: compilers leave out what no kernel uses, so use it or remove the directive (if a kernel uses it: cudagen -force compiles again)", v.Name, img.File, v.imageName())
		}
		compiled := found[0]
		if err := image.ProveVariable(v.Name, v.source, compiled); err != nil {
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
	there := t.image.VariablesNamed(v.imageName())
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

// variables adds the exported variables to the model. The names that directives give come
// first.
func (b *builder) variables(list []*variable) {
	for _, v := range list {
		if name := v.directive.Args; name != "" && !b.members.Add(name) {
			b.errs.Add(v.directive.ArgsPos, fmt.Sprintf("export: the Go name %s is taken already", name))
		}
	}
	for _, v := range list {
		address := proof.Query(v.Namespace, v.Name, nil, nil)
		m := model.Variable{
			GoName: v.directive.Args, CName: v.QualifiedName(), CType: v.Type.String(), Space: v.Space, Symbol: v.symbol, Address: address.Address(),
			Doc: v.Doc, Pos: b.pos(v.Pos),
		}
		if m.GoName == "" {
			m.GoName = b.members.Field(goname.Identifier(v.Name), 0)
			m.Note = goname.Renamed(v.Name, m.GoName)
		}
		b.nameInner(m.GoName, "type", v.Type)
		var err error
		if m.Type, err = layout.GoType(v.Type, b.named); err != nil {
			b.errs.Add(v.Pos, fmt.Sprintf("%s: %v", v.Name, err))
			continue
		}
		if b.file.Embedded != nil && v.source.Managed && image.Local(v.symbol) {
			b.errs.Add(v.Pos, v.Name+": is __managed__ and known to this file alone, and -embed source needs its symbol, which NVRTC does not tell: move it out of the unnamed namespace, or leave out static")
		}
		b.file.Variables = append(b.file.Variables, m)
	}
}

// recordVariables is what the record says of the variables.
func (u *unit) recordVariables() []record.Variable {
	var list []record.Variable
	for _, v := range u.variables {
		list = append(list, record.Variable{
			Name: v.QualifiedName(), Symbol: v.symbol, Space: v.Space, Type: v.Type.String(), Size: v.source.Size, Align: v.source.Align, Witnesses: v.witnesses,
		})
	}
	return list
}
