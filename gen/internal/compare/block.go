package compare

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/diag"
)

// Block compares the parameters that the source gives a kernel with those of the image: how
// many there are, then the size, offset and alignment of each, and where the last one ends.
// kernel is for messages, as are the names in source.
//
// A cubin has no alignments, so they are not compared. If a parameter is aligned to more
// than 16 bytes, the offsets of a cubin are compared with those that follow from its
// Base; where that is not known, only the sizes of the parameters are.
//
// The error is an Error.
func Block(kernel string, source []image.Param, got *image.Kernel) error {
	c := &comparison{kernel: kernel}
	c.inImage("number of parameters", int64(len(source)), int64(len(got.Params)))
	offsets, end, known := expected(source, got.Base)
	for i := range min(len(source), len(got.Params)) {
		want, have := source[i], got.Params[i]
		c.param = describe(i, want.Name)
		c.inImage("size", want.Size, have.Size)
		if known {
			c.inImage("offset", offsets[i], have.Offset)
		}
		if have.Align != 0 {
			c.inImage("alignment", want.Align, have.Align)
		}
	}
	c.param = ""
	if known {
		c.inImage("size of the parameter block", end, got.Bytes)
	}
	return c.err()
}

// Storage compares the size and the alignment in bytes and the state space that the source
// gives a variable, called name in messages, with those of the image. An alignment may be
// stricter there.
//
// The error is an Error when a number differs.
func Storage(name string, source image.Variable, got *image.Variable) error {
	if space(&source) != space(got) {
		return diag.LayoutsDisagree.Errorf("its state space is %s by the source and %s in the image", space(&source), space(got)).About(name)
	}
	c := &comparison{kernel: name}
	c.inImage("size", source.Size, got.Size)
	if got.Align != 0 && got.Align < source.Align {
		c.inImage("alignment", source.Align, got.Align)
	}
	return c.err()
}

func space(v *image.Variable) string {
	if v.Managed {
		return string(v.Space) + ", managed"
	}
	return string(v.Space)
}

// inImage notes a difference when the source and the image do not state the same number.
func (c *comparison) inImage(what string, source, image int64) {
	if source != image {
		c.found = append(c.found, Difference{c.kernel, c.param, what, fmt.Sprint(source), fmt.Sprint(image), InImage})
	}
}

// expected returns where the parameters of source lie in a block that begins at base,
// and where the last one ends. known is false when that depends on base, which is not
// known.
func expected(source []image.Param, base int64) (offsets []int64, end int64, known bool) {
	wide := slices.ContainsFunc(source, func(p image.Param) bool { return p.Align > image.PackedAlign })
	if wide && base == image.UnknownBase {
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
