package image

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// A NotFoundError reports that an image has no kernel, or several kernels, with a name.
type NotFoundError struct {
	File       string   // the image
	Name       string   // qualified
	ParamTypes []string // as asked for
	Overloads  []string // kernels of that name with other parameters
	Have       []string // all kernels of the image, the nearest names first
}

// shownNames is how many names an error message lists.
const shownNames = 8

func (e *NotFoundError) Error() string {
	switch {
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

// Find returns the kernel with a qualified C++ name, such as stats::histogram or
// (anonymous namespace)::scale.
//
// paramTypes, spelled as demanglers do (float const*), choose among overloads. They
// do not count when there is only one kernel of that name: Prove finds a wrong one.
// The symbol of an extern "C" kernel holds no types, so it is taken when no C++
// overload has paramTypes.
//
// The error is a *NotFoundError. The kernel belongs to the image.
func (img *Image) Find(qualified string, paramTypes []string) (*Kernel, error) {
	var named []*Kernel
	for i := range img.Kernels {
		if k := &img.Kernels[i]; k.Name == qualified {
			named = append(named, k)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	var unmangled *Kernel
	for _, k := range named {
		switch {
		case k.ParamTypes == nil:
			unmangled = k
		case slices.Equal(k.ParamTypes, paramTypes):
			return k, nil
		}
	}
	if unmangled != nil {
		return unmangled, nil
	}
	return nil, img.notFound(qualified, paramTypes, named)
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
