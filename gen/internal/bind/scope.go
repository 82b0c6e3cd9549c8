package bind

import (
	"go/token"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/emit"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// A scope chooses the names of a source in the package. At first it is asked for the names of
// everything that has some, and returns the plain ones. Then it settles, and is asked again if some
// of these were ambiguous.
//
// Names depend on the declaration of what they name, and on whether two things want the same one:
// then none of them has it.
type scope struct {
	list  []*packageName
	known map[any]*packageName // by layout.Identity, or one of the keys

	contested map[string]bool   // names that other sources of the package want, too
	file      string            // the Go name of the source, in front of contested names
	plain     map[string]string // by such a name: the contested one

	kernelsClash bool // in the type that holds them: then their own types do, too
}

// A packageName is something with names in the package.
type packageName struct {
	claim goname.Claim
	names []string

	kernel        *selection.Kernel // whose names are qualified together; nil for something else
	pos           token.Position
	what, another string // for messages: what it is, and how to give it another name
}

// The keys of what is not a type.
type (
	constantKey   token.Position // of its directive
	kernelTypeKey struct{ kernel *selection.Kernel }
	helpersKey    struct{ kernel *selection.Kernel } // the types of its arguments, of its calls, of its parameter block
)

// name returns the names of key. n says what it is.
func (s *scope) name(key any, n packageName) []string {
	known, twice := s.known[key]
	if !twice {
		n.names = n.claim.Forms[0]
		known = &n
		s.known[key], s.list = known, append(s.list, known)
	}
	return known.names
}

// give makes names those of key, by a directive. It reports whether key had none from another one.
func (s *scope) give(key any, names []string, pos token.Position) bool {
	n := packageName{claim: goname.Fixed(names...), pos: pos, what: "export"}
	known, twice := s.known[key]
	switch {
	case !twice:
		s.name(key, n)
	case known.claim.Fixed:
		return known.names[0] == names[0] && known.pos == pos // asked again
	default:
		known.claim, known.pos, known.what, known.another = n.claim, n.pos, n.what, ""
	}
	return true
}

// kernel returns the names of the types that go with k, which is called goName.
func (s *scope) kernel(k *selection.Kernel, goName string) (typeName string, helpers []string) {
	n := packageName{kernel: k, pos: k.Pos, what: k.Name, another: "//cudagen:kernel GoName"}
	n.claim = goname.Forms(emit.KernelTypes(goName)...)
	typeName = s.name(kernelTypeKey{k}, n)[0]
	n.claim = goname.Claim{Forms: [][]string{emit.PackageNames(goName), emit.PackageNames(goName + "_")}}
	return typeName, s.name(helpersKey{k}, n)
}

// settle chooses the names. again reports whether some differ from those that it returned before.
func (s *scope) settle() (again bool, errs diag.List) {
	claims := []goname.Claim{goname.Fixed(s.file, "Load"+s.file)}
	for _, n := range s.list {
		claims = append(claims, n.claim)
	}
	chosen, clashes := goname.Settle(claims)
	for _, c := range clashes {
		n := s.list[c.Claim-1]
		chosen[c.Claim] = n.claim.Forms[0]
		if n.kernel == nil || !s.kernelsClash {
			n.taken(c.Name, &errs)
		}
	}
	if len(s.contested) > 0 && len(errs) == 0 {
		s.qualify(chosen[1:], &errs)
	}
	for i, n := range s.list {
		again = again || !slices.Equal(n.names, chosen[i+1])
		n.names = chosen[i+1]
	}
	return again, errs
}

// taken reports that something else has a name of n.
func (n *packageName) taken(name string, errs *diag.List) {
	code := diag.GoName
	if n.claim.Fixed { // by a directive
		code = diag.Export
	}
	m := code.Errorf("%s: the Go name %s is taken already", n.what, name)
	if n.another != "" {
		m = code.Errorf("%s: %w", m.Text, diag.Do("give another with %s", n.another))
	}
	errs.Add(n.pos, m)
}

// qualify puts the Go name of the source in front of contested names, and of those that go with
// them. A name that a directive gives stays. names are by index in s.list.
func (s *scope) qualify(names [][]string, errs *diag.List) {
	kernels := make(map[*selection.Kernel]bool)
	contested := func(name string) bool { return s.contested[name] }
	for i, n := range s.list {
		if n.kernel != nil && slices.ContainsFunc(names[i], contested) {
			kernels[n.kernel] = true
		}
	}
	has := map[string]bool{s.file: true, "Load" + s.file: true}
	for i, n := range s.list {
		if kernels[n.kernel] || n.kernel == nil && !n.claim.Fixed && slices.ContainsFunc(names[i], contested) {
			var full []string
			for _, name := range names[i] {
				full = append(full, goname.Within(s.file, name))
				s.plain[full[len(full)-1]] = name
			}
			names[i] = full
		}
		for _, name := range names[i] {
			if has[name] {
				n.taken(name, errs)
			}
			has[name] = true
		}
	}
}
