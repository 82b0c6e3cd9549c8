package compare_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

// A mutation changes one thing that a compiler says. want is what the message has to say
// of it, both values included.
type mutation struct {
	name        string
	apply, undo func()
	want        string
}

// mutate makes a mutation of the thing at p.
func mutate[T any](name string, p *T, to T, what string) mutation {
	was := *p
	return mutation{name, func() { *p = to }, func() { *p = was }, fmt.Sprintf("%s is %v by the source and %v by the compiler", what, was, to)}
}

// A mutator lists the mutations of what a compiler says of a kernel.
type mutator struct {
	list []mutation
	seen map[*witness.Type]bool
}

// types lists those of a type and of what it is made of.
func (m *mutator) types(at string, t *witness.Type) {
	t = t.Bare()
	if m.seen[t] {
		return
	}
	m.seen[t] = true
	if declared := (t.Kind == witness.Class || t.Kind == witness.Union) && !t.Complete(); declared {
		return
	}
	other := witness.Float
	if t.Kind == witness.Float {
		other = witness.Signed
	}
	m.list = append(m.list, mutate(at+": kind", &t.Kind, other, "kind"))
	switch t.Kind {
	case witness.Signed, witness.Unsigned:
		if t.Name != "char" && t.Name != "wchar_t" { // the host chooses their sign
			m.list = append(m.list, mutate(at+": sign", &t.Kind, witness.Signed+witness.Unsigned-t.Kind, "kind"))
		}
	case witness.Pointer, witness.Reference:
		m.types(at+"->", t.Elem)
	case witness.Array:
		m.list = append(m.list, mutate(at+": length", &t.Len, t.Len+1, "number of elements"))
		m.types(at+"[]", t.Elem)
	case witness.Enum:
		for i := range t.Enumerators {
			e := &t.Enumerators[i]
			m.list = append(m.list, mutate(at+": value of "+e.Name, &e.Value, e.Value-1, ""))
		}
	}
	if t.Kind != witness.Array && t.Kind != witness.Function && t.Kind != witness.Void {
		m.list = append(m.list, mutate(at+": size", &t.Size, t.Size+1, "size"))
	}
	m.fields(at, t)
}

func (m *mutator) fields(at string, t *witness.Type) {
	for i := range t.Fields {
		f := &t.Fields[i]
		inner := at + "." + f.Name
		switch {
		case f.BitField && f.Name == "", f.Base && len(f.Type.Bare().Fields) == 0:
			continue // padding, and bases without data, are nowhere
		case f.BitField:
			m.list = append(m.list, mutate(inner+": bits", &f.Bits, f.Bits+1, "number of bits"),
				mutate(inner+": first bit", &f.BitOffset, f.BitOffset+1, "first bit"))
		case f.Base:
			m.list = append(m.list, mutate(inner+": place of the base", &f.Offset, f.Offset+1, ""))
			m.fields(inner, f.Type.Bare()) // its fields are compared as those of the class
			continue
		default:
			m.list = append(m.list, mutate(inner+": name", &f.Name, f.Name+"x", ""))
		}
		m.list = append(m.list, mutate(inner+": offset", &f.Offset, f.Offset+1, ""))
		m.types(inner, f.Type)
	}
}

// Whatever number, name or kind of the debug information is changed: the proof fails, and
// says which.
func TestEveryMutantOfFieldsIsRefused(t *testing.T) {
	eachCompiler(t, typesFile, func(t *testing.T, list []*kernelCase) {
		count := 0
		for _, c := range list {
			m := &mutator{seen: make(map[*witness.Type]bool)}
			for i, p := range c.debug.Params {
				m.types(fmt.Sprint("parameter ", i), p.Type)
			}
			for _, mutant := range m.list {
				mutant.apply()
				_, err := compare.Fields(c.Kernel, c.debug)
				mutant.undo()
				var differences compare.Error
				require.True(t, errors.As(err, &differences), "%s: %s: %v", c.Name, mutant.name, err)
				assert.ErrorContains(t, err, c.Name+": parameter ")
				if mutant.want[0] != ' ' {
					assert.ErrorContains(t, err, mutant.want, "%s: %s", c.Name, mutant.name)
				}
				count++
			}
			if n := len(c.debug.Params); n > 0 {
				all := c.debug.Params
				c.debug.Params = append(all[:n:n], all[0])
				_, err := compare.Fields(c.Kernel, c.debug)
				c.debug.Params = all
				assert.ErrorContains(t, err, fmt.Sprintf("number of parameters is %d by the source and %d by the compiler", n, n+1))
			}
		}
		assert.Greater(t, count, 300)
	})
}

// The same for the probe.
func TestEveryMutantOfKindsIsRefused(t *testing.T) {
	eachCompiler(t, typesFile, func(t *testing.T, list []*kernelCase) {
		for _, c := range list {
			for i := range c.answers {
				a := &c.answers[i]
				hostSigned := c.Params[i].Type.Demangled() == "char" || c.Params[i].Type.Demangled() == "wchar_t"
				mutants := []mutation{
					mutate("size", &a.Size, a.Size+1, "size"),
					mutate("alignment", &a.Align, a.Align*2, "alignment"),
				}
				if !hostSigned {
					mutants = append(mutants, mutate("kind", &a.Kind, otherKind(a.Kind), "kind"))
				}
				if enum, ok := ctype.Unqualified(c.Params[i].Type).(*ctype.Enum); ok && enum.Name != "Plain" { // which has either sign
					mutants = append(mutants, mutate("under", &a.Under, otherKind(a.Under), "kind of the underlying type"))
				}
				if a.Kind == witness.Pointer || a.Kind == witness.Reference {
					mutants = append(mutants, mutate("target's kind", &a.Target.Kind, otherKind(a.Target.Kind), "kind"))
					if a.Target.Size > 0 {
						mutants = append(mutants, mutate("target's size", &a.Target.Size, a.Target.Size+1, "size"),
							mutate("target's alignment", &a.Target.Align, a.Target.Align*2, "alignment"))
					}
				}
				for _, mutant := range mutants {
					mutant.apply()
					err := compare.Kinds(c.Kernel, c.answers)
					mutant.undo()
					var differences compare.Error
					require.True(t, errors.As(err, &differences), "%s: parameter %d: %s: %v", c.Name, i, mutant.name, err)
					assert.ErrorContains(t, err, mutant.want, "%s: parameter %d: %s", c.Name, i, mutant.name)
				}
			}
			err := compare.Kinds(c.Kernel, append(c.answers[:len(c.answers):len(c.answers)], witness.Answer{}))
			assert.ErrorContains(t, err, fmt.Sprintf("number of parameters is %d by the source and %d by the compiler", len(c.answers), len(c.answers)+1))
		}
	})
}

func otherKind(k witness.Kind) witness.Kind {
	if k == witness.Signed {
		return witness.Unsigned
	}
	return witness.Signed
}

// And for what the source says: a field that is moved, narrowed or renamed there.
func TestEveryMutantOfTheSourceIsRefused(t *testing.T) {
	list := cases(t, typesFile, "clang")
	count := 0
	for _, c := range list {
		for i, p := range c.Params {
			class, ok := ctype.Unqualified(targetOf(p.Type)).(*ctype.Struct)
			if !ok || !class.Complete {
				continue
			}
			for j := range class.Fields {
				f := &class.Fields[j]
				if f.BitField && f.Name == "" {
					continue
				}
				mutants := []mutation{mutate("name", &f.Name, f.Name+"x", ""), mutate("type", &f.Type, ctype.Type(ctype.Known("longlong3")), "")}
				if f.BitField {
					mutants = []mutation{mutate("bits", &f.Bits, f.Bits-1, "")}
				}
				for _, mutant := range mutants {
					mutant.apply()
					_, err := compare.Fields(c.Kernel, c.debug)
					mutant.undo()
					assert.Error(t, err, "%s: parameter %d: %s.%s: %s", c.Name, i, class, f.Name, mutant.name)
					count++
				}
			}
			class.Align *= 2
			if class.Align == 0 {
				class.Align = 64
			}
			was := class.Align
			_, err := compare.Fields(c.Kernel, c.debug)
			assert.Error(t, err)
			if _, pointer := ctype.Unqualified(p.Type).(*ctype.Pointer); !pointer {
				_, align, layoutErr := layout.Of(p.Type)
				require.NoError(t, layoutErr)
				assert.ErrorContains(t, compare.Kinds(c.Kernel, c.answers), fmt.Sprintf("alignment is %d by the source", align))
			}
			if class.Align = was / 2; class.Align == 32 && class.Name != "Aligned" {
				class.Align = 0
			}
		}
	}
	assert.Greater(t, count, 50)
}

// Messages name kernel, parameter and field, and both numbers.
func TestMessages(t *testing.T) {
	vec := &witness.Type{Kind: witness.Class, Name: "Vec", Size: 8, Fields: []witness.Field{
		{Name: "x", Type: &witness.Type{Kind: witness.Float, Name: "float", Size: 4}},
		{Name: "y", Type: &witness.Type{Kind: witness.Signed, Name: "int", Size: 4}, Offset: 5},
	}}
	array := &witness.Type{Kind: witness.Array, Elem: vec, Len: 2, Size: 16}
	outer := &witness.Type{Kind: witness.Class, Name: "Outer", Size: 16, Fields: []witness.Field{{Name: "pos", Type: array}}}
	float := ctype.Builtin(ctype.Float)
	source := &ctype.Struct{Name: "Outer", Complete: true, Fields: []ctype.Field{{Name: "pos", Type: &ctype.Array{Len: 2, Elem: &ctype.Struct{
		Name: "Vec", Complete: true, Fields: []ctype.Field{{Name: "x", Type: float}, {Name: "y", Type: float}},
	}}}}}
	k := compare.Kernel{Name: "step", Params: []compare.Param{{Name: "o", Type: source}}}
	_, err := compare.Fields(k, &witness.Kernel{Params: []witness.Param{{Name: "o", Type: outer}}})
	assert.EqualError(t, err, "step: parameter 0 (o), field pos[].y: offset is 4 by the source and 5 by the compiler\n"+
		"step: parameter 0 (o), field pos[].y: kind is float by the source and signed integer by the compiler")

	k.Params[0] = compare.Param{Type: &ctype.Pointer{Elem: float}}
	integer := &witness.Type{Kind: witness.Signed, Name: "int", Size: 4}
	_, err = compare.Fields(k, &witness.Kernel{Params: []witness.Param{{Type: &witness.Type{Kind: witness.Pointer, Size: 8, Elem: integer}}}})
	assert.EqualError(t, err, "step: parameter 0, what it points at: kind is float by the source and signed integer by the compiler")
}

// Debug information leaves out what a kernel does not use.
func TestUnproved(t *testing.T) {
	integer := &witness.Type{Kind: witness.Signed, Name: "int", Size: 4}
	source := ctype.Builtin(ctype.Int)
	k := compare.Kernel{Name: "k", Params: []compare.Param{{Name: "a", Type: source}, {Name: "b", Type: source}, {Name: "c", Type: source}}}
	params := func(names ...string) *witness.Kernel {
		debug := &witness.Kernel{}
		for _, name := range names {
			debug.Params = append(debug.Params, witness.Param{Name: name, Type: integer})
		}
		return debug
	}
	compared, err := compare.Fields(k, params("a", "c"))
	assert.NoError(t, err)
	assert.Equal(t, []bool{true, false, true}, compared.Params)
	for _, names := range [][]string{{"c", "a"}, {"a", "x"}, {"", "c"}, {"a", "b", "c", "d"}} {
		_, err = compare.Fields(k, params(names...))
		assert.ErrorContains(t, err, fmt.Sprintf("k: number of parameters is 3 by the source and %d by the compiler", len(names)))
	}
}
