package build_test

import (
	"context"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
)

// A demanding compiler takes a source for some architectures, and says message for the others.
type demanding struct {
	gentest.Stub
	takes   string // separated by blanks: 90 120
	message string
	tried   *[]string
}

func (c demanding) Compile(ctx context.Context, r compile.Request) (*compile.Output, error) {
	*c.tried = append(*c.tried, r.Arch)
	_, number, _ := strings.Cut(r.Arch, "_")
	if strings.Contains(" "+c.takes+" ", " "+number+" ") {
		return c.Stub.Compile(ctx, r)
	}
	if strings.HasPrefix(r.Arch, "sm_") {
		return nil, &compile.FailedError{Compiler: "stub", Source: r.Source, Reason: "exit status 255", Log: c.message}
	}
	return nil, diag.List{{Pos: token.Position{Filename: r.Source, Line: 1}, Message: diag.Message{Text: c.message}}}
}

// What needs a later architecture is said with the smallest that the compiler takes. Other errors cost no compilations
// besides those of the image and of the questions, which are asked with the bodies of kernels, too, and not at all.
func TestArchIsSuggested(t *testing.T) {
	const source = "extern \"C\" __global__ void k(int n) {}\n"
	const asks = "extern \"C\" __global__ void k(int n) { static_assert(__CUDA_ARCH__ >= 800); }\n"
	for _, test := range []struct {
		name, source, arch, message, takes, want string
		most                                     int // compilations
	}{
		{"attribute", source, "compute_75", "__cluster_dims__ is not supported for this GPU architecture", "90 100 120", "compute_90", 9},
		{"intrinsic", source, "compute_75", `identifier "__reduce_add_sync" is undefined`, "80 86 89 90 100 120", "compute_80", 9},
		{"overload", source, "compute_75", `no instance of overloaded function "atomicAdd" matches the argument list`, "80 86 89 90 100 120", "compute_80", 9},
		{"namespace", source, "compute_80", `namespace "cooperative_groups" has no member "this_cluster"`, "90 100 120", "compute_90", 9},
		{"assertion", asks, "compute_75", `static assertion failed with "later"`, "100 120", "compute_100", 9},
		{"ptxas", source, "sm_75", "Feature 'barrier.cluster.arrive' requires .target sm_90 or higher", "90 100 120", "sm_90", 9},
		{"ptxas, one architecture", source, "sm_75", "Instruction 'wgmma.fence' not supported on .target 'sm_75'", "90a", "sm_90a", 9},
		{"no architecture", source, "compute_75", "__x is not supported for this GPU architecture", "", "", 9},
		{"a mistake", source, "compute_75", `identifier "x" is undefined`, "90 100 120", "", 4},
		{"another assertion", source, "compute_75", `static assertion failed with "sizes"`, "90 100 120", "", 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			var tried []string
			c := demanding{gentest.Stub(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u32 k_param_0) { ret; }\n"), test.takes, test.message, &tried}
			if strings.HasPrefix(test.arch, "sm_") {
				c.takes += " 75"
			}
			path := gentest.Write(t, "k.cu", test.source)
			o := gentest.Options(path, func() (compile.Compiler, error) { return machine{c}, nil })
			o.Archs = []string{test.arch}
			_, err := gen.Generate(t.Context(), o)
			require.Error(t, err)
			assert.ErrorContains(t, err, test.message)
			assert.LessOrEqual(t, len(tried), test.most, "%v", tried)
			if test.want == "" {
				assert.NotContains(t, err.Error(), "it compiles for")
				return
			}
			assert.ErrorContains(t, err, "; it compiles for "+test.want+": give -arch "+test.want)
			remedies := []diag.Remedy{diag.RemedyOf(err)}
			if list, of := err.(diag.List); of {
				remedies = nil
				for _, e := range list {
					remedies = append(remedies, e.Remedy)
				}
			}
			assert.Contains(t, remedies, diag.Do("give -arch %s", test.want))
		})
	}
}

// A machine makes PTX for every architecture that it is asked machine code of.
type machine struct{ demanding }

func (m machine) Compile(ctx context.Context, r compile.Request) (*compile.Output, error) {
	if r.Arch == "sm_75" {
		return nil, &compile.FailedError{Compiler: "stub", Source: r.Source, Reason: "exit status 255", Log: m.message}
	}
	return m.demanding.Compile(ctx, r)
}

// An #error that a later architecture does not reach says which, without a compiler.
func TestArchOfErrorLines(t *testing.T) {
	for source, want := range map[string]string{
		"#if __CUDA_ARCH__ < 900\n#error later\n#endif\n": "; it is not reached for compute_90: give -arch compute_90",
		"#if __CUDA_ARCH__ < 800\n#error later\n#endif\n": "; it is not reached for compute_80: give -arch compute_80",
		"#if __CUDA_ARCH__ > 0\n#error never\n#endif\n":   "",
		"#error always\n": "",
	} {
		path := gentest.Write(t, "k.cu", source+"__global__ void k(int n) {}\n")
		_, err := gen.Generate(t.Context(), gentest.Options(path, gentest.NoCompiler))
		require.ErrorContains(t, err, "#error")
		if want == "" {
			assert.NotContains(t, err.Error(), "-arch", source)
			continue
		}
		assert.ErrorContains(t, err, want)
		var list diag.List
		require.ErrorAs(t, err, &list)
		assert.Equal(t, want[strings.LastIndex(want, ": ")+2:], list[0].Remedy.Error())
	}
}

// All headers that are missing are said at once, where they are included, with all libraries to install.
func TestAllMissingHeaders(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"k.cu":        "#include \"inner.h\"\n#include <one.h>\n#include <curand.h>\n#include <stdio.h>\n__global__ void k(int n) {}\n//cudagen:block 7000\n__global__ void b(unknown_t n) {}\n",
		"inner.h":     "#pragma once\n#include \"two.h\"\n#include <cublas_v2.h>\n#include \"three.h\"\n",
		"lib/three.h": "\n",
	})
	t.Chdir(dir)
	o := gentest.Options("k.cu", func() (compile.Compiler, error) {
		return complainer{line: 2, message: "one.h: No such file or directory"}, nil
	})
	_, err := gen.Generate(t.Context(), o)
	var list diag.List
	require.ErrorAs(t, err, &list)
	var said []string
	for _, e := range list {
		said = append(said, filepath.ToSlash(e.Error()))
	}
	text := strings.Join(said, "\n")
	assert.Contains(t, text, "k.cu:2:10: one.h: No such file or directory: add -I")
	assert.Contains(t, text, "inner.h:2:10: two.h: No such file or directory: add -I")
	assert.Contains(t, text, "inner.h:4:10: three.h: No such file or directory: add -I")
	assert.Contains(t, text, "k.cu:6:17: b: a block has from 1 to 1024 threads", "what cudagen refuses elsewhere in the file is said, too")
	assert.NotContains(t, text, "stdio.h")
	for _, at := range []string{"k.cu:3:10: curand.h: ", "inner.h:3:10: cublas_v2.h: "} {
		assert.Regexp(t, "(?m)^"+at+".*toolchain install -with cu(?:rand,cublas|blas,curand), or", text)
	}
}
