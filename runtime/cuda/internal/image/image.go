// Package image takes the name and the text of an image, code for GPUs, and says on what it runs and which
// parameters its kernels have. It loads nothing, and knows no device but by its numbers.
package image

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
)

// RunsOn reports whether machine code for target runs on a GPU of a compute capability.
//
// CUDA C++ Programming Guide, Binary Compatibility, Architecture-Specific and
// Family-Specific Features.
func RunsOn(target string, major, minor int) bool {
	digits, ok := strings.CutPrefix(target, "sm_")
	number, err := strconv.Atoi(strings.TrimRight(digits, "af"))
	if !ok || err != nil || number/10 != major {
		return false
	}
	if strings.HasSuffix(digits, "a") {
		return number%10 == minor
	}
	return number%10 <= minor
}

// A Param is where a kernel has a parameter, and how large it is, in bytes.
type Param struct{ Offset, Size uint64 }

// Params returns the parameters of a kernel by the text of an image. ok is false if that is not PTX that can be
// read, or has no such kernel.
//
// PTX ISA, State Spaces, Parameter State Space: Kernel Function Parameters.
func Params(name, text, symbol string) (params []Param, ok bool) {
	m, err := ptx.Parse(name, []byte(text))
	if err != nil {
		return nil, false
	}
	i := slices.IndexFunc(m.Funcs, func(f *ptx.Func) bool { return f.Entry && f.Name == symbol })
	if i < 0 {
		return nil, false
	}
	offsets, _, ok := ptx.Offsets(m.Funcs[i].Params)
	for n, offset := range offsets {
		size, _ := m.Funcs[i].Params[n].Size()
		params = append(params, Param{uint64(offset), uint64(size)})
	}
	return params, ok
}
