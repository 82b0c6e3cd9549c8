package gen

import (
	"cmp"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"reflect"
	"slices"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
	"github.com/cudagen/cudagen/internal/parallel"
)

// A view is another way to read the sources than the one that the Go files are made by, in
// which their code is compiled, too.
type view struct {
	arch  int  // compute capability times ten, as __CUDA_ARCH__ / 10 has it
	nvrtc bool // by NVRTC, which compiles embedded source
}

func (v view) String() string {
	if v.nvrtc {
		return fmt.Sprintf("NVRTC, which compiles embedded source, for sm_%d", v.arch)
	}
	return fmt.Sprintf("sm_%d", v.arch)
}

// remedy is what the author of a source can do that is another one in v.
func (v view) remedy() string {
	if v.nvrtc {
		return "do not let it depend on __CUDACC_RTC__, __CUDA_ARCH__ or the host's compiler, or embed the image"
	}
	return "do not let it depend on __CUDA_ARCH__, or generate for one -arch alone"
}

// loadArchs are the compute capabilities, times ten, of devices that embedded source may be
// compiled for.
//
// CUDA C++ Programming Guide, Compute Capabilities.
var loadArchs = []int{75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}

// views returns how else code is compiled: for the other targets of the images and, of
// source that is embedded, by NVRTC.
func (p *pipeline) views() []view {
	var list []view
	add := func(v view) {
		if v.arch != 0 && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	if p.Embed == EmbedSource {
		for _, arch := range loadArchs {
			add(view{arch, true})
			if !slices.ContainsFunc(p.units, func(u *unit) bool { return u.sel.File.Arch }) {
				break
			}
		}
	}
	for _, u := range p.units {
		for _, image := range u.built.Record.Images {
			for _, target := range append(image.Targets, image.Target) {
				if arch := source.FirstArch([]string{target}); arch != p.Arch && u.sel.File.Arch {
					add(view{arch, false})
				}
			}
		}
	}
	return list
}

// compareViews reports what Go would have otherwise if the sources were read as another
// compilation of them does. The images' parameters, and what the compiler says for one
// target, do not show it when fields change places.
func (p *pipeline) compareViews() error {
	for _, v := range p.views() {
		o := p.Options
		o.Arch = v.arch
		other, err := newPipeline(o, v.nvrtc)
		if err == nil {
			err = other.modelsAs(p)
		}
		var list scanner.ErrorList
		switch {
		case errors.As(err, &list):
			for _, e := range list {
				e.Msg = fmt.Sprintf("%s (so it is for %s: %s)", e.Msg, v, v.remedy())
			}
			return list
		case err != nil:
			return err
		}
		errs := make([]error, len(p.units))
		for i, u := range p.units {
			errs[i] = u.compareModel(other.units[i].bound.Model, v)
		}
		if err := parallel.Join(errs); err != nil {
			return err
		}
	}
	return nil
}

// modelsAs makes the models of p, of which nothing is compiled, with the images and symbols of
// others, which is the same pipeline with proofs.
func (p *pipeline) modelsAs(others *pipeline) error {
	for i, u := range p.units {
		as := others.units[i]
		u.built, u.proofs = as.built, new(proof.Proofs)
		sel := *u.sel
		sel.Kernels = nil
		left := slices.Clone(u.sel.Kernels)
		for _, k := range as.proofs.Kernels {
			s := k.Kernel // which the compiler tells, and not the source
			if !k.Told {
				at := slices.IndexFunc(left, func(s *selection.Kernel) bool { return s.Pos == k.Pos && s.QualifiedName() == k.QualifiedName() })
				if at < 0 {
					continue
				}
				s = left[at]
				left = slices.Delete(left, at, at+1)
			}
			sel.Kernels = append(sel.Kernels, s)
			u.proofs.Kernels = append(u.proofs.Kernels, &proof.ProvedKernel{Kernel: s, Symbol: k.Symbol})
		}
		for _, v := range u.sel.Variables {
			one := &proof.ProvedVariable{Variable: v}
			if at := slices.IndexFunc(as.proofs.Variables, func(w *proof.ProvedVariable) bool { return w.Pos == v.Pos && w.Name == v.Name }); at >= 0 {
				one.Symbol = as.proofs.Variables[at].Symbol
			}
			u.proofs.Variables = append(u.proofs.Variables, one)
		}
		u.sel = &sel
	}
	return p.bind()
}

// compareModel reports what is in the unit's model and not in other, which is that of a view.
func (u *unit) compareModel(other *model.File, v view) error {
	var errs scanner.ErrorList
	differ := func(pos token.Position, what, name string) {
		pos.Filename = cmp.Or(pos.Filename, u.place.Path)
		errs.Add(pos, fmt.Sprintf("%s %s is not the same for %s: %s", what, name, v, v.remedy()))
	}
	for i, k := range u.bound.Model.Kernels {
		if !has(other.Kernels, k, func(k *model.Kernel) { k.Signature, k.Doc = "", nil }) {
			differ(u.proofs.Kernels[i].Pos, "kernel", k.CName)
		}
	}
	for _, s := range u.bound.Model.Structs {
		if !has(other.Structs, s, func(s *model.Struct) { s.Pos, s.Doc = model.Pos{}, nil }) {
			differ(u.bound.Origins[s.GoName].Pos, "struct", cmp.Or(s.CName, s.GoName))
		}
	}
	for _, e := range u.bound.Model.Enums {
		if !has(other.Enums, e, func(e *model.Enum) { e.Pos, e.Doc = model.Pos{}, nil }) {
			differ(token.Position{}, "enum", cmp.Or(e.CName, e.GoName))
		}
	}
	for _, c := range u.bound.Model.Constants {
		if !has(other.Constants, c, func(*model.Constant) {}) {
			differ(token.Position{Line: c.Pos.Line}, "constant", c.CName)
		}
	}
	for i, one := range u.bound.Model.Variables {
		if !has(other.Variables, one, func(one *model.Variable) { one.Doc = nil }) {
			differ(u.proofs.Variables[i].Pos, "variable", one.CName)
		}
	}
	errs.Sort()
	return errs.Err()
}

// has reports whether list has one like x, but for what strip takes away.
func has[T any](list []T, x T, strip func(*T)) bool {
	strip(&x)
	return slices.ContainsFunc(list, func(y T) bool {
		strip(&y)
		return reflect.DeepEqual(x, y)
	})
}
