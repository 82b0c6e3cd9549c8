package cu

import (
	"go/token"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A Variable is a declaration, at namespace scope, of a variable in the memory of a device.
type Variable struct {
	Name      string
	Namespace []string       // from the outside in; an unnamed one is ctype.AnonymousNamespace
	Pos       token.Position // of the name
	Included  bool           // it stands in a file that the main file includes

	Space    string // __device__, __constant__ or __managed__
	ExternC  bool
	Template bool // a template, or a specialisation of one
	Defined  bool // not only declared with extern
	Const    bool // const or constexpr

	Type       ctype.Type // nil when Errors says why
	Doc        []string
	Directives []Directive // also of the other variables in the same declaration

	// Errors says what is not understood of this variable. The user of the
	// variable must report them.
	Errors diag.List
}

// QualifiedName returns the name of v with its namespaces, as demanglers write it.
func (v *Variable) QualifiedName() string {
	return strings.Join(append(v.Namespace[:len(v.Namespace):len(v.Namespace)], v.Name), "::")
}

// spaces are the words for the memory of a device: one that stands further behind wins over
// __device__, which may stand beside it.
var spaces = words("__device__ __constant__ __managed__")

// deviceVariable notes the variable name in the memory of a device. It returns nil for
// other variables and for members of classes.
func (u *unit) deviceVariable(name *lex.Token, spec *specified) *Variable {
	if spec.space == "" || spec.member || u.local > 0 {
		return nil
	}
	v := &Variable{
		Name: name.Text, Namespace: u.scope.path(), Pos: name.Pos(), Included: !name.At.File().Main,
		Space: spec.space, ExternC: u.linkage > 0 || spec.externC, Defined: !spec.extern,
		Doc: document(spec.lead), Directives: claim(spec.lead),
	}
	u.file.Variables = append(u.file.Variables, v)
	return v
}

// placed returns s with the word for a memory space that stands in a declarator, which wins over
// __device__ among the specifiers.
func (p *parser) placed(s *specified, word *lex.Token) *specified {
	if word == nil || s.space != "" && s.space != "__device__" {
		return s
	}
	with := *s
	with.space, with.memory = word.Text, true
	if s.space == "" && !s.member {
		with.lead = p.above(s.begin)
	}
	return &with
}

// reject notes why v is not understood, unless that is known.
func (v *Variable) reject(reason *ctype.Reason) {
	if reason != nil && len(v.Errors) == 0 {
		v.Type = nil
		v.Errors.Add(reason.Pos, reason.About(v.Name))
	}
}

// understand takes the type of v from its declarator, behind which c stands.
func (p *parser) understand(v *Variable, c *cursor, d declarator, spec *specified) {
	v.Defined = v.Defined || c.peek().Is("=") || c.peek().Is("{")
	attributes := d.attributes
	if spec.defined == nil { // otherwise those belong to the class
		attributes = append(attributes[:len(attributes):len(attributes)], spec.attributes...)
	}
	_, reason := p.alignment(attributes)
	switch {
	case d.name.Doubtful || spec.at.Doubtful:
		reason = p.reasonf(d.name, diag.Macro, "is under a condition that could not be evaluated, because it uses a macro that is not known%w", p.hint(diag.Hint("define it with -D")))
	case c.peek().Is("<"):
		v.Template = true
	case d.unsized != nil:
		reason = p.reasonf(&d.unsized.at, d.unsized.Code, "has an array bound that is not understood: %w", d.unsized)
	case reason == nil:
		reason = p.byValue(d.typ, d.name)
	}
	v.Type, v.Const = d.typ, spec.constexpr || unwritable(d.typ)
	v.reject(reason)
	if v.Type != nil {
		p.completePointee(v.Type)
	}
}

// unwritable reports whether t, or what it is an array of, is const.
func unwritable(t ctype.Type) bool {
	for {
		switch u := t.(type) {
		case *ctype.Alias:
			t = u.Type
		case *ctype.Array:
			t = u.Elem
		case *ctype.Qualified:
			if u.Const {
				return true
			}
			t = u.Type
		default:
			return false
		}
	}
}

// variableTemplate notes a template of variables in the memory of a device, whose
// declaration behind its head is c.
func (p *parser) variableTemplate(c cursor) {
	spec := specified{lead: p.above(max(p.lead, 0))}
	head := c
	for head.more() && !head.peek().Is("=") && !head.peek().Is("{") && !head.peek().Is(";") {
		if l := head.peek(); l.Kind == lex.Ident && spaces[l.Text] {
			spec.space = l.Text
		}
		head.skip()
	}
	if name := lastName(c); name != nil {
		if v := p.deviceVariable(name, &spec); v != nil {
			v.Template = true
		}
	}
}
