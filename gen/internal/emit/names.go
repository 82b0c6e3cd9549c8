package emit

import (
	"github.com/cudagen/cudagen/gen/model"
)

// A Name is one that a Go file declares in its package.
type Name struct {
	Name string
	Of   string // Go name of the struct, union or enum that it belongs to; empty for others

	Kernel *model.Kernel // that it belongs to, or nil
}

// Names returns the names that the Go file of f declares in its package, in their order there. A
// kernel has all names that it may need: a directive more or less makes no other name.
func Names(f *model.File) []Name {
	list := []Name{{Name: f.GoName}, {Name: "Load" + f.GoName}}
	for _, image := range f.Images {
		list = append(list, Name{Name: imageVar(image)})
	}
	for _, c := range f.Constants {
		list = append(list, Name{Name: c.GoName})
	}
	for _, m := range f.Enums {
		list = append(list, Name{Name: m.GoName, Of: m.GoName})
		for _, c := range m.Constants {
			list = append(list, Name{Name: c.GoName, Of: m.GoName})
		}
	}
	for _, s := range f.Structs {
		list = append(list, Name{Name: s.GoName, Of: s.GoName})
	}
	for i := range f.Kernels {
		k := &f.Kernels[i]
		for _, name := range KernelNames(k) {
			list = append(list, Name{Name: name, Kernel: k})
		}
	}
	return list
}

// KernelNames returns the names that k takes in the package: of its type, its arguments, its call,
// its parameter block and its launch attributes.
func KernelNames(k *model.Kernel) []string {
	return []string{kernelType(*k), argsType(*k), callType(*k), paramsType(*k), attributes(*k)}
}
