package bind_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/gentest"
)

var (
	kernelTypes = regexp.MustCompile(`(?m)^type (\w+) struct\{ Kernel \*cuda.Kernel \}$`)
	structTypes = regexp.MustCompile(`(?m)^// (\w+) is (?:struct|union|enum) `)
)

func matches(pattern *regexp.Regexp, code string) (list []string) {
	for _, m := range pattern.FindAllStringSubmatch(code, -1) {
		list = append(list, m[1])
	}
	return list
}

// Names say what they mean, and depend neither on what stands before them nor on luck.
func TestKernelNames(t *testing.T) {
	kernel := func(name string) string { return "extern \"C\" __global__ void " + name + "(int n) {}\n" }
	for _, test := range []struct {
		name, source string
		want         []string // types of the kernels
		fields       []string // fields that hold them
	}{
		{"a number behind a digit", kernel("step1") + kernel("Step1") + kernel("step12"), []string{"X_step1Kernel", "X_Step1Kernel", "Step12Kernel"}, []string{"X_step1", "X_Step1", "Step12"}},
		{"a number of its own", kernel("step_1_2") + kernel("step_12"), []string{"Step1_2Kernel", "Step12Kernel"}, []string{"Step1_2", "Step12"}},
		{"ambiguous", kernel("scale") + kernel("Scale") + kernel("scale2"), []string{"X_scaleKernel", "X_ScaleKernel", "Scale2Kernel"}, []string{"X_scale", "X_Scale", "Scale2"}},
		{"kernel in the name", kernel("convolutionRowsKernel"), []string{"ConvolutionRowsKernel"}, []string{"ConvolutionRowsKernel"}},
		{"kernel in the name and without", kernel("foo_kernel") + kernel("foo"), []string{"FooKernelKernel", "Foo_Kernel"}, []string{"FooKernel", "Foo"}},
		{"kernel in a directive", "//cudagen:kernel FastKernel\n" + kernel("foo"), []string{"FastKernel"}, []string{"FastKernel"}},
		{"nothing but kernel", kernel("kernel"), []string{"Kernel"}, []string{"Kernel"}},
		{"the name of the file", kernel("k"), []string{"KKernel"}, []string{"K"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, _, err := gentest.GenerateSource(t, test.source, nil)
			require.NoError(t, err, "%s", code)
			assert.Equal(t, test.want, matches(kernelTypes, code))
			for i, field := range test.fields {
				assert.Regexp(t, `(?m)^\t`+field+` +`+test.want[i]+`$`, code)
			}
		})
	}
}

func TestTypeNames(t *testing.T) {
	code, _, err := gentest.GenerateSource(t, `
template <class T, int N> struct Arr { T at[N < 0 ? 1 : N]; };
template <class T> struct Box { T value; };
extern "C" __global__ void k(Arr<int3, 1> a, Arr<int, 1> b, Arr<int, -1> c, Box<float *> d, Box<float> e, Arr<int, 31> f) {}
`, nil)
	require.NoError(t, err, "%s", code)
	assert.ElementsMatch(t, []string{"ArrInt3_1", "ArrInt1", "ArrIntMinus1", "BoxFloatPtr", "BoxFloat", "ArrInt31"}, matches(structTypes, code))
}
