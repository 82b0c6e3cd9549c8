package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// A described is a declaration that is being read.
type described struct {
	Declaration
	scope *scope // in which it stands; what is declared further inside is not its own
}

// describe reads one declaration at c with read, and notes what it declares if directives stand
// above it. Where the declaration is the member of a class of a template, it declares something
// else in each instance.
func (p *parser) describe(c *cursor, read func()) {
	outer := p.below
	p.below = nil
	defer func() { p.below = outer }()
	if directives := p.directivesAbove(c); len(directives) > 0 && len(p.reading) == 0 {
		p.below = &described{Declaration{Directives: directives}, p.scope}
	}
	own := p.below
	read()
	if own != nil && len(own.Types)+len(own.Constants) > 0 {
		p.file.Declarations = append(p.file.Declarations, own.Declaration)
	}
}

// directivesAbove returns the directives above the declaration that begins at c, in the main file.
func (p *parser) directivesAbove(c *cursor) []Directive {
	l := c.peek()
	if !c.more() || c.i > 0 && c.list[c.i-1].Comments == l.Comments || l.At.File() == nil || !l.At.File().Main {
		return nil
	}
	return directivesIn(p.above(c.i))
}

// declaresType notes that the declaration being read defines t, or gives it a name.
func (p *parser) declaresType(t ctype.Type) {
	if p.below == nil || p.below.scope != p.scope {
		return
	}
	switch bare := ctype.Unalias(t).(type) {
	case *ctype.Struct, *ctype.Enum:
		if !slices.Contains(p.below.Types, bare) {
			p.below.Types = append(p.below.Types, bare)
		}
	}
}

// declaresConstant notes that the declaration being read declares the constant of a qualified name.
func (p *parser) declaresConstant(qualified string) {
	if p.below != nil && p.below.scope == p.scope {
		p.below.Constants = append(p.below.Constants, qualified)
	}
}

// declaresUsed notes that the using-declaration being read gives a name to e, which is called name.
func (p *parser) declaresUsed(name string, e *entity) {
	switch {
	case e.typ != nil:
		p.declaresType(e.typ)
	case e.constant != nil && e.home != nil:
		qualified := joinPath(append(named(e.home.path()), name))
		if _, known := p.file.Constants[qualified]; known {
			p.declaresConstant(qualified)
		}
	}
}

// completeDescribed reads the definitions of the classes of templates that directives stand above.
func (u *unit) completeDescribed() {
	for _, d := range u.file.Declarations {
		for _, t := range d.Types {
			if s, ok := t.(*ctype.Struct); ok && !s.Complete {
				u.complete(s)
			}
		}
	}
}

// describedMacros notes the macros with directives above their definitions, if they are constants
// and what the definition says is their last meaning.
func (u *unit) describedMacros() {
	for _, d := range u.pre.Described {
		directives := directivesIn(d.Comments)
		if len(directives) == 0 {
			continue
		}
		one := Declaration{Directives: directives}
		_, known := u.file.Constants[d.Macro.Name]
		if again, redefined := u.file.Redefined[d.Macro.Name]; known && (!redefined || again == d.Macro.At.Position()) && u.pre.Macros[d.Macro.Name] == d.Macro {
			one.Constants = []string{d.Macro.Name}
		}
		u.file.Declarations = append(u.file.Declarations, one)
	}
}
