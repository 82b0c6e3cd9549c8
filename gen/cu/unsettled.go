package cu

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
)

// An unsettled condition is an #if with its #elif and #else whose outcome depends on
// macros that nothing defines. Where headers are missing, one of them may: docs/DECISIONS.md,
// "What happens if a missing header decides an #if?".
type unsettled struct {
	outer      int32 // the unsettled condition around it, 0 when there is none
	at         lexeme
	names      []string
	begin, end int  // of the lexemes that it lets through
	skipped    bool // it leaves something out
	kernels    int  // __global__ in what it leaves out
	kernel     place
	missing    bool // headers are missing at this point
}

// undefined notes a name that the condition being evaluated depends on, and that is no
// macro. Reserved names are those of compilers, whose macros are all known here.
func (p *preprocessor) undefined(name string) {
	reserved := strings.HasPrefix(name, "__") || len(name) > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z'
	if !reserved && name != "WIN32" && name != "WIN64" && !slices.Contains(p.unknown, name) {
		p.unknown = append(p.unknown, name)
	}
}

// unsettle notes that c depends on the names that were undefined.
func (p *preprocessor) unsettle(c *conditional) {
	if len(p.unknown) == 0 {
		return
	}
	if c.unsettled == 0 {
		p.unsettled = append(p.unsettled, unsettled{
			outer: p.inside, at: c.at, begin: len(p.lexemes), missing: len(p.missing) > 0, skipped: c.passed,
		})
		c.unsettled = int32(len(p.unsettled)) // counted from 1
		p.inside = c.unsettled
	}
	u := &p.unsettled[c.unsettled-1]
	u.names = append(u.names, p.unknown...)
	p.unknown = p.unknown[:0]
}

// settled ends an unsettled condition. A name that is defined by now was defined in it,
// as in an include guard or a default value.
func (p *preprocessor) settled(c *conditional) {
	if c.unsettled == 0 {
		return
	}
	u := &p.unsettled[c.unsettled-1]
	u.end = len(p.lexemes)
	u.names = slices.DeleteFunc(u.names, func(name string) bool { return p.macros[name] != nil })
	p.inside = u.outer
}

// leaveOut notes that l is left out by the outermost condition that does not hold.
func (p *preprocessor) leaveOut(l *lexeme) {
	for _, c := range p.conditionals {
		if c.live {
			continue
		}
		c.passed = true
		if c.unsettled == 0 {
			return
		}
		u := &p.unsettled[c.unsettled-1]
		u.skipped = true
		if l.is("__global__") {
			if u.kernels++; u.kernels == 1 {
				u.kernel = l.at
			}
		}
		return
	}
}

// matters reports whether the outcome of u may be another one, with other contents.
func (u *unsettled) matters() bool { return u.missing && u.skipped && len(u.names) > 0 }

// A dependence gathers the unsettled conditions that declarations depend on and that
// matter, as numbers from 1.
type dependence []int32

// add adds the condition n. Nobody reads more than a few.
func (p *parser) add(d *dependence, n int32) {
	const most = 16
	if len(*d) < most && p.pre.unsettled[n-1].matters() && !slices.Contains(*d, n) {
		*d = append(*d, n)
	}
}

// addAll adds those in other.
func (p *parser) addAll(d *dependence, other dependence) {
	for _, n := range other {
		p.add(d, n)
	}
}

// on adds those that at stands in.
func (p *parser) on(d *dependence, at place) {
	if d == nil {
		return
	}
	for n := at.unsettled; n != 0; n = p.pre.unsettled[n-1].outer {
		p.add(d, n)
	}
}

// gather calls read, and returns what the names that it looks up depend on.
func (p *parser) gather(read func()) dependence {
	if len(p.pre.unsettled) == 0 {
		read()
		return nil
	}
	outer := p.depends
	defer func() { p.depends = outer }()
	var d dependence
	p.depends = &d
	read()
	return d
}

// dependsOn returns what the declaration being read depends on so far.
func (p *parser) dependsOn() dependence {
	if p.depends == nil {
		return nil
	}
	return slices.Clone(*p.depends)
}

// within adds to d the unsettled conditions that begin among the lexemes from begin to
// end, but not inside of one of the functions, and those whose macros these use.
func (p *parser) within(d *dependence, begin, end int, functions []span) {
	all := p.pre.unsettled
	if len(all) == 0 {
		return
	}
	first, _ := slices.BinarySearchFunc(all, begin+1, func(u unsettled, n int) int { return u.begin - n })
	comparisons := 1 << 16 // a class with more is said to depend on the rest
	for i := first; i < len(all) && all[i].begin <= end; i++ {
		comparisons -= len(functions)
		inside := comparisons > 0 && slices.ContainsFunc(functions, func(f span) bool { return f.begin < all[i].begin && all[i].begin < f.end })
		if !inside {
			p.add(d, int32(i+1))
		}
	}
	for i := begin; i < min(end, len(p.list)); i++ {
		for e := p.list[i].from; e != nil; e = e.parent {
			p.on(d, e.macro.at)
		}
	}
}

// A span is a piece of the lexemes.
type span struct{ begin, end int }

// layoutDepends adds to d what the layout of t depends on.
func (p *parser) layoutDepends(d *dependence, t ctype.Type) {
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
			p.addAll(d, p.affected[t])
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

// warnUnsettled reports that what is at at, of k, depends on the conditions in d. Those that k itself stands in do not count: with k there, they are as they are.
func (p *parser) warnUnsettled(k *kernel, at token.Position, what string, d dependence) {
	if !k.Defined {
		return
	}
	var around dependence
	p.on(&around, k.name.at)
	slices.Sort(d)
	for _, n := range d {
		u := &p.pre.unsettled[n-1]
		if slices.Contains(around, n) {
			continue
		}
		k.Warnings.Add(at, fmt.Sprintf("%s: %s depends on the condition in %s:%d, and %s is not defined: define it with -D if it is meant%s",
			k.Name, what, u.at.at.position().Filename, u.at.at.line, strings.Join(u.names, " or "), p.hint("")))
	}
}

// warnLeftOut reports the kernels of the main file that an unsettled condition leaves
// out.
func (p *parser) warnLeftOut() {
	for i := range p.pre.unsettled {
		u := &p.pre.unsettled[i]
		if u.kernels == 0 || len(u.names) == 0 || !u.at.at.file.main {
			continue
		}
		p.file.Warnings.Add(u.at.pos(), fmt.Sprintf("kernels are left out (%d, the first in line %d), and %s is not defined: define it with -D if they are meant",
			u.kernels, u.kernel.line, strings.Join(u.names, " or ")))
	}
}
