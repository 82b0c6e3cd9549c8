package image

import (
	"fmt"
	"slices"
	"strings"
)

// A Mismatch is a number that differs between the source and an image.
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

// A MismatchError lists the mismatches of one kernel. It is not empty.
type MismatchError []Mismatch

func (e MismatchError) Error() string {
	lines := make([]string, len(e))
	for i, m := range e {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// packedAlign is the alignment in bytes up to which every parameter lies in a cubin where
// C++ and PTX have it: blocks begin at a multiple of it.
const packedAlign = 16

// Prove compares the parameters that the source gives a kernel with those of the
// image: how many there are, then the size, offset and alignment of each, and where
// the last one ends. kernel is for messages, as are the names in source.
//
// A cubin has no alignments, so they are not compared. If a parameter is aligned to more
// than 16 bytes, the offsets of a cubin are compared with those that follow from its
// Base; where that is not known, only the sizes of the parameters are.
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
	offsets, end, known := expected(source, got.Base)
	for i := range min(len(source), len(got.Params)) {
		want, have := source[i], got.Params[i]
		param := fmt.Sprintf("parameter %d", i)
		if want.Name != "" {
			param += " (" + want.Name + ")"
		}
		compare(param, "size", want.Size, have.Size)
		if known {
			compare(param, "offset", offsets[i], have.Offset)
		}
		if have.Align != 0 {
			compare(param, "alignment", want.Align, have.Align)
		}
	}
	if known {
		compare("", "size of the parameter block", end, got.Bytes)
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// expected returns where the parameters of source lie in a block that begins at base,
// and where the last one ends. known is false when that depends on base, which is not
// known.
func expected(source []Param, base int64) (offsets []int64, end int64, known bool) {
	wide := slices.ContainsFunc(source, func(p Param) bool { return p.Align > packedAlign })
	if wide && base == UnknownBase {
		return nil, 0, false
	}
	for _, p := range source {
		offset := p.Offset
		if wide && base != 0 {
			offset = (base+end+p.Align-1)/p.Align*p.Align - base
		}
		offsets = append(offsets, offset)
		end = offset + p.Size
	}
	return offsets, end, true
}
