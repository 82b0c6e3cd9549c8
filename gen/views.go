package gen

import (
	"github.com/cudagen/cudagen/gen/internal/proof"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
)

// compareViews reports what Go would have otherwise if the sources were read as another
// compilation of them does.
func (p *pipeline) compareViews() error {
	s := proof.Viewed{Arch: p.Arch, Embedded: p.Embed == EmbedSource, Read: p.readIn, Bind: func(list []proof.Named) ([]*model.File, error) {
		bound, err := p.models(list)
		if err != nil {
			return nil, err
		}
		models := make([]*model.File, len(bound))
		for i, b := range bound {
			models[i] = b.Model
		}
		return models, nil
	}}
	s.List = of(p, func(u *unit) proof.ViewedSource {
		return proof.ViewedSource{Named: u.named(), Images: u.built.Record.Images, Compiler: u.built.Record.Compiler.Name, Model: u.bound.Model, Origins: u.bound.Origins}
	})
	return proof.CompareViews(s)
}

// readIn reads the sources in another view.
func (p *pipeline) readIn(v proof.View) ([]*selection.Selection, error) {
	o := p.Options
	o.Arch = v.Arch
	o.together = nil // which has read them in the view of the Go files
	other, err := newPipeline(p.ctx, o, v.NVRTC)
	if err != nil {
		return nil, err
	}
	return of(other, (*unit).selected), nil
}
