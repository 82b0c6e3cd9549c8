package output

import (
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/emit"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// clashes reports the names that two parts declare, unless it is one type that they share.
// Of two sources of this run, it is reported of the one whose path is greater. Parts that are
// never compiled together may declare a name twice, unless the shared file declares it for them.
func (j *joining) clashes() {
	shared := j.sharedTypes()
	j.concerned = make(map[string]bool)
	reported := make(map[*part]map[token.Position]bool)
	for i, p := range j.parts {
		for k, other := range j.parts {
			earlier := k < i || other.source == nil
			if i == k || p.source == nil || !earlier {
				continue
			}
			if reported[p] == nil {
				reported[p] = make(map[token.Position]bool)
			}
			j.compare(p, other, shared, reported[p])
		}
	}
	if j.shared == nil {
		return
	}
	for _, p := range j.parts {
		if p.source == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(p.names)) {
			if n, clash := j.shared.names[name]; clash {
				j.compareUsers(p, name, n, shared)
			}
		}
	}
}

// compareUsers compares name, which p declares, with n of the shared file, as the parts of other
// runs mean it that use it there.
func (j *joining) compareUsers(p *part, name string, n declared, shared map[string]section) {
	for _, user := range j.claimants(n.owner) {
		if user == p || user.source != nil || !meets(p, user, name, shared) {
			continue
		}
		if _, own := user.sections[n.owner]; !own && j.both(p, user, name, n, j.shared.sections[n.owner]) {
			return
		}
	}
}

// meets reports whether name is one in p and other: they may be compiled together, or the shared
// file declares it for both.
func meets(p, other *part, name string, shared map[string]section) bool {
	_, one := shared[p.names[name].owner]
	return one || compatible(p.tags, other.tags)
}

// compare reports the names that p, of this run, and other declare, unless something is reported at
// its place.
func (j *joining) compare(p, other *part, shared map[string]section, reported map[token.Position]bool) {
	before := len(j.errs)
	defer func() {
		if len(j.errs) > before {
			j.concerned[p.goFile.path], j.concerned[other.goFile.path] = true, true
		}
	}()
	var both []string
	for name := range p.names {
		if _, clash := other.names[name]; clash && meets(p, other, name, shared) {
			both = append(both, name)
		}
	}
	slices.Sort(both)
	if len(both) > 0 && other.source != nil && source.Absolute(p.path) == source.Absolute(other.path) {
		j.errs.Add(token.Position{Filename: p.path}, diag.GoName.Errorf("its outputs %s and %s both declare %s in one Go package: %w", other.goFile.path, p.goFile.path, both[0], diag.Do("delete one of them with its record, or give it a package of its own with -o")))
		return
	}
	if kernels := slices.IndexFunc(both, func(name string) bool { d := p.declared(name); return d.what == "" && d.kernel == nil }); kernels >= 0 {
		both = both[kernels : kernels+1] // the Go name of the source, which tells the other names apart
	}
	for _, name := range both {
		n := other.names[name]
		pos := p.declared(name).pos
		if !reported[pos] && j.both(p, other, name, n, other.sections[n.owner]) {
			reported[pos] = true // a kernel has several names
		}
	}
}

// both reports that p and there declare name, unless it is one type: then section is its
// declaration there.
func (j *joining) both(p, there *part, name string, n declared, section section) bool {
	mine := p.names[name]
	if mine.owner != "" && mine.owner == n.owner {
		return mine.owner == name && j.different(p, there, name, n, section)
	}
	if there.changed {
		return false // until its next run Go finds the name declared twice
	}
	d := p.declared(name)
	remedy := "//cudagen:export GoName"
	switch {
	case d.kernel != nil:
		remedy = "//cudagen:kernel GoName"
		if kernel, same := there.names[d.kernel.TypeName]; same && strings.HasPrefix(kernel.what, "kernel ") {
			name, n = d.kernel.GoName, kernel
		}
	case d.what == "": // the kernels of a source
		if _, same := there.names[p.source.Model.GoName]; same {
			name = p.source.Model.GoName
		}
		if p.fileVariable() == there.fileVariable() { // which -name does not change
			j.errs.Add(d.pos, diag.GoName.Errorf("the Go name %s is taken by another source, %s: %w", name, there.path, diag.Do("rename one of the files")))
			return true
		}
		j.errs.Add(d.pos, diag.GoName.Errorf("the Go name %s is taken by another source, %s: %w", name, there.path, diag.Do("rename one of the files, or generate one of them by itself with -name")))
		return true
	}
	theirs, place := there.place(n)
	j.errs.Add(d.pos, diag.GoName.Errorf("%s: the Go name %s is taken by %s (%s) in the same Go package: %w", d.what, name, theirs, place, diag.Do("give one of them another with %s, or generate one of the files into a package of its own with -o", remedy)))
	return true
}

// fileVariable begins the names of the variables with the images of p.
func (p *part) fileVariable() string {
	return emit.FileVariable(strings.TrimSuffix(strings.TrimSuffix(filepath.Base(p.goFile.path), ".go"), "_cuda") + ".ptx")
}

// different reports that the type name is not the same in p and there. Where the source of there
// changed since, its next run decides, and the Go file that it left must not compile before.
func (j *joining) different(p, there *part, name string, theirs declared, section section) bool {
	mine := p.sections[name]
	difference := ""
	from := p.source.Origins[name]
	if there.source != nil {
		difference = layout.Difference(there.source.Origins[name].Type, from.Type)
	} else if mine.cName == section.cName {
		difference = p.recorded(there.record, name)
	}
	if difference == "" && mine.cName != section.cName {
		difference = fmt.Sprintf("it is %s, and %s", section.cName, mine.cName)
	}
	if difference == "" && tokens(mine.text) != tokens(section.text) {
		difference = firstDifference(tokens(section.text), tokens(mine.text))
	}
	if difference == "" {
		return false
	}
	if there.changed {
		there.outdated = true
		return false
	}
	_, place := there.place(theirs)
	together := ""
	if there.source == nil {
		together = "generate both files in one run if it changed for both; otherwise "
	}
	pos := from.Pos
	if pos.Filename == "" {
		pos.Filename = p.path
	}
	j.errs.Add(pos, diag.TypesDiffer.Errorf("%s is another type in %s: %s (%w)", from.Type, place, difference, diag.Do("%sgive one of them another Go name with //cudagen:export GoName, or generate one of the files into a package of its own with -o", together)))
	return true
}

// recorded returns how a type of p differs from what the record of another run says of it.
func (p *part) recorded(r *record.Record, name string) string {
	if r == nil {
		return ""
	}
	for _, s := range p.source.Model.Structs {
		named := func(old record.Struct) bool { return old.Name == s.CName }
		at := slices.IndexFunc(r.Structs, named)
		if s.GoName == name && at >= 0 && !slices.ContainsFunc(r.Structs[at+1:], named) { // types without names have one
			return structDifference(&r.Structs[at], &s)
		}
	}
	return ""
}

func structDifference(old *record.Struct, s *model.Struct) string {
	if old.Size != s.Size || old.Align != s.Align {
		return fmt.Sprintf("it has %d bytes aligned to %d, and %d bytes aligned to %d", old.Size, old.Align, s.Size, s.Align)
	}
	if len(old.Fields) != len(s.Fields) {
		return fmt.Sprintf("it has %d members, and %d", len(old.Fields), len(s.Fields))
	}
	for i, f := range s.Fields {
		o := old.Fields[i]
		if o.Name != f.CName {
			return fmt.Sprintf("member %d is %s, and %s", i, o.Name, f.CName)
		}
		if o.Offset != f.Offset || o.Size != f.Size {
			return fmt.Sprintf("member %s is %s at byte %d, and %s at byte %d", f.CName, o.Type, o.Offset, f.CType, f.Offset)
		}
	}
	return ""
}

// firstDifference shows where two texts of tokens part.
func firstDifference(x, y string) string {
	a, b := strings.Fields(x), strings.Fields(y)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	window := func(list []string) string { return strings.Join(list[max(0, i-2):min(len(list), i+3)], " ") }
	return fmt.Sprintf("its Go declaration has %q, and %q", window(a), window(b))
}

// A cause is what in a source of this run has a Go name.
type cause struct {
	pos    token.Position
	what   string        // "step1", "struct Plate"; empty for the type of all its kernels and what goes with it
	kernel *model.Kernel // nil for something else
}

// declared returns why the source of p, of this run, has the Go name.
func (p *part) declared(goName string) cause {
	for i := range p.source.Model.Kernels {
		m := &p.source.Model.Kernels[i]
		if m.TypeName != goName && !slices.Contains(emit.PackageNames(m.GoName), goName) {
			continue
		}
		for _, k := range p.source.Kernels {
			if m.CName == k.QualifiedName() && m.Pos.Line == k.Pos.Line && m.Pos.File == filepath.Base(k.Pos.Filename) {
				return cause{k.Pos, m.CName, m}
			}
		}
		return cause{token.Position{Filename: p.path, Line: m.Pos.Line}, m.CName, m}
	}
	owner := p.names[goName]
	if from, ok := p.source.Origins[owner.owner]; ok {
		return cause{pos: from.Pos, what: owner.what}
	}
	for _, c := range p.source.Model.Constants {
		if c.GoName == goName {
			return cause{pos: token.Position{Filename: p.path, Line: c.Pos.Line, Column: 1}, what: c.CName}
		}
	}
	return cause{pos: token.Position{Filename: p.path}}
}

// place returns what p declares by n, and its file and line, in C++ if they are known.
func (p *part) place(n declared) (what, place string) {
	file, line, _ := strings.Cut(n.place, ":")
	switch {
	case n.place == "" && strings.HasPrefix(n.what, "the kernels"):
		return n.what, p.path
	case n.place == "":
		return n.what, fmt.Sprintf("%s:%d", p.goFile.path, n.line)
	case file == filepath.Base(p.path):
		return n.what, p.path + ":" + line
	}
	return n.what, n.place + ", which " + p.path + " includes"
}
