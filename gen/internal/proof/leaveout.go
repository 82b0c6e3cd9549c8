package proof

import (
	"errors"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A LeavableSource is what of a source is left, and why not all of it.
type LeavableSource struct {
	*selection.Selection
	Refused diag.List // sorted
}

// LeaveOut leaves the kernels out of list that err is about, which prove has returned for all of list, until
// prove returns no error. prove proves the sources with the given indices in list, of which other selections
// are given. Leave returns an error that is not about kernels, or if no kernel of a source remains.
func LeaveOut(list []*LeavableSource, err error, prove func(indices []int, selections []*selection.Selection) error) error {
	all, selections := make([]int, len(list)), make([]*selection.Selection, len(list))
	for err != nil {
		var errs diag.List
		if !errors.As(err, &errs) {
			return err
		}
		found := false
		for _, s := range list {
			bad := s.blamed(errs)
			found = found || len(bad) > 0
			if !s.without(bad) {
				return err
			}
		}
		for i, s := range list {
			if found {
				break // the rest may be good
			}
			bad := s.tried(func(one *selection.Selection) error { return prove([]int{i}, []*selection.Selection{one}) })
			found = len(bad) > 0
			if !s.without(bad) {
				return err
			}
		}
		if !found {
			return err
		}
		for i, s := range list {
			all[i], selections[i] = i, s.Selection
		}
		err = prove(all, selections)
	}
	for _, s := range list { // where that is before anybody else gives kernels up
		one := *s.Selection
		one.Refused, s.Selection = s.Refused, &one
	}
	return nil
}

// Recall leaves the kernels out of s that an earlier run has left out, as its record says. Without keepGoing
// they are an error.
func (s *LeavableSource) Recall(committed []record.Refusal, keepGoing bool) error {
	bad := make(blame)
	var errs diag.List
	for _, k := range s.Kernels {
		for _, r := range committed {
			if r.Of(k.QualifiedName(), s.Overload(k)) {
				m := r.Message()
				if text, named := strings.CutPrefix(m.Text, k.Name+": "); named { // as a record has it
					m.Name, m.Text = k.Name, text
				}
				e := diag.NewError(k.Pos, m)
				bad[k] = append(bad[k], e)
				errs = append(errs, e)
			}
		}
	}
	if len(bad) == 0 || keepGoing && s.without(bad) {
		return nil
	}
	return source.Hint(errs, "-keep-going leaves the kernel out").Err()
}

// A blame is why kernels are left out.
type blame map[*selection.Kernel]diag.List

// blamed returns the kernels at whose positions errors of list stand.
func (s *LeavableSource) blamed(list diag.List) blame {
	bad := make(blame)
	for _, k := range s.Kernels {
		for _, e := range list {
			if e.Pos == k.Pos {
				bad[k] = append(bad[k], e)
			}
		}
	}
	return bad
}

// tried returns the kernels of s that cannot be proved by themselves: an error about a type does not stand
// at the kernels that use it.
func (s *LeavableSource) tried(prove func(*selection.Selection) error) blame {
	bad := make(blame)
	var try func([]*selection.Kernel)
	try = func(kernels []*selection.Kernel) {
		var list diag.List
		err := prove(s.With(kernels))
		switch {
		case !errors.As(err, &list):
		case len(kernels) == 1:
			own := slices.DeleteFunc(slices.Clone(list), func(e *diag.Error) bool { // what another kernel's directive says
				return e.Name != kernels[0].Name && slices.ContainsFunc(s.File.Kernels, func(k *cu.Kernel) bool { return k.Name == e.Name })
			})
			if len(own) == 0 {
				own = list
			}
			bad[kernels[0]] = own
		default:
			try(kernels[:len(kernels)/2])
			try(kernels[len(kernels)/2:])
		}
	}
	if len(s.Kernels) > 0 && prove(s.With(nil)) == nil { // otherwise it is not the kernels' fault
		try(s.Kernels)
	}
	return bad
}

// without leaves the kernels in bad out of s. It reports whether others remain.
func (s *LeavableSource) without(bad blame) bool {
	if len(bad) == 0 {
		return true
	}
	var kept []*selection.Kernel
	for _, k := range s.Kernels {
		if _, out := bad[k]; !out {
			kept = append(kept, k)
		}
	}
	if len(kept) == 0 {
		return false
	}
	left := s.With(kept)
	for _, k := range s.Kernels {
		list, out := bad[k]
		if !out {
			continue
		}
		reasons := make([]diag.Message, len(list))
		for i, e := range list {
			reasons[i] = e.Message
			if e.Name != k.Name { // as of a type
				e = diag.NewError(k.Pos, diag.Message{Code: e.Code, Name: k.Name, Text: e.Message.Error(), Remedy: e.Remedy})
			}
			s.Refused = append(s.Refused, e)
		}
		left.Disproved = append(left.Disproved, selection.Disproved{Kernel: k, Reasons: reasons})
	}
	s.Refused = s.Refused.Sorted()
	s.Selection = left
	return true
}
