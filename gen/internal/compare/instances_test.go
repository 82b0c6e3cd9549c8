package compare_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
)

// What an image has of a template is told once, sorted, without what the file has itself.
func TestInstances(t *testing.T) {
	file, err := new(cu.Config).ParseFile("k.cu", []byte(`namespace n { template <class T, int N> __global__ void k(T *x) {} }
template __global__ void n::k<int, 2>(int *);
template <class T> __global__ void kk(T *x) {}
`))
	require.NoError(t, err)
	seen := &image.Image{Kernels: []image.Kernel{
		{Name: "n::k<int, 2>"}, {Name: "n::k<float, 3>"}, {Name: "n::k<S<int>, 3>"}, {Name: "n::k<float, 3>"}, {Name: "k<float, 3>"}, {Name: "n::kk<float>"}, {Name: "n::k"},
	}}
	var templates []*cu.Kernel
	for _, k := range file.Kernels {
		if k.Template {
			templates = append(templates, k)
		}
	}
	require.Len(t, templates, 2)
	assert.Equal(t, []cu.ImageInstance{{Template: "n::k", Arguments: "S<int>, 3"}, {Template: "n::k", Arguments: "float, 3"}}, compare.Instances(file, templates, seen))
	seen.Kernels = append(seen.Kernels, image.Kernel{Name: "kk<(anonymous namespace)::S>"})
	list := compare.Instances(file, templates[1:], seen)
	require.Len(t, list, 1)
	text, ok := list[0].Source()
	assert.True(t, ok)
	assert.Equal(t, "S", text)
	known, err := new(cu.Config).ParseFile("k.cu", []byte("template <class T> __global__ void t(T *x) {}\ntemplate <class T> __global__ void t(T *x, int n) {}\ntemplate __global__ void t<float>(float *);\n"))
	require.NoError(t, err)
	seen.Kernels = []image.Kernel{{Name: "t<float>"}}
	assert.Empty(t, compare.Instances(known, known.Kernels[:1], seen))
	seen.Kernels = append(seen.Kernels, seen.Kernels[0])
	assert.Len(t, compare.Instances(known, known.Kernels[:1], seen), 1, "of the other template of that name")
	for _, unnamed := range []string{"main::{lambda(float)#1}", "f(int)::S", "{unnamed type#1}", "S::'lambda'(int)"} {
		_, ok := cu.ImageInstance{Arguments: unnamed}.Source()
		assert.False(t, ok, unnamed)
	}
	for _, named := range []string{"(n::E)1", "char (*)(int)", "&f", "n::S<3ul>*", "(bool)1"} {
		_, ok := cu.ImageInstance{Arguments: named}.Source()
		assert.True(t, ok, named)
	}
}
