package inspect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/inspect"
)

// specialised has explicit specialisations whose symbols have the spelling of their templates, and
// enumerations that are declared with their type and not defined.
const specialised = `
template <class T> struct A { using type = T *; };
template <class T> __global__ void dependent(typename A<T>::type p, int (*q)[sizeof(T)]) {}
template <> __global__ void dependent<char>(char *p, int (*q)[1]) {}
template <> __global__ __launch_bounds__(64) void dependent<short>(A<short>::type p, int (*q)[2]) {}
template <class T, int N = 1> __global__ void two(T *p) {}
template <class T> __global__ void two(T p, int n) {}
template <> __global__ void two<float>(float p, int n) {}
template <> __global__ void two<float>(float *p) {}
template <> __global__ void two(char *p) {}
template <int N> __global__ __launch_bounds__(N * 32) void bounded(int n) {}
template <> __global__ void bounded<3>(int n) {}
enum Later : short;
enum class Wide : unsigned long long;
namespace n { enum class Known : unsigned char; }
struct Has { Later l; n::Known k; Wide w[2]; };
__global__ void opaque(Later l, Wide w, enum Later *p, n::Known k, Has h) {}
enum class n::Known : unsigned char { x };
`

func TestSpecialisationsAreTheCompilers(t *testing.T) {
	report, ptx := compileFields(t, specialised)
	seen := 0
	for _, f := range compareFields(t, report, ptx) {
		if f.Outcome == inspect.Skipped {
			continue
		}
		assert.Equal(t, inspect.Right, f.Outcome, "%s: %s", f.Kernel, f.Text)
		seen++
	}
	assert.Equal(t, 7, seen)

	for _, control := range []struct{ old, new, kernel string }{
		{"enum Later : short;", "enum Later : unsigned short;", "opaque"},
		{"enum class Wide : unsigned long long;", "enum class Wide : int;", "opaque"},
		{"__launch_bounds__(N * 32) void bounded", "__launch_bounds__(N * 64) void bounded", "bounded<3>"},
	} {
		other, _ := compileFields(t, strings.Replace(specialised, control.old, control.new, 1))
		wrong := ""
		for _, f := range compareFields(t, other, ptx) {
			if f.Outcome == inspect.Wrong {
				wrong += f.Kernel
			}
		}
		require.Equal(t, control.kernel, wrong, control.new)
	}
}
