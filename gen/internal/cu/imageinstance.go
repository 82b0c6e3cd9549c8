package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// compiled gives the templates the instances of them that an image has. Where it is not certain which
// instance that is, it notes why.
func (t *kernelTable) compiled(u *unit) {
	for _, one := range u.config.Instances {
		var refused, fitting *kernel
		var made *implied
		var why diag.Message
		for _, k := range t.byPath[one.Template] {
			if !k.Template || !k.Defined {
				continue
			}
			instance, reason := k.compiled(u, one)
			switch {
			case reason != nil && refused == nil:
				refused, why = k, reason.Message
			case reason == nil && fitting != nil:
				refused, why = k, diag.Template.New("several templates have this name")
				made = nil
			case reason == nil:
				fitting, made = k, instance
			}
		}
		switch {
		case made != nil:
			fitting.implied = append(fitting.implied, made)
		case refused != nil:
			u.file.Notes.Add(refused.Pos, diag.Template.Errorf("the compiler makes the instance <%s> of it, which is not wrapped: %w", one.Arguments, why).About(refused.Name))
		}
	}
}

// compiled returns the instance of the template k that one is.
func (k *kernel) compiled(u *unit, one ImageInstance) (*implied, *ctype.Reason) {
	text, ok := one.Source()
	if !ok {
		return nil, reasonf(k.name, diag.Template, "C++ has no name for one of the arguments")
	}
	tokens := u.directiveTokens(Directive{ArgsPos: k.Pos}, text)
	args, inner, reason := u.in(k.scope.root()).templateArguments(k.head, newCursor(newTokens(tokens), lex.Token{At: k.name.At}), k.scope, k.name)
	if reason != nil {
		return nil, reason
	}
	return &implied{boundArguments: boundArguments{args, inner}, at: k.name, explicit: true, own: k.Own}, nil
}
