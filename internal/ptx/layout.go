package ptx

// sizes holds the size in bytes of every fundamental type that has one.
//
// PTX ISA, Types, Fundamental Types and Alternate Floating-Point Data Formats.
var sizes = map[Type]int{
	"b8": 1, "u8": 1, "s8": 1, "e4m3": 1, "e5m2": 1,
	"b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2, "e4m3x2": 2, "e5m2x2": 2,
	"b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4, "tf32": 4,
	"b64": 8, "u64": 8, "s64": 8, "f64": 8, "f32x2": 8,
	"b128":   16,
	"texref": 8, "samplerref": 8, "surfref": 8,
}

// Size returns the size of t in bytes, or 0 when t has none (pred) or is not a type.
func (t Type) Size() int { return sizes[t] }

// Size returns the bytes that v occupies, and false when it is unsized or overflows.
func (v *Var) Size() (int64, bool) {
	n := int64(v.Type.Size())
	if v.Vector > 0 {
		n *= int64(v.Vector)
	}
	for _, d := range v.Dims {
		if d < 0 || n > 0 && d > (1<<40)/n {
			return 0, false
		}
		n *= d
	}
	return n, n > 0 || len(v.Dims) > 0
}

// Alignment returns the alignment of v in bytes: .align when given, otherwise the
// size of its type times its vector length.
//
// PTX ISA, Variables, Alignment.
func (v *Var) Alignment() int64 {
	if v.Align > 0 {
		return int64(v.Align)
	}
	return int64(v.Type.Size() * max(1, v.Vector))
}

// Offsets lays out params in order and returns where each begins and where the
// last one ends. There is no padding behind the last one. ok is false when a
// parameter has no size.
//
// PTX ISA, State Spaces, Parameter State Space: Kernel Function Parameters.
func Offsets(params []*Var) (offsets []int64, end int64, ok bool) {
	for _, p := range params {
		size, sized := p.Size()
		align := p.Alignment()
		if !sized || align <= 0 {
			return nil, 0, false
		}
		end = (end + align - 1) / align * align
		offsets = append(offsets, end)
		end += size
	}
	return offsets, end, true
}
