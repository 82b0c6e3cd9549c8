package gen

import (
	"context"

	"github.com/cudagen/cudagen/gen/internal/output"
	"github.com/cudagen/cudagen/gen/model"
)

// An Emitter writes more files from models, or adds to the standard Go files.
type Emitter = model.Emitter

// Models returns the models of o.Sources, as emitters get them. It compiles what is not current,
// and writes nothing. It ignores o.Emitters.
func Models(ctx context.Context, o Options) ([]*model.File, error) {
	o.Emitters, o.DryRun = []Emitter{{Name: "models", Version: "1"}}, false
	_, together, err := assemble(context.Background(), []Options{o})
	if err != nil {
		return nil, err
	}
	o.together = together
	p, err := generate(ctx, o)
	if err != nil {
		return nil, err
	}
	return of(p, func(u *unit) *model.File { return u.rendered.Model }), nil
}

// render runs the emitters.
func (p *pipeline) render() error {
	rendered, err := output.RunEmitters(of(p, func(u *unit) output.RenderedSource {
		return output.RenderedSource{Place: u.place, Model: u.bound.Model, Record: u.record, Images: u.built.Images, Known: u.proofs.Known()}
	}), p.Emitters)
	for i, r := range rendered {
		p.units[i].rendered, p.units[i].record.Emitters = r, r.Emitters
	}
	return err
}
