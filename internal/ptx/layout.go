package ptx

// Size returns the size of t in bytes, or 0 when t has none (pred) or is not a type.
//
// PTX ISA, Types, Fundamental Types and Alternate Floating-Point Data Formats.
func (t Type) Size() int {
	switch t {
	case "b8", "u8", "s8", "e4m3", "e5m2":
		return 1
	case "b16", "u16", "s16", "f16", "bf16", "e4m3x2", "e5m2x2":
		return 2
	case "b32", "u32", "s32", "f32", "f16x2", "bf16x2", "tf32":
		return 4
	case "b64", "u64", "s64", "f64", "f32x2", "texref", "samplerref", "surfref":
		return 8
	case "b128":
		return 16
	}
	return 0
}

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
