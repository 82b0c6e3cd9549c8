// Package image takes compiled images, gives their kernels and variables, and does not know their
// source: symbols and C++ names, the parameters of kernels, the sizes of variables.
//
// It reads PTX (through internal/ptx), cubins and fatbins. Package compare compares image and source;
// Find and VariablesNamed find what belongs to what. Start with ReadPTX, ReadCubin or ReadFatbin.
package image

import (
	"fmt"
	"go/token"
	"math"
	"slices"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/ptx"
)

// PackedAlign is the alignment in bytes up to which every parameter lies in a cubin where
// C++ and PTX have it: blocks begin at a multiple of it.
const PackedAlign = 16

// An Image describes a compiled file.
type Image struct {
	File    string   // as given to the function that read it
	Version string   // of the PTX ISA: 9.0; empty of a cubin
	Target  string   // sm_75
	Kernels []Kernel // in the order of the file

	Variables []Variable // that it defines in the memory of a device, in the order of the file
}

// A Kernel is one entry point of an image.
type Kernel struct {
	Symbol     string
	Name       string   // qualified C++ name; of an extern "C" kernel the symbol
	ParamTypes []string // as demangled: float const*, "" for one that is not known; nil for extern "C"
	Params     []Param
	Bytes      int64 // size of the parameter block, without padding behind the last parameter

	// Base is the address to which the offsets of the parameters count. In PTX it is 0.
	// In a cubin it is where the block begins in the constant bank, which differs between
	// GPUs, or UnknownBase. It matters for parameters that are aligned to more than 16
	// bytes: their address is aligned, not their offset.
	Base int64

	MaxThreads [3]int // .maxntid: most threads in a block; zero when the image does not say
	ReqThreads [3]int // .reqntid: exact threads in a block; zero when the image does not say
	ReqCluster [3]int // .reqnctapercluster, of PTX: exact blocks in a cluster; zero when it does not say

	// Of a cubin. Registers are for each thread; SharedBytes is static shared memory for each
	// block, without what the GPU reserves. Both are 0 in PTX, and where a cubin
	// does not say.
	Registers   int
	SharedBytes int64

	Pos token.Position // of the symbol
}

// A Param is one parameter of a kernel, all in bytes.
type Param struct {
	Name   string // in the source; empty in an image
	Offset int64
	Size   int64
	Align  int64 // 0 when the image does not say, as cubins
}

// UnknownBase is Kernel.Base in a cubin that still has to be linked.
const UnknownBase = -1

// ReadPTX reads the kernels and variables of a PTX file. name is for positions.
//
// Errors in the text are a diag.List. Device functions are not looked at.
//
// PTX ISA, Kernel and Function Directives: .entry.
func ReadPTX(name string, src []byte) (*Image, error) {
	module, err := ptx.Parse(name, src)
	if err != nil {
		return nil, diag.CompilerOutput.Of(err)
	}
	return OfPTX(name, module)
}

// OfPTX is ReadPTX for parsed PTX.
func OfPTX(name string, module *ptx.Module) (*Image, error) {
	img := &Image{File: name, Version: fmt.Sprintf("%d.%d", module.Version.Major, module.Version.Minor)}
	if len(module.Target) > 0 {
		img.Target = module.Target[0]
	}
	var errs diag.List
	seen := map[string]bool{}
	for _, f := range module.Funcs {
		if !f.Entry || f.Body == nil {
			continue
		}
		k, err := kernel(f)
		switch {
		case err != nil:
			errs.Add(f.Pos, fmt.Errorf("kernel %s: %w", f.Name, err))
		case seen[f.Name]:
			errs.Add(f.Pos, diag.CompilerOutput.Errorf("kernel %s is defined twice", f.Name))
		default:
			seen[f.Name] = true
			img.Kernels = append(img.Kernels, k)
		}
	}
	img.Variables = variables(module, &errs)
	if len(errs) > 0 {
		return nil, errs.Sorted()
	}
	return img, nil
}

func kernel(f *ptx.Func) (Kernel, error) {
	k := Kernel{Symbol: f.Name, Pos: f.Pos}
	k.Name, k.ParamTypes = demangled(f.Name)
	offsets, end, ok := ptx.Offsets(f.Params)
	if !ok {
		return k, diag.NoLayout.Errorf("a parameter has no size")
	}
	k.Bytes = end
	for i, p := range f.Params {
		size, _ := p.Size()
		k.Params = append(k.Params, Param{Offset: offsets[i], Size: size, Align: p.Alignment()})
	}
	for _, attr := range f.Attrs {
		var err error
		switch attr.Name {
		case "maxntid":
			k.MaxThreads, err = threads(attr)
		case "reqntid":
			k.ReqThreads, err = threads(attr)
		case "reqnctapercluster":
			k.ReqCluster, err = threads(attr)
		}
		if err != nil {
			return k, err
		}
	}
	return k, nil
}

// threads reads the shape of a block or cluster. Dimensions that are not given are 1.
//
// PTX ISA, Performance-Tuning Directives: .maxntid, .reqntid; Cluster Dimension Directives.
func threads(attr ptx.Attr) ([3]int, error) {
	shape := [3]int{1, 1, 1}
	bad := func(n int64) bool { return n < 1 || n > math.MaxInt32 }
	if len(attr.Values) < 1 || len(attr.Values) > len(shape) || slices.ContainsFunc(attr.Values, bad) {
		return shape, diag.CompilerOutput.Errorf(".%s has values %v, not one to three counts", attr.Name, attr.Values)
	}
	for i, n := range attr.Values {
		shape[i] = int(n)
	}
	return shape, nil
}
