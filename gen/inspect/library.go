package inspect

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// libraryFields are the data members of classes of CUDA's libraries, which are the same in all
// versions of their headers: <cuda_fp16.h>, <cuda_bf16.h>, <driver_types.h>. Offsets follow
// from the sizes.
var libraryFields = map[string][]Field{
	"__half":            {{Name: "__x", Size: 2, CType: "unsigned short"}},
	"__half_raw":        {{Name: "x", Size: 2, CType: "unsigned short"}},
	"__half2":           {{Name: "x", Size: 2, CType: "__half"}, {Name: "y", Size: 2, CType: "__half"}},
	"__half2_raw":       {{Name: "x", Size: 2, CType: "unsigned short"}, {Name: "y", Size: 2, CType: "unsigned short"}},
	"__nv_bfloat16":     {{Name: "__x", Size: 2, CType: "unsigned short"}},
	"__nv_bfloat16_raw": {{Name: "x", Size: 2, CType: "unsigned short"}},
	"__nv_bfloat162":    {{Name: "x", Size: 2, CType: "__nv_bfloat16"}, {Name: "y", Size: 2, CType: "__nv_bfloat16"}},
	"__nv_bfloat162_raw": {
		{Name: "x", Size: 2, CType: "unsigned short"}, {Name: "y", Size: 2, CType: "unsigned short"},
	},
	"cudaExtent": {
		{Name: "width", Size: 8, CType: "size_t"}, {Name: "height", Size: 8, CType: "size_t"}, {Name: "depth", Size: 8, CType: "size_t"},
	},
	"cudaPos": {{Name: "x", Size: 8, CType: "size_t"}, {Name: "y", Size: 8, CType: "size_t"}, {Name: "z", Size: 8, CType: "size_t"}},
	"cudaPitchedPtr": {
		{Name: "ptr", Size: 8, CType: "void *"}, {Name: "pitch", Size: 8, CType: "size_t"},
		{Name: "xsize", Size: 8, CType: "size_t"}, {Name: "ysize", Size: 8, CType: "size_t"},
	},
	"cudaChannelFormatDesc": {
		{Name: "x", Size: 4, CType: "int"}, {Name: "y", Size: 4, CType: "int"}, {Name: "z", Size: 4, CType: "int"}, {Name: "w", Size: 4, CType: "int"},
		{Name: "f", Size: 4, CType: "cudaChannelFormatKind"},
	},
}

// narrow are the storage types of the classes for fp8, fp6 and fp4, by their sizes:
// <cuda_fp8.h>, <cuda_fp6.h>, <cuda_fp4.h>.
var narrow = map[int64]string{1: "unsigned char", 2: "unsigned short", 4: "unsigned int"}

// membersOf returns the fields of a class of CUDA's libraries, and nil when they are not known.
func membersOf(t *ctype.Library) []Field {
	members := libraryFields[t.Name]
	if strings.HasPrefix(t.Name, "__nv_fp") {
		members = []Field{{Name: "__x", Size: t.Size, CType: narrow[t.Size]}}
	}
	var list []Field
	offset := int64(0)
	for _, f := range members {
		f.Offset, f.Class = offset, t.Name
		list = append(list, f)
		offset += f.Size
	}
	return list
}
