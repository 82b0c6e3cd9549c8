package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

const hiddenArgument = "C++ has no certain name for what is in an unnamed namespace"

// compiled gives the templates the instances of them that an image has. Where it is not certain which
// template that is, or C++ cannot name the instance, it notes why.
func (t *kernelTable) compiled(u *unit) {
	for _, one := range u.config.Instances {
		of := slices.DeleteFunc(slices.Clone(t.byPath[one.Template]), func(k *kernel) bool { return !k.Template || !k.Defined })
		if taking := slices.DeleteFunc(slices.Clone(of), func(k *kernel) bool { return !k.head.takes(one) }); len(taking) > 0 {
			of = taking
		}
		var made *implied
		var unread *ctype.Reason
		for _, k := range of {
			instance, reason := k.compiled(u, one)
			if unread = reason; reason == nil {
				made = instance
			}
		}
		why := diag.Message{}
		switch _, named := one.Source(); {
		case len(of) == 0:
			continue
		case !named:
			why = diag.Template.New("C++ has no name for one of the arguments")
		case len(of) > 1:
			why = diag.Template.New("several templates have this name")
		case made == nil && one.hidden():
			why = diag.Template.New(hiddenArgument)
		case made != nil:
			of[0].implied = append(of[0].implied, made)
			continue
		default:
			of[0].implied = append(of[0].implied, of[0].named(one, unread))
			continue
		}
		for _, k := range of {
			u.file.Notes.Add(k.Pos, diag.Template.Errorf("the compiler makes the instance <%s> of it, which is not wrapped: %w", one.Arguments, why).About(k.Name))
		}
	}
}

// takes reports whether a template with h may have the instance one, by the number of its arguments: that tells templates of
// one name apart.
func (h *templateHead) takes(one ImageInstance) bool {
	pack := slices.ContainsFunc(h.params, func(p *templateParam) bool { return p.pack })
	return pack || len(h.params) == len(ctype.SplitList(one.Arguments))
}

// compiled returns the instance of the template k that one is, if its arguments are understood.
func (k *kernel) compiled(u *unit, one ImageInstance) (*implied, *ctype.Reason) {
	text, _ := one.Source()
	tokens := u.directiveTokens(Directive{ArgsPos: k.Pos}, text)
	args, inner, reason := u.in(k.scope.root()).templateArguments(k.head, newCursor(newTokens(tokens), lex.Token{At: k.name.At}), k.scope, k.name)
	if reason != nil {
		return nil, reason
	}
	if one.hidden() && ctype.Arguments(args) != "<"+one.Arguments+">" {
		return nil, reasonf(k.name, diag.Template, hiddenArgument)
	}
	return &implied{boundArguments: boundArguments{args, inner}, at: k.name, explicit: true, own: k.Own}, nil
}

// named returns the instance of the template k that one is, of whose arguments only the names are known: its
// parameters are not understood, for the reason unread, and a compiler may tell them.
func (k *kernel) named(one ImageInstance, unread *ctype.Reason) *implied {
	args := []ctype.TemplateArg{}
	for _, text := range ctype.SplitList(one.Arguments) {
		args = append(args, ctype.TemplateArg{Type: &ctype.Struct{Name: text}})
	}
	return &implied{boundArguments: boundArguments{args, nil}, at: k.name, explicit: true, own: k.Own, unread: unread}
}
