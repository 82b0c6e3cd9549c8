package cuda_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

func TestBadSizes(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
		is   error
	}{
		{cuda.Generated.BadSize(nil, "len p=n-m", -3, "n, m", 2, 5), "len p=n-m is -3, must not be negative, with n=2, m=5", cuda.ErrInvalidValue},
		{cuda.Generated.BadSize(nil, "threads a*b", cuda.Generated.MulSizes(1<<62, 2), "a, b", 1<<62, 2), "threads a*b does not fit into 64 bits with a=4611686018427387904, b=2", cuda.ErrOverflow},
		{cuda.Generated.BadSize(nil, "threads (a-1)*(b-1)", cuda.Generated.MulSizes(-1, -1), "a, b", 0, 0), "multiplies, divides or shifts negative numbers with a=0, b=0", cuda.ErrInvalidValue},
		{cuda.Generated.BadSize(nil, "grid n/m", cuda.Generated.QuoSizes(5, 0), "n, m", 5, 0), "grid n/m divides by 0 with n=5, m=0", cuda.ErrInvalidValue},
		{cuda.Generated.BadSize(nil, "grid n", 1<<40, "n", 1<<40), "grid n is 1099511627776, which is too large, with n=1099511627776", cuda.ErrOverflow},
		{cuda.Generated.NegativeInput(nil, "len p=rows*cols", "rows", -1), "len p=rows*cols: rows is -1, must not be negative", cuda.ErrInvalidValue},
		{cuda.Generated.LargeInput(nil, "len p=n", "n", 1<<63), "len p=n: n is 9223372036854775808, limit 9223372036854775807", cuda.ErrOverflow},
	} {
		assert.ErrorContains(t, test.err, test.want)
		assert.ErrorIs(t, test.err, test.is)
	}
	assert.Equal(t, 1, cuda.Generated.Bit(true))
	assert.Equal(t, 0, cuda.Generated.Bit(false))
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
