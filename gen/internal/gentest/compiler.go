package gentest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Main runs the tests of a package outside the user's cache: a test that wants one sets CUDAGEN_CACHE.
func Main(m *testing.M) {
	os.Setenv("CUDAGEN_CACHE", "off")
	os.Exit(m.Run())
}

// ErrNoCompiler is the error of NoCompiler.
var ErrNoCompiler = errors.New("no compiler in this test")

// NoCompiler finds no compiler.
func NoCompiler() (compile.Compiler, error) { return nil, ErrNoCompiler }

// NVCC returns what finds nvcc, or ends the test as testenv.Need does.
func NVCC(t testing.TB) func() (compile.Compiler, error) {
	t.Helper()
	testenv.Need(t, testenv.NVCC)
	return func() (compile.Compiler, error) { return compile.Find("nvcc", os.Getenv) }
}

// A Stub is a compiler that makes its text, which is PTX for compute_75, of every source, and no debug information.
type Stub string

func (Stub) Name() string   { return "stub" }
func (Stub) String() string { return "a stub" }

// Version returns 1.
func (Stub) Version(context.Context) (string, error) { return "1", nil }

// Compile returns the text, or compile.ErrNoDebug if r asks for debug information.
func (s Stub) Compile(_ context.Context, r compile.Request) (*compile.Output, error) {
	if r.Debug {
		return nil, compile.ErrNoDebug
	}
	return &compile.Output{Code: []byte(s), Arch: "compute_75", Compiler: "stub 1", Reproducible: true}, nil
}

// Makes returns what finds the Stub that makes ptx.
func Makes(ptx string) func() (compile.Compiler, error) {
	return func() (compile.Compiler, error) { return Stub(ptx), nil }
}

// PTXOf returns PTX with the kernels of a source that are extern "C" and its exported variables outside of namespaces, as the
// source has them: for tests of what is generated, and not of the layout.
func PTXOf(t testing.TB, path string) string {
	t.Helper()
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	config := cu.Config{Read: os.ReadFile, SizeOf: layout.Of}
	file, _ := config.ParseFile(path, source) // generating reports what is wrong
	var b strings.Builder
	b.WriteString(".version 6.3\n.target sm_75\n.address_size 64\n")
	for _, v := range file.Variables {
		size, align, err := layout.Of(v.Type)
		if err == nil && len(directive.Exported(v)) > 0 && directive.Unexportable(v).Text == "" && v.Namespace == nil {
			space := map[string]string{"__constant__": "const", "__device__": "global", "__managed__": "global .attribute(.managed)"}[v.Space]
			fmt.Fprintf(&b, ".visible .%s .align %d .b8 %s[%d];\n", space, align, v.Name, size)
		}
	}
	for _, k := range file.Kernels {
		types := make([]ctype.Type, len(k.Params))
		for i, p := range k.Params {
			types[i] = p.Type
		}
		places, _, _, err := layout.Params(types)
		if err != nil || !k.Defined || !k.ExternC || k.Static || k.Anonymous {
			continue
		}
		var params []string
		for i, p := range places {
			params = append(params, fmt.Sprintf(".param .align %d .b8 p%d[%d]", p.Align, i, p.Size))
		}
		fmt.Fprintf(&b, ".visible .entry %s(%s) { ret; }\n", k.Name, strings.Join(params, ", "))
	}
	return b.String()
}
