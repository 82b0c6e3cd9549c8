package compare_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/internal/witness"
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/testenv"
)

// A kernelCase is a kernel as the source has it and as a compiler does.
type kernelCase struct {
	compare.Kernel
	debug     *witness.Kernel
	answers   []witness.Answer
	demangled []string // parameter types by the symbol; empty texts of extern "C"
}

// compilers run a compiler over source with debug information, and return PTX.
var compilers = map[string]func(t *testing.T, source string) []byte{
	"nvcc": func(t *testing.T, source string) []byte {
		return run(t, source, testenv.NVCCPath(t), "-w", "-G", "-U__CUDACC_DEBUG__", "-ptx", "-arch=compute_75", "-o")
	},
	"clang": func(t *testing.T, source string) []byte {
		return run(t, source, testenv.ClangPath(t), "-x", "cuda", "--cuda-gpu-arch=sm_75", "--cuda-device-only", "-nocudainc", "-nocudalib",
			"-w", "-S", "-g", "--cuda-noopt-device-debug", "-fstandalone-debug", "-std=c++17", "-o")
	},
}

func run(t *testing.T, source, compiler string, args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "k.cu"), filepath.Join(dir, "k.ptx")
	require.NoError(t, os.WriteFile(in, []byte(source), 0o600))
	text, err := exec.Command(compiler, append(args, out, in)...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	text, err = os.ReadFile(out)
	require.NoError(t, err)
	return text
}

// compiled holds what cases has compiled, by path and compiler.
var compiled = make(map[[2]string][]*kernelCase)

// cases reads the kernels of a file by cudagen and by a compiler. Whoever changes them
// has to put them back.
func cases(t *testing.T, path, compiler string) []*kernelCase {
	t.Helper()
	if list := compiled[[2]string{path, compiler}]; list != nil {
		return list
	}
	list := newCases(t, path, compilers[compiler])
	compiled[[2]string{path, compiler}] = list
	return list
}

// statements reads what PTX that was compiled with queries states.
func statements(t *testing.T, queries *witness.Queries, text []byte) (*witness.Answers, *witness.Debug, *image.Image) {
	t.Helper()
	module, err := ptx.Parse("k.ptx", text)
	require.NoError(t, err)
	answers, err := queries.Read(module)
	require.NoError(t, err)
	debug, err := witness.ReadDebug("k.ptx", text)
	require.NoError(t, err)
	img, err := image.ReadPTX("k.ptx", text)
	require.NoError(t, err)
	return answers, debug, img
}

func newCases(t *testing.T, path string, compile func(*testing.T, string) []byte) []*kernelCase {
	t.Helper()
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	config := cu.Config{SizeOf: layout.Of}
	file, err := config.ParseFile(path, source)
	require.NoError(t, err)
	var list []*kernelCase
	var queries witness.Queries
	var kernels []*cu.Kernel
	for _, k := range file.Kernels {
		if k.Template {
			continue
		}
		require.Empty(t, k.Errors)
		kernels = append(kernels, k)
		types := []ctype.Type{}
		c := &kernelCase{Kernel: compare.Kernel{Name: k.Name}}
		for _, p := range k.Params {
			c.Params = append(c.Params, compare.Param{Name: p.Name, Type: p.Type})
			types = append(types, p.Type)
		}
		list = append(list, c)
		overloaded := slices.ContainsFunc(file.Kernels, func(other *cu.Kernel) bool {
			return other != k && other.QualifiedName() == k.QualifiedName()
		})
		if !overloaded {
			types = nil
		}
		queries.Kernels = append(queries.Kernels, selection.Query(k.Namespace, k.Name, k.Args, types))
	}
	answers, debug, img := statements(t, &queries, compile(t, string(source)+queries.Source()))
	for i, c := range list {
		k := kernels[i]
		demangled := make([]string, len(k.Params))
		for j, p := range k.Params {
			demangled[j] = p.Type.Demangled()
		}
		compiled, err := img.Find(k.QualifiedName(), demangled)
		require.NoError(t, err)
		c.debug, c.answers = debug.Kernel(compiled.Symbol), answers.Kernels[i]
		require.NotNil(t, c.debug, compiled.Symbol)
		c.demangled = make([]string, len(k.Params))
		copy(c.demangled, compiled.ParamTypes)
	}
	return list
}

func eachCompiler(t *testing.T, path string, test func(*testing.T, []*kernelCase)) {
	for name := range compilers {
		t.Run(name, func(t *testing.T) { test(t, cases(t, path, name)) })
	}
}

var typesFile = filepath.Join("testdata", "types.cu")

func TestAgreement(t *testing.T) {
	eachCompiler(t, typesFile, func(t *testing.T, list []*kernelCase) {
		require.Len(t, list, 12)
		for _, c := range list {
			compared, err := compare.Fields(c.Kernel, c.debug)
			assert.NoError(t, err)
			assert.NotContains(t, compared.Params, false, c.Name)
			assert.NoError(t, compare.Kinds(c.Kernel, c.answers))
		}
	})
}

func TestExampleAgrees(t *testing.T) {
	for _, c := range cases(t, filepath.Join("..", "..", "..", "example", "kernels.cu"), "nvcc") {
		compared, err := compare.Fields(c.Kernel, c.debug)
		assert.NoError(t, err)
		assert.NotContains(t, compared.Params, false, c.Name)
		assert.NoError(t, compare.Kinds(c.Kernel, c.answers))
	}
}

// The types of CUDA's headers, which the source's reader knows without them.
func TestLibraryTypes(t *testing.T) {
	list := cases(t, filepath.Join("testdata", "library.cu"), "nvcc")
	require.Len(t, list, 2)
	var r compare.Resolver
	for _, c := range list {
		_, err := compare.Fields(c.Kernel, c.debug)
		assert.NoError(t, err)
		assert.NoError(t, compare.Kinds(c.Kernel, c.answers))
		for i, p := range c.Params {
			made, err := r.Param(c.debug.Params[i].Type, &c.answers[i], c.demangled[i])
			require.NoError(t, err)
			assert.IsType(t, ctype.Unqualified(targetOf(p.Type)), ctype.Unqualified(targetOf(made)))
			assert.Equal(t, p.Type.Demangled(), made.Demangled())
			sameLayout(t, p.Type, made)
		}
	}
}

// What is made of the compiler's answers alone is the same as what the source says.
func TestResolve(t *testing.T) {
	eachCompiler(t, typesFile, func(t *testing.T, list []*kernelCase) {
		var r compare.Resolver
		for _, c := range list {
			for i, p := range c.debug.Params {
				r.Learn(p.Type, &c.answers[i], c.demangled[i])
			}
		}
		for _, c := range list {
			resolved := compare.Kernel{Name: c.Name}
			for i, p := range c.Params {
				made, err := r.Param(c.debug.Params[i].Type, &c.answers[i], c.demangled[i])
				require.NoError(t, err, "%s, parameter %d", c.Name, i)
				resolved.Params = append(resolved.Params, compare.Param{Name: p.Name, Type: made})
				if _, function := ctype.Unqualified(targetOf(p.Type)).(*ctype.Function); !function {
					assert.Equal(t, p.Type.Demangled(), made.Demangled())
				}
				sameLayout(t, p.Type, made)
			}
			_, err := compare.Fields(resolved, c.debug)
			assert.NoError(t, err)
			assert.NoError(t, compare.Kinds(resolved, c.answers))
		}
	})
}

func targetOf(t ctype.Type) ctype.Type {
	if p, ok := ctype.Unqualified(t).(*ctype.Pointer); ok {
		return p.Elem
	}
	return t
}

func sameLayout(t *testing.T, want, got ctype.Type) {
	t.Helper()
	size, align, err := layout.Of(want)
	require.NoError(t, err)
	gotSize, gotAlign, err := layout.Of(got)
	require.NoError(t, err)
	assert.Equal(t, []int64{size, align}, []int64{gotSize, gotAlign}, want)
	class, ok := ctype.Unqualified(targetOf(want)).(*ctype.Struct)
	if !ok || !class.Complete {
		return
	}
	source, err := layout.Struct(class)
	require.NoError(t, err)
	made, err := layout.Struct(ctype.Unqualified(targetOf(got)).(*ctype.Struct))
	require.NoError(t, err)
	require.Len(t, made.Members, len(source.Members))
	assert.Equal(t, []int64{source.Size, source.Align}, []int64{made.Size, made.Align}, class)
	for i, m := range source.Members {
		n := made.Members[i]
		assert.Equal(t, []any{m.Name, m.Offset, m.Size, m.BitOffset, m.Bits}, []any{n.Name, n.Offset, n.Size, n.BitOffset, n.Bits}, class)
		if _, pointer := ctype.Unqualified(m.Type).(*ctype.Pointer); !pointer {
			sameLayout(t, m.Type, n.Type)
		}
	}
}

// Each compiler chooses the sign below an enumeration that has no given type, where its values
// leave a choice.
func TestSignBelowEnumerations(t *testing.T) {
	unsigned, signed := ctype.Builtin(ctype.UnsignedInt), ctype.Builtin(ctype.Int)
	values := func(list ...int64) (e []ctype.Enumerator) {
		for _, v := range list {
			e = append(e, ctype.Enumerator{Name: "E", Value: v, Known: true})
		}
		return e
	}
	for _, test := range []struct {
		name string
		enum ctype.Enum
		told witness.Kind
		ok   bool
	}{
		{"as read", ctype.Enum{Underlying: unsigned, Enumerators: values(0, 7)}, witness.Unsigned, true},
		{"either", ctype.Enum{Underlying: unsigned, Enumerators: values(0, 1<<31-1)}, witness.Signed, true},
		{"none", ctype.Enum{Underlying: unsigned}, witness.Signed, true},
		{"given", ctype.Enum{Underlying: unsigned, Fixed: true, Enumerators: values(0)}, witness.Signed, false},
		{"scoped", ctype.Enum{Underlying: signed, Scoped: true, Enumerators: values(0)}, witness.Unsigned, false},
		{"negative", ctype.Enum{Underlying: signed, Enumerators: values(-1)}, witness.Unsigned, false},
		{"large", ctype.Enum{Underlying: unsigned, Enumerators: values(1 << 31)}, witness.Signed, false},
		{"not known", ctype.Enum{Underlying: unsigned, Enumerators: []ctype.Enumerator{{Name: "E"}}}, witness.Signed, false},
		{"no integer", ctype.Enum{Underlying: unsigned, Enumerators: values(0)}, witness.Bool, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.enum.Name = "Mode"
			k := compare.Kernel{Name: "k", Params: []compare.Param{{Name: "m", Type: &test.enum}}}
			err := compare.Kinds(k, []witness.Answer{{Object: witness.Object{Size: 4, Align: 4, Kind: witness.Enum, Under: test.told}}})
			if test.ok {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, "kind of the underlying type is ")
		})
	}
}
