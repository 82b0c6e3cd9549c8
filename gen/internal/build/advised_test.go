package build_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
)

var advised = regexp.MustCompile(`//cudagen:instantiate <.*?>(?: and |, or )`)

// follow returns source with the lines that notes advise above the templates that they are about, and how many there are.
func follow(source string, notes gen.Diagnostics) (followed string, lines int) {
	followed = source
	for _, note := range notes {
		var above strings.Builder
		for _, line := range advised.FindAllString(note.Message.Error(), -1) {
			above.WriteString(line[:strings.LastIndex(line, ">")+1] + "\n")
			lines++
		}
		at := regexp.MustCompile(`template <[^>]*> __global__ void ` + note.Name + `\(`)
		followed = at.ReplaceAllStringFunc(followed, func(head string) string { return above.String() + head })
	}
	return followed, lines
}

// The lines that notes advise hold: with them there is one more kernel for each, and the notes advise nothing more.
func TestAdvisedInstances(t *testing.T) {
	const source = `struct B { int b; };
struct Derived : B { int x; };
struct Bits { unsigned a : 3; int c : 5; };
struct Array { int n[2]; int m; };
template <int N> struct Numbers { int n[N]; int m; };
struct Pointer { const int *p; int q; };
__device__ int global;
//cudagen:instantiate <int, 3>
template <class T, T p> __global__ void f(int *x) { x[0] = sizeof p; }
//cudagen:instantiate <Array{{1, 2}, 3}>
template <Array p> __global__ void a(int *x) { x[0] = p.n[1]; }
//cudagen:instantiate <7>
template <auto p> __global__ void g(int *x) { x[0] = sizeof(p); }
template <class L> void run(L l, int *x) { l(x); }
void launch(int *x) {
  run([](auto x) {
    f<Derived, Derived{{1}, 2}><<<1, 1>>>(x);
    f<Bits, Bits{1, -3}><<<1, 1>>>(x);
    f<Array, Array{{3, 4}, 4464}><<<1, 1>>>(x);
    f<Pointer, Pointer{&global, 3}><<<1, 1>>>(x);
    f<Pointer, Pointer{nullptr, 3}><<<1, 1>>>(x);
    a<Array{{3, 4}, 4464}><<<1, 1>>>(x);
    g<Numbers<2>{{3, 4}, 4464}><<<1, 1>>>(x);
    g<Bits{1, -3}><<<1, 1>>>(x);
  }, x);
}
`
	o := gentest.Options(gentest.Write(t, "k.cu", source), gentest.NVCC(t))
	o.Std = "c++20"
	before, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Contains(t, before.Notes.Error(), "instances in the image are not wrapped")
	followed, lines := follow(source, before.Notes)
	require.GreaterOrEqual(t, lines, 3, "%v", before.Notes)

	require.NoError(t, os.WriteFile(o.Sources[0], []byte(followed), 0o644))
	after, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, before.Files[0].Kernels+lines, after.Files[0].Kernels)
	_, more := follow(followed, after.Notes)
	assert.Zero(t, more, "%v", after.Notes)

	o.All = true
	all, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, before.Files[0].Kernels+8, all.Files[0].Kernels, "none is there twice")
}
