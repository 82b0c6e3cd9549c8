package inspect

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

// An Outcome is what a comparison says of one kernel.
type Outcome string

// The outcomes.
const (
	Right   Outcome = "right"            // source and image agree on every parameter
	Wrong   Outcome = "wrong"            // they do not
	Refused Outcome = "refused"          // the report says that it is unsupported
	Skipped Outcome = "template"         // its instances are compared when a directive asks for them
	Absent  Outcome = "not in the image" // the compiler left it out
	Missed  Outcome = "missed"           // it is in the image, and the report does not have it
)

// A Finding is the outcome for one kernel.
type Finding struct {
	Outcome Outcome
	Kernel  string // qualified C++ name
	Path    string // and Line: where it stands; empty when only the image has it
	Line    int
	Text    string // what is wrong, or why it is refused
	Kind    string // of a refusal: Text without the names of parameters, so that equal ones can be counted

	// Of a kernel that is Right or Wrong, where there is debug information:
	Classes int // parameters of class type whose fields were compared
	Fields  int // their fields
	Unseen  int // parameters of class type that the debug information does not have
}

// Compare compares a report on a file, made with Options.All, with the PTX that a compiler made of the
// file: the parameters of kernels and, if described says that the PTX has debug information, the fields
// of each parameter of class type, those that the report lists and what is inside of them.
func Compare(report *Report, ptx []byte) (list []Finding, described bool, err error) {
	img, err := image.ReadPTX(report.File, ptx)
	if err != nil {
		return nil, false, err
	}
	switch debug, err := witness.ReadDebug(report.File, ptx); {
	case errors.Is(err, witness.ErrNoDebug):
		return compareParams(report, img), false, nil
	case err != nil:
		return nil, false, err
	default:
		return compareFields(report, img, debug), true, nil
	}
}

// compareParams compares report with what img states about the parameters of kernels.
func compareParams(report *Report, img *image.Image) []Finding {
	var list []Finding
	seen := make(map[string]bool) // symbols
	templates := make(map[string]bool)
	for i := range report.Kernels {
		k := &report.Kernels[i]
		f := Finding{Outcome: Right, Kernel: ctype.WithoutVersions(k.Source.QualifiedName()), Path: k.Path, Line: k.Line, Text: k.Reason, Kind: k.kind}
		switch k.Status {
		case Template:
			f.Outcome = Skipped
			templates[f.Kernel] = true
		case Unsupported:
			f.Outcome = Refused
			templates[f.Kernel] = true // that it is known, even if not its parameters
		default:
			f.Outcome, f.Text = compareKernel(k, img, seen)
		}
		list = append(list, f)
	}
	for i := range img.Kernels {
		k := &img.Kernels[i]
		name, _, _ := strings.Cut(k.Name, "<")
		if !seen[k.Symbol] && !templates[name] && !templates[k.Name] && !toolkit.MatchString(k.Symbol) {
			list = append(list, Finding{Outcome: Missed, Kernel: k.Name})
		}
	}
	return list
}

// toolkit matches the symbols of kernels of CUDA's C++ libraries, whose headers the
// report does not cover: they are in an inline namespace with the version.
var toolkit = regexp.MustCompile(`(CUB|THRUST)_[0-9]{6}_`)

// compareKernel compares a kernel whose layout is known with the one in the image, whose
// symbol it adds to seen.
func compareKernel(k *Kernel, img *image.Image, seen map[string]bool) (outcome Outcome, text string) {
	name, types := imageName(k)
	compiled, err := img.Find(name, types)
	if err != nil {
		missing, ok := err.(*image.NotFoundError)
		if ok && len(missing.Overloads) == 0 {
			return Absent, ""
		}
		return Wrong, err.Error()
	}
	seen[compiled.Symbol] = true
	if !compiled.Takes(types) {
		return Wrong, fmt.Sprintf("its parameters are (%s) by the source and (%s) in the image", strings.Join(types, ", "), strings.Join(compiled.ParamTypes, ", "))
	}
	params := make([]image.Param, len(k.Params))
	for i, p := range k.Params {
		params[i] = image.Param{Name: p.Name, Offset: p.Offset, Size: p.Size, Align: p.Align}
	}
	if err := compare.Block(name, params, compiled); err != nil {
		return Wrong, err.Error()
	}
	if k.ParamBytes != compiled.Bytes {
		return Wrong, fmt.Sprintf("paramBytes is %d by the source and %d in the image", k.ParamBytes, compiled.Bytes)
	}
	if text := compareShapes(k, compiled); text != "" {
		return Wrong, text
	}
	return Right, ""
}

// compareShapes compares the attributes that say how k is launched with the image, which must not
// have one that the source lacks, either.
func compareShapes(k *Kernel, compiled *image.Kernel) string {
	most := compiled.MaxThreads
	for _, one := range []struct {
		attribute string
		source    []int64
		image     [3]int
	}{
		{"__launch_bounds__", k.LaunchBounds[:min(1, len(k.LaunchBounds))], [3]int{most[0] * most[1] * most[2], 1, 1}},
		{"__block_size__", k.Source.BlockSize, compiled.ReqThreads},
		{"__cluster_dims__", k.Source.ClusterDims, compiled.ReqCluster},
	} {
		var shape [3]int
		for i := range shape {
			if shape[i] = 1; i < len(one.source) {
				shape[i] = int(one.source[i])
			}
		}
		present := one.image[0] != 0
		switch {
		case one.image == [3]int{1, 1, 1} && len(one.source) == 0: // the clusters of __block_size__((x, y, z))
		case present && len(one.source) == 0:
			return fmt.Sprintf("%s is not known by the source, and %v in the image", one.attribute, one.image)
		case len(one.source) > 0 && shape != one.image:
			return fmt.Sprintf("%s is %v by the source and %v in the image", one.attribute, shape, one.image)
		}
	}
	return ""
}

// imageName returns the name of k in images, and the types of its parameters as demanglers
// spell them.
func imageName(k *Kernel) (name string, types []string) {
	types = make([]string, len(k.Source.Params))
	for i, p := range k.Source.Params {
		if !p.Dependent {
			types[i] = p.Type.Demangled()
		}
	}
	if k.Source.ExternC {
		return k.Name, types
	}
	return k.Qualified, types
}

// KernelName returns the qualified C++ name of the kernel with a symbol, without parameters, or a symbol
// that is not mangled as it is.
func KernelName(symbol string) string { return image.Name(symbol) }
