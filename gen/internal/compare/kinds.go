package compare

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

// Kinds compares k with the compiler's answers to a probe of the same kernel: how many
// parameters there are, and of each the size, the alignment and the kind of its type, and
// of what it points at; of enumerations also the kind below.
//
// The error is an Error, or that of package layout when a parameter has no layout.
func Kinds(k Kernel, answers []witness.Answer) error {
	c := &comparison{kernel: k.Name}
	differ(c, "", "number of parameters", len(k.Params), len(answers))
	for i, p := range k.Params[:min(len(k.Params), len(answers))] {
		c.param = describe(i, p.Name)
		size, align, err := layout.Of(p.Type)
		if err != nil {
			return err
		}
		c.object("", p.Type, size, align, answers[i].Object)
		var target ctype.Type
		switch t := ctype.Unqualified(p.Type).(type) {
		case *ctype.Pointer:
			target = t.Elem
		case *ctype.Reference:
			target = t.Elem
		default:
			continue
		}
		// Void, functions and incomplete classes have no size.
		size, align, err = layout.Of(target)
		if answers[i].Target.Size == 0 || err != nil {
			size, align = answers[i].Target.Size, answers[i].Target.Align
		}
		c.object(path("").target(), target, size, align, answers[i].Target)
	}
	return c.err()
}

func (c *comparison) object(at path, source ctype.Type, size, align int64, compiler witness.Object) {
	bare := ctype.Unqualified(source)
	if basic, ok := bare.(*ctype.Basic); !ok || basic.Kind != ctype.LongDouble { // sizeof is the host's
		differ(c, at, "size", size, compiler.Size)
		differ(c, at, "alignment", align, compiler.Align)
	}
	if !agrees(bare, compiler.Kind) {
		differ(c, at, "kind", kindOf(bare), compiler.Kind)
	}
	if enum, ok := bare.(*ctype.Enum); ok && enum.Underlying != nil && !hostSigned(enum.Underlying, compiler.Under) && !eitherSign(enum, compiler.Under) {
		differ(c, at, "kind of the underlying type", kindOf(enum.Underlying), compiler.Under)
	}
}

// eitherSign reports whether kind, an integer, may be the underlying type of e as well: each
// compiler chooses it for an enumeration that states none and whose values fit both signs. GCC and
// nvcc choose an unsigned one, NVRTC int; no value has other bytes.
//
// C++ standard, [dcl.enum].
func eitherSign(e *ctype.Enum, kind witness.Kind) bool {
	if e.Fixed || e.Scoped || kind != witness.Signed && kind != witness.Unsigned {
		return false
	}
	most := int64(1)<<(8*e.Underlying.Size-1) - 1
	return !slices.ContainsFunc(e.Enumerators, func(v ctype.Enumerator) bool { return !v.Known || v.Value < 0 || v.Value > most })
}
