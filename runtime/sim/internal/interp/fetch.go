package interp

import (
	"math"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/texture"
)

// PTX ISA, Texture Instructions: tex, tld4, txq, of textures that a register names. Those of
// variables, of the unified and the independent mode, are not supported.
func textureForms() []bytecode.Form {
	const shapes = "1d|2d|3d|a1d|a2d|cube|acube"
	const types = ".v4.f32|s32|u32.f32"
	return []bytecode.Form{
		{Pattern: "tex." + shapes + types, Assemble: assembleTex},
		{Pattern: "tex.1d|2d|3d|a1d|a2d.v4.f32|s32|u32.s32", Assemble: assembleTex},
		{Pattern: "tex.level." + shapes + types, Assemble: assembleTex},
		{Pattern: "tex.grad." + shapes + types, Assemble: assembleTex},
		{Pattern: "tld4.r|g|b|a.2d" + types, Assemble: assembleTex},
		{Pattern: "txq.width|height|depth|array_size|num_mipmap_levels.b32", Assemble: assembleQuery},
		{Pattern: "suq.width|height|depth|array_size.b32", Assemble: assembleQuery},
	}
}

// A fetch is tex or tld4.
type fetch struct {
	geometry texture.Geometry
	dst      []int32
	resident int32   // the predicate that is set; or PredSink
	object   int32   // register of the texture
	layer    int32   // register, or -1
	at       []int32 // registers of coordinates
	integer  bool    // coordinates count elements
	level    int32   // register of tex.level, or -1
	dx, dy   []int32 // registers of tex.grad, or nil
	channel  int     // of tld4, or -1
}

func (f *fetch) Registers() []*int32 {
	regs := append(bytecode.PointersTo(f.dst, f.at, f.dx, f.dy), &f.object)
	for _, r := range []*int32{&f.layer, &f.level} {
		if *r >= 0 {
			regs = append(regs, r)
		}
	}
	return regs
}

// modifierAmong returns the modifier of in that is one of names.
func modifierAmong(in *ptx.Instr, names ...string) string {
	for _, mod := range in.Mods {
		if slices.Contains(names, mod) {
			return mod
		}
	}
	return ""
}

// geometryNamed returns the geometry that in names.
func geometryNamed(in *ptx.Instr) texture.Geometry {
	return texture.Geometry(modifierAmong(in, "1d", "2d", "3d", "a1d", "a2d", "cube", "acube"))
}

// objectAt decodes [object, {coordinates}].
func objectAt(d *bytecode.Decoder, in *ptx.Instr, op ptx.Operand) (object int32, coordinates []ptx.Operand) {
	object = bytecode.RegSink
	a, ok := op.(ptx.Address)
	list, isList := a.Base.(ptx.List)
	if !ok || !isList || len(list.Elems) < 2 || a.Offset != 0 {
		d.Invalid("%s: the texture or surface and its coordinates stand in square brackets", in.Text)
		return object, nil
	}
	reg, isReg := list.Elems[0].(ptx.Reg)
	vector, isVector := list.Elems[1].(ptx.Vector)
	switch {
	case !isReg:
		d.Unsupported("a texture reference or surface reference, %s, where a texture object is read,", in.Text)
	case len(list.Elems) > 2:
		d.Unsupported("a sampler beside a texture, %s,", in.Text)
	case !isVector: // of one coordinate
		return d.Src(reg, "b64"), list.Elems[1:]
	default:
		return d.Src(reg, "b64"), vector.Elems
	}
	return object, nil
}

// coordinates decodes the coordinates that a geometry has: a layer, and those of the dimensions.
func coordinates(d *bytecode.Decoder, in *ptx.Instr, g texture.Geometry, ops []ptx.Operand, t ptx.Type) (layer int32, at []int32) {
	layer = -1
	want := g.Dims()
	if g == texture.GeometryCube || g == texture.GeometryACube {
		want = 3
	}
	total := want
	if g.Layered() {
		total++
	}
	if len(ops) < total || len(ops) > 4 {
		if ops != nil {
			d.Invalid("%s: %d coordinates, want %d", in.Text, len(ops), total)
		}
		return layer, nil
	}
	if g.Layered() {
		layer = d.Src(ops[0], "u32")
		ops = ops[1:]
	}
	for _, op := range ops[:want] {
		at = append(at, d.Src(op, t))
	}
	return layer, at
}

func assembleTex(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	f := &fetch{geometry: geometryNamed(in), layer: -1, level: -1, channel: -1, resident: bytecode.PredSink, object: bytecode.RegSink}
	want := 2
	if bytecode.Has(in, "level") {
		want = 3
	} else if bytecode.Has(in, "grad") {
		want = 4
	}
	if !d.Operands(in, want) {
		return bytecode.Performs(f)
	}
	if in.Op == "tld4" {
		f.channel = strings.Index("rgba", modifierAmong(in, "r", "g", "b", "a"))
	}
	types := in.Mods[len(in.Mods)-2:]
	dst := in.Args[0]
	if pair, ok := dst.(ptx.Pair); ok {
		dst, f.resident = pair.First, d.PredDst(pair.Second)
	}
	f.dst = d.RegistersOf(in, dst, 4, d.Dst, ptx.Type(types[0]))
	f.integer = types[1] == "s32"
	var ops []ptx.Operand
	f.object, ops = objectAt(d, in, in.Args[1])
	f.layer, f.at = coordinates(d, in, f.geometry, ops, ptx.Type(types[1]))
	switch {
	case bytecode.Has(in, "level"):
		f.level = d.Src(in.Args[2], "f32")
	case bytecode.Has(in, "grad"):
		f.dx, f.dy = derivative(d, in, in.Args[2], len(f.at)), derivative(d, in, in.Args[3], len(f.at))
	}
	return bytecode.Performs(f)
}

// derivative decodes a vector of derivatives of n coordinates.
func derivative(d *bytecode.Decoder, in *ptx.Instr, op ptx.Operand, n int) (regs []int32) {
	elems := []ptx.Operand{op}
	if v, ok := op.(ptx.Vector); ok {
		elems = v.Elems
	}
	if len(elems) < n {
		d.Invalid("%s: a derivative has %d numbers, want %d", in.Text, len(elems), n)
		return make([]int32, n)
	}
	for _, elem := range elems[:n] {
		regs = append(regs, d.Src(elem, "f32"))
	}
	return regs
}

func (f *fetch) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	var s texture.Sampler
	known := uint64(0) // the texture that s is of
	var loaded [4]simd.Lanes
	fault := each(e, func(lane int) *Failure {
		handle := w.regs[f.object][lane]
		if handle != known || s.Texture == nil {
			found, ok := b.mem.Textures.Load(handle)
			if !ok {
				return b.fault(w, pc, lane, driver.ErrorIllegalAddress, "%#x is not a texture object of this device", handle)
			}
			if s, ok = found.(*texture.Texture).Open(memory.BytesAt); !ok {
				return b.fault(w, pc, lane, driver.ErrorIllegalAddress, "the memory of the texture object was freed")
			}
			known = handle
			if wrong := f.mismatch(s.Texture); wrong != "" {
				return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "%s", wrong)
			}
		}
		v, wrong := f.read(&s, w, lane)
		if wrong != "" {
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "%s", wrong)
		}
		for c, value := range s.Bits(v) {
			loaded[c][lane] = uint64(value)
		}
		return nil
	})
	if fault != nil {
		return fault
	}
	for c := range loaded {
		blend(&w.regs[f.dst[c]], &loaded[c], e)
	}
	w.preds[f.resident] |= e
	return nil
}

// mismatch returns what is wrong with reading t by f.
func (f *fetch) mismatch(t *texture.Texture) string {
	switch {
	case t.Geometry != f.geometry:
		return "an instruction for ." + string(f.geometry) + " reads a texture that is ." + string(t.Geometry)
	case t.Linear && !f.integer:
		return "a texture of linear memory has integer coordinates only: use tex1Dfetch, or an array"
	case f.channel >= 0 && !t.Gatherer:
		return "tex2Dgather needs an array that was made for it, with CUDA_ARRAY3D_TEXTURE_GATHER"
	case f.dx != nil && t.Read.MaxAnisotropy > 1:
		return "the simulated device does not filter anisotropically"
	case f.integer && t.IsNormalized() && !t.Linear:
		return "integer coordinates of a texture whose coordinates are normalized"
	}
	return ""
}

// read returns what f reads in a lane, or what is wrong.
func (f *fetch) read(s *texture.Sampler, w *warp, lane int) (v texture.Texel, wrong string) {
	z := int64(0)
	if f.layer >= 0 {
		layers := s.Levels[0].Depth
		if f.geometry == texture.GeometryACube {
			layers /= 6
		}
		z = min(int64(uint32(w.regs[f.layer][lane])), layers-1)
	}
	if f.integer {
		return f.element(s, w, lane, z)
	}
	at := vector(w, f.at, lane)
	if s.IsCube() {
		cube := z
		var u, v float32
		z, u, v = texture.Face(at)
		z += 6 * cube
		at = [3]float32{u, v}
	}
	switch {
	case f.channel >= 0:
		return s.Gather(at, f.channel), ""
	case f.level >= 0:
		return s.At(at, z, float64(math.Float32frombits(uint32(w.regs[f.level][lane])))), ""
	case f.dx != nil && s.IsCube() && s.Mipmapped:
		return v, "the simulated device does not know how far derivatives of directions reach on the faces of a cube"
	case f.dx != nil:
		return s.At(at, z, s.Detail(vector(w, f.dx, lane), vector(w, f.dy, lane))), ""
	}
	// As measured on an H200: it is the lowest level of detail that the texture allows.
	return s.At(at, z, math.Inf(-1)), ""
}

// vector returns the floating-point numbers in registers.
func vector(w *warp, regs []int32, lane int) (v [3]float32) {
	for n, r := range regs {
		v[n] = math.Float32frombits(uint32(w.regs[r][lane]))
	}
	return v
}

// element returns the element with integer coordinates. Outside of linear memory all is zero.
func (f *fetch) element(s *texture.Sampler, w *warp, lane int, z int64) (v texture.Texel, wrong string) {
	at := [3]int64{0, 0, z}
	m := &s.Levels[0]
	for n, r := range f.at {
		at[n] = int64(int32(w.regs[r][lane]))
		if size := [...]int64{m.Width, m.Height, m.Depth}[n]; at[n] < 0 || at[n] >= size {
			if s.Linear {
				return v, ""
			}
			return v, "the simulated device does not know what integer coordinates outside of an array read"
		}
	}
	return s.Load(0, at[0], at[1], at[2]), ""
}

// A query is txq or suq.
type query struct {
	of          string
	surface     bool
	dst, object int32
}

func (q *query) Registers() []*int32 { return []*int32{&q.dst, &q.object} }

func assembleQuery(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	q := &query{of: in.Mods[0], surface: in.Op == "suq", dst: bytecode.RegSink, object: bytecode.RegSink}
	if !d.Operands(in, 2) {
		return bytecode.Performs(q)
	}
	q.dst = d.Dst(in.Args[0], "b32")
	a, _ := in.Args[1].(ptx.Address)
	reg, ok := a.Base.(ptx.Reg)
	if !ok || a.Offset != 0 {
		d.Unsupported("a query of a texture or surface that no register names, %s,", in.Text)
		return bytecode.Performs(q)
	}
	q.object = d.Src(reg, "b64")
	return bytecode.Performs(q)
}

func (q *query) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	return each(e, func(lane int) *Failure {
		handle := w.regs[q.object][lane]
		var m texture.Image
		var g texture.Geometry
		levels := 1
		if q.surface {
			found, ok := b.mem.Surfaces.Load(handle)
			if !ok {
				return b.fault(w, pc, lane, driver.ErrorIllegalAddress, "%#x is not a surface object of this device", handle)
			}
			m, g = found.(*texture.Surface).Image, found.(*texture.Surface).Geometry
		} else {
			found, ok := b.mem.Textures.Load(handle)
			if !ok {
				return b.fault(w, pc, lane, driver.ErrorIllegalAddress, "%#x is not a texture object of this device", handle)
			}
			t := found.(*texture.Texture)
			m, g, levels = t.Levels[0], t.Geometry, len(t.Levels)
		}
		value := int64(0)
		switch q.of {
		case "width":
			value = m.Width
		case "height":
			value = m.Height
		case "depth":
			value = m.Depth
		case "array_size":
			value = m.Depth
		case "num_mipmap_levels":
			value = int64(levels)
		}
		if g.Layered() != (q.of == "array_size") && (q.of == "depth" || q.of == "array_size") || q.of == "height" && g.Dims() < 2 {
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "the simulated device does not know the %s of an object that is .%s", q.of, g)
		}
		w.regs[q.dst][lane] = uint64(value)
		return nil
	})
}
