package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// A dependence gathers the unsettled conditions that declarations depend on and that
// matter, as numbers from 1.
type dependence []int32

// dependences are what declarations depend on: the conditions that nothing settles.
type dependences struct {
	conditions []lex.Unsettled
	current    *dependence                  // of the declaration that is being read; nil when nobody asks
	affected   map[*ctype.Struct]dependence // what the layout of classes depends on
	functions  []span                       // members of classes
}

// add adds the condition n. Nobody reads more than a few.
func (x *dependences) add(d *dependence, n int32) {
	const most = 16
	if len(*d) < most && x.conditions[n-1].Matters() && !slices.Contains(*d, n) {
		*d = append(*d, n)
	}
}

// addAll adds the conditions in other.
func (x *dependences) addAll(d *dependence, other dependence) {
	for _, n := range other {
		x.add(d, n)
	}
}

// on adds the unsettled conditions that enclose at.
func (x *dependences) on(d *dependence, at lex.Place) {
	if d == nil {
		return
	}
	for n := at.Unsettled; n != 0; n = x.conditions[n-1].Outer {
		x.add(d, n)
	}
}

// gather calls read, and returns what the names that it looks up depend on.
func (x *dependences) gather(read func()) dependence {
	if len(x.conditions) == 0 {
		read()
		return nil
	}
	outer := x.current
	defer func() { x.current = outer }()
	var d dependence
	x.current = &d
	read()
	return d
}

// dependsOn returns what the declaration being read depends on so far.
func (x *dependences) dependsOn() dependence {
	if x.current == nil {
		return nil
	}
	return slices.Clone(*x.current)
}

// within adds to d the unsettled conditions that begin among the tokens from begin to
// end, but not inside of one of the functions, and those whose macros these use.
func (x *dependences) within(d *dependence, all *tokens, begin, end int, functions []span) {
	if len(x.conditions) == 0 {
		return
	}
	first, _ := slices.BinarySearchFunc(x.conditions, begin+1, func(other lex.Unsettled, n int) int { return other.Begin - n })
	comparisons := 1 << 16 // a class with more is said to depend on the rest
	for i := first; i < len(x.conditions) && x.conditions[i].Begin <= end; i++ {
		comparisons -= len(functions)
		inside := comparisons > 0 && slices.ContainsFunc(functions, func(f span) bool { return f.begin < x.conditions[i].Begin && x.conditions[i].Begin < f.end })
		if !inside {
			x.add(d, int32(i+1))
		}
	}
	for i := begin; i < min(end, len(all.list)); i++ {
		for e := all.list[i].At.From(); e != nil; e = e.Parent {
			x.on(d, e.Macro.At)
		}
	}
}

// A span is a piece of the tokens.
type span struct{ begin, end int }

// layoutDepends adds to d what the layout of t depends on.
func (x *dependences) layoutDepends(d *dependence, t ctype.Type) {
	seen := make(map[*ctype.Struct]bool)
	var visit func(t ctype.Type)
	visit = func(t ctype.Type) {
		switch t := ctype.Unqualified(t).(type) {
		case *ctype.Array:
			visit(t.Elem)
		case *ctype.Struct:
			if seen[t] {
				return
			}
			seen[t] = true
			x.addAll(d, x.affected[t])
			for _, b := range t.Bases {
				visit(b.Type)
			}
			for _, f := range t.Fields {
				visit(f.Type)
			}
		}
	}
	visit(t)
}
