package gen

import (
	"errors"
	"go/scanner"
	"strings"

	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
	"github.com/cudagen/cudagen/internal/parallel"
)

// leaveOut proves the units without the kernels that err is about, until there is no error. It returns err
// if it is not about kernels, or if no kernel of a unit remains.
func (p *pipeline) leaveOut(err error, prove func([]*unit) error) error {
	for err != nil {
		var list scanner.ErrorList
		if !errors.As(err, &list) {
			return err
		}
		found := false
		for _, u := range p.units {
			bad := u.blamed(list)
			found = found || len(bad) > 0
			if !u.without(bad) {
				return err
			}
		}
		for _, u := range p.units {
			if found {
				break // the rest may be good
			}
			bad := u.tried(prove)
			found = len(bad) > 0
			if !u.without(bad) {
				return err
			}
		}
		if !found {
			return err
		}
		err = prove(p.units)
	}
	return nil
}

// A blame is why a kernel is left out.
type blame map[*selection.Kernel]scanner.ErrorList

// blamed returns the kernels at whose positions errors of list stand.
func (u *unit) blamed(list scanner.ErrorList) blame {
	bad := make(blame)
	for _, k := range u.sel.Kernels {
		for _, e := range list {
			if e.Pos == k.Pos {
				bad[k] = append(bad[k], e)
			}
		}
	}
	return bad
}

// tried returns the kernels of u that cannot be proved by themselves: an error about a type does not stand
// at the kernels that use it.
func (u *unit) tried(prove func([]*unit) error) blame {
	alone := func(kernels []*selection.Kernel) error {
		one := *u
		one.sel = u.sel.With(kernels)
		return prove([]*unit{&one})
	}
	bad := make(blame)
	var try func([]*selection.Kernel)
	try = func(kernels []*selection.Kernel) {
		var list scanner.ErrorList
		err := alone(kernels)
		switch {
		case !errors.As(err, &list):
		case len(kernels) == 1:
			bad[kernels[0]] = list
		default:
			try(kernels[:len(kernels)/2])
			try(kernels[len(kernels)/2:])
		}
	}
	if alone(nil) == nil && len(u.sel.Kernels) > 0 {
		try(u.sel.Kernels)
	}
	return bad
}

// without leaves the kernels in bad out of u. It reports whether others remain.
func (u *unit) without(bad blame) bool {
	if len(bad) == 0 {
		return true
	}
	var kept []*selection.Kernel
	for _, k := range u.sel.Kernels {
		if _, out := bad[k]; !out {
			kept = append(kept, k)
		}
	}
	if len(kept) == 0 {
		return false
	}
	left := u.sel.With(kept)
	for _, k := range u.sel.Kernels {
		list, out := bad[k]
		if !out {
			continue
		}
		named := make(scanner.ErrorList, len(list))
		reasons := make([]string, len(list))
		for i, e := range list {
			reasons[i] = e.Msg
			if !strings.Contains(e.Msg, k.Name) {
				e = &scanner.Error{Pos: k.Pos, Msg: k.Name + ": " + e.Msg}
			}
			named[i] = e
		}
		u.refused = append(u.refused, named...)
		left.Disproved = append(left.Disproved, selection.Disproved{Kernel: k, Reason: strings.Join(reasons, "; ")})
	}
	u.refused = source.Sorted(u.refused)
	u.sel = left
	return true
}

// recallLeftOut leaves the kernels out of u that an earlier run has left out, if nothing is compiled: what
// contradicted them is not there.
func (u *unit) recallLeftOut(keepGoing bool) error {
	if u.built.Committed == nil {
		return nil
	}
	bad := make(blame)
	var errs scanner.ErrorList
	for _, k := range u.sel.Kernels {
		for _, r := range u.built.Committed.Refused {
			if r.Name == k.QualifiedName() {
				e := &scanner.Error{Pos: k.Pos, Msg: r.Reason}
				bad[k] = scanner.ErrorList{e}
				errs = append(errs, e)
			}
		}
	}
	if len(bad) == 0 || keepGoing && u.without(bad) {
		return nil
	}
	return source.Hint(errs, "-keep-going leaves the kernel out").Err()
}

// eachUnit calls do for units.
func eachUnit(units []*unit, do func(*unit) error) func() error {
	return func() error { return parallel.Each(units, do) }
}
