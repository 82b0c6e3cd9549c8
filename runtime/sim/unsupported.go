package sim

import (
	"cmp"
	"errors"
	"slices"

	"github.com/cudagen/cudagen/runtime/sim/internal/images"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// Opcodes returns the instructions that the simulated device executes, as sorted
// patterns: | separates alternatives, and a question mark makes a modifier optional. Any
// other instruction is an error when its kernel is launched.
func Opcodes() []string { return interp.Opcodes() }

// A KernelLacks is what a kernel needs that the simulated device does not have.
type KernelLacks struct {
	Name  string // in the PTX, for C++ mangled
	Lacks []Lack // empty if the kernel runs
}

// A Lack is an instruction, a variable, a call or a directive that the simulated device does not
// support.
type Lack struct {
	What    string // as in messages: instruction tcgen05.wait::ld.sync.aligned
	File    string // of the source, without folders; empty if the PTX has no line numbers
	Line    int    // in File
	PTXLine int
}

// Lacks returns the kernels of PTX, sorted by name. Errors call the PTX name. A kernel that
// lacks something cannot be launched; the others run. PTX that a device's compiler would refuse
// is an error with a line for each mistake.
func Lacks(name string, image []byte) ([]KernelLacks, error) {
	var mem memory.Memory
	defer mem.Reset()
	lib, refused := images.Load(name, image, &mem, 0)
	if refused != nil {
		return nil, errors.New(refused.Log)
	}
	var kernels []KernelLacks
	for _, k := range lib.Kernels {
		var lacks []Lack
		for _, l := range k.Lacks {
			lacks = append(lacks, Lack(l))
		}
		kernels = append(kernels, KernelLacks{k.Name, lacks})
	}
	slices.SortFunc(kernels, func(a, b KernelLacks) int { return cmp.Compare(a.Name, b.Name) })
	return kernels, nil
}
