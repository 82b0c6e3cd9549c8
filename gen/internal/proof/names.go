package proof

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
)

// A named is something that has a Go name, by a record.
type named struct {
	kind            string // names of one kind are in one scope: that of the fields of the kernels' type, or the package's
	what            string // "kernel", "struct"
	cName, goName   string
	symbol          string // of a kernel; for others the C++ name
	pos             token.Position
	given           bool   // by a directive
	verb, ambiguous string // of the directive that gives a name; why it has not the plain name
}

// Names compares the Go names in r, the record of the source s with the model m, with those in old,
// which is committed, or nil. A changed name, and a name that something removed had, are warnings.
// A name that another one of the old kernels, variables or constants had, which is still there, is
// an error, unless a directive gives it: programs that use it would compile.
func Names(old, r *record.Record, s *selection.Selection, m *model.File) (warnings diag.List, err error) {
	if old == nil {
		return nil, nil
	}
	before, after := names(old), names(r)
	locate(after, s, m)
	var errs diag.List
	warnings = chosen(old, r, s)
	for _, was := range before {
		now := find(after, was)
		if now != nil && now.goName != was.goName {
			reason := ""
			if now.ambiguous != "" {
				reason = ": " + now.ambiguous
			}
			warnings.Add(now.pos, diag.GoName.Errorf("%s %s: its Go name was %s, and is %s now%s (//cudagen:%s %s keeps it)", now.what, now.cName, was.goName, now.goName, reason, now.verb, was.goName))
		}
		has := slices.IndexFunc(after, func(n *named) bool { return n.kind == was.kind && n.goName == was.goName })
		if has < 0 || after[has] == now || find(before, after[has]) == was {
			continue
		}
		other := after[has]
		text := fmt.Sprintf("%s %s: has the Go name %s now, which was that of %s %s: programs that use the name compile, and mean something else", other.what, other.cName, was.goName, was.what, was.cName)
		if now != nil && !other.given && other.verb != "" && other.kind != "type" {
			errs.Add(other.pos, diag.GoName.Errorf("%s (%w)", text, diag.Do("write //cudagen:%s %s above it if you want that, or another name", other.verb, was.goName)))
		} else {
			warnings.Add(other.pos, diag.GoName.New(text))
		}
	}
	warnings.Sort()
	errs.Sort()
	return warnings, errs.Err()
}

// names returns what has a Go name by r. Types without a name in C++ are left out.
func names(r *record.Record) (list []*named) {
	add := func(n named) {
		if n.goName != "" && n.cName != "" && !strings.HasSuffix(n.cName, "::") {
			list = append(list, &n)
		}
	}
	for _, k := range r.Kernels {
		add(named{kind: "field", what: "kernel", verb: "kernel", cName: k.Name, goName: k.GoName, symbol: k.Symbol})
	}
	for _, v := range r.Variables {
		add(named{kind: "field", what: "variable", verb: "export", cName: v.Name, goName: v.GoName, symbol: v.Symbol})
	}
	for _, c := range r.Constants {
		add(named{kind: "package", what: "constant", verb: "export", cName: c.Name, goName: c.GoName, symbol: c.Name})
	}
	for _, s := range r.Structs {
		add(named{kind: "type", what: "struct", verb: "export", cName: s.Name, goName: s.GoName, symbol: s.Name})
	}
	for _, e := range r.Enums {
		add(named{kind: "type", what: "enum", verb: "export", cName: e.Name, goName: e.GoName, symbol: e.Name})
	}
	return list
}

// find returns what n is in list, or nil: what has its symbol, or its C++ name when that is not
// one of several.
func find(list []*named, n *named) *named {
	var same []*named
	for _, other := range list {
		switch {
		case other.what != n.what:
		case other.symbol == n.symbol:
			return other
		case other.cName == n.cName:
			same = append(same, other)
		}
	}
	if len(same) == 1 {
		return same[0]
	}
	return nil
}

// locate notes where things stand, and which names directives give. list is in the order of the record
// of s and m.
func locate(list []*named, s *selection.Selection, m *model.File) {
	for _, n := range list {
		n.pos = token.Position{Filename: s.Place.Path, Line: 1, Column: 1}
		switch n.what {
		case "kernel":
			for i := range m.Kernels {
				if m.Kernels[i].GoName == n.goName {
					k := s.Kernels[i]
					n.pos, n.given, n.ambiguous = k.Pos, k.Spec.GoName != "", m.Kernels[i].Note
				}
			}
		case "variable":
			for i := range m.Variables {
				if m.Variables[i].GoName == n.goName {
					v := s.Variables[i]
					n.pos, n.given, n.ambiguous = v.Pos, v.Directive.Args != "", m.Variables[i].Note
				}
			}
		case "constant":
			for _, e := range s.Exports {
				if e.Constant == n.cName {
					n.pos, n.given = e.Directive.Pos, n.given || e.Directive.Args == n.goName
				}
			}
		case "struct":
			at := slices.IndexFunc(m.Structs, func(s model.Struct) bool { return s.GoName == n.goName })
			n.at(m.Structs[at].Pos)
			n.ambiguous = m.Structs[at].Note
		case "enum":
			at := slices.IndexFunc(m.Enums, func(e model.Enum) bool { return e.GoName == n.goName })
			n.at(m.Enums[at].Pos)
			n.ambiguous = m.Enums[at].Note
		}
	}
}

// at notes that n stands at pos, if that is in the source itself: the model has no more than the base name of a header.
func (n *named) at(pos model.Pos) {
	if pos.File == filepath.Base(n.pos.Filename) && pos.Line > 0 {
		n.pos.Line = pos.Line
	}
}

// chosen warns of kernels that an older version left out, for which a directive with a name chose the
// kernel that it stands above.
func chosen(old, r *record.Record, s *selection.Selection) (warnings diag.List) {
	older := len(old.Kernels) > 0 && !slices.ContainsFunc(old.Kernels, func(k record.Kernel) bool { return k.GoName != "" })
	var directed *selection.Kernel
	var more []string
	for i, k := range s.Kernels {
		switch {
		case k.Spec.Selects:
			return nil
		case k.Spec.Export:
			directed = k
		case !slices.ContainsFunc(old.Kernels, func(was record.Kernel) bool {
			return was.Symbol == r.Kernels[i].Symbol || was.Name == r.Kernels[i].Name
		}):
			more = append(more, k.QualifiedName())
		}
	}
	if older && directed != nil && len(more) > 0 {
		warnings.Add(directed.Pos, diag.GoName.Errorf("a kernel directive with a Go name leaves out no other kernel any more, so these are wrapped, too: %s (%w)", strings.Join(more, ", "), diag.Do("add a line //cudagen:kernel above %s to wrap only kernels with a directive", directed.Name)).About(directed.Name))
	}
	return warnings
}
