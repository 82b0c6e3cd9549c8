package inspect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
)

const compared = `
namespace n { __global__ void blur(float *x, int n) {} }
__global__ void blur(double *x) {}
extern "C" __global__ void plain(char c, double d) {}
template <typename T> __global__ void any(T *x) {}
__global__ void odd(Strange s) {}
static __global__ void unused(int n) {}
__global__ void header(thrust::complex<float> c) {}
__global__ void __launch_bounds__(64, 2) bounded(int n) {}
__global__ void __block_size__((32, 2, 1), (2)) sized(int n) {}
`

const image1 = `.version 8.4
.target sm_75
.address_size 64
.visible .entry _ZN1n4blurEPfi(.param .u64 a, .param .u32 b) { ret; }
.visible .entry _Z4blurPd(.param .u64 a) { ret; }
.visible .entry plain(.param .u8 a, .param .f64 b) { ret; }
.visible .entry _Z3anyIfEvPT_(.param .u64 a) { ret; }
.visible .entry _Z3odd7Strange(.param .u32 a) { ret; }
.visible .entry _ZN3cub17CUB_300001_SM_7506detail11EmptyKernelIvEEvv() { ret; }
.visible .entry _Z7boundedi(.param .u32 a) .maxntid 64, 1, 1 .minnctapersm 2 { ret; }
.visible .entry _Z5sizedi(.param .u32 a) .reqntid 32, 2, 1 .reqnctapercluster 2, 1, 1 { ret; }
.visible .entry _Z6headerN6thrust23THRUST_300001_SM_750_NS7complexIfEE(.param .align 8 .b8 a[8]) { ret; }
`

// outcomes compares a source with PTX, and returns the outcome of each kernel.
func outcomes(t *testing.T, source, ptx string) map[string]inspect.Outcome {
	t.Helper()
	config := cu.Config{SizeOf: layout.Of}
	file, err := config.ParseFile("k.cu", []byte(source))
	require.NoError(t, err)
	findings, _, err := inspect.Compare(inspect.New(gen.NewReader(gen.Options{}).Select(file), inspect.Options{All: true}), []byte(ptx))
	require.NoError(t, err)
	found := make(map[string]inspect.Outcome)
	for _, f := range findings {
		found[f.Kernel] = f.Outcome
		assert.Equal(t, f.Outcome == inspect.Wrong || f.Outcome == inspect.Refused || f.Outcome == inspect.Skipped, f.Text != "", f.Kernel)
	}
	return found
}

func TestCompare(t *testing.T) {
	right := map[string]inspect.Outcome{
		"n::blur": inspect.Right, "blur": inspect.Right, "plain": inspect.Right,
		"any": inspect.Skipped, "odd": inspect.Refused, "unused": inspect.Absent,
		"header": inspect.Right, "bounded": inspect.Right, "sized": inspect.Right,
	}
	assert.Equal(t, right, outcomes(t, compared, image1))

	for _, control := range []struct {
		name, old, new, kernel string
		want                   inspect.Outcome
	}{
		{"a size", ".param .u32 b", ".param .u64 b", "n::blur", inspect.Wrong},
		{"an offset", "plain(.param .u8 a, ", "plain(.param .u8 a, .param .u8 c, ", "plain", inspect.Wrong},
		{"other types of the same size", "_Z4blurPd", "_Z4blurPf", "blur", inspect.Wrong},
		{"one more kernel", "plain(", "more(", "more", inspect.Missed},
		{"one more kernel of a namespace like the toolkit's", "_Z4blurPd", "_ZN3cub4blurEPd", "cub::blur", inspect.Missed},
		{"launch bounds", ".maxntid 64", ".maxntid 32", "bounded", inspect.Wrong},
		{"launch bounds that the image lacks", ".maxntid 64, 1, 1 ", "", "bounded", inspect.Wrong},
		{"launch bounds that the source lacks", "(.param .u64 a) { ret; }\n.visible .entry plain", "(.param .u64 a) .maxntid 32, 1, 1 { ret; }\n.visible .entry plain", "blur", inspect.Wrong},
		{"the size of blocks", ".reqntid 32, 2, 1", ".reqntid 32, 1, 1", "sized", inspect.Wrong},
		{"clusters", ".reqnctapercluster 2, 1, 1", "", "sized", inspect.Wrong},
		{"one kernel less", "plain(", "more(", "plain", inspect.Absent},
	} {
		t.Run(control.name, func(t *testing.T) {
			changed := strings.Replace(image1, control.old, control.new, 1)
			require.NotEqual(t, image1, changed)
			assert.Equal(t, control.want, outcomes(t, compared, changed)[control.kernel])
		})
	}
}
