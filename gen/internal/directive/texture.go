package directive

import (
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

// The kinds of handles that a directive gives a type: Param.Handle, which is the type in package
// cuda.
const (
	Texture = "Texture" // cudaTextureObject_t
	Surface = "Surface" // cudaSurfaceObject_t
)

// texels are the types of elements that kernels read through textures and access through
// surfaces, by their names in C++.
var texels = func() map[string]model.GoType {
	list := make(map[string]model.GoType)
	for _, of := range []struct {
		c, vector, scalar string
		bytes             int64
	}{
		{"char", "Char", "int8", 1}, {"uchar", "UChar", "uint8", 1}, {"short", "Short", "int16", 2}, {"ushort", "UShort", "uint16", 2},
		{"int", "Int", "int32", 4}, {"uint", "UInt", "uint32", 4}, {"float", "Float", "float32", 4},
		{"longlong", "LongLong", "int64", 8}, {"ulonglong", "ULongLong", "uint64", 8},
	} {
		list[of.c] = model.GoType{Kind: model.Basic, Name: of.scalar, Size: of.bytes, Align: of.bytes}
		for n := int64(1); n <= 4; n *= 2 {
			suffix := string(rune('0' + n))
			if of.bytes*n <= 16 {
				list[of.c+suffix] = model.GoType{Kind: model.Vec, Name: of.vector + suffix, Size: of.bytes * n, Align: of.bytes}
			}
		}
	}
	for c, same := range map[string]string{"unsigned": "uint", "int8_t": "char", "uint8_t": "uchar", "int16_t": "short", "uint16_t": "ushort", "int32_t": "int", "uint32_t": "uint", "int64_t": "longlong", "uint64_t": "ulonglong"} {
		list[c] = list[same]
	}
	return list
}()

// isTexel reports whether textures, too, have elements of the type: they have at most 32 bits a
// channel.
func isTexel(t model.GoType) bool { return t.Align < 8 }

// texture reads the types of textures.
func (r *reader) texture(d cu.Directive) { r.handles(d, Texture) }

// surface reads the types of surfaces.
func (r *reader) surface(d cu.Directive) { r.handles(d, Surface) }

// handles reads the types of the elements behind handles.
func (r *reader) handles(d cu.Directive, kind string) {
	for _, a := range r.assignments(d) {
		i, ok := r.param(a)
		if !ok {
			continue
		}
		switch {
		case r.Params[i].Handle == kind:
		case kind == Texture:
			r.errorf(a.namePos, diag.ParameterKind, "texture needs a cudaTextureObject_t, but parameter %s is not one", a.name)
			continue
		default:
			r.errorf(a.namePos, diag.ParameterKind, "surface needs a cudaSurfaceObject_t, but parameter %s is not one", a.name)
			continue
		}
		if _, again := r.spec.Texels[i]; again {
			r.errorf(a.namePos, diag.Contradiction, "%s of %s is given twice", d.Verb, a.name)
			continue
		}
		t, known := texels[a.expr]
		if !known || kind == Texture && !isTexel(t) {
			names := slices.Sorted(maps.Keys(texels))
			if kind == Texture {
				names = slices.DeleteFunc(names, func(name string) bool { return !isTexel(texels[name]) })
			}
			r.errorf(a.exprPos, diag.ParameterKind, "%s is not a type of elements of a %s%w", a.expr, d.Verb, Nearest(a.expr, names))
			continue
		}
		r.spec.Texels[i] = t
	}
}
