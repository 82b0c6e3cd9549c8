package image

import (
	"fmt"
	"strings"
)

// A Mismatch is one number that the source and an image state differently.
type Mismatch struct {
	Kernel string
	Param  string // parameter 2 (x); empty when it is about all of them
	What   string // offset, size, alignment, number of parameters
	Source int64  // in bytes, or a count
	Image  int64
}

func (m Mismatch) String() string {
	where := m.Kernel
	if m.Param != "" {
		where += ": " + m.Param
	}
	return fmt.Sprintf("%s: %s is %d by the source and %d in the image", where, m.What, m.Source, m.Image)
}

// A MismatchError is all that disagrees about one kernel, at least one.
type MismatchError []Mismatch

func (e MismatchError) Error() string {
	lines := make([]string, len(e))
	for i, m := range e {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// Prove compares the parameters that the source gives a kernel with those of the
// image: how many there are, then the size, offset and alignment of each, and where
// the last one ends. kernel is for messages, as are the names in source.
//
// The error is a MismatchError.
func Prove(kernel string, source []Param, got *Kernel) error {
	var errs MismatchError
	compare := func(param, what string, source, image int64) {
		if source != image {
			errs = append(errs, Mismatch{Kernel: kernel, Param: param, What: what, Source: source, Image: image})
		}
	}
	compare("", "number of parameters", int64(len(source)), int64(len(got.Params)))
	for i := range min(len(source), len(got.Params)) {
		want, have := source[i], got.Params[i]
		param := fmt.Sprintf("parameter %d", i)
		if want.Name != "" {
			param += " (" + want.Name + ")"
		}
		compare(param, "size", want.Size, have.Size)
		compare(param, "offset", want.Offset, have.Offset)
		compare(param, "alignment", want.Align, have.Align)
	}
	end := int64(0)
	if n := len(source); n > 0 {
		end = source[n-1].Offset + source[n-1].Size
	}
	compare("", "size of the parameter block", end, got.Bytes)
	if len(errs) > 0 {
		return errs
	}
	return nil
}
