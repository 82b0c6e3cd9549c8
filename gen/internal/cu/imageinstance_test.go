package cu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// imageInstances are instances of templates that an image has, with the kernel, or the end of the note, that comes of each.
var imageInstances = []struct{ template, arguments, kernel, note string }{
	{"n::k", "float, (n::E)1", "n::k<float, (n::E)1>", ""},
	{"n::k", "n::(anonymous namespace)::S, (n::E)0", "n::k<n::(anonymous namespace)::S, (n::E)0>", ""},
	{"n::k", "n::inner::E, (n::E)0", "n::k<n::inner::E, (n::E)0>", ""},
	{"n::pack", "", "n::pack<>", ""},
	{"n::pack", "int, double*", "n::pack<int, double*>", ""},
	{"n::k", "main::{lambda()#1}, (n::E)0", "", "C++ has no name for one of the arguments"},
	{"n::k", "a::(anonymous namespace)::S, (n::E)0", "", "C++ has no certain name for what is in an unnamed namespace"},
	{"n::k", "(anonymous namespace)::Gone, (n::E)0", "", "C++ has no certain name for what is in an unnamed namespace"},
	{"n::twice", "int", "", "several templates have this name (write //cudagen:instantiate <int> above the one that is meant)"},
	{"n::twice", "int, (n::E)1", "n::twice<int, (n::E)1>", ""},
	{"n::k", "Gone<int, 3>, (n::E)0", "n::k<Gone<int, 3>, (n::E)0>", ""},
	{"n::none", "int", "", ""},
	{"n::value", "n::V{1, 2, int [2]{3}}", "n::value<n::V{1, 2, int [2]{3}}>", ""},
	{"n::value", "n::V{1}", "n::value<n::V{1}>", "which value of a class is meant by <n::V{1}> is not known here"},
	{"n::value", "n::V{1, 2, int [2]{3, 4}}", "n::value<n::V{1, 2, int [2]{3, 4}}>", ""},
	{"n::number", "(float)[3fc00000]", "n::number<(float)[3fc00000]>", ""},
}

// The file has the instances of an image as if it instantiated them explicitly.
func TestImageInstances(t *testing.T) {
	const source = `namespace a { struct S { int x; }; namespace { struct S { double y; }; } }
namespace n {
enum E { A, B };
namespace inner { struct E {}; }
namespace n { struct E {}; }
namespace { struct S {}; }
template <class T, E e> __global__ void k(T *x) {}
template <class... T> __global__ void pack(T *...x) {}
template <class T> __global__ void twice(T *x) {}
template <class T> __global__ void twice(T *x, int y) {}
template <class T, E e> __global__ void twice(T *x) {}
template <class T> __global__ void none(T *x);
struct V { int x, y = 5, z[2]; };
template <V v> __global__ void value(int *x) {}
template <float f> __global__ void number(int *x) {}
}
template <class T> void run(T x) { auto y = x; n::pack<<<1, 1>>>(&y); }
`
	plain, err := new(Config).ParseFile("k.cu", []byte(source))
	require.NoError(t, err)
	require.NotEmpty(t, plain.Notes, "the launch is not understood")
	for _, test := range imageInstances {
		t.Run(test.template+"<"+test.arguments+">", func(t *testing.T) {
			config := Config{Instances: []ImageInstance{{Template: test.template, Arguments: test.arguments}}}
			file, err := config.ParseFile("k.cu", []byte(source))
			require.NoError(t, err)
			var made []string
			for _, k := range file.Kernels {
				if k.Instance != nil {
					if test.note != "" {
						assert.ErrorContains(t, k.Errors, test.note)
					}
					assert.Equal(t, test.note != "" || strings.Contains(test.arguments, "Gone"), len(k.Errors) > 0, "its parameters are not understood")
					assert.True(t, k.Instance.Explicit)
					assert.True(t, k.Own)
					made = append(made, k.QualifiedName())
				}
			}
			var want []string
			if test.kernel != "" {
				want = []string{test.kernel}
			}
			assert.Equal(t, want, made)
			if test.note == "" || made != nil {
				assert.Empty(t, file.Notes)
				return
			}
			require.NotEmpty(t, file.Notes)
			for _, note := range file.Notes { // of each template of the name
				assert.Contains(t, note.Message.Error(), test.note)
			}
		})
	}
}
