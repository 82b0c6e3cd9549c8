package gen

import (
	"errors"
	"fmt"
	"go/scanner"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/layout"
)

// A proved kernel is one whose source and image agree on every parameter.
type proved struct {
	*selected
	params []image.Param // by the source
	bytes  int64         // where the last parameter ends
	align  int64
	symbol string
}

// prove computes the parameters of every kernel from the source and compares them
// with what the compiled image says. All disagreements are reported.
func prove(kernels []*selected, img *image.Image) ([]*proved, error) {
	var errs scanner.ErrorList
	var list []*proved
	for _, s := range kernels {
		p, err := proveKernel(s, img)
		if err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				errs.Add(s.Pos, line)
			}
			continue
		}
		list = append(list, p)
	}
	errs.Sort()
	return list, errs.Err()
}

func proveKernel(s *selected, img *image.Image) (*proved, error) {
	types := make([]ctype.Type, len(s.Params))
	demangled := make([]string, len(s.Params))
	for i, p := range s.Params {
		types[i], demangled[i] = p.Type, p.Type.Demangled()
	}
	offsets, end, align, err := layout.Params(types)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	p := &proved{selected: s, bytes: end, align: align}
	for i, t := range types {
		size, align, err := layout.Of(t)
		if err != nil {
			return nil, fmt.Errorf("%s: parameter %s: %w", s.Name, s.args[i], err)
		}
		p.params = append(p.params, image.Param{Name: s.Params[i].Name, Offset: offsets[i], Size: size, Align: align})
	}
	name := s.QualifiedName()
	if s.ExternC {
		name = s.Name
	}
	compiled, err := img.Find(name, demangled)
	var missing *image.NotFoundError
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("%w: run cudagen -force to compile it again", err)
	}
	if err != nil {
		return nil, err
	}
	if compiled.ParamTypes != nil && !slices.Equal(compiled.ParamTypes, demangled) {
		return nil, fmt.Errorf("%s: its parameters are (%s) by the source and (%s) in the image", s.Name, strings.Join(demangled, ", "), strings.Join(compiled.ParamTypes, ", "))
	}
	if err := image.Prove(s.Name, p.params, compiled); err != nil {
		return nil, err
	}
	p.symbol = compiled.Symbol
	return p, nil
}
