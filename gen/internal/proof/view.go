package proof

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/parallel"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A View is a further way in which the sources are compiled: their Go files are made by another
// one.
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

// remedy returns the advice for a source that differs in v.
func (v View) remedy() diag.Remedy {
	if v.NVRTC {
		return diag.Do("do not let it depend on __CUDACC_RTC__, __CUDA_ARCH__ or the host's compiler, or embed the image")
	}
	return diag.Do("do not let it depend on __CUDA_ARCH__, or generate for one -arch alone")
}

// A ViewedSource is the selection and the model of a source.
type ViewedSource struct {
	Named
	Images   []record.Image
	Compiler string // that made them
	Model    *model.File
	Origins  map[string]selection.Origin // of the types in Model, by Go name or selection.ForeignKey
}

// A Named is a selection with the symbols that it has in the images.
type Named struct {
	*selection.Selection
	KernelSymbols   []string // by index in Selection.Kernels
	VariableSymbols []string // by index in Selection.Variables
}

// Viewed are the input of CompareViews.
type Viewed struct {
	List     []ViewedSource
	Arch     int  // compute capability times ten that they are read for
	Embedded bool // NVRTC compiles them when they are loaded

	// Read reads all of them in another view, and Bind makes the models of what was read, for
	// the same images.
	Read func(View) ([]*selection.Selection, error)
	Bind func([]Named) ([]*model.File, error)
}

// CompareViews reports the differences in Go between the views of the sources. The error is a
// diag.List if it is about the sources.
func CompareViews(s Viewed) error {
	if s.Embedded {
		if errs := s.toldByOthers(); len(errs) > 0 {
			return errs
		}
	}
	for _, v := range s.views() {
		if err := s.compare(v); err != nil {
			return err
		}
	}
	return nil
}

// toldByOthers returns the errors of kernels whose types another compiler told than NVRTC, which compiles them when they are
// loaded and ignores attributes that others know.
func (s *Viewed) toldByOthers() (errs diag.List) {
	for _, one := range s.List {
		for _, k := range one.Kernels {
			if k.Told && one.Compiler != "nvrtc" {
				errs.Add(k.Pos, diag.TargetsDiffer.Errorf("%s tells its types, and NVRTC, which compiles embedded source, may lay them out in another way: %w", one.Compiler, diag.Do("use -compiler nvrtc")).About(k.Name))
			}
		}
	}
	return errs
}

// loadArchs are the compute capabilities, times ten, of devices that embedded source may be
// compiled for.
//
// CUDA C++ Programming Guide, Compute Capabilities.
var loadArchs = []int{75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}

// views returns how else code is compiled than for s.Arch: for the other targets of the images
// and, of source that is embedded, by NVRTC.
func (s *Viewed) views() (views []View) {
	add := func(v View) {
		if v.Arch != 0 && !slices.Contains(views, v) {
			views = append(views, v)
		}
	}
	if s.Embedded {
		for _, load := range loadArchs {
			add(View{load, true})
			if !slices.ContainsFunc(s.List, func(one ViewedSource) bool { return one.File.Arch }) {
				break
			}
		}
	}
	for _, one := range s.List {
		for _, image := range one.Images {
			for _, target := range append(slices.Clone(image.Targets), image.Target) {
				if other := source.Arch(target); other != s.Arch && one.File.Arch {
					add(View{other, false})
				}
			}
		}
	}
	return views
}

// compare compares the models of the sources with those that they have in v.
func (s *Viewed) compare(v View) error {
	models, err := s.models(v)
	var list diag.List
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			e.Code, e.Remedy = diag.TargetsDiffer, v.remedy()
			e.Add(diag.Message{Text: fmt.Sprintf(" (when read for %s: %s)", v, e.Remedy)})
		}
		return list
	case err != nil:
		return err
	}
	errs := make([]error, len(s.List))
	for i := range s.List {
		errs[i] = s.List[i].compare(models[i], v)
	}
	return parallel.Join(errs)
}

// models returns the models of the sources in v.
func (s *Viewed) models(v View) ([]*model.File, error) {
	read, err := s.Read(v)
	if err != nil {
		return nil, err
	}
	list := make([]Named, len(read))
	var errs diag.List
	for i, selected := range read {
		list[i] = s.List[i].in(selected)
		errs = append(errs, s.List[i].added(selected)...)
	}
	if len(errs) > 0 {
		return nil, errs.Sorted()
	}
	return s.Bind(list)
}

// added reports the kernels and exported variables of other, which is n in another view, that n's source does not have at all.
func (n *Named) added(other *selection.Selection) (errs diag.List) {
	for _, k := range other.Kernels {
		is := func(own *cu.Kernel) bool { return own.Pos == k.Pos && own.QualifiedName() == k.QualifiedName() }
		if !slices.ContainsFunc(n.Kernels, func(own *selection.Kernel) bool { return is(own.Kernel) }) && !slices.ContainsFunc(n.File.Kernels, is) {
			errs.Add(k.Pos, diag.TargetsDiffer.New("kernel "+k.QualifiedName()+" is there for some targets only"))
		}
	}
	for _, v := range other.Variables {
		is := func(own *cu.Variable) bool { return own.Pos == v.Pos && own.Name == v.Name }
		if !slices.ContainsFunc(n.Variables, func(own *selection.Variable) bool { return is(own.Variable) }) && !slices.ContainsFunc(n.File.Variables, is) {
			errs.Add(v.Pos, diag.TargetsDiffer.New("variable "+v.Name+" is there for some targets only"))
		}
	}
	return errs
}

// in returns what of other, which is n in another view, Go gets of n, with the symbols that it
// has there.
func (n *Named) in(other *selection.Selection) Named {
	same := *other
	same.Kernels, same.Partial = nil, n.Partial
	named := Named{Selection: &same}
	left := slices.Clone(other.Kernels)
	for i, k := range n.Kernels {
		one := k // which the compiler tells, and not the source
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
		named.KernelSymbols = append(named.KernelSymbols, n.KernelSymbols[i])
	}
	for _, v := range other.Variables {
		symbol := ""
		if at := slices.IndexFunc(n.Variables, func(w *selection.Variable) bool { return w.Pos == v.Pos && w.Name == v.Name }); at >= 0 {
			symbol = n.VariableSymbols[at]
		}
		named.VariableSymbols = append(named.VariableSymbols, symbol)
	}
	return named
}

// compare reports what the model of s has and other, the model of a view, lacks.
func (s *ViewedSource) compare(other *model.File, v View) error {
	var errs diag.List
	differ := func(pos token.Position, what, name string) {
		pos.Filename = cmp.Or(pos.Filename, s.Place.Path)
		errs.Add(pos, diag.TargetsDiffer.Errorf("%s %s is not the same for %s: %w", what, name, v, v.remedy()))
	}
	for i, k := range s.Model.Kernels {
		if !has(other.Kernels, k, func(k *model.Kernel) { k.Signature, k.Doc = "", nil }) {
			differ(s.Kernels[i].Pos, "kernel", k.CName)
		}
	}
	for _, one := range slices.Concat(s.Model.Structs, s.Model.Foreign) {
		if !has(slices.Concat(other.Structs, other.Foreign), one, func(s *model.Struct) { s.Pos, s.Doc = model.Pos{}, nil }) {
			differ(s.Origins[cmp.Or(one.GoName, selection.ForeignKey(&one))].Pos, "struct", cmp.Or(one.CName, one.GoName))
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
			differ(s.Variables[i].Pos, "variable", one.CName)
		}
	}
	errs.Sort()
	return errs.Err()
}

// has reports whether list has a value that equals x after strip.
func has[T any](list []T, x T, strip func(*T)) bool {
	strip(&x)
	return slices.ContainsFunc(list, func(y T) bool {
		strip(&y)
		return reflect.DeepEqual(x, y)
	})
}
