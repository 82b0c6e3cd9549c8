package gen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
)

// A proved kernel is one whose source and image agree on every parameter.
type proved struct {
	*selection.Kernel
	symbol string

	witnesses [][]string   // by parameter: who proved it
	classes   map[any]bool // by layout.Identity: those whose fields the compiler confirmed
}

// prove computes the parameters of every kernel and the sizes of the variables from the
// source, and compares them with what every image says. All disagreements are reported.
func (u *unit) prove() error {
	var seen []*image.Image
	for _, f := range u.images {
		images, err := f.read()
		if err != nil {
			return err
		}
		seen = append(seen, images...)
	}
	errs := u.proveVariables(seen)
	for _, s := range u.sel.Kernels {
		p := newProved(s)
		err := p.compareAll(seen)
		if err == nil {
			before := p.witnesses
			err = u.confront(p.Name, func(t *testimony) error {
				p.witnesses, p.classes = slices.Clone(before), nil
				return p.compareTestimony(t)
			})
		}
		if err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				errs.Add(s.Pos, line)
			}
			continue
		}
		u.proved = append(u.proved, p)
	}
	errs = append(errs, u.proveConstants()...)
	if len(errs) == 0 { // or what is wrong is said twice
		errs = u.proveTypes()
	}
	errs.Sort()
	return errs.Err()
}

// confront compares something, which name names, with the compiler's testimony. When that is
// the companion's and it disagrees, the compiler itself is heard; when that says nothing, the
// companion is believed.
func (u *unit) confront(name string, compare func(*testimony) error) error {
	if u.testimony == nil {
		return nil
	}
	err := compare(u.testimony)
	if err == nil || !u.testimony.companion {
		return err
	}
	companion := u.testimony.compiler
	if err := u.askAgain(); err != nil {
		return err
	}
	if why := u.testimony.silence; why != "" {
		return fmt.Errorf("%w\n%s: %s disagrees with the source, and the compiler itself cannot be asked: %s",
			err, name, companion, strings.ReplaceAll(strings.TrimSpace(why), "\n", "; "))
	}
	return compare(u.testimony)
}

// compareAll compares p with every image and takes its symbol from them, which is one.
func (p *proved) compareAll(images []*image.Image) error {
	for _, img := range images {
		before := p.symbol
		if err := p.compare(img); err != nil {
			return err
		}
		if before != "" && p.symbol != before {
			return fmt.Errorf("%s: its symbol is %s in one image and %s in %s", p.Name, before, p.symbol, img.File)
		}
		witness := witnessOf(img)
		for i, list := range p.witnesses {
			if !slices.Contains(list, witness) {
				p.witnesses[i] = append(list, witness)
			}
		}
	}
	return nil
}

// witnessOf returns what the record calls an image of the kind of img.
func witnessOf(img *image.Image) string {
	if img.Version == "" {
		return record.Cubin
	}
	return record.PTX
}

// newProved returns s with what the source says.
func newProved(s *selection.Kernel) *proved {
	p := &proved{Kernel: s, witnesses: make([][]string, len(s.Places))}
	for i := range p.witnesses {
		if !s.Told {
			p.witnesses[i] = []string{record.Source}
		}
	}
	return p
}

// byTheSource returns the parameters as package image compares them.
func (p *proved) byTheSource() []image.Param {
	params := make([]image.Param, len(p.Places))
	for i, at := range p.Places {
		params[i] = image.Param{Name: p.Params[i].Name, Offset: at.Offset, Size: at.Size, Align: at.Align}
	}
	return params
}

// compare compares p with what the image says, and takes its symbol from there.
func (p *proved) compare(img *image.Image) error {
	name, demangled := p.ImageName()
	compiled, err := img.Find(name, demangled)
	var missing *image.NotFoundError
	if errors.As(err, &missing) && p.Args != nil {
		return fmt.Errorf("%w: the source has to instantiate it, so add at its end: template __global__ decltype(%s) %[2]s;", err, p.QualifiedName())
	}
	if errors.As(err, &missing) {
		return fmt.Errorf("%w: run cudagen -force to compile it again", err)
	}
	if err != nil {
		return err
	}
	if compiled.ParamTypes != nil && !slices.Equal(compiled.ParamTypes, demangled) {
		return fmt.Errorf("%s: its parameters are (%s) by the source and (%s) in the image", p.Name, strings.Join(demangled, ", "), strings.Join(compiled.ParamTypes, ", "))
	}
	if err := image.Prove(p.Name, p.byTheSource(), compiled); err != nil {
		return err
	}
	p.symbol = compiled.Symbol
	if img.Version == "" {
		return nil
	}
	return compareShapes(p.Kernel.Kernel, compiled)
}

// compareShapes compares the attributes of k that decide how it is launched with the PTX.
func compareShapes(k *cu.Kernel, compiled *image.Kernel) error {
	differ := func(attribute string, source []int64, image [3]int) error {
		shape := [3]int{1, 1, 1}
		for i, n := range source[:min(len(source), len(shape))] {
			shape[i] = int(n)
		}
		if len(source) == 0 || image == [3]int{} || shape == image {
			return nil
		}
		return fmt.Errorf("%s: %s says %v by the source, and %v in the image", k.Name, attribute, shape, image)
	}
	most := compiled.MaxThreads
	if len(k.LaunchBounds) > 0 && most != [3]int{} {
		most = [3]int{most[0] * most[1] * most[2], 1, 1}
		if err := differ("__launch_bounds__", k.LaunchBounds[:1], most); err != nil {
			return err
		}
	}
	if err := differ("__block_size__", k.BlockSize, compiled.ReqThreads); err != nil {
		return err
	}
	return differ("__cluster_dims__", k.ClusterDims, compiled.ReqCluster)
}
