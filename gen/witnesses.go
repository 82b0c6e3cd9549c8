package gen

import (
	"errors"
	"fmt"
	"go/scanner"
	"slices"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/witness"
	"github.com/cudagen/cudagen/internal/ptx"
)

// A testimony is what a compiler says of the kernels of a unit besides the images: of one
// extra compilation, beside those that make the images.
type testimony struct {
	debug   *witness.Debug
	answers map[*cu.Kernel][]witness.Answer // by selected.origin; empty when the compiler could not be asked
}

// questions are what the extra compilation asks about, by kernel.
type questions struct {
	witness.Queries
	kernels []*cu.Kernel
}

// ask returns the questions about the unit's kernels.
func (u *unit) ask() *questions {
	q := new(questions)
	for _, s := range slices.Concat(u.kernels, u.unclear) {
		q.kernels = append(q.kernels, s.origin)
		q.Kernels = append(q.Kernels, u.query(s))
	}
	return q
}

// query returns the question about a kernel.
func (u *unit) query(s *selected) witness.KernelQuery {
	var overload []ctype.Type
	if u.overloaded(s) {
		overload = []ctype.Type{}
		for _, p := range s.Params {
			overload = append(overload, p.Type)
		}
	}
	return proof.Query(s.Namespace, s.Name, s.Args, overload)
}

// overloaded reports whether the source has another kernel of the name of s, and knows
// the types of its parameters.
func (u *unit) overloaded(s *selected) bool {
	known := !slices.ContainsFunc(s.Kernel.Params, func(p cu.Param) bool { return p.Type == nil })
	return known && s.Args == nil && slices.ContainsFunc(u.file.Kernels, func(k *cu.Kernel) bool {
		return k != s.Kernel && k.QualifiedName() == s.QualifiedName() && k.Signature != s.Signature
	})
}

// hear makes the extra compilation. A question that cannot be put in C++, about a kernel
// in a class, say, must not cost the other witness: then nothing is asked. A compiler
// without debug information leaves the unit without a testimony, and so does one that
// fails, with a warning.
func (u *unit) hear(jobs *jobs, request compile.Request, arch string) error {
	q := u.ask()
	asking := request
	asking.Arch, asking.Debug, asking.LineInfo = arch, true, false
	asking.Suffix += q.Source()
	out, err := jobs.compile(asking)
	_, refused := err.(scanner.ErrorList)
	if refused {
		asking.Suffix = request.Suffix
		out, err = jobs.compile(asking)
	}
	var failed *compile.FailedError
	switch _, wrong := err.(scanner.ErrorList); {
	case wrong, errors.Is(err, compile.ErrNoDebug):
		return nil // the source is wrong: the other compilations say so
	case errors.As(err, &failed):
		u.unheard = failed
		return nil
	case err != nil:
		return err
	}
	t := &testimony{answers: make(map[*cu.Kernel][]witness.Answer)}
	if t.debug, err = witness.ReadDebug(u.path, out.Code); err != nil {
		return fmt.Errorf("%s: the debug information of %s: %w", u.path, out.Compiler, err)
	}
	u.testimony, u.included = t, out.Includes
	if refused {
		return nil
	}
	module, err := ptx.Parse(u.path, out.Code)
	if err != nil {
		return err
	}
	answers, err := q.Read(module)
	if err != nil {
		return fmt.Errorf("%s: the answers of %s: %w", u.path, out.Compiler, err)
	}
	for i, s := range q.kernels {
		t.answers[s] = answers.Kernels[i]
	}
	return nil
}

// compareTestimony compares p with what the compiler says of it, and notes who proved
// which parameter and class.
func (p *proved) compareTestimony(t *testimony) error {
	k := proof.Kernel{Name: p.Name}
	for _, param := range p.Params {
		k.Params = append(k.Params, proof.Param{Name: param.Name, Type: param.Type})
	}
	if debug := t.debug.Kernel(p.symbol); debug != nil {
		compared, err := proof.Fields(k, debug)
		if err != nil {
			return err
		}
		for i, done := range compared.Params {
			if done {
				p.witnesses[i] = append(p.witnesses[i], record.Debug)
			}
		}
		p.classes = compared.Classes
	}
	if answers := t.answers[p.origin]; answers != nil {
		if err := proof.Kinds(k, answers); err != nil {
			return err
		}
		for i := range p.witnesses {
			p.witnesses[i] = append(p.witnesses[i], record.Probe)
		}
	}
	return nil
}
