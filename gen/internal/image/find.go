package image

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"
)

// A NotFoundError reports that an image has no kernel, or several kernels, with a name.
type NotFoundError struct {
	File       string   // the image
	Name       string   // qualified
	ParamTypes []string // as asked for
	Overloads  []string // kernels of that name with other parameters
	Have       []string // all kernels of the image, the nearest names first
	Several    bool     // more than one of the overloads fits
}

// shownNames is how many names an error message lists.
const shownNames = 8

func (e *NotFoundError) Error() string {
	switch {
	case e.Several:
		return fmt.Sprintf("%s has several kernels %s(%s): %s",
			e.File, e.Name, strings.Join(e.ParamTypes, ", "), strings.Join(e.Overloads, ", "))
	case len(e.Have) == 0:
		return fmt.Sprintf("%s has no kernel %s: it has no kernels", e.File, e.Name)
	case len(e.Overloads) > 0:
		return fmt.Sprintf("%s has no kernel %s(%s): its overloads are %s",
			e.File, e.Name, strings.Join(e.ParamTypes, ", "), strings.Join(e.Overloads, ", "))
	}
	shown, more := e.Have, ""
	if len(shown) > shownNames {
		shown, more = shown[:shownNames], fmt.Sprintf(" and %d more", len(shown)-shownNames)
	}
	return fmt.Sprintf("%s has no kernel %s: it has %s%s", e.File, e.Name, strings.Join(shown, ", "), more)
}

// DiagnosticCode returns diag.NotInImage.
func (e *NotFoundError) DiagnosticCode() diag.Code { return diag.NotInImage }

// Find returns the kernel with a qualified C++ name, such as stats::histogram or
// (anonymous namespace)::scale. The versions in the namespaces of C++ libraries do not count.
//
// paramTypes, spelled as demanglers do (float const*), choose among overloads; an empty one
// fits any type. They do not count when there is only one kernel of that name: Prove finds a
// wrong one. The symbol of an extern "C" kernel holds no types, so it is taken when no C++
// overload has paramTypes.
//
// The name of a function among the template arguments may lack arguments that C++ deduces:
// k<&f<4>> finds k<&f<4, float>>, if there is no other.
//
// The error is a *NotFoundError. The kernel belongs to the image.
func (img *Image) Find(qualified string, paramTypes []string) (*Kernel, error) {
	name := ctype.WithoutVersions(qualified)
	named := img.named(func(k *Kernel) bool { return k.Name == name })
	if loose := withoutDeduced(name); len(named) == 0 && strings.Contains(loose, "&") {
		named = img.named(func(k *Kernel) bool { return withoutDeduced(k.Name) == loose })
		if len(named) > 1 {
			e := img.notFound(qualified, paramTypes, named)
			e.Several = true
			return nil, e
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	var unmangled *Kernel
	var fitting []*Kernel
	for _, k := range named {
		switch {
		case k.ParamTypes == nil:
			unmangled = k
		case k.Takes(paramTypes):
			fitting = append(fitting, k)
		}
	}
	switch {
	case len(fitting) == 1:
		return fitting[0], nil
	case len(fitting) == 0 && unmangled != nil:
		return unmangled, nil
	}
	e := img.notFound(qualified, paramTypes, named)
	e.Several = len(fitting) > 1
	return nil, e
}

// named returns the kernels that have a name.
func (img *Image) named(has func(*Kernel) bool) []*Kernel {
	var list []*Kernel
	for i := range img.Kernels {
		if k := &img.Kernels[i]; has(k) {
			list = append(list, k)
		}
	}
	return list
}

// Takes reports whether the symbol of k has these types of parameters, or has none, being of an
// extern "C" kernel. An empty one fits any.
func (k *Kernel) Takes(paramTypes []string) bool {
	if k.ParamTypes == nil {
		return true
	}
	if len(k.ParamTypes) != len(paramTypes) {
		return false
	}
	for i, t := range k.ParamTypes {
		if paramTypes[i] != "" && t != "" && ctype.WithoutVersions(paramTypes[i]) != t {
			return false
		}
	}
	return true
}

func (img *Image) notFound(name string, paramTypes []string, overloads []*Kernel) *NotFoundError {
	e := &NotFoundError{File: img.File, Name: name, ParamTypes: paramTypes}
	for _, k := range overloads {
		e.Overloads = append(e.Overloads, k.declaration())
	}
	distance := map[string]int{}
	for i := range img.Kernels {
		k := &img.Kernels[i]
		e.Have = append(e.Have, k.declaration())
		distance[k.declaration()] = levenshtein.ComputeDistance(k.Name, name)
	}
	slices.SortStableFunc(e.Have, func(a, b string) int { return distance[a] - distance[b] })
	return e
}

// declaration returns the kernel's name with its parameter types, where known.
func (k *Kernel) declaration() string {
	if k.ParamTypes == nil {
		return k.Name
	}
	return k.Name + "(" + strings.Join(k.ParamTypes, ", ") + ")"
}
