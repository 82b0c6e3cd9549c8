// Package share makes one Go package of what several .cu files give: it finds the Go names
// that two of them claim, and the structs and enums that several use, which are declared
// once, in a file of their own. It knows the sources of a run by their models and those of
// other runs by the Go files that these left. It knows no C++ and writes nothing.
//
// The result depends on what the sources are, and not on their order or on which of them
// was generated first. Start with Join.
package share

import (
	"cmp"
	"go/build/constraint"
	"go/scanner"
	"maps"
	"path/filepath"
	"slices"

	"github.com/cudagen/cudagen/gen/emit"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
)

// FileName is the name of the file that declares the types which several sources of a
// package use. No .cu file has output of this name, unless an option asks for it.
const FileName = "cudagen_shared.go"

// A Source is a source of this run.
type Source struct {
	*selection.Selection
	Model   *model.File
	Origins map[string]selection.Origin // of the types in Model, by Go name
}

// An Other is a source of another run.
type Other struct {
	Path   string // of the .cu file
	Go     string // path of its Go file
	Code   []byte // of the Go file
	Record *record.Record
}

// A Package is what is in the folder of one Go package.
type Package struct {
	Folder  string // path of the folder
	Sources []Source
	Others  []Other
	Shared  []byte // the shared file that is there; nil for none
}

// A File is a Go file that is written besides those of the sources.
type File struct {
	Path    string
	Content []byte
}

// A Result says which file declares what.
type Result struct {
	Models []*model.File // of the sources, without the types that they share
	Files  []File        // the shared file, and Go files of others that lose a type to it

	Obsolete string // path of the shared file when nothing belongs into it any more
}

// Join makes one package of the sources and the others in p. Its error is a
// go/scanner.ErrorList, or about a Go file that cannot be read.
func Join(p Package) (*Result, error) {
	result := new(Result)
	for _, s := range p.Sources {
		result.Models = append(result.Models, s.Model)
	}
	if len(p.Sources)+len(p.Others) < 2 && p.Shared == nil {
		return result, nil
	}
	j, err := newJoining(p)
	if err != nil {
		return nil, err
	}
	if j.clashes(); len(j.errs) > 0 {
		j.errs.Sort()
		return nil, j.errs
	}
	shared := j.sharedTypes()
	for i, s := range p.Sources {
		result.Models[i] = without(s.Model, shared)
	}
	if result.Files, err = j.files(shared); err == nil && len(shared) == 0 && j.shared != nil {
		result.Obsolete = j.shared.path
	}
	return result, err
}

// without returns m without the types that shared declares.
func without(m *model.File, shared map[string]section) *model.File {
	c := *m
	declared := func(name string) bool { _, ok := shared[name]; return ok }
	c.Structs = slices.DeleteFunc(slices.Clone(m.Structs), func(s model.Struct) bool { return declared(s.GoName) })
	c.Enums = slices.DeleteFunc(slices.Clone(m.Enums), func(e model.Enum) bool { return declared(e.GoName) })
	return &c
}

// A joining is a Package while it is looked at.
type joining struct {
	Package
	parts  []*part // sources and others, sorted by the paths of their .cu files
	shared *part   // the shared file that is there, or nil
	errs   scanner.ErrorList
}

// A part is a Go file of the package.
type part struct {
	*goFile
	path   string         // of the .cu file, for messages
	source *Source        // nil for another run's
	record *record.Record // of another run
	tags   constraint.Expr
}

func newJoining(p Package) (*joining, error) {
	j := &joining{Package: p}
	for i := range p.Sources {
		s := &p.Sources[i]
		code, err := emit.File(s.Model)
		if err != nil {
			return nil, err
		}
		f, err := parse(s.Place.Go, code)
		if err != nil {
			return nil, err
		}
		j.parts = append(j.parts, &part{goFile: f, path: s.Place.Path, source: s, tags: f.constraint()})
	}
	for _, o := range p.Others {
		f, err := parse(o.Go, o.Code)
		if err != nil || f.syntax.Name.Name != p.Sources[0].Model.Package {
			continue // its own run makes it anew
		}
		j.parts = append(j.parts, &part{goFile: f, path: o.Path, record: o.Record, tags: f.constraint()})
	}
	slices.SortStableFunc(j.parts, func(x, y *part) int { return cmp.Compare(x.path, y.path) })
	if p.Shared != nil {
		f, err := parse(filepath.Join(p.Folder, FileName), p.Shared)
		if err != nil {
			return nil, source.NewError(filepath.Join(p.Folder, FileName), "is no Go any more: delete it, and run cudagen for all .cu files of the folder")
		}
		j.shared = &part{goFile: f, path: f.path}
	}
	declarations := make(map[string]section)
	for _, p := range append(slices.Clone(j.parts), j.shared) {
		if p != nil {
			maps.Copy(declarations, p.sections)
		}
	}
	for _, p := range j.parts {
		p.use(declarations)
	}
	return j, nil
}

// use adds to what p uses the types that the declarations of those use which it uses.
func (p *part) use(declarations map[string]section) {
	for pending := slices.Sorted(maps.Keys(p.uses)); len(pending) > 0; {
		name := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for inner := range declarations[name].uses {
			if _, known := declarations[inner]; known && !p.uses[inner] {
				p.uses[inner] = true
				pending = append(pending, inner)
			}
		}
	}
}

// claimants returns the parts that declare the type name, or use it without declaring it.
func (j *joining) claimants(name string) (list []*part) {
	for _, p := range j.parts {
		if _, declares := p.sections[name]; declares || p.source == nil && p.uses[name] {
			list = append(list, p)
		}
	}
	return list
}

// typeNames returns the names of all types of sources, sorted.
func (j *joining) typeNames() []string {
	names := make(map[string]bool)
	for _, p := range append(slices.Clone(j.parts), j.shared) {
		if p == nil {
			continue
		}
		for name := range p.sections {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// sharedTypes returns the declarations that belong into the shared file, by name: of the
// types that two parts use which may be compiled together, and of those that only another
// run uses, as long as it needs them there.
func (j *joining) sharedTypes() map[string]section {
	shared := make(map[string]section)
	for _, name := range j.typeNames() {
		claimants := j.claimants(name)
		if together(claimants) {
			shared[name] = j.best(name, claimants)
			continue
		}
		if j.shared == nil || len(claimants) == 0 {
			continue
		}
		old, there := j.shared.sections[name]
		if there && !slices.ContainsFunc(claimants, func(p *part) bool { _, declares := p.sections[name]; return declares }) {
			shared[name] = old
		}
	}
	return shared
}

// together reports whether two of the parts may be compiled together.
func together(parts []*part) bool {
	for i, x := range parts {
		for _, y := range parts[:i] {
			if compatible(x.tags, y.tags) {
				return true
			}
		}
	}
	return false
}

// best returns the declaration of a shared type. The parts agree on it but for its comments,
// which name the place in C++: of several places the first is taken, so that it does not
// matter which source was generated last.
func (j *joining) best(name string, claimants []*part) section {
	byOrigin := make(map[string]section)
	add := func(s section, fresh bool) {
		if old, known := byOrigin[s.origin]; fresh && (!known || s.text < old.text) || !known {
			byOrigin[s.origin] = s
		}
	}
	for _, fresh := range []bool{true, false} {
		for _, p := range claimants {
			if s, ok := p.sections[name]; ok && (p.source != nil) == fresh {
				add(s, fresh)
			}
		}
	}
	if j.shared != nil {
		if s, ok := j.shared.sections[name]; ok && slices.ContainsFunc(claimants, func(p *part) bool { return p.reads(s.origin) }) {
			add(s, false)
		}
	}
	return byOrigin[slices.Sorted(maps.Keys(byOrigin))[0]]
}

// reads reports whether the source of p, of another run, reads a file of the base name file.
func (p *part) reads(file string) bool {
	return p.record != nil && slices.ContainsFunc(p.record.Inputs, func(i record.Input) bool { return filepath.Base(i.Path) == file })
}

// files returns the files that have to change besides those of the sources.
func (j *joining) files(shared map[string]section) (files []File, err error) {
	for _, p := range j.parts {
		if p.source != nil {
			continue
		}
		code := p.code
		for _, name := range slices.Sorted(maps.Keys(p.sections)) {
			if _, moved := shared[name]; moved {
				if code, err = remove(p.path, code, name); err != nil {
					return nil, err
				}
			}
		}
		if string(code) != string(p.code) {
			files = append(files, File{p.goFile.path, code})
		}
	}
	if len(shared) == 0 {
		return files, nil
	}
	content, err := j.compose(shared)
	return append(files, File{filepath.Join(j.Folder, FileName), content}), err
}
