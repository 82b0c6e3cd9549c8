package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// longestName limits the spelling of a type, in bytes: P<P<…>, P<…>> of P<…>, P<…> takes
// twice as many with every step.
const longestName = 1 << 15

// tooLong returns why types are not understood whose spellings together are too long, nil
// when they are not.
func (u *unit) tooLong(at *lex.Token, types ...ctype.Type) *ctype.Reason {
	total := 0
	for _, t := range types {
		if total += u.length(t); total > longestName {
			return u.reasonf(at, diag.NotUnderstood, "has a type whose name is longer than %d bytes (%w)", longestName, diag.Do("give the types in it classes of their own, in place of aliases"))
		}
	}
	return nil
}

// length returns the length of the spelling of t, or more than longestName.
func (u *unit) length(t ctype.Type) int {
	const punctuation = len(" const volatile")
	switch t := t.(type) {
	case nil:
		return 0
	case *ctype.Alias:
		return u.length(t.Type)
	case *ctype.Qualified:
		return u.length(t.Type) + punctuation
	case *ctype.Pointer:
		return u.length(t.Elem) + 1
	case *ctype.Reference:
		return u.length(t.Elem) + len("&&")
	case *ctype.Array:
		return u.length(t.Elem) + punctuation
	case *ctype.MemberPointer:
		return u.length(t.Class) + u.length(t.Elem) + len("::*")
	case *ctype.Function:
		return u.remembered(t, func() int {
			n := u.length(t.Result) + punctuation
			for _, one := range t.Params {
				n += u.length(one) + len(", ")
			}
			return n
		})
	case *ctype.Struct:
		return u.remembered(t, func() int {
			n := len(t.Name)
			for _, outer := range t.Scope {
				n += len(outer) + len("::")
			}
			return n + u.argumentsLength(t.Args)
		})
	}
	return len(t.Demangled())
}

// argumentsLength returns the length of the spelling of template arguments.
func (u *unit) argumentsLength(args []ctype.TemplateArg) int {
	n := 0
	for _, arg := range args {
		n += len(", ")
		switch {
		case arg.IsValue:
			n += len(arg.Demangled())
		case arg.Entity == nil:
			n += u.length(arg.Type)
		}
		if e := arg.Entity; e != nil {
			for _, outer := range e.Scope {
				n += len(outer) + len("::")
			}
			n += len(e.Name) + u.argumentsLength(e.Args)
		}
	}
	return n
}

// remembered returns the length of t, which is computed once: a type may be part of another
// in many places.
func (u *unit) remembered(t ctype.Type, compute func() int) int {
	if n, ok := u.lengths[t]; ok {
		return n
	}
	n := min(compute(), 2*longestName)
	u.lengths[t] = n
	return n
}
