package gen

import (
	"errors"
	"go/scanner"
	"go/token"
	"os"
	"slices"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/goname"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/model"
)

// A Reader reads sources as Generate does, as far as this needs no compiler: it selects kernels
// and variables, checks the directives and chooses the Go names with the functions that
// generating uses. Sources in one folder belong to one Go package. It writes nothing.
//
// A Reader is for one goroutine.
type Reader struct {
	options  Options
	packages map[string]*builder // by folder
}

// NewReader returns a Reader for sources that are generated with o, whose Sources do not count.
func NewReader(o Options) *Reader {
	if o.Arch == 0 {
		o.Arch = firstArch(o.Archs)
	}
	return &Reader{options: o, packages: make(map[string]*builder)}
}

// A Reading says what Generate makes of a source, as far as the source alone decides.
type Reading struct {
	Path string
	File *cu.File // nil when it cannot be read or is not understood as a whole

	// Errors are those with which Generate fails whatever a compiler says, sorted. An unclear
	// kernel is not among them, unless there are others.
	Errors scanner.ErrorList

	Kernels   map[*cu.Kernel]*SelectedKernel     // those that are generated, or would be without their errors
	Variables map[*cu.Variable]*SelectedVariable // those with an export directive

	names func(ctype.Type) model.GoType
}

// A SelectedKernel is a kernel that directives select.
type SelectedKernel struct {
	Kernel  *cu.Kernel        // with the types that a committed record tells where the source does not
	Unclear bool              // Generate asks a compiler about it: Errors are about types of parameters
	Errors  scanner.ErrorList // why it cannot be wrapped, sorted
	Model   *model.Kernel     // nil with Errors; Symbol is empty, and so is GoName where it depends on an unclear kernel
}

// A SelectedVariable is a variable that an export directive selects. Size and Align are in bytes.
type SelectedVariable struct {
	Errors      scanner.ErrorList // why Go cannot have it, sorted
	Model       *model.Variable   // nil with Errors; Symbol is empty
	Size, Align int64
}

// Read reads the source at path.
func (r *Reader) Read(path string) *Reading {
	o := r.options
	o.Sources = []string{path}
	p := &pipeline{Options: o}
	if err := p.open(); err != nil {
		return &Reading{Path: path, Errors: positioned(path, err)}
	}
	u := p.units[0]
	var err error
	u.file, u.source, err = parseSource(path, o.SourceOptions, false)
	if u.file == nil {
		return &Reading{Path: path, Errors: positioned(path, err)}
	}
	return r.reading(u, err)
}

// Select is Read for a source that is parsed already: file is what source says.
func (r *Reader) Select(file *cu.File, source []byte) *Reading {
	o := r.options
	o.Sources = []string{file.Name}
	p := &pipeline{Options: o}
	if err := p.open(); err != nil {
		return &Reading{Path: file.Name, Errors: positioned(file.Name, err)}
	}
	u := p.units[0]
	u.file, u.source = file, source
	return r.reading(u, nil)
}

// reading selects from the parsed unit u. fileErr is what is wrong with the file as a whole.
func (r *Reader) reading(u *unit, fileErr error) *Reading {
	defer func() { *u = unit{options: u.options, place: u.place} }() // builders keep units, files are large
	result := &Reading{Path: u.place.Path, Kernels: make(map[*cu.Kernel]*SelectedKernel), Variables: make(map[*cu.Variable]*SelectedVariable)}
	selection, err := u.choose(fileErr)
	result.Errors = positioned(u.place.Path, err)
	if fileErr != nil {
		return result
	}
	result.File = u.file
	if err == nil && len(u.unclear) > 0 {
		u.recallRead()
	}
	for _, s := range slices.Concat(selection.bad, u.unclear) {
		result.Kernels[s.origin] = &SelectedKernel{Kernel: s.Kernel, Errors: s.problems(maxParams(u.options.Archs)), Unclear: s.unclear()}
	}
	problems := r.name(u, result)
	if err == nil { // otherwise generating does not come to names
		result.Errors = append(result.Errors, problems...)
		result.Errors.Sort()
	}
	return result
}

// recallRead takes what a compiler has told of the unclear kernels from the record, if there is
// one and it is current. One that cannot be read tells nothing.
func (u *unit) recallRead() {
	if _, err := os.Stat(u.place.Record); err == nil {
		_ = u.committedImages()
	}
}

// name chooses the Go names of what is selected, and returns why they are not possible.
func (r *Reader) name(u *unit, result *Reading) scanner.ErrorList {
	b := builderOf(r.packages, u)
	taken := b.begin(u, "")
	b.mappings(u.file)
	mapped := b.mapped
	result.names = func(t ctype.Type) model.GoType { return b.likely(t, mapped) }

	var kernels []*proved
	for _, s := range slices.Concat(u.kernels, u.unclear) {
		p, err := layOut(s)
		if err != nil {
			p = &proved{selected: s} // unclear: it has a name all the same
		}
		kernels = append(kernels, p)
	}
	if len(u.unclear) > 0 { // as when a compiler explains them
		slices.SortStableFunc(kernels, func(x, y *proved) int { return x.Pos.Offset - y.Pos.Offset })
	}
	names := b.kernelNames(kernels)
	b.exports(u.file, u.source)
	b.readVariables(u, result)
	for i, p := range kernels {
		if slices.Contains(u.unclear, p.selected) {
			b.nameTypes(p)
			continue
		}
		one := &SelectedKernel{Kernel: p.Kernel}
		result.Kernels[p.origin] = one
		b.kernel(p, names[i])
		if one.Errors = about(p.Kernel, b.errs); len(one.Errors) > 0 {
			continue
		}
		one.Model = &b.file.Kernels[len(b.file.Kernels)-1]
		if p.spec.GoName == "" && slices.ContainsFunc(u.unclear, func(s *selected) bool { return s.QualifiedName() == p.QualifiedName() }) {
			one.Model.GoName = "" // it says how the overloads differ
		}
	}
	if len(u.unclear) == 0 {
		b.unusedMappings()
	}
	return append(positioned(u.place.Path, taken), b.errs...)
}

// readVariables adds the exported variables that Go can have to the model.
func (b *builder) readVariables(u *unit, result *Reading) {
	var good []*variable
	for _, v := range u.variables {
		problems := v.problems()
		problems.Sort()
		result.Variables[v.Variable] = &SelectedVariable{Errors: problems, Size: v.source.Size, Align: v.source.Align}
		if len(problems) == 0 {
			good = append(good, v)
		}
	}
	b.variables(good)
	for _, v := range good {
		at := slices.IndexFunc(b.file.Variables, func(m model.Variable) bool { return m.CName == v.QualifiedName() && m.Pos == b.pos(v.Pos) })
		if at >= 0 {
			result.Variables[v.Variable].Model = &b.file.Variables[at]
			continue
		}
		for _, e := range b.errs {
			if e.Pos == v.Pos {
				result.Variables[v.Variable].Errors.Add(e.Pos, e.Msg)
			}
		}
	}
}

// nameTypes names the types of the parameters of an unclear kernel that are known: those of
// the kernels behind it depend on that.
func (b *builder) nameTypes(p *proved) {
	for _, param := range p.Params {
		if param.Type != nil {
			_, _ = layout.GoType(param.Type, b.named)
		}
	}
}

// about returns those of errs that stand where k or one of its parameters does.
func about(k *cu.Kernel, errs scanner.ErrorList) (list scanner.ErrorList) {
	for _, e := range errs {
		if e.Pos == k.Pos || slices.ContainsFunc(k.Params, func(p cu.Param) bool { return p.Pos == e.Pos }) {
			list = append(list, e)
		}
	}
	return list
}

// positioned returns the errors in err, with the path for a position where they have none.
func positioned(path string, err error) scanner.ErrorList {
	var list scanner.ErrorList
	var input *InputError
	switch {
	case err == nil || errors.As(err, &list):
		return list
	case errors.As(err, &input):
		return scanner.ErrorList{{Pos: token.Position{Filename: input.Path}, Msg: input.Reason}}
	}
	return scanner.ErrorList{{Pos: token.Position{Filename: path}, Msg: err.Error()}}
}

// GoType returns the Go type with the memory of t, which no kernel that is generated need have.
// A type that is not generated has its plain name. It is for use before the next call of Read
// or Select.
func (r *Reading) GoType(t ctype.Type) (model.GoType, error) { return layout.GoType(t, r.names) }

// likely returns the Go type that a struct or enum has in the package, or would have.
func (b *builder) likely(t ctype.Type, mapped map[string]*mapping) model.GoType {
	if m := mapped[t.String()]; m != nil {
		return m.goType
	}
	if name, ok := b.types.Lookup(b.typeKey(t)); ok {
		return model.GoType{Kind: model.Local, Name: name}
	}
	name := ""
	switch t := t.(type) {
	case *ctype.Struct:
		name = t.Name + ctype.Arguments(t.Args)
	case *ctype.Enum:
		name = t.Name
	}
	return model.GoType{Kind: model.Local, Name: goname.Exported(goname.Identifier(name))}
}
