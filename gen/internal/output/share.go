package output

import (
	"cmp"
	"errors"
	"go/build/constraint"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/emit"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/parallel"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A SharedSource is a source of this run.
type SharedSource struct {
	*selection.Selection
	Model   *model.File
	Origins map[string]selection.Origin // of the types in Model, by Go name
	Plain   map[string]string           // by names of Model with that of the source in front: the names without
	Unknown bool                        // only compiling tells the Model, so that nothing is printed
}

// A Joined says which file declares what.
type Joined struct {
	Code  [][]byte          // the Go files of the sources, without the types that they share; nil for unknown ones
	Files map[string][]byte // by path: shared files, and Go files of other runs that lose a type to them

	Obsolete []string // paths of shared files into which nothing belongs any more
	Replaced []string // paths of records: the sources have that output at another place of the package now
}

// Join makes Go packages, one a folder, of sources and of what other runs generated there. It
// prints the Go files. Its error is a diag.List, or about a file that cannot be read.
func Join(sources []SharedSource) (*Joined, error) {
	result := &Joined{Code: make([][]byte, len(sources)), Files: make(map[string][]byte)}
	packages := make(map[string][]int)
	models, order := make([]*model.File, len(sources)), make([]int, len(sources))
	printed := make([][]byte, len(sources)) // with all types; nil when that was not needed
	for i, s := range sources {
		order[i] = i
		packages[s.Place.Folder()] = append(packages[s.Place.Folder()], i)
	}
	var errs diag.List
	for _, key := range slices.Sorted(maps.Keys(packages)) {
		j := &joining{folder: filepath.Dir(sources[packages[key][0]].Place.Go)}
		for _, i := range packages[key] {
			j.sources = append(j.sources, sources[i])
		}
		j.printed = make([][]byte, len(j.sources))
		others, err := record.Beside(j.folder)
		if err != nil {
			return result, err
		}
		j.others = others
		shared, err := j.join(result)
		var list diag.List
		if errors.As(err, &list) {
			errs = append(errs, list...)
		} else if err != nil {
			return result, err
		}
		for k, i := range packages[key] {
			models[i], printed[i] = without(sources[i].Model, shared), j.printed[k]
		}
	}
	if len(errs) > 0 {
		return result, errs
	}
	return result, parallel.Each(order, func(i int) (err error) {
		switch {
		case sources[i].Unknown:
		case printed[i] != nil && models[i] == sources[i].Model:
			result.Code[i] = printed[i]
		default:
			result.Code[i], err = emit.File(models[i])
		}
		return err
	})
}

// without returns m without the types that shared declares: m itself when it has none of them.
func without(m *model.File, shared map[string]section) *model.File {
	c := *m
	declared := func(name string) bool { _, ok := shared[name]; return ok }
	c.Structs = slices.DeleteFunc(slices.Clone(m.Structs), func(s model.Struct) bool { return declared(s.GoName) })
	c.Enums = slices.DeleteFunc(slices.Clone(m.Enums), func(e model.Enum) bool { return declared(e.GoName) })
	if len(c.Structs) == len(m.Structs) && len(c.Enums) == len(m.Enums) {
		return m
	}
	return &c
}

// A joining has the parts of one Go package: the sources of this run, and the files in its folder.
type joining struct {
	folder  string
	sources []SharedSource
	others  []record.Generated
	printed [][]byte // the Go files of sources with all types, once parse printed them

	parts  []*part // of sources and others, sorted by the paths of their .cu files
	shared *part   // the shared file that is there, or nil
	errs   diag.List

	concerned map[string]bool // by the paths of Go files: those that errs are about
}

// A part is a Go file of the package.
type part struct {
	*goFile
	path   string         // of the .cu file, for messages
	source *SharedSource  // nil for another run's
	record *record.Record // of another run
	tags   constraint.Expr

	changed  bool // of another run: its source or a header changed since
	outdated bool // of another run: the shared file has other types than it was made for
}

// join adds to result what the package needs, and returns the types that are shared.
func (j *joining) join(result *Joined) (map[string]section, error) {
	j.withoutOwn(result)
	path := filepath.Join(j.folder, source.SharedGo)
	there, err := os.ReadFile(path)
	there = record.Unix(there)
	exists := err == nil && strings.HasPrefix(string(there), record.Marker)
	if len(j.sources)+len(j.others) < 2 && !exists {
		return nil, nil
	}
	if err := j.parse(); err != nil {
		return nil, err
	}
	if exists {
		f, err := parse(path, there)
		if err != nil {
			return nil, source.NewError(path, diag.Stale.Errorf("is no Go any more: %w", diag.Do("delete it, and run cudagen for all .cu files of the folder")))
		}
		j.shared = &part{goFile: f, path: path}
	}
	j.close()
	if j.clashes(); len(j.errs) > 0 {
		j.errs.Sort()
		return nil, j.errs
	}
	shared := j.sharedTypes()
	if err := j.write(shared, result.Files); err != nil {
		return nil, err
	}
	if len(shared) == 0 && exists {
		result.Obsolete = append(result.Obsolete, path)
	}
	return shared, nil
}

// withoutOwn removes from j.others the files that the sources of this run write or replace, and
// those of sources that are gone.
func (j *joining) withoutOwn(result *Joined) {
	records := make(map[string]bool)
	for _, s := range j.sources {
		records[source.Absolute(s.Place.Record)] = true
	}
	j.others = slices.DeleteFunc(j.others, func(g record.Generated) bool {
		if records[source.Absolute(g.Path)] || g.Gone() {
			return true
		}
		replaced := j.replaced(&g)
		if replaced {
			result.Replaced = append(result.Replaced, g.Path)
		}
		return replaced
	})
}

// replaced reports whether g is output of a source of this run that -o has put elsewhere in the
// package: it has the same type for the kernels, and both may be compiled together. With another
// -name, or for other systems, a source may have several.
func (j *joining) replaced(g *record.Generated) bool {
	for i := range j.sources {
		s := &j.sources[i]
		if source.Absolute(g.Source) != source.Absolute(s.Place.Path) {
			continue
		}
		tags, _ := constraint.Parse("//go:build " + s.Model.Tags) // nil for none
		tags = and(tags, byName(filepath.Base(s.Place.Go)))
		for _, file := range g.Go {
			f, err := parse(file.Path, file.Code)
			if err != nil || f.syntax.Name.Name != s.Model.Package || !compatible(tags, f.constraint()) {
				continue
			}
			if _, same := f.names[s.Model.GoName]; same {
				return true
			}
		}
	}
	return false
}

// parse takes the Go files of the package apart.
func (j *joining) parse() error {
	j.parts = make([]*part, len(j.sources))
	order := make([]int, len(j.sources))
	for i := range order {
		order[i] = i
	}
	if err := parallel.Each(order, func(i int) (err error) {
		s := &j.sources[i]
		if j.printed[i], err = emit.File(s.Model); err != nil {
			return err
		}
		f, err := parse(s.Place.Go, j.printed[i])
		if err == nil {
			j.parts[i] = &part{goFile: f, path: s.Place.Path, source: s, tags: f.constraint()}
		}
		return err
	}); err != nil {
		return err
	}
	for _, g := range j.others {
		for _, file := range g.Go {
			f, err := parse(file.Path, file.Code)
			if err != nil || f.syntax.Name.Name != j.sources[0].Model.Package {
				continue // its own run makes it anew
			}
			j.parts = append(j.parts, &part{goFile: f, path: g.Source, record: g.Record, tags: f.constraint(), changed: g.Changed()})
		}
	}
	slices.SortStableFunc(j.parts, func(x, y *part) int { return cmp.Compare(x.path, y.path) })
	return nil
}

// close makes the parts use the types that those which they use are made of.
func (j *joining) close() {
	declarations := make(map[string]section)
	for _, p := range append(slices.Clone(j.parts), j.shared) {
		if p != nil {
			maps.Copy(declarations, p.sections)
		}
	}
	for _, p := range j.parts {
		p.use(declarations)
	}
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
// which name the place in C++: the first source decides, so that it does not matter which was
// generated last.
func (j *joining) best(name string, claimants []*part) section {
	for _, p := range claimants {
		if s, ok := p.sections[name]; ok && !p.outdated {
			return s
		}
		if j.shared == nil || p.outdated {
			continue
		}
		if s, ok := j.shared.sections[name]; ok && p.reads(s.origin) {
			return s
		}
	}
	for _, p := range claimants {
		if s, ok := p.sections[name]; ok {
			return s
		}
	}
	return j.shared.sections[name] // of a source that is gone; the next run of another one decides
}

// reads reports whether the source of p, of another run, reads a file of the base name file.
func (p *part) reads(file string) bool {
	return p.record != nil && slices.ContainsFunc(p.record.Inputs, func(i record.Input) bool { return filepath.Base(i.Path) == file })
}

// outdated returns the Go file of p with a declaration that does not compile: its images were made
// for other types than the shared file declares. The next run for its source writes it anew.
func outdated(p *part, code []byte) []byte {
	const declaration = "\nvar _ = run_cudagen_again\n"
	if strings.HasSuffix(string(code), declaration) {
		return code
	}
	return append(slices.Clip(code), "\n// An error here means: run go generate again. "+filepath.Base(p.path)+" changed, and so did types that it shares."+declaration...)
}

// write adds to files the shared file, and the Go files of other runs without the types that
// are declared there.
func (j *joining) write(shared map[string]section, files map[string][]byte) (err error) {
	for _, p := range j.parts {
		if p.source != nil {
			continue
		}
		code := p.code
		for _, name := range slices.Sorted(maps.Keys(p.sections)) {
			if _, moved := shared[name]; moved {
				if code, err = removeDeclaration(p.path, code, name); err != nil {
					return err
				}
			}
		}
		if p.outdated {
			code = outdated(p, code)
		}
		if string(code) == string(p.code) {
			continue
		}
		if !edited(p.code, true) {
			code = record.SignCode(code)
		}
		files[p.goFile.path] = code
	}
	if len(shared) == 0 {
		return nil
	}
	code, err := j.compose(shared)
	files[filepath.Join(j.folder, source.SharedGo)] = record.SignCode(code)
	return err
}
