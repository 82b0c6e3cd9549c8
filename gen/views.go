package gen

import (
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/view"
)

// compareViews reports what Go would have otherwise if the sources were read as another
// compilation of them does.
func (p *pipeline) compareViews() error {
	s := view.Sources{Arch: p.Arch, Embedded: p.Embed == EmbedSource, Read: p.readIn, Bind: func(list []view.Named) ([]*model.File, error) {
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
	s.List = of(p, func(u *unit) view.Source {
		return view.Source{Named: u.named(), Images: u.built.Record.Images, Model: u.bound.Model, Origins: u.bound.Origins}
	})
	return view.Compare(s)
}

// readIn reads the sources in another view.
func (p *pipeline) readIn(v view.View) ([]*selection.Selection, error) {
	o := p.Options
	o.Arch = v.Arch
	o.together = nil // which has read them in the view of the Go files
	other, err := newPipeline(p.ctx, o, v.NVRTC)
	if err != nil {
		return nil, err
	}
	return of(other, (*unit).selected), nil
}
