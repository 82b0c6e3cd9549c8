package bind_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
)

// pointerSource has a kernel for each kind of pointer.
const pointerSource = `struct Opaque;
struct Node { Node *next; float weight; };
struct Pair { int a, b; };
typedef cudaGraphConditionalHandle Handle;
extern "C" __global__ void floats(float *x, const int *y, void *z, Opaque *o, float **rows, Pair *pairs, int n) {}
extern "C" __global__ void calls(float (*f)(float), float *x) {}
extern "C" __global__ void reference(float &x) {}
//cudagen:ptr x z
extern "C" __global__ void plain(float *x, float *y, void *z) {}
//cudagen:len x=n
//cudagen:nullable x
extern "C" __global__ void optional(float *x, int n) {}
extern "C" __global__ void list(Node head, float *x) {}
extern "C" __global__ void count(Pair pair, size_t n) {}
extern "C" __global__ void sample(cudaTextureObject_t texture, float *x) {}
//cudagen:texture colours=float4 counts=uint
//cudagen:surface out=uchar4
extern "C" __global__ void shade(cudaTextureObject_t colours, const cudaTextureObject_t counts, cudaSurfaceObject_t out, float *x) {}
extern "C" __global__ void decide(cudaGraphConditionalHandle handle, const Handle again, float *x) {}
extern "C" __global__ void many(float *a, float *b, float *c, float *d, float *e, float *f, float *g) {}
//cudagen:block 32
//cudagen:threads n
extern "C" __global__ void threads(float *owners, int n) {}
//cudagen:infer n=len(x)
extern "C" __global__ void __launch_bounds__(64) bounded(float *x, int n) {}
`

// TestPointers: every pointer parameter is a slice, unless it is a function's or a directive
// asks for the address; what a struct or a handle holds has owners.
func TestPointers(t *testing.T) {
	path := gentest.Write(t, "k.cu", pointerSource)
	_, err := gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(gentest.PTXOf(t, path))))
	require.NoError(t, err)
	code := gentest.Snapshot(t, filepath.Dir(path))["k_cuda.go"]
	require.NoError(t, gentest.TypeCheck(t, code))
	for _, want := range []string{
		"LaunchWith(s *cuda.Stream, cfg cuda.LaunchConfig, x cuda.Slice[float32], y cuda.Slice[int32], z, o cuda.Slice[byte], rows cuda.Slice[cuda.Ptr[float32]], pairs cuda.Slice[Pair], n int32) error",
		"LaunchWith(s *cuda.Stream, cfg cuda.LaunchConfig, f uint64, x cuda.Slice[float32]) error",
		"func (k *ReferenceKernel) LaunchWith(s *cuda.Stream, cfg cuda.LaunchConfig, x cuda.Slice[float32]) error",
		"LaunchWith(s *cuda.Stream, cfg cuda.LaunchConfig, x cuda.Ptr[float32], y cuda.Slice[float32], z cuda.Ptr[byte]) error",
		"if want := int(n); !x.IsZero() && x.Len() < want {",
		"// x has at least n elements, or is the zero Slice.",
		`{Name: "z", Offset: 16, Size: 8, Align: 8, Owned: true, Needed: true, ElemAlign: 1},`,
		`{Name: "rows", Offset: 32, Size: 8, Align: 8, Owned: true, Needed: true, ElemAlign: 8},`,

		// What nothing checks has owners, and only that.
		"// Nothing checks the addresses in head: Owners, in ListArgs and in cuda.LaunchConfig, name what they refer to.",
		"type ListArgs struct {\n\tHead Node\n\tX    cuda.Slice[float32]\n\n\t// Owners are what the addresses in Head refer to: a launch fails if one of them is closed or on another device.\n\tOwners []cuda.Owner\n}",
		"cfg.Owners = cuda.Generated.Owners(cfg.Owners, owners)",
		"type PlainArgs struct {\n\tX cuda.Ptr[float32]\n\tY cuda.Slice[float32]\n\tZ cuda.Ptr[byte]\n\n",
		"type SampleArgs struct {\n\tTexture uint64\n\tX       cuda.Slice[float32]\n\n",
		"type CountArgs struct {\n\tPair Pair\n\tN    uint64\n}",
		"type ThreadsArgs struct {\n\tX_owners cuda.Slice[float32]\n\tN        int32\n}",

		// Values that only a graph has.
		"LaunchWith(s *cuda.Stream, cfg cuda.LaunchConfig, handle, again cuda.ConditionalHandle, x cuda.Slice[float32]) error",
		"Handle: handle.Param(),",
		`{Name: "handle", Offset: 0, Size: 8, Align: 8, Owned: true},`,
		"handle.Owner(), again.Owner(), x.Owner())",

		// Textures and surfaces.
		"LaunchWith(s *cuda.Stream, cfg cuda.LaunchConfig, colours cuda.Texture[vec.Float4], counts cuda.Texture[uint32], out cuda.Surface[vec.UChar4], x cuda.Slice[float32]) error",
		"type ShadeArgs struct {\n\tColours cuda.Texture[vec.Float4]\n\tCounts  cuda.Texture[uint32]\n\tOut     cuda.Surface[vec.UChar4]\n\tX       cuda.Slice[float32]\n}",
		"colours.Param(),", "colours.Owner(), counts.Owner(), out.Owner(), x.Owner())",
		`{Name: "colours", Offset: 0, Size: 8, Align: 8, Owned: true},`,
		"Handles of textures and surfaces get types that launches check by //cudagen:texture texture=TYPE above the kernel.",

		// Named arguments.
		"func (k *ManyKernel) LaunchArgsWith(s *cuda.Stream, cfg cuda.LaunchConfig, args *ManyArgs) error {",
		"// There is no Launch, which computes cfg: for that, write //cudagen:block and //cudagen:threads above the kernel.",
		"// There is no Launch, which computes cfg: for that, write //cudagen:threads above the kernel.\n//\n// n is len(x).\nfunc (k *BoundedKernel) LaunchWith(",
		"func (k *ThreadsKernel) Launch(",
	} {
		assert.Contains(t, code, want)
	}
	assert.NotContains(t, code, "func (k *ManyKernel) LaunchArgs(", "without directives nothing computes a configuration")
	assert.NotContains(t, code, "func (k *ThreadsKernel) LaunchArgs", "it has few arguments")
}

// TestPointerDirectives: what the directives on pointers refuse.
func TestPointerDirectives(t *testing.T) {
	for _, test := range []struct{ directives, want string }{
		{"//cudagen:ptr", "k.cu:1:1: k: ptr names no parameter"},
		{"//cudagen:ptr x, n", "k.cu:1:18: k: ptr needs a pointer, but parameter n is not a pointer"},
		{"//cudagen:ptr f", "k: ptr needs a pointer, but parameter f is not a pointer"},
		{"//cudagen:nullable xx", "there is no parameter xx (did you mean x?)"},
		{"//cudagen:ptr x\n//cudagen:len x=n", "k.cu:2:15: k: x is a plain pointer by //cudagen:ptr, which has no length: remove one of the two"},
		{"//cudagen:infer n=len(x)\n//cudagen:ptr x", "k.cu:1:23: k: x is a plain pointer by //cudagen:ptr, which has no length"},
		{"//cudagen:nullable x\n//cudagen:ptr x", "x is both ptr and nullable: a Ptr may always be NULL"},
		{"//cudagen:texture x=float4", "k.cu:1:19: k: texture needs a cudaTextureObject_t, but parameter x is not one"},
		{"//cudagen:surface t=float4", "k: surface needs a cudaSurfaceObject_t, but parameter t is not one"},
		{"//cudagen:texture t=flaot4", "k.cu:1:21: k: flaot4 is not a type of elements of a texture (did you mean float4?)"},
		{"//cudagen:texture t=ulonglong2", "ulonglong2 is not a type of elements of a texture"},
		{"//cudagen:texture t=float3", "float3 is not a type of elements of a texture (did you mean float"},
		{"//cudagen:texture t=int t=uint", "k: texture of t is given twice"},
		{"//cudagen:texture tt=int", "there is no parameter tt (did you mean t?)"},
		{"//cudagen:texture t", "k: texture wants parameter="},
		{"//cudagen:len f=n", "len needs a pointer, but parameter f is not a pointer"},
	} {
		t.Run(test.directives, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", test.directives+"\nextern \"C\" __global__ void k(float *x, int n, void (*f)(int), cudaTextureObject_t t) {}\n")
			_, err := gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(gentest.PTXOf(t, path))))
			assert.ErrorContains(t, err, test.want)
		})
	}
}
