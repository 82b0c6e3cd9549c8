package sim

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// params declares the parameters of the entry f.
func (d *decoder) params(f *ptx.Func) {
	s := d.push()
	d.pos = f.Pos
	offsets, end, ok := ptx.Offsets(f.Params)
	if !ok || end > limits.MaxParamBytes {
		d.invalid("%s: its parameters have no size or exceed %d bytes", f.Name, limits.MaxParamBytes)
		return
	}
	d.k.paramBytes = end
	for n, p := range f.Params {
		size, _ := p.Size()
		d.k.params = append(d.k.params, parameter{uint64(offsets[n]), uint64(size)})
		s.vars[p.Name] = symbol{space: param, address: uint64(offsets[n])}
	}
}

// attributes reads what the directives of the entry f say of its launches.
func (d *decoder) attributes(f *ptx.Func) {
	for _, a := range f.Attrs {
		d.pos = a.Pos
		dims := [3]uint32{1, 1, 1}
		if len(a.Values) <= 3 {
			for n, v := range a.Values {
				dims[n] = uint32(v)
			}
		}
		threads := uint64(dims[0]) * uint64(dims[1]) * uint64(dims[2])
		switch a.Name {
		case "maxntid", "reqntid":
			if len(a.Values) == 0 || len(a.Values) > 3 || threads == 0 || threads > limits.MaxThreadsPerBlock {
				d.invalid(".%s wants one to three dimensions of at most %d threads in all", a.Name, limits.MaxThreadsPerBlock)
				continue
			}
			d.k.maxThreads = uint32(threads)
			if a.Name == "reqntid" {
				d.k.required = dims
			}
		case "reqnctapercluster":
			if len(a.Values) == 0 || len(a.Values) > 3 || threads == 0 || threads > limits.NonPortableCluster {
				d.invalid(".%s wants one to three dimensions of at most %d blocks in all", a.Name, limits.NonPortableCluster)
				continue
			}
			d.k.requiredCluster = driver.Dim3{X: dims[0], Y: dims[1], Z: dims[2]}
		case "explicitcluster":
			d.k.explicitCluster = true
		case "maxclusterrank", "minnctapersm", "maxnreg", "pragma", "maxnctapersm", "noreturn":
		default:
			d.unsupported("directive .%s", a.Name)
		}
	}
}
