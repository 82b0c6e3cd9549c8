package proof

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
)

// recallWitnesses takes over who proved what from the record of the run that compiled:
// nothing is compiled now. While the images are current, the source and all options are
// those of that run, so what was proved has to be what cudagen reads in the source: where
// it is not, cudagen itself is another, and the compiler has to be asked again.
func (a *confirmation) recallWitnesses() error {
	var errs diag.List
	contradict := func(pos token.Position, name, part string, differences []string) {
		if len(a.Reasons) > 0 {
			return // the source may be another, and is compiled before anything is written
		}
		for _, difference := range differences {
			errs.Add(pos, diag.Unconfirmed.Errorf("%s%s by %s, which a compiler confirmed for the same source: %w", part, difference, filepath.Base(a.Place.Record), diag.Do("run %s to ask it again", diag.Call("-force"))).About(name))
		}
	}
	for i := range a.record.Kernels {
		k := &a.record.Kernels[i]
		then := slices.IndexFunc(a.Committed.Kernels, func(old record.Kernel) bool { return old.Symbol == k.Symbol && len(old.Params) == len(k.Params) })
		if then < 0 {
			continue
		}
		for j := range k.Params {
			p, old := &k.Params[j], a.Committed.Kernels[then].Params[j]
			differences := paramDifferences(p, &old)
			if len(differences) == 0 {
				p.Witnesses = old.Witnesses
			}
			contradict(a.Proofs.Kernels[i].Pos, k.Name, fmt.Sprintf("parameter %d (%s): ", j, p.Name), differences)
		}
	}
	for i := range a.record.Variables {
		v := &a.record.Variables[i]
		then := slices.IndexFunc(a.Committed.Variables, func(old record.Variable) bool { return old.Symbol == v.Symbol })
		if then < 0 {
			continue
		}
		old := &a.Committed.Variables[then]
		differences := slices.Concat(differing("size", v.Size, old.Size), differing("alignment", v.Align, old.Align))
		if len(differences) == 0 {
			v.Witnesses = old.Witnesses
		}
		contradict(a.Proofs.Variables[i].Pos, v.Name, "", differences)
	}
	structs := slices.Concat(a.Model.Structs, a.Model.Foreign)
	for i := range a.record.Structs {
		s := &a.record.Structs[i]
		old := recorded(s, a.Committed.Structs)
		if old == nil {
			continue
		}
		differences := structDifferences(s, old)
		if len(differences) == 0 {
			s.Witnesses = old.Witnesses
			for j := range s.Fields {
				s.Fields[j].Witnesses = old.Fields[j].Witnesses
			}
		}
		if slices.ContainsFunc(old.Fields, func(f record.Field) bool { return slices.Contains(f.Witnesses, record.Debug) }) {
			contradict(a.Origins[cmp.Or(structs[i].GoName, selection.ForeignKey(&structs[i]))].Pos, "struct "+cmp.Or(structs[i].GoName, s.Name), "", differences)
		}
	}
	for i := range a.record.Enums {
		e := &a.record.Enums[i]
		same := func(old record.Enum) bool { return len(enumDifferences(e, &old)) == 0 }
		if at := slices.IndexFunc(a.Committed.Enums, same); at >= 0 {
			old := a.Committed.Enums[at]
			e.Witnesses = old.Witnesses
			for j := range e.Constants {
				e.Constants[j].Witnesses = old.Constants[j].Witnesses
			}
		} else if at := slices.IndexFunc(a.Committed.Enums, func(old record.Enum) bool { return old.Name == e.Name }); at >= 0 && e.Name != "" {
			contradict(a.Origins[a.Model.Enums[i].GoName].Pos, "enum "+e.Name, "", enumDifferences(e, &a.Committed.Enums[at]))
		}
	}
	used := a.UsedConstants()
	for i := range a.record.Constants {
		c := &a.record.Constants[i]
		at := slices.IndexFunc(a.Committed.Constants, func(old record.Constant) bool { return old.Name == c.Name })
		if at < 0 {
			continue
		}
		differences := differing("value", c.Value, a.Committed.Constants[at].Value)
		if len(differences) == 0 {
			c.Witnesses = a.Committed.Constants[at].Witnesses
		}
		contradict(used[c.Name], "constant "+c.Name, "", differences)
	}
	errs.Sort()
	return errs.Err()
}

// recorded returns what the record has of s, or nil. Of structs without names there may
// be several: which is which, the names of their fields tell.
func recorded(s *record.Struct, structs []record.Struct) *record.Struct {
	unnamed := s.Name == "" || strings.HasSuffix(s.Name, "::")
	sameName := func(x, y record.Field) bool { return x.Name == y.Name }
	var found *record.Struct
	for i := range structs {
		old := &structs[i]
		if old.Name != s.Name || unnamed && !slices.EqualFunc(old.Fields, s.Fields, sameName) {
			continue
		}
		if found = old; len(structDifferences(s, old)) == 0 {
			break
		}
	}
	return found
}

func paramDifferences(p, old *record.Param) []string {
	return slices.Concat(differing("offset", p.Offset, old.Offset), differing("size", p.Size, old.Size), differing("alignment", p.Align, old.Align))
}

func structDifferences(s, old *record.Struct) []string {
	list := slices.Concat(differing("size", s.Size, old.Size), differing("alignment", s.Align, old.Align),
		differing("number of fields", len(s.Fields), len(old.Fields)))
	for i := range min(len(s.Fields), len(old.Fields)) {
		f, was := &s.Fields[i], &old.Fields[i]
		where := fmt.Sprintf("field %d (%s): ", i, f.Name)
		list = slices.Concat(list, differing(where+"name", f.Name, was.Name), differing(where+"offset", f.Offset, was.Offset), differing(where+"size", f.Size, was.Size))
	}
	return list
}

func enumDifferences(e, old *record.Enum) []string {
	list := slices.Concat(differing("name", e.Name, old.Name), differing("type", e.Type, old.Type), differing("number of constants", len(e.Constants), len(old.Constants)))
	for i := range min(len(e.Constants), len(old.Constants)) {
		c, was := &e.Constants[i], &old.Constants[i]
		list = slices.Concat(list, differing(fmt.Sprintf("name of constant %d", i), c.Name, was.Name), differing("value of "+c.Name, c.Value, was.Value))
	}
	return list
}

// differing returns what source and record state differently, or nil if they agree.
func differing[T comparable](what string, source, record T) []string {
	if source == record {
		return nil
	}
	return []string{fmt.Sprintf("%s is %v by the source and %v", what, source, record)}
}
