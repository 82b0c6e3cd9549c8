package cu

import (
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A dependence gathers the unsettled conditions that declarations depend on and that
// matter, as numbers from 1.
type dependence []int32

// add adds the condition n. Nobody reads more than a few.
func (u *unit) add(d *dependence, n int32) {
	const most = 16
	if len(*d) < most && u.pre.Unsettled[n-1].Matters() && !slices.Contains(*d, n) {
		*d = append(*d, n)
	}
}

// addAll adds the conditions in other.
func (u *unit) addAll(d *dependence, other dependence) {
	for _, n := range other {
		u.add(d, n)
	}
}

// on adds the unsettled conditions that enclose at.
func (u *unit) on(d *dependence, at lex.Place) {
	if d == nil {
		return
	}
	for n := at.Unsettled; n != 0; n = u.pre.Unsettled[n-1].Outer {
		u.add(d, n)
	}
}

// gather calls read, and returns what the names that it looks up depend on.
func (u *unit) gather(read func()) dependence {
	if len(u.pre.Unsettled) == 0 {
		read()
		return nil
	}
	outer := u.depends
	defer func() { u.depends = outer }()
	var d dependence
	u.depends = &d
	read()
	return d
}

// dependsOn returns what the declaration being read depends on so far.
func (u *unit) dependsOn() dependence {
	if u.depends == nil {
		return nil
	}
	return slices.Clone(*u.depends)
}

// within adds to d the unsettled conditions that begin among the tokens from begin to
// end, but not inside of one of the functions, and those whose macros these use.
func (p *parser) within(d *dependence, begin, end int, functions []span) {
	all := p.pre.Unsettled
	if len(all) == 0 {
		return
	}
	first, _ := slices.BinarySearchFunc(all, begin+1, func(u lex.Unsettled, n int) int { return u.Begin - n })
	comparisons := 1 << 16 // a class with more is said to depend on the rest
	for i := first; i < len(all) && all[i].Begin <= end; i++ {
		comparisons -= len(functions)
		inside := comparisons > 0 && slices.ContainsFunc(functions, func(f span) bool { return f.begin < all[i].Begin && all[i].Begin < f.end })
		if !inside {
			p.add(d, int32(i+1))
		}
	}
	for i := begin; i < min(end, len(p.list)); i++ {
		for e := p.list[i].At.From(); e != nil; e = e.Parent {
			p.on(d, e.Macro.At)
		}
	}
}

// A span is a piece of the tokens.
type span struct{ begin, end int }

// layoutDepends adds to d what the layout of t depends on.
func (u *unit) layoutDepends(d *dependence, t ctype.Type) {
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
			u.addAll(d, u.affected[t])
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

// pointsAtClass reports whether t is a pointer or reference to a class, in which case
// the layout of the class does not count.
func pointsAtClass(t ctype.Type) bool {
	pointer := false
	for {
		switch u := ctype.Unqualified(t).(type) {
		case *ctype.Pointer:
			t, pointer = u.Elem, true
		case *ctype.Reference:
			t, pointer = u.Elem, true
		case *ctype.Array:
			t = u.Elem
		case *ctype.Struct:
			return pointer
		default:
			return false
		}
	}
}

// warnUnsettled reports that what is at at, of k, depends on the conditions in d. Conditions that
// enclose k do not count: where k is, they hold.
func (u *unit) warnUnsettled(k *kernel, at token.Position, what string, d dependence) {
	if !k.Defined {
		return
	}
	var around dependence
	u.on(&around, k.name.At)
	slices.Sort(d)
	for _, n := range d {
		c := &u.pre.Unsettled[n-1]
		if slices.Contains(around, n) {
			continue
		}
		k.Warnings.Add(at, diag.Macro.Errorf("%s depends on the condition in %s:%d, and %s is not defined: %w%w",
			what, c.At.At.Position().Filename, c.At.At.Line(), strings.Join(c.Names, " or "), diag.Do("define it with -D if it is meant"), u.hint(diag.Message{})).About(k.Name))
	}
}

// warnLeftOut reports the kernels of the main file that an unsettled condition leaves
// out.
func (u *unit) warnLeftOut() {
	for i := range u.pre.Unsettled {
		c := &u.pre.Unsettled[i]
		if c.Kernels == 0 || len(c.Names) == 0 || !c.At.At.File().Main {
			continue
		}
		u.file.Warnings.Add(c.At.Pos(), diag.Macro.Errorf("kernels are left out (%d, the first in line %d), and %s is not defined: %w", c.Kernels, c.Kernel.Line(), strings.Join(c.Names, " or "), diag.Do("define it with -D if they are meant")))
	}
}
