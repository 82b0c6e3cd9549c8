package interp

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/texture"
)

// PTX ISA, Surface Instructions: suld, sust, sured, of surfaces that a register names, in bytes.
// The forms that convert elements, .p, are not supported; C++ does not have them.
func surfaceForms() []bytecode.Form {
	const shapes = "1d|2d|3d|a1d|a2d"
	const modes = "trap|clamp|zero"
	return []bytecode.Form{
		{Pattern: "suld.b." + shapes + ".ca|cg|cs|cv?.v2|v4?.b8|b16|b32|b64." + modes, Assemble: assembleSurface},
		{Pattern: "sust.b." + shapes + ".wb|cg|cs|wt?.v2|v4?.b8|b16|b32|b64." + modes, Assemble: assembleSurface},
		{Pattern: "sured.b.add|min|max|and|or." + shapes + ".u32|s32|b32|u64|s64|b64." + modes, Assemble: assembleSurface},
	}
}

// A surfaceAccess is suld, sust or sured. The first coordinate counts bytes.
type surfaceAccess struct {
	op        string
	geometry  texture.Geometry
	mode      string
	typ       ptx.Type
	reduction string
	values    []int32
	object    int32
	layer     int32
	at        []int32
}

func (a *surfaceAccess) Registers() []*int32 {
	regs := append(bytecode.PointersTo(a.values, a.at), &a.object)
	if a.layer >= 0 {
		regs = append(regs, &a.layer)
	}
	return regs
}

func assembleSurface(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	a := &surfaceAccess{op: in.Op, geometry: geometryNamed(in), mode: modifierAmong(in, "trap", "clamp", "zero"), layer: -1, object: bytecode.RegSink}
	a.typ = ptx.Type(in.Mods[len(in.Mods)-2])
	if !d.Operands(in, 2) {
		return bytecode.Performs(a)
	}
	count := 1
	if bytecode.Has(in, "v2") {
		count = 2
	} else if bytecode.Has(in, "v4") {
		count = 4
	}
	place, data := in.Args[0], in.Args[1]
	one := d.WideSrc
	if in.Op == "suld" {
		place, data, one = data, place, d.WideDst
	}
	if in.Op == "sured" {
		a.reduction = modifierAmong(in, "add", "min", "max", "and", "or")
		if reductions[a.reduction][a.typ] == nil {
			d.Invalid("%s: .%s is not for .%s", in.Text, a.reduction, a.typ)
		}
	}
	if _, isVector := data.(ptx.Vector); count == 1 && !isVector {
		a.values = []int32{one(data, a.typ)}
	} else {
		a.values = d.RegistersOf(in, data, count, one, a.typ)
	}
	var ops []ptx.Operand
	a.object, ops = objectAt(d, in, place)
	a.layer, a.at = coordinates(d, in, a.geometry, ops, "b32")
	return bytecode.Performs(a)
}

func (a *surfaceAccess) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	var loaded [4]simd.Lanes
	fault := each(e, func(lane int) *Failure {
		handle := w.regs[a.object][lane]
		found, ok := b.mem.Surfaces.Load(handle)
		if !ok {
			return b.fault(w, pc, lane, driver.ErrorIllegalAddress, "%#x is not a surface object of this device", handle)
		}
		s := found.(*texture.Surface)
		if !a.suits(s) {
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "an instruction for .%s accesses a surface that is .%s", a.geometry, s.Geometry)
		}
		data, ok := s.Open(memory.BytesAt)
		if !ok {
			return b.fault(w, pc, lane, driver.ErrorIllegalAddress, "the memory of the surface object was freed")
		}
		offset, inside, fault := a.place(b, w, pc, lane, s)
		switch {
		case fault != nil:
			return fault
		case !inside: // reads zero and writes nothing
			return nil
		}
		a.access(unsafe.Pointer(&data[offset]), w, lane, &loaded)
		return nil
	})
	if fault != nil {
		return fault
	}
	if a.op == "suld" {
		for n := range a.values {
			blend(&w.regs[a.values[n]], &loaded[n], e)
		}
	}
	return nil
}

// suits reports whether a can access s: the faces of cubes are layers.
func (a *surfaceAccess) suits(s *texture.Surface) bool {
	g := s.Geometry
	if g == texture.GeometryCube || g == texture.GeometryACube {
		g = texture.GeometryA2D
	}
	return g == a.geometry
}

// place returns the offset of what a lane accesses, which lies inside of the surface, if it is
// accessed at all.
func (a *surfaceAccess) place(b *block, w *warp, pc int32, lane int, s *texture.Surface) (offset uint64, inside bool, fault *Failure) {
	width := int64(a.typ.Size() * len(a.values))
	coordinate := func(r int32) int64 { return int64(int32(w.regs[r][lane])) }
	x := coordinate(a.at[0])
	if x%width != 0 {
		return 0, false, b.fault(w, pc, lane, driver.ErrorMisalignedAddress, "the surface is accessed at byte %d of a row, which %d does not divide", x, width)
	}
	type axis struct{ at, last int64 }
	axes := [3]axis{{x, int64(s.Pitch) - width}, {0, s.Height - 1}, {0, s.Depth - 1}}
	for n, r := range a.at[1:] {
		axes[n+1].at = coordinate(r)
	}
	if a.layer >= 0 {
		axes[2].at = int64(uint32(w.regs[a.layer][lane]))
	}
	for n := range axes {
		p := &axes[n]
		if 0 <= p.at && p.at <= p.last {
			continue
		}
		switch a.mode {
		case "trap":
			if n == 0 {
				return 0, false, b.fault(w, pc, lane, driver.ErrorLaunchFailed, "the surface has no %d bytes at byte %d of a row: its rows have %d bytes", width, p.at, p.last+width)
			}
			what := [...]string{1: "row", 2: "plane or layer"}[n]
			return 0, false, b.fault(w, pc, lane, driver.ErrorLaunchFailed, "the surface has no %s %d: the last one is %d", what, p.at, p.last)
		case "zero":
			return 0, false, nil
		}
		p.at = max(0, min(p.at, p.last))
		if n == 0 {
			p.at -= p.at % width
		}
	}
	return uint64(axes[2].at)*s.Plane + uint64(axes[1].at)*s.Pitch + uint64(axes[0].at), true, nil
}

// access loads, stores or reduces what lies at p.
func (a *surfaceAccess) access(p unsafe.Pointer, w *warp, lane int, loaded *[4]simd.Lanes) {
	size := uint64(a.typ.Size())
	for n, r := range a.values {
		at := unsafe.Add(p, uint64(n)*size)
		switch {
		case a.op == "suld":
			loaded[n][lane] = loadElement(at, size)
		case a.op == "sured":
			a.reduce(at, w.regs[r][lane])
		default:
			storeElement(at, size, w.regs[r][lane])
		}
	}
}

// reductions are those of sured by operation and type.
var reductions = map[string]map[ptx.Type]bytecode.Update{
	"add": {"u32": atomicAdd, "s32": atomicAdd, "u64": atomicAdd, "s64": atomicAdd},
	"min": {"u32": atomicMin[uint32], "s32": atomicMin[int32], "u64": atomicMin[uint64], "s64": atomicMin[int64]},
	"max": {"u32": atomicMax[uint32], "s32": atomicMax[int32], "u64": atomicMax[uint64], "s64": atomicMax[int64]},
	"and": {"b32": atomicAnd, "b64": atomicAnd},
	"or":  {"b32": atomicOr, "b64": atomicOr},
}

func atomicAnd(old, b, _ uint64) uint64 { return old & b }
func atomicOr(old, b, _ uint64) uint64  { return old | b }

// reduce executes sured at p.
func (a *surfaceAccess) reduce(p unsafe.Pointer, value uint64) {
	reduction := reductions[a.reduction][a.typ]
	if a.typ.Size() == 4 {
		update32((*uint32)(p), reduction, value, 0)
	} else {
		update64((*uint64)(p), reduction, value, 0)
	}
}
