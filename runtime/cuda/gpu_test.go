package cuda_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// onGPU is set in the process that runs tests on the machine's GPU: a process opens one
// libcuda, and in this one it is the fake.
const onGPU = "CUDAGEN_TEST_ON_GPU"

// onEach runs test on the simulated device and on the fake driver: the code above the
// seam is the same. In the process of TestOnGPU it runs on the GPU alone.
func onEach(t *testing.T, test func(t *testing.T, dev *cuda.Device)) {
	if os.Getenv(onGPU) != "" {
		t.Run("GPU", func(t *testing.T) {
			dev, err := cuda.Open(0)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, dev.Close()) })
			test(t, dev)
		})
		return
	}
	t.Run("simulator", func(t *testing.T) { test(t, openSimulator(t)) })
	t.Run("fake libcuda", func(t *testing.T) {
		dev, _ := openFake(t)
		test(t, dev)
	})
}

// TestOnGPU runs the tests that use onEach on the machine's GPU.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	names := testsOnEach(t)
	require.Contains(t, names, "TestOccupancy", "the control: they are found")
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, "-test.v", "-test.run=^("+strings.Join(names, "|")+")$")
	command.Env = append(os.Environ(), onGPU+"=1", "CUDAGEN_LIBCUDA=")
	out, err := command.CombinedOutput()
	assert.NoError(t, err, "%s", out)
	for _, name := range names {
		assert.Regexp(t, "--- PASS: "+name+"(/[^ ]+)?/GPU ", string(out))
	}
}

// testsOnEach returns the names of the tests that call onEach, by their source.
func testsOnEach(t *testing.T) (names []string) {
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "onEach" {
						names = append(names, f.Name.Name)
						return false
					}
				}
				return true
			})
		}
	}
	return names
}
