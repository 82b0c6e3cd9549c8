package compare

import (
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

// A Root is a type that Go needs for itself: that of a parameter or variable, or an exported one.
type Root struct {
	Type ctype.Type
	Says string // C++ for the class or enumeration at its end; empty when there is none but its name
}

// A Subject is a class or enumeration that Go may declare, so that its layout has to be proved:
// with Go's fields every class that is a member, or that a pointer points at.
type Subject struct {
	Type ctype.Type // *ctype.Struct or *ctype.Enum; nil for a base, through which the way to other subjects leads
	Ways []Way      // to say it in C++, best first; none for the type of a member without a name
}

// A Way is one way to denote a type in C++: by its own text, or as the type of a field or base of another
// subject.
type Way struct {
	Says   string
	Parent int // index of the subject with the field or base, lower than its own; when Says is empty
	Field  string

	Base   string // as a ctype.Step has it
	Sole   bool   // no other base of Parent is of the template
	Scoped bool   // arguments of Base with :: are enumerators
}

// maxWays limits how many ways to say one type are kept: one or two do it.
const maxWays = 4

// Subjects returns the classes and enumerations that Go declares for roots, each once. The ways
// that do not need a name come first: a name may mean something else at the end of the source.
func Subjects(roots []Root) []Subject {
	w := &walk{index: make(map[any]int)}
	for _, r := range roots {
		w.visit(r.Type, Way{Says: r.Says})
	}
	for i := 0; i < len(w.subjects); i++ { // in the order in which they are found: parents first
		w.members(i, w.subjects[i].Type)
	}
	for i := range w.subjects {
		s := &w.subjects[i]
		if s.Type == nil {
			continue
		}
		if says := names(s.Type); says != "" {
			s.Ways = append(s.Ways, Way{Says: says})
		}
	}
	return w.subjects
}

// A walk finds subjects.
type walk struct {
	subjects []Subject
	index    map[any]int // of a subject, by layout.Identity
}

// visit notes the class or enumeration at the end of t, which way says, when Go declares it.
func (w *walk) visit(t ctype.Type, way Way) {
	t = end(t)
	switch t.(type) {
	case *ctype.Struct, *ctype.Enum:
	default:
		return
	}
	if layout.CheckGoType(t) != nil {
		return
	}
	key := layout.Identity(t)
	i, known := w.index[key]
	if !known {
		i = len(w.subjects)
		w.index[key] = i
		w.subjects = append(w.subjects, Subject{Type: t})
	}
	s := &w.subjects[i]
	sayable := way.Says != "" || way.Field != "" && way.Parent < i
	if sayable && len(s.Ways) < maxWays && !slices.Contains(s.Ways, way) {
		s.Ways = append(s.Ways, way)
	}
}

// members visits the types of the members of t, which is subject i or a member of it without a name,
// or of a member without one: then C++ calls the members as those of subject i.
func (w *walk) members(i int, t ctype.Type) {
	s, ok := t.(*ctype.Struct)
	if !ok {
		return
	}
	class, err := layout.Struct(s)
	if err != nil {
		return
	}
	count := make(map[string]int)
	for _, m := range class.Members {
		count[m.Name]++
	}
	steps := make(map[*ctype.Step]int)
	for _, m := range class.Members {
		way := Way{Parent: i, Field: m.Name}
		if inBase := m.Of != s || len(m.Through) > 0; inBase && count[m.Name] > 1 { // the name stands for another field, or for none
			if way.Parent = w.step(i, s, m.Through, steps); way.Parent == i {
				way = Way{}
			}
		}
		w.visit(m.Type, way)
		if inner, ok := ctype.Unqualified(m.Type).(*ctype.Struct); ok && m.Name == "" && inner != s {
			w.members(i, inner)
		}
	}
}

// step returns the index of the subject that stands for the innermost of the bases through, of which the
// first is one of subject i, which is s; without bases that is i. steps has those of s that there are.
func (w *walk) step(i int, s *ctype.Struct, through []*ctype.Step, steps map[*ctype.Step]int) int {
	own, parent := withoutArguments(s.Name), i
	for n, base := range through {
		at, known := steps[base]
		if !known {
			at = len(w.subjects)
			steps[base] = at
			w.subjects = append(w.subjects, Subject{Ways: baseWays(own, parent, n, base, s)})
		}
		own, parent = withoutArguments(base.Name), at
	}
	return parent
}

// baseWays returns the ways to say base, which is at depth n of the bases of s, and one of the class that
// is subject parent, of the template own. There is none if that is the base's template, too: then its name
// stands for the class itself.
func baseWays(own string, parent, n int, base *ctype.Step, s *ctype.Struct) (ways []Way) {
	if own == withoutArguments(base.Name) {
		return nil
	}
	if sole(n, base, s) {
		ways = append(ways, Way{Parent: parent, Base: base.Name, Sole: true})
	}
	if strings.Contains(base.Name, "::") {
		ways = append(ways, Way{Parent: parent, Base: base.Name, Scoped: true})
	}
	return append(ways, Way{Parent: parent, Base: base.Name})
}

// sole reports whether base, at depth n of the bases of s, is the only class of its template among those
// that are as deep or deeper.
func sole(n int, base *ctype.Step, s *ctype.Struct) bool {
	name := withoutArguments(base.Name)
	for _, f := range s.Fields {
		for depth, other := range f.Through {
			if depth >= n && other != base && withoutArguments(other.Name) == name {
				return false
			}
		}
	}
	return true
}

// end returns the type behind the pointers, references and arrays of t.
func end(t ctype.Type) ctype.Type {
	for {
		switch bare := ctype.Unqualified(t).(type) {
		case *ctype.Pointer:
			t = bare.Elem
		case *ctype.Reference:
			t = bare.Elem
		case *ctype.Array:
			t = bare.Elem
		default:
			return bare
		}
	}
}

// names returns the qualified name of t as the end of a source can say it, without unnamed
// namespaces. Of an enumeration without a name, an enumerator tells. It is empty for other types
// that have none.
func names(t ctype.Type) string {
	var scope []string
	last, enumerator := "", ""
	switch t := t.(type) {
	case *ctype.Struct:
		scope, last = t.Scope, t.Name
		if last != "" {
			last += ctype.Arguments(t.Args)
		}
	case *ctype.Enum:
		scope, last = t.Scope, t.Name
		if last == "" && len(t.Enumerators) > 0 {
			enumerator = t.Enumerators[0].Name
		}
	}
	scope = slices.DeleteFunc(slices.Clone(scope), func(s string) bool { return s == ctype.AnonymousNamespace })
	if last == "" && enumerator == "" || slices.Contains(scope, "") {
		return ""
	}
	qualified := strings.Join(append(scope, last+enumerator), "::")
	if enumerator != "" {
		return witness.VariableType(qualified)
	}
	return qualified
}

// Parts returns what a compiler is asked about parts of s: the fields that have an offset which
// C++ can say, and the enumerators.
func (s *Subject) Parts() (fields, enumerators []string) {
	switch t := s.Type.(type) {
	case *ctype.Enum:
		for _, e := range t.Enumerators {
			enumerators = append(enumerators, e.Name)
		}
	case *ctype.Struct:
		for _, m := range sayable(t) {
			fields = append(fields, m.Name)
		}
	}
	return fields, enumerators
}

// Sayable returns the members of s whose names mean one field with an offset.
func sayable(s *ctype.Struct) []layout.Member {
	class, err := layout.Struct(s)
	if err != nil {
		return nil
	}
	count := make(map[string]int)
	for _, m := range class.Members {
		count[m.Name]++
	}
	return slices.DeleteFunc(slices.Clone(class.Members), func(m layout.Member) bool {
		_, reference := ctype.Unqualified(m.Type).(*ctype.Reference)
		return m.BitField || reference || m.Name == "" || count[m.Name] > 1
	})
}

// Pos returns where the type of s is declared.
func (s *Subject) Pos() token.Position {
	switch t := s.Type.(type) {
	case *ctype.Struct:
		return t.Pos
	case *ctype.Enum:
		return t.Pos
	}
	return token.Position{}
}

// Told reports whether a compiler told the type of s, and not the source.
func (s *Subject) Told() bool {
	switch t := s.Type.(type) {
	case *ctype.Struct:
		return t.Stated != nil
	case *ctype.Enum:
		return t.Stated
	}
	return false
}

// Name returns what messages call the type of s: "struct app::Vec".
func (s *Subject) Name() string { return TypeName(s.Type) }

// TypeName returns what messages call a class or enumeration: "struct app::Vec".
func TypeName(t ctype.Type) string {
	word, name := "struct", ""
	switch t := t.(type) {
	case *ctype.Struct:
		if t.Union {
			word = "union"
		}
		if name = t.QualifiedName(); t.Name == "" {
			name = ""
		}
	case *ctype.Enum:
		word = "enum"
		if name = t.QualifiedName(); t.Name == "" {
			name = ""
		}
	}
	if name == "" {
		return word + " without a name"
	}
	return word + " " + name
}
