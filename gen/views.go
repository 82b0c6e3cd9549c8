package gen

import (
	"errors"
	"fmt"
	"go/scanner"

	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/internal/parallel"
)

// views returns how else the code of the sources is compiled.
func (p *pipeline) views() []proof.View {
	list := make([]proof.Viewed, len(p.units))
	for i, u := range p.units {
		list[i] = proof.Viewed{ByArch: u.sel.File.Arch, Images: u.built.Record.Images}
	}
	return proof.Views(p.Arch, p.Embed == EmbedSource, list)
}

// compareViews reports what Go would have otherwise if the sources were read as another
// compilation of them does. The images' parameters, and what the compiler says for one
// target, do not show it when fields change places.
func (p *pipeline) compareViews() error {
	for _, v := range p.views() {
		o := p.Options
		o.Arch = v.Arch
		other, err := newPipeline(o, v.NVRTC)
		if err == nil {
			for i, u := range other.units { // with the images and symbols of this view
				u.built = p.units[i].built
				u.sel, u.proofs = p.units[i].proofs.In(u.sel)
			}
			err = other.bind()
		}
		var list scanner.ErrorList
		switch {
		case errors.As(err, &list):
			for _, e := range list {
				e.Msg = fmt.Sprintf("%s (so it is for %s: %s)", e.Msg, v, v.Remedy())
			}
			return list
		case err != nil:
			return err
		}
		errs := make([]error, len(p.units))
		for i, u := range p.units {
			errs[i] = proof.CompareModels(u.statement(), other.units[i].bound.Model, v)
		}
		if err := parallel.Join(errs); err != nil {
			return err
		}
	}
	return nil
}
