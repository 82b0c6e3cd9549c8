package compare

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/internal/witness"
	"github.com/cudagen/cudagen/internal/diag"
)

// Tell takes the types of the unclear kernels from what the compiler states: t, and the PTX that
// was seen. Of kernels of which it does not say enough it tells the reason.
//
// Their parameters are those that the front end does not understand: it is smaller than C++,
// and headers may not be there. The compiler knows them, so a kernel that compiles gets its
// wrapper all the same, if its parameters have a form in Go. They have what was learned from the
// answers about what was told before.
//
// Vague says that answers with the code of kernels may say more.
func Tell(s *selection.Selection, t *Answers, seen *image.Image, learned Learned) (told []selection.Told, vague bool) {
	resolver := &Resolver{unsaid: make(map[*witness.Type]bool), aligns: learned.Aligns}
	type pending struct {
		s        *selection.Kernel
		debug    *witness.Kernel
		compiled *image.Kernel
	}
	var list []pending
	cannot := func(k *selection.Kernel, err error) {
		told = append(told, selection.Told{Kernel: k, Reason: diag.CodeOf(err).Errorf("the compiler does not state its parameters either: %w", err).About(k.Name)})
	}
	for _, k := range s.Unclear {
		compiled, debug, err := find(k, t, seen)
		if err != nil {
			cannot(k, err)
			vague = t.Declared
			continue
		}
		unnamed := slices.ContainsFunc(debug.Params, func(p witness.Param) bool { return p.Name == "" })
		vague = vague || t.Declared && unnamed && len(k.Params) != len(debug.Params)
		list = append(list, pending{k, debug, compiled})
		for i, p := range debug.Params {
			resolver.Learn(p.Type, &t.Kernels[k.Origin][i], demangledType(compiled, i))
			if learned.Bytes[Place{k.Origin, i}] {
				resolver.unsaid[target(p.Type)] = true
			}
		}
	}
	for _, one := range list {
		params, err := resolved(one.s, resolver, one.debug, t.Kernels[one.s.Origin], one.compiled)
		if err != nil {
			cannot(one.s, err)
			continue
		}
		told = append(told, selection.Told{Kernel: one.s, Params: params})
	}
	return told, vague || t.Declared && resolver.declared
}

// A Place is a parameter of a kernel, which is a selection.Kernel.Origin.
type Place struct {
	Kernel *cu.Kernel
	Index  int
}

// Learned is what answers about told types say of them that nobody knew when they were told.
type Learned struct {
	// Bytes are the parameters of which nobody confirms all that their class holds, because C++ cannot name that, such as the private
	// bases of a std::tuple and unions without a name: the class at their end is bytes.
	Bytes map[Place]bool

	// Aligns are alignments of classes by layout.Identity, that are more than their fields need: nvcc's debug information has none.
	Aligns map[any]int64
}

// And returns what l and more are together, and whether that is more than l.
func (l Learned) And(more Learned) (all Learned, grown bool) {
	all = Learned{make(map[Place]bool), make(map[any]int64)}
	for _, one := range []Learned{l, more} {
		maps.Copy(all.Bytes, one.Bytes)
		maps.Copy(all.Aligns, one.Aligns)
	}
	return all, len(all.Bytes) > len(l.Bytes) || len(all.Aligns) > len(l.Aligns)
}

// Learned returns what the answers say of types of s that a compiler told.
func (t *Answers) Learned(s *selection.Selection) Learned {
	l := Learned{make(map[Place]bool), make(map[any]int64)}
	for _, k := range s.Kernels {
		for i, p := range k.Params {
			if !k.Told {
				continue
			}
			for _, subject := range Subjects([]Root{{Type: p.Type, Says: witness.ParamType(&k.Query, i)}}) {
				if align := t.aligned(subject); align != 0 {
					l.Aligns[layout.Identity(subject.Type)] = align
				} else if t.unsaid(subject) {
					l.Bytes[Place{k.Origin, i}] = true
				}
			}
		}
	}
	return l
}

// aligned returns the alignment of a class that the probe states and that was not known when it was told, or 0.
func (t *Answers) aligned(s Subject) int64 {
	class, ok := s.Type.(*ctype.Struct)
	if !ok || class.Name == "" || !s.Told() {
		return 0
	}
	d := t.Types[layout.Identity(class)]
	if d.Answer == nil || d.Answer.Align <= class.Stated.Align {
		return 0
	}
	return d.Answer.Align
}

func (t *Answers) unsaid(s Subject) bool {
	if s.Type == nil || !s.Told() {
		return false
	}
	d := t.Types[layout.Identity(s.Type)]
	fields, enumerators := s.Parts()
	return d.Answer == nil || !d.Parts && len(fields)+len(enumerators) > 0 || d.Debug != nil && d.Debug.Bare().Kind == witness.Unknown
}

// target returns the class or other type at the end of pointers and references.
func target(t *witness.Type) *witness.Type {
	bare := t.Bare()
	for bare.Kind == witness.Pointer || bare.Kind == witness.Reference {
		bare = bare.Elem.Bare()
	}
	return bare
}

// find returns what image and debug information have of an unclear kernel.
func find(s *selection.Kernel, t *Answers, seen *image.Image) (*image.Kernel, *witness.Kernel, error) {
	name := s.QualifiedName()
	if s.ExternC {
		name = s.Name
	}
	named := 0
	for _, k := range seen.Kernels {
		if k.Name == ctype.WithoutVersions(name) {
			named++
		}
	}
	if named > 1 {
		return nil, nil, diag.Unconfirmed.Errorf("the compiler has %d kernels of this name, and they cannot be told apart", named)
	}
	compiled, err := seen.Find(name, nil)
	if err != nil {
		return nil, nil, err
	}
	there, err := t.Image.Find(name, compiled.ParamTypes)
	if err != nil {
		return nil, nil, err
	}
	debug := t.DebugOf(s.Origin, there.Symbol)
	if debug == nil {
		return nil, nil, diag.Unconfirmed.Errorf("the compiler has no debug information of it")
	}
	if len(debug.Params) != len(compiled.Params) {
		return nil, nil, diag.Unconfirmed.Errorf("it has unused parameters, which the compiler does not describe")
	}
	if t.Kernels[s.Origin] == nil {
		return nil, nil, diag.Unconfirmed.Errorf("the compiler could not be asked about it")
	}
	return compiled, debug, nil
}

func demangledType(k *image.Kernel, i int) string {
	if i < len(k.ParamTypes) {
		return k.ParamTypes[i]
	}
	return ""
}

// resolved returns the parameters of s with the types that the compiler tells, where the
// source does not.
func resolved(s *selection.Kernel, r *Resolver, debug *witness.Kernel, answers []witness.Answer, compiled *image.Kernel) ([]cu.Param, error) {
	r.Pos = s.Pos
	var params []cu.Param
	for i, p := range debug.Params {
		param := cu.Param{Name: p.Name, Pos: s.Pos}
		if len(s.Params) == len(debug.Params) {
			param = s.Params[i]
		}
		if param.Type == nil {
			t, err := r.Param(p.Type, &answers[i], demangledType(compiled, i))
			if err != nil {
				return nil, fmt.Errorf("parameter %d: %w", i, err)
			}
			if size := compiled.Params[i].Size; size != answers[i].Size { // as of a class with [[no_unique_address]]
				return nil, fmt.Errorf("parameter %d: %w", i, twoSizes(t, answers[i].Size, "by the probe", size, "in the image"))
			}
			param.Type, param.Dependent = t, s.Args != nil // of an instance, symbols may have the template's spelling
		}
		params = append(params, param)
	}
	return params, nil
}

// twoSizes says that a compiler lays t out in two ways, as nvcc does with classes that have [[no_unique_address]].
func twoSizes(t ctype.Type, one int64, by string, other int64, in string) diag.Message {
	return diag.CompilersDiffer.Errorf("%s has two sizes to the compiler itself: %d bytes %s, and %d %s (%w)", t, one, by, other, in,
		diag.Do("hand over what it has by parameters of their own"))
}
