package output

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/parallel"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A RenderedSource is a source with its model, as emitters see it.
type RenderedSource struct {
	Place source.Place
	Model *model.File

	Record *record.Record // its kernels, structs, enums and variables are those of Model, in the same order
	Images []image.File
	Known  bool // whether Model is final; otherwise emitters do not run
}

// Rendered is what emitters made of a source.
type Rendered struct {
	Model    *model.File      // with their blocks
	Files    []source.File    // that they write
	Emitters []record.Emitter // for the record, in the order given
	Inputs   []string         // paths of the files that they were read from
}

// RunEmitters runs emitters for each source. Errors in templates are a diag.List.
func RunEmitters(sources []RenderedSource, emitters []model.Emitter) ([]Rendered, error) {
	rendered, order := make([]Rendered, len(sources)), make([]int, len(sources))
	for i := range sources {
		order[i], rendered[i].Model = i, sources[i].Model
	}
	if len(emitters) == 0 {
		return rendered, nil
	}
	known := make(map[string]bool)
	for _, e := range emitters {
		if e.Name == "" || known[e.Name] {
			return nil, diag.BadTemplate.Errorf("-template %s: is given twice, or has no name", e.Name)
		}
		known[e.Name] = true
	}
	runs := make([]*run, len(sources))
	err := parallel.Each(order, func(i int) error {
		runs[i] = &run{RenderedSource: sources[i], to: &rendered[i]}
		if !sources[i].Known {
			return nil
		}
		return runs[i].all(emitters)
	})
	if err != nil {
		return nil, err
	}
	p := paths{make(map[string]string), make(map[string]bool)}
	for i := range sources {
		p.standard(&sources[i].Place)
	}
	for _, r := range runs {
		if err := p.outputs(r); err != nil {
			return nil, err
		}
	}
	return rendered, nil
}

// A run is the emitters at work for one source.
type run struct {
	RenderedSource
	to      *Rendered
	outputs []model.Output
	by      []string // by output: the emitter's name
}

// all runs emitters. A panic of one is an error: it happens in a goroutine where no caller can recover from it.
func (r *run) all(emitters []model.Emitter) (err error) {
	var running string
	defer func() {
		if reason := recover(); reason != nil {
			err = diag.BadTemplate.Errorf("%s: the emitter panics: %v\n%s", running, reason, debug.Stack())
		}
	}()
	if r.Model, err = described(&r.RenderedSource); err != nil {
		return err
	}
	f := *r.Model
	f.Kernels, f.Structs = slices.Clone(f.Kernels), slices.Clone(f.Structs)
	r.to.Model = &f
	for i := range emitters {
		e := &emitters[i]
		running = e.Name
		kept := record.Emitter{Name: r.name(e), Version: e.Version, Program: e.File == "" && !strings.HasPrefix(e.Name, source.BuiltinTemplate)}
		if e.File != "" {
			r.to.Inputs = append(r.to.Inputs, e.File)
		}
		if e.Blocks != nil {
			b, err := e.Blocks(r.Model)
			if err == nil && b != nil {
				kept.Blocks = true
				err = r.fill(&f, b)
			}
			if err != nil {
				return named(e, err)
			}
		}
		if e.Emit != nil {
			outputs, err := e.Emit(r.Model)
			if err != nil {
				return named(e, err)
			}
			for _, o := range outputs {
				if problem := badName(o.Name); problem.Text != "" {
					return at(o.Pos, e.Name, problem.Before(fmt.Sprintf("the output %q ", o.Name)))
				}
				if err := notGo(&o, e.Name); err != nil {
					return err
				}
				r.outputs, r.by = append(r.outputs, o), append(r.by, e.Name)
				r.to.Files = append(r.to.Files, source.File{Path: filepath.Join(filepath.Dir(r.Place.Go), o.Name), Content: o.Content})
				kept.Outputs = append(kept.Outputs, record.Output{File: r.Place.Relative(r.to.Files[len(r.to.Files)-1].Path), SHA256: record.HashInput(o.Content)})
			}
		}
		r.to.Emitters = append(r.to.Emitters, kept)
	}
	return nil
}

// name returns the name of e in the record: that of a file is relative to the record, so that it is the
// same in every checkout, unless it lies outside of the module and its path is absolute.
func (r *run) name(e *model.Emitter) string {
	if e.File == "" {
		return e.Name
	}
	if _, inside := r.Place.Inside(e.File); inside || !filepath.IsAbs(e.File) {
		return r.Place.Relative(e.File)
	}
	return filepath.ToSlash(e.File)
}

// notGo returns an error if o, which the emitter called name wrote, is called a Go file and is none.
func notGo(o *model.Output, name string) error {
	if path.Ext(o.Name) != ".go" {
		return nil
	}
	_, err := parser.ParseFile(token.NewFileSet(), o.Name, o.Content, parser.SkipObjectResolution)
	if err == nil {
		return nil
	}
	return at(o.Pos, name, diag.BadTemplate.Errorf("the output is not Go: %w", err))
}

// fill adds blocks to f, behind those of earlier emitters.
func (r *run) fill(f *model.File, b *model.FileBlocks) error {
	f.BlockImports = append(slices.Clip(f.BlockImports), b.Imports...)
	if err := join(&f.Blocks, b.File, model.FileHeader, model.FileExtra); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(b.Kernels)) {
		at := slices.IndexFunc(f.Kernels, func(k model.Kernel) bool { return k.GoName == name })
		if at < 0 {
			return diag.BadTemplate.Errorf("it fills blocks of the kernel %s, and %s has none of that Go name", name, f.Source)
		}
		if err := join(&f.Kernels[at].Blocks, b.Kernels[name], model.KernelDoc, model.KernelExtra, model.ArgsDoc); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Structs)) {
		at := slices.IndexFunc(f.Structs, func(s model.Struct) bool { return s.GoName == name })
		if at < 0 {
			return diag.BadTemplate.Errorf("it fills blocks of the struct %s, and %s has none of that Go name", name, f.Source)
		}
		if problem := notMethods(b.Structs[name][model.StructExtra], name); problem.Text != "" {
			return located(b.Pos[model.StructExtra], problem)
		}
		if err := join(&f.Structs[at].Blocks, b.Structs[name], model.StructExtra); err != nil {
			return err
		}
	}
	return nil
}

// located returns an error at pos, if that is known.
func located(pos token.Position, message diag.Message) error {
	if !pos.IsValid() {
		return message
	}
	return diag.List{{Pos: pos, Message: message}}
}

// notMethods returns what is wrong with the declarations behind a struct: they must be its methods,
// because they move with it when several sources share it.
func notMethods(text, name string) diag.Message {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil {
		return diag.Message{} // package emit reports it
	}
	for _, d := range file.Decls {
		f, function := d.(*ast.FuncDecl)
		if function && f.Recv != nil && len(f.Recv.List) == 1 {
			t := f.Recv.List[0].Type
			if star, pointer := t.(*ast.StarExpr); pointer {
				t = star.X
			}
			if id, named := t.(*ast.Ident); named && id.Name == name {
				continue
			}
		}
		return diag.BadTemplate.Errorf("%s takes methods of %s: %w", model.StructExtra, name, diag.Do("put other declarations into %s", model.FileExtra))
	}
	return diag.Message{}
}

// join adds blocks to those at to, which may be the ones given.
func join(to *model.Blocks, blocks model.Blocks, allowed ...model.Block) error {
	all := maps.Clone(*to)
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		if !slices.Contains(allowed, name) {
			return diag.BadTemplate.Errorf("there is no block %s here", name)
		}
		text := strings.Trim(blocks[name], "\n")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if all == nil {
			all = make(model.Blocks)
		}
		if before := all[name]; before != "" {
			text = before + "\n\n" + text
		}
		all[name] = text
	}
	*to = all
	return nil
}

// badName returns why no emitter may write a file called name, or nothing.
func badName(name string) diag.Message {
	if name == "" || name != path.Base(name) || name == "." || name == ".." || strings.ContainsAny(name, "\\:\x00\n\r\t") || !filepath.IsLocal(name) {
		return diag.BadTemplate.New("is not the name of a file beside the .cu file")
	}
	return source.BadName(name)
}

// named returns err with the emitter's name, unless it has positions.
func named(e *model.Emitter, err error) error {
	var list diag.List
	if errors.As(diag.BadTemplate.Of(err), &list) {
		return list
	}
	return diag.BadTemplate.Errorf("%s: %w", e.Name, err)
}

// at returns an error at pos, or of the emitter called name.
func at(pos token.Position, name string, message diag.Message) error {
	if message.Code = diag.BadTemplate; !pos.IsValid() {
		return message.Before(name + ": ")
	}
	return located(pos, message)
}

// paths knows who writes which file.
type paths struct {
	taken map[string]string // by key: what it is
	known map[string]bool   // the folders whose records are in taken
}

// key makes names equal that are one file on some system.
func key(path string) string { return strings.ToLower(source.Absolute(path)) }

// standard takes what cudagen itself writes for the source at p, and the source.
func (p *paths) standard(place *source.Place) {
	for _, path := range []string{place.Go, place.PTX, place.Fatbin, place.Record, place.Deps} {
		p.taken[key(path)] = "is what cudagen itself writes for " + place.Path
	}
	p.taken[key(place.Path)] = "is a source"
	p.taken[key(filepath.Join(filepath.Dir(place.Go), source.SharedGo))] = "is where cudagen declares types that several .cu files use"
}

// others takes what the records of sources that are not in this run name in a folder.
func (p *paths) others(folder string) error {
	if p.known[folder] {
		return nil
	}
	p.known[folder] = true
	others, err := record.Beside(folder)
	if err != nil {
		return err
	}
	for _, g := range others {
		if p.taken[key(g.Path)] != "" || g.Gone() {
			continue
		}
		for _, path := range g.Written() {
			if k := key(path); p.taken[k] == "" {
				p.taken[k] = "is what cudagen wrote for " + g.Source
			}
		}
	}
	return nil
}

// outputs takes what emitters write for r. It is an error if something has a name already.
func (p *paths) outputs(r *run) error {
	if err := p.others(filepath.Dir(r.Place.Go)); err != nil {
		return err
	}
	for i, o := range r.outputs {
		path := r.to.Files[i].Path
		if owner := p.taken[key(path)]; owner != "" {
			return at(o.Pos, r.by[i], diag.BadTemplate.Errorf("the output %s for %s %s: %w", path, r.Place.Path, owner, diag.Do("give it another name")))
		}
		p.taken[key(path)] = fmt.Sprintf("is also what %s writes for %s", cmp.Or(r.by[i], "another emitter"), r.Place.Path)
	}
	return nil
}
