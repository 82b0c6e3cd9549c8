package output

import (
	"fmt"
	"go/build/constraint"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/emit"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A Contest says which names of packages several sources want.
type Contest struct {
	Names []map[string]bool // by source: names that it wants, and another one

	// Again are the paths of records of other runs whose sources get other names for that, or may
	// have names without their own in front again.
	Again []string
}

// Contested compares the names that sources want in their packages with each other and with those
// that other runs left there. The types that several may share are not contested. Its result does not
// depend on an order, nor on which of the sources are of this run.
//
// Of another run's output whose source changed since, read returns the source as it is, or nil: what is
// not generated yet has the names that count.
func Contested(sources []SharedSource, read func(*record.Generated) *SharedSource) (*Contest, error) {
	c := &Contest{Names: make([]map[string]bool, len(sources))}
	folders := make(map[string][]int)
	for i, s := range sources {
		c.Names[i] = make(map[string]bool)
		folders[s.Place.Folder()] = append(folders[s.Place.Folder()], i)
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		var list []*claimant
		for _, i := range folders[folder] {
			list = append(list, ofSource(&sources[i]))
		}
		others, err := record.Beside(filepath.Dir(sources[folders[folder][0]].Place.Go))
		if err != nil {
			return nil, err
		}
		for i := range others {
			g := &others[i]
			place := source.Absolute(g.Path)
			if g.Gone() || slices.ContainsFunc(list, func(c *claimant) bool { return c.place == place }) {
				continue
			}
			other := ofRecord(g)
			if slices.ContainsFunc(list, func(c *claimant) bool { return c.replaces(other) }) {
				continue
			}
			if g.Changed() {
				other.become(read(g))
			}
			list = append(list, other)
		}
		contested := contest(list)
		for k, i := range folders[folder] {
			c.Names[i] = contested[k]
		}
		for k, other := range list[len(folders[folder]):] {
			if other.moves(contested[len(folders[folder])+k]) {
				c.Again = append(c.Again, other.record)
			}
		}
	}
	return c, nil
}

// A claimant is a source of a package with the names that it wants there.
type claimant struct {
	source, record string // paths; record is empty for a source of this run
	goName         string // of the type that holds the kernels
	place          string // of the record
	names          map[string]shape
	tags           []constraint.Expr // of its Go files

	groups []group // of a record: the names that have its Go name in front, or may need it
	older  bool    // the record does not tell the groups: any name may need it
}

// A shape says what Go sees of a type. It is empty for a name that is not of a type.
type shape struct{ flat, deep string }

// same reports whether two claims are to one type, which both sources share.
func (s shape) same(other shape) bool {
	if s.deep != "" && other.deep != "" {
		return s.deep == other.deep
	}
	return s.flat != "" && s.flat == other.flat
}

// A group are names that have a Go name in front together.
type group struct {
	names     []string // without it
	qualified bool     // it is there
}

// contest returns, by claimant, which of its names another one wants.
func contest(list []*claimant) []map[string]bool {
	contested := make([]map[string]bool, len(list))
	for i, x := range list {
		contested[i] = make(map[string]bool)
		for k, y := range list[:i] {
			if !mayMeet(x.tags, y.tags) {
				continue
			}
			for name, s := range x.names {
				if other, both := y.names[name]; both && !s.same(other) {
					contested[i][name], contested[k][name] = true, true
				}
			}
		}
	}
	return contested
}

// mayMeet reports whether Go files with the constraints x and y may be compiled together.
func mayMeet(x, y []constraint.Expr) bool {
	for _, a := range x {
		if slices.ContainsFunc(y, func(b constraint.Expr) bool { return compatible(a, b) }) {
			return true
		}
	}
	return false
}

// moves reports whether other names of c are contested than it was generated with.
func (c *claimant) moves(contested map[string]bool) bool {
	return c.older && len(contested) > 0 || slices.ContainsFunc(c.groups, func(g group) bool {
		return g.qualified != slices.ContainsFunc(g.names, func(name string) bool { return contested[name] })
	})
}

// become gives c, which is another run's, the names of its source as that is now. Its groups are what was
// generated.
func (c *claimant) become(s *SharedSource) {
	if s == nil {
		return
	}
	c.names = ofSource(s).names
	for i, g := range c.groups {
		c.groups[i].names = slices.DeleteFunc(g.names, func(name string) bool { _, there := c.names[name]; return !there })
	}
	c.groups = slices.DeleteFunc(c.groups, func(g group) bool { return len(g.names) == 0 })
}

// replaces reports whether the source c writes the record of other in another place.
func (c *claimant) replaces(other *claimant) bool {
	_, same := other.names[c.goName]
	return c.source == other.source && same && mayMeet(c.tags, other.tags)
}

// ofSource returns the claims of a source of this run.
func ofSource(s *SharedSource) *claimant {
	tags, _ := constraint.Parse("//go:build " + s.Model.Tags) // nil for none
	c := &claimant{
		source: source.Absolute(s.Place.Path), place: source.Absolute(s.Place.Record), goName: s.Model.GoName, names: make(map[string]shape),
		tags: []constraint.Expr{and(tags, byName(filepath.Base(s.Place.Go)))},
	}
	plain := func(name string) string {
		if short, qualified := s.Plain[name]; qualified {
			return short
		}
		return name
	}
	for _, n := range emit.Names(s.Model) {
		if n.Of == "" {
			c.names[plain(n.Name)] = shape{}
		} else {
			c.names[plain(n.Name)] = shapeOf(s.Model, n.Of)
		}
	}
	return c
}

// shapeOf returns the shape of the struct or enum of m that Go calls name.
func shapeOf(m *model.File, name string) shape {
	for i := range m.Structs {
		if s := &m.Structs[i]; s.GoName == name {
			flat, deep := fmt.Sprint(s.CName, s.Size, s.Align), ""
			for _, f := range s.Fields {
				flat += fmt.Sprint(";", f.CName, " ", f.CType, " ", f.Offset, " ", f.Size)
				deep += fmt.Sprint(";", f.GoName, " ", deepType(m, &f.Type), f.Bits)
			}
			for _, b := range s.BitFields {
				deep += fmt.Sprint(";", b.GoName, " ", b.CType, " ", b.First, " ", b.Count)
			}
			return shape{flat, flat + deep}
		}
	}
	for _, e := range m.Enums {
		if e.GoName == name {
			flat := fmt.Sprint(e.CName, " ", e.Type.Name)
			for _, c := range e.Constants {
				flat += fmt.Sprint(";", c.CName, "=", c.Value)
			}
			return shape{flat, flat}
		}
	}
	return shape{}
}

// deepType returns t in words, with the shapes of the types of m in it.
func deepType(m *model.File, t *model.GoType) string {
	switch {
	case t == nil:
		return ""
	case t.Kind == model.Local:
		return t.Name + "{" + shapeOf(m, t.Name).deep + "}"
	case t.Kind == model.Pointer || t.Kind == model.Slice: // what it points at has a name of its own
		return fmt.Sprint(t.Kind, t.Elem.Name)
	}
	return fmt.Sprint(t.Kind, t.Path, t.Name, t.Len, deepType(m, t.Elem))
}

// ofRecord returns the claims of what another run left.
func ofRecord(g *record.Generated) *claimant {
	c := &claimant{source: source.Absolute(g.Source), place: source.Absolute(g.Path), record: g.Path, names: make(map[string]shape)}
	r := g.Record
	plain := func(name string) string {
		if short, qualified := r.Qualified[name]; qualified {
			return short
		}
		return name
	}
	single := func(goName string, s shape) {
		name := plain(goName)
		c.names[name] = s
		c.groups = append(c.groups, group{[]string{name}, name != goName})
	}
	for _, file := range g.Go {
		f, err := parse(file.Path, file.Code)
		if err != nil {
			continue // its own run makes it anew
		}
		c.tags = append(c.tags, f.constraint())
		for name, n := range f.names {
			switch owner := f.sections[n.owner]; {
			case n.owner == "":
				c.names[plain(name)] = shape{}
			case name == n.owner && !slices.ContainsFunc(r.Structs, func(s record.Struct) bool { return s.GoName == name }):
				_, cName, _ := strings.Cut(owner.cName, " ")
				single(name, recordedShape(r, func(_, name string) bool { return name == cName })) // of an older version
			}
		}
	}
	for _, s := range r.Structs {
		if s.GoName != "" {
			single(s.GoName, recordedShape(r, func(goName, _ string) bool { return goName == s.GoName }))
		}
	}
	for _, e := range r.Enums {
		if e.GoName != "" {
			single(e.GoName, recordedShape(r, func(goName, _ string) bool { return goName == e.GoName }))
		}
	}
	for _, one := range r.Constants {
		if one.GoName != "" {
			single(one.GoName, shape{})
		}
	}
	c.kernels(r)
	return c
}

// kernels adds the groups of the kernels of r: the names of those types that are there.
func (c *claimant) kernels(r *record.Record) {
	full := make(map[string]bool)
	for _, short := range r.Qualified {
		full[short] = true
	}
	for _, k := range r.Kernels {
		if k.GoName == "" {
			c.older = true
			continue
		}
		var g group
		for _, name := range slices.Concat(emit.KernelTypes(k.GoName), emit.PackageNames(k.GoName), emit.PackageNames(k.GoName+"_")) {
			if _, there := c.names[name]; there || full[name] {
				g.names = append(g.names, name)
				g.qualified = g.qualified || full[name]
			}
		}
		c.groups = append(c.groups, g)
	}
}

// recordedShape returns the shape of the struct or enum of r that is chosen by its Go and C++ names.
func recordedShape(r *record.Record, is func(goName, cName string) bool) shape {
	for _, s := range r.Structs {
		if is(s.GoName, s.Name) {
			flat := fmt.Sprint(s.Name, s.Size, s.Align)
			for _, f := range s.Fields {
				flat += fmt.Sprint(";", f.Name, " ", f.Type, " ", f.Offset, " ", f.Size)
			}
			return shape{flat: flat}
		}
	}
	for _, e := range r.Enums {
		if is(e.GoName, e.Name) {
			flat := fmt.Sprint(e.Name, " ", e.Type)
			for _, c := range e.Constants {
				flat += fmt.Sprint(";", c.Name, "=", c.Value)
			}
			return shape{flat: flat}
		}
	}
	return shape{}
}

// Clashes returns the names that sources want in their packages and cannot have, because directives,
// options or the names of files give them to several. concerned are these sources, by index. Their
// models need not be complete.
func Clashes(sources []SharedSource) (errs diag.List, concerned map[int]bool, err error) {
	concerned = make(map[int]bool)
	folders := make(map[string][]int)
	for i, s := range sources {
		folders[s.Place.Folder()] = append(folders[s.Place.Folder()], i)
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		j := &joining{folder: filepath.Dir(sources[folders[folder][0]].Place.Go)}
		for _, i := range folders[folder] {
			j.sources = append(j.sources, sources[i])
		}
		j.printed = make([][]byte, len(j.sources))
		if j.others, err = record.Beside(j.folder); err != nil {
			return nil, nil, err
		}
		j.withoutOwn(new(Joined))
		if len(j.sources)+len(j.others) < 2 {
			continue
		}
		if err := j.parse(); err != nil {
			return nil, nil, err
		}
		j.close()
		j.clashes()
		errs = append(errs, j.errs...)
		for _, i := range folders[folder] {
			if j.concerned[sources[i].Place.Go] {
				concerned[i] = true
			}
		}
	}
	errs.Sort()
	return errs, concerned, nil
}
