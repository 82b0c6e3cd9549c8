package bytecode

import (
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// decode decodes the entry f. What the simulated device does not support is a property of
// the kernel; what is wrong with the PTX goes to errs.
func decode(f *ptx.Func, mod *Module, errs *Problems) *Program {
	d := &Decoder{
		Errs: &Problems{}, Mod: mod, Shared: make(map[string]Symbol),
		K:         &Program{Bases: make(map[int32]ArraySet), Name: f.Name, file: f.Pos.Filename, Regs: 1, Preds: FirstPred, MaxThreads: limits.MaxThreadsPerBlock},
		Constants: make(map[uint64]int32), Addresses: make(map[AddressKey]int32), Specials: make(map[Special]int32),
	}
	if mod.named {
		d.K.Names = new(Names)
	}
	d.functions(f.Name)
	d.K.Start, d.K.Stack = int32(len(d.K.Code)), d.K.Stack || len(d.K.Functions) > 0
	d.frameBytes, d.Source, d.within = &d.K.LocalBytes, Source{}, nil
	d.params(f)
	d.attributes(f)
	d.K.Code, d.K.Places = slices.Grow(d.K.Code, len(f.Body.Stmts)+1), slices.Grow(d.K.Places, len(f.Body.Stmts)+1)
	d.block(f.Body)
	d.Emit(Instr{Op: OpExit}, Place{Line: f.Body.End.Line, Text: "}"})
	d.Scopes = nil
	d.limits()
	d.K.Names.placeDynamic(d.K)
	d.K.Lacks = d.Errs.lacks()
	if d.K.Unsupported = d.Errs.unsupported(); d.K.Unsupported == "" {
		d.link()
	}
	errs.addInvalid(d.Errs)
	return d.K
}

// params declares the parameters of the entry f.
func (d *Decoder) params(f *ptx.Func) {
	s := d.Push()
	d.pos = f.Pos
	offsets, end, ok := ptx.Offsets(f.Params)
	if !ok || end > limits.MaxParamBytes {
		d.Invalid("%s: its parameters have no size or exceed %d bytes", f.Name, limits.MaxParamBytes)
		return
	}
	d.K.ParamBytes = end
	for n, p := range f.Params {
		size, _ := p.Size()
		d.K.Params = append(d.K.Params, parameter{uint64(offsets[n]), uint64(size)})
		s.vars[p.Name] = Symbol{Space: Param, address: uint64(offsets[n])}
	}
}

// attributes reads what the directives of the entry f say of its launches.
func (d *Decoder) attributes(f *ptx.Func) {
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
				d.Invalid(".%s wants one to three dimensions of at most %d threads in all", a.Name, limits.MaxThreadsPerBlock)
				continue
			}
			d.K.MaxThreads = uint32(threads)
			if a.Name == "reqntid" {
				d.K.required = dims
			}
		case "reqnctapercluster":
			if len(a.Values) == 0 || len(a.Values) > 3 || threads == 0 || threads > limits.NonPortableCluster {
				d.Invalid(".%s wants one to three dimensions of at most %d blocks in all", a.Name, limits.NonPortableCluster)
				continue
			}
			d.K.RequiredCluster = driver.Dim3{X: dims[0], Y: dims[1], Z: dims[2]}
		case "explicitcluster":
			d.K.explicitCluster = true
		case "maxclusterrank", "minnctapersm", "maxnreg", "pragma", "maxnctapersm", "noreturn":
		default:
			d.Unsupported("directive .%s", a.Name)
		}
	}
}
