package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"
)

// localClass visits the places in the members of the class that the statement whole defines. It reports
// whether it defines one. Its name is not known outside of it: no template argument can be a local class.
func (w *walker) localClass(whole cursor) bool {
	p := w.p
	if !w.declares(whole) {
		return false
	}
	from := whole
	if o := p.outline(&from, nil); o.record < 0 || whole.list[o.record].Is("enum") {
		return false
	}
	outer, around := p.scope, p.localBodies
	var bodies []launchBody
	p.localBodies = &bodies
	w.inner()
	c := whole
	p.simple(&c, nil, nil)
	p.scope, p.localBodies = outer, around
	for i := range bodies {
		b := &bodies[i]
		w.visitBefore(b.whole.i, p.reasonf(whole.peek(), diag.NotUnderstood, notInMember))
		end, _ := slices.BinarySearch(w.places, b.whole.stop)
		inside := &walker{p: p, places: w.places[:end], visit: w.visit, depth: w.depth}
		inside.outer, inside.doubtful, inside.template = b.scope, w.doubtful, w.template
		inside.lost, inside.members = w.lost, w.members || !p.allMembers(b.scope)
		inside.function(b)
		w.places = w.places[end:]
	}
	w.visitBefore(whole.stop, p.reasonf(whole.peek(), diag.NotUnderstood, notInMember))
	p.scope = outer
	return true
}

const notInMember = "the launch stands in a class in a function, and not in a member of it that is understood"

// localTypes are the classes and enumerations that are defined in functions.
type localTypes map[ctype.Type]bool

// in reports whether arg is, or has, one of them, or a value of one.
func (l localTypes) in(arg ctype.TemplateArg) bool { return arg.Type != nil && l.name(arg.Type) }

// name reports whether the spelling of t has one of them.
func (l localTypes) name(t ctype.Type) bool {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Enum:
		return l[t]
	case *ctype.Struct:
		return l[t] || slices.ContainsFunc(t.Args, l.in)
	case *ctype.Pointer:
		return l.name(t.Elem)
	case *ctype.Reference:
		return l.name(t.Elem)
	case *ctype.Array:
		return l.name(t.Elem)
	}
	return false
}
