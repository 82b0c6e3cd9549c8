package proof

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"reflect"
	"slices"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
)

// A View is another way to read the sources than the one that the Go files are made by, in
// which their code is compiled, too.
type View struct {
	Arch  int  // compute capability times ten, as __CUDA_ARCH__ / 10 has it
	NVRTC bool // by NVRTC, which compiles embedded source
}

func (v View) String() string {
	if v.NVRTC {
		return fmt.Sprintf("NVRTC, which compiles embedded source, for sm_%d", v.Arch)
	}
	return fmt.Sprintf("sm_%d", v.Arch)
}

// Remedy is what the author of a source can do that is another one in v.
func (v View) Remedy() string {
	if v.NVRTC {
		return "do not let it depend on __CUDACC_RTC__, __CUDA_ARCH__ or the host's compiler, or embed the image"
	}
	return "do not let it depend on __CUDA_ARCH__, or generate for one -arch alone"
}

// loadArchs are the compute capabilities, times ten, of devices that embedded source may be
// compiled for.
//
// CUDA C++ Programming Guide, Compute Capabilities.
var loadArchs = []int{75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}

// A Viewed is a source as far as it matters in which views its code is compiled.
type Viewed struct {
	ByArch bool           // __CUDA_ARCH__ decides what it says
	Images []record.Image // of it
}

// Views returns how else code is compiled than for arch: for the other targets of the images
// and, of source that is embedded, by NVRTC.
func Views(arch int, embedded bool, list []Viewed) (views []View) {
	add := func(v View) {
		if v.Arch != 0 && !slices.Contains(views, v) {
			views = append(views, v)
		}
	}
	if embedded {
		for _, load := range loadArchs {
			add(View{load, true})
			if !slices.ContainsFunc(list, func(s Viewed) bool { return s.ByArch }) {
				break
			}
		}
	}
	for _, s := range list {
		for _, image := range s.Images {
			for _, target := range append(slices.Clone(image.Targets), image.Target) {
				if other := source.FirstArch([]string{target}); other != arch && s.ByArch {
					add(View{other, false})
				}
			}
		}
	}
	return views
}

// In returns what of s, which is a source in another view, was proved in this one, with the
// symbols that it has here.
func (p *Proofs) In(s *selection.Selection) (*selection.Selection, *Proofs) {
	same, proofs := *s, new(Proofs)
	same.Kernels = nil
	left := slices.Clone(s.Kernels)
	for _, k := range p.Kernels {
		one := k.Kernel // which the compiler tells, and not the source
		if !k.Told {
			at := slices.IndexFunc(left, func(other *selection.Kernel) bool {
				return other.Pos == k.Pos && other.QualifiedName() == k.QualifiedName()
			})
			if at < 0 {
				continue
			}
			one = left[at]
			left = slices.Delete(left, at, at+1)
		}
		same.Kernels = append(same.Kernels, one)
		proofs.Kernels = append(proofs.Kernels, &ProvedKernel{Kernel: one, Symbol: k.Symbol})
	}
	for _, v := range s.Variables {
		one := &ProvedVariable{Variable: v}
		if at := slices.IndexFunc(p.Variables, func(w *ProvedVariable) bool { return w.Pos == v.Pos && w.Name == v.Name }); at >= 0 {
			one.Symbol = p.Variables[at].Symbol
		}
		proofs.Variables = append(proofs.Variables, one)
	}
	return &same, proofs
}

// CompareModels reports what is in the model of s and not in other, which is that of a view.
func CompareModels(s Statement, other *model.File, v View) error {
	var errs scanner.ErrorList
	differ := func(pos token.Position, what, name string) {
		pos.Filename = cmp.Or(pos.Filename, s.Place.Path)
		errs.Add(pos, fmt.Sprintf("%s %s is not the same for %s: %s", what, name, v, v.Remedy()))
	}
	for i, k := range s.Model.Kernels {
		if !has(other.Kernels, k, func(k *model.Kernel) { k.Signature, k.Doc = "", nil }) {
			differ(s.Proofs.Kernels[i].Pos, "kernel", k.CName)
		}
	}
	for _, one := range s.Model.Structs {
		if !has(other.Structs, one, func(s *model.Struct) { s.Pos, s.Doc = model.Pos{}, nil }) {
			differ(s.Origins[one.GoName].Pos, "struct", cmp.Or(one.CName, one.GoName))
		}
	}
	for _, e := range s.Model.Enums {
		if !has(other.Enums, e, func(e *model.Enum) { e.Pos, e.Doc = model.Pos{}, nil }) {
			differ(token.Position{}, "enum", cmp.Or(e.CName, e.GoName))
		}
	}
	for _, c := range s.Model.Constants {
		if !has(other.Constants, c, func(*model.Constant) {}) {
			differ(token.Position{Line: c.Pos.Line}, "constant", c.CName)
		}
	}
	for i, one := range s.Model.Variables {
		if !has(other.Variables, one, func(one *model.Variable) { one.Doc = nil }) {
			differ(s.Proofs.Variables[i].Pos, "variable", one.CName)
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
