package output

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/record"
)

// described returns the model of in, with the witnesses of each number and the resources that the
// machine code states. in.Model is not changed.
func described(in *RenderedSource) (*model.File, error) {
	f := *in.Model
	f.Kernels, f.Variables = list(f.Kernels), list(f.Variables)
	f.Structs, f.Foreign, f.Enums = list(f.Structs), list(f.Foreign), list(f.Enums)
	f.Constants, f.Images = list(f.Constants), list(f.Images)
	for i := range f.Kernels {
		k := &f.Kernels[i]
		k.Args, k.Params = list(k.Args), list(k.Params)
		for j := range k.Params {
			k.Params[j].Witnesses = in.Record.Kernels[i].Params[j].Witnesses
		}
	}
	for i := range f.Variables {
		f.Variables[i].Witnesses = in.Record.Variables[i].Witnesses
	}
	for i, s := range in.Record.Structs {
		if i < len(f.Structs) {
			confirmed(&f.Structs[i], &s)
		} else {
			confirmed(&f.Foreign[i-len(f.Structs)], &s)
		}
	}
	for i := range f.Enums {
		e := &f.Enums[i]
		e.Witnesses, e.Constants = in.Record.Enums[i].Witnesses, list(e.Constants)
		for j := range e.Constants {
			e.Constants[j].Witnesses = in.Record.Enums[i].Constants[j].Witnesses
		}
	}
	for i := range f.Constants {
		c := &f.Constants[i]
		at := slices.IndexFunc(in.Record.Constants, func(r record.Constant) bool { return r.Name == c.CName })
		if at >= 0 {
			c.Witnesses = in.Record.Constants[at].Witnesses
		}
	}
	return &f, code(&f, in.Images)
}

// list returns a copy of values, which is not nil: JSON has a list then.
func list[T any](values []T) []T { return append([]T{}, values...) }

// confirmed notes who confirms s and its fields.
func confirmed(s *model.Struct, r *record.Struct) {
	s.Witnesses, s.Fields = r.Witnesses, list(s.Fields)
	for i := range s.Fields {
		s.Fields[i].Witnesses = r.Fields[i].Witnesses
	}
}

// code adds to the kernels of f what machine code says of them.
func code(f *model.File, files []image.File) error {
	for i := range files {
		file := &files[i]
		if file.Targets == nil {
			continue
		}
		images, err := file.Read()
		if err != nil {
			return err
		}
		for _, img := range images {
			for _, found := range img.Kernels {
				at := slices.IndexFunc(f.Kernels, func(k model.Kernel) bool { return k.Symbol == found.Symbol })
				if at < 0 {
					continue
				}
				k := &f.Kernels[at]
				k.Code = append(k.Code, model.Code{
					Image: filepath.Base(file.Path), Target: target(img.Target, file.Targets), Registers: found.Registers, SharedBytes: found.SharedBytes,
				})
			}
		}
	}
	return nil
}

// target returns the one of targets that an image for sm names: sm_90 stands for sm_90a, too.
func target(sm string, targets []string) string {
	for _, t := range targets {
		if strings.TrimRight(t, "af") == sm {
			return t
		}
	}
	return sm
}
