package ctype

import "strconv"

// A Vector is one of CUDA's built-in vector types: Count members x, y, z, w of type
// Elem one behind the other, without padding between them, and dim3.
type Vector struct {
	Name  string
	Elem  *Basic
	Count int64
	Align int64 // bytes
}

// Size returns the size in bytes: Count elements, rounded up to the alignment.
func (t *Vector) Size() int64 {
	return (t.Count*t.Elem.Size + t.Align - 1) / t.Align * t.Align
}

// vectors holds the vector types by name. The alignments are those of CUDA's
// <vector_types.h>, also listed in the CUDA C++ Programming Guide, Built-in Vector
// Types: a vector of three is aligned like its element; the others are aligned to
// their size, but to 16 bytes at most. The types of 32 bytes also exist with the
// alignment in their names.
var vectors = makeVectors()

func makeVectors() map[string]*Vector {
	const widest = 16
	elems := []struct {
		prefix string
		kind   Kind
	}{
		{"char", SignedChar}, {"uchar", UnsignedChar},
		{"short", Short}, {"ushort", UnsignedShort},
		{"int", Int}, {"uint", UnsignedInt},
		{"long", Long}, {"ulong", UnsignedLong},
		{"longlong", LongLong}, {"ulonglong", UnsignedLongLong},
		{"float", Float}, {"double", Double},
	}
	table := map[string]*Vector{
		"dim3": {Name: "dim3", Elem: Builtin(UnsignedInt), Count: 3, Align: 4},
	}
	add := func(name string, elem *Basic, count, align int64) {
		table[name] = &Vector{Name: name, Elem: elem, Count: count, Align: align}
	}
	for _, e := range elems {
		elem := Builtin(e.kind)
		for count := int64(1); count <= 4; count++ {
			name := e.prefix + strconv.FormatInt(count, 10)
			align := min(count*elem.Size, widest)
			if count == 3 {
				align = elem.Size
			}
			add(name, elem, count, align)
			if count*elem.Size == 32 {
				add(name+"_16a", elem, count, 16)
				add(name+"_32a", elem, count, 32)
			}
		}
	}
	return table
}

// LookupVector returns the vector type called name, and nil when there is none.
func LookupVector(name string) *Vector { return vectors[name] }

// Vectors calls yield for every vector type, in no particular order.
func Vectors(yield func(*Vector) bool) {
	for _, v := range vectors {
		if !yield(v) {
			return
		}
	}
}
