package cuda_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

func TestCount(t *testing.T) {
	for _, test := range []struct {
		n    int
		want uint32
	}{
		{0, 0}, {1, 1}, {math.MaxUint32, math.MaxUint32}, {math.MaxUint32 + 1, math.MaxUint32}, {-1, math.MaxUint32}, {math.MinInt, math.MaxUint32},
	} {
		assert.Equal(t, test.want, cuda.Generated.Count(test.n), "Count(%d)", test.n)
	}
}

func TestBlocks(t *testing.T) {
	for _, test := range []struct {
		threads, perBlock int
		want              uint32
	}{
		{0, 256, 0}, {1, 256, 1}, {256, 256, 1}, {257, 256, 2}, {7, 1, 7},
		{math.MaxInt, 1024, math.MaxUint32}, {math.MaxInt, 1, math.MaxUint32},
		{-1, 256, math.MaxUint32}, {math.MinInt, 256, math.MaxUint32},
		{5, 0, 0}, {5, -1, math.MaxUint32},
	} {
		assert.Equal(t, test.want, cuda.Generated.Blocks(test.threads, test.perBlock), "Blocks(%d, %d)", test.threads, test.perBlock)
	}
}

func TestSaturation(t *testing.T) {
	for _, test := range []struct{ a, b, sum, product int }{
		{0, 0, 0, 0},
		{3, 4, 7, 12},
		{math.MaxInt, 0, math.MaxInt, 0},
		{math.MaxInt, 1, math.MaxInt, math.MaxInt},
		{1 << 32, 1 << 31, 1<<32 + 1<<31, math.MaxInt},
		{1 << 32, 1<<31 - 1, 1<<32 + 1<<31 - 1, 1<<63 - 1<<32},
		{1 << 62, 1 << 62, math.MaxInt, math.MaxInt},
	} {
		assert.Equal(t, test.sum, cuda.SaturatedAdd(test.a, test.b), "Add(%d, %d)", test.a, test.b)
		assert.Equal(t, test.sum, cuda.SaturatedAdd(test.b, test.a), "Add(%d, %d)", test.b, test.a)
		assert.Equal(t, test.product, cuda.SaturatedMul(test.a, test.b), "Mul(%d, %d)", test.a, test.b)
		assert.Equal(t, test.product, cuda.SaturatedMul(test.b, test.a), "Mul(%d, %d)", test.b, test.a)
	}
	assert.Equal(t, math.MaxInt, cuda.SaturatedMul(-1, 5), "a negative factor never makes a check pass")
	assert.Equal(t, math.MaxInt, cuda.SaturatedMul(-1, -5))
}

func TestDim(t *testing.T) {
	assert.Equal(t, cuda.Dim3{X: 7, Y: 1, Z: 1}, cuda.Dim(7))
	assert.Equal(t, cuda.Dim3{X: 7, Y: 2, Z: 1}, cuda.Dim(7, 2))
	assert.Equal(t, cuda.Dim3{X: 7, Y: 2, Z: 3}, cuda.Dim(7, 2, 3))
	assert.Equal(t, "7", cuda.Dim(7).String())
	assert.Equal(t, "{7,2,3}", cuda.Dim(7, 2, 3).String())
}

// TestUsersSeeWhatTheyCall counts the names that only generated code uses: go doc lists
// them, too, so there are few.
func TestUsersSeeWhatTheyCall(t *testing.T) {
	const most = 3
	files, err := filepath.Glob("../../gen/internal/emit/testdata/*.golden")
	require.NoError(t, err)
	files = append(files, "../../example/kernels_cuda.go", "../../gen/testdata/wave/wave_cuda.go")
	used := make(map[string]bool)
	for _, name := range files {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		namesOfCuda(t, source, used)
	}
	only := onlyGenerated(used)
	assert.Equal(t, []string{"Generated", "ParamSpec", "Spec"}, only)
	assert.LessOrEqual(t, len(only), most)

	namesOfCuda(t, []byte("package p\n\nvar _ = cuda.LaunchKernel(nil)\n"), used)
	assert.Len(t, onlyGenerated(used), most+1, "the control")
}

// namesOfCuda adds the names of package cuda that source uses.
func namesOfCuda(t *testing.T, source []byte, used map[string]bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "cuda" {
				used[s.Sel.Name] = true
			}
		}
		return true
	})
}

// onlyGenerated returns those of used that programs have no use for. Programs write
// the others in signatures, fields and calls of their own.
func onlyGenerated(used map[string]bool) (names []string) {
	programs := []string{
		"Call", "Device", "Dim", "Dim3", "Image", "Kernel", "LaunchAttributes", "LaunchConfig",
		"Library", "Owner", "Ptr", "Slice", "Stream", "Symbol",
	}
	for name := range used {
		if !slices.Contains(programs, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
