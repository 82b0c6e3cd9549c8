package directive

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/internal/diag"
)

// ptr reads the parameters that stay plain addresses.
func (r *reader) ptr(d cu.Directive) {
	for _, i := range r.pointers(d) {
		r.spec.Plain[i] = true
	}
}

// nullable reads the slices that may be the zero Slice.
func (r *reader) nullable(d cu.Directive) {
	for _, i := range r.pointers(d) {
		r.spec.Nullable[i] = true
		r.nullables = append(r.nullables, namedPointer{i, d})
	}
}

// A namedPointer is a parameter that a directive names.
type namedPointer struct {
	param int
	in    cu.Directive
}

// pointers returns the parameters that d names, which must be pointers.
func (r *reader) pointers(d cu.Directive) (list []int) {
	names := strings.FieldsFunc(d.Args, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' })
	if len(names) == 0 {
		r.errorf(d.Pos, diag.ExpressionName, "%s names no parameter", d.Verb)
	}
	end := 0
	for _, name := range names {
		start := end + strings.Index(d.Args[end:], name)
		end = start + len(name)
		pos := at(d.ArgsPos, start)
		switch i := r.index(name); {
		case i < 0:
			r.errorf(pos, diag.ExpressionName, "there is no parameter %s%w", name, Nearest(name, r.names()))
		case !r.Params[i].Pointer:
			r.errorf(pos, diag.ParameterKind, "%s needs a pointer, but parameter %s is not a pointer", d.Verb, name)
		default:
			list = append(list, i)
		}
	}
	return list
}

// checkNullables reports parameters that need not be nullable.
func (r *reader) checkNullables() {
	for _, n := range r.nullables {
		if name := r.Params[n.param].Name; r.spec.Plain[n.param] {
			r.errorf(n.in.ArgsPos, diag.Contradiction, "%s is both ptr and nullable: a Ptr may always be NULL, so remove nullable", name)
		}
	}
}
