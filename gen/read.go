package gen

import (
	"context"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/reader"
	"github.com/cudagen/cudagen/gen/source"
)

// A Reader reads sources with the same code as Generate, but without a compiler. Its methods
// are Read, of the source at a path, and Select, of a parsed one.
type Reader = reader.Reader

// A Reading is what Generate makes of a source, as far as it follows from the source alone.
type Reading = reader.Reading

// NewReader returns a Reader with the options o. It ignores o.Sources.
func NewReader(o Options) *Reader {
	if o.Arch == 0 {
		o.Arch = source.FirstArch(o.Archs)
	}
	p := &pipeline{Options: o}
	return reader.New(reader.Options{
		Read: o.read(context.Background(), false), Build: p.options(nil), Bind: bind.Options{Name: o.Name, Tags: o.Tags}, Output: o.Output,
		Check: func() error { return o.check(1) },
	})
}

// A SelectedKernel is a kernel that is wrapped.
type SelectedKernel = bind.SelectedKernel

// A SelectedVariable is a variable that an export directive selects.
type SelectedVariable = bind.SelectedVariable
