//go:build !cudagen_nodriver && linux && (amd64 || arm64)

package nvrtclib

import (
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// buildFake compiles testdata/fake.c and returns where it is.
func buildFake(t testing.TB, defines ...string) Location {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libnvrtc.so.13")
	args := append([]string{"-shared", "-fPIC", "-o", path, filepath.Join("testdata", "fake.c")}, defines...)
	out, err := exec.Command(testenv.CCPath(t), args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return Location{Path: path, Origin: "the test"}
}

func openReal(t testing.TB) *Library {
	t.Helper()
	path := testenv.NVRTCPath(t)
	location, err := Find(func(name string) string { return map[string]string{"NVRTC_LIB": path}[name] })
	require.NoError(t, err)
	l, err := Open(location)
	require.NoError(t, err)
	return l
}

func TestOpenRefuses(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "libnvrtc.so.13")
	require.NoError(t, os.WriteFile(garbage, []byte("no library"), 0o600))
	for _, tt := range []struct {
		name     string
		location Location
		want     string
	}{
		{"too old", buildFake(t, "-DVERSION=11080"), "CUDA 11.8 is too old: install a CUDA toolkit 12.0 or newer"},
		{"another library", buildFake(t, "-DINCOMPLETE"), "it is not NVRTC of CUDA 12.0 or newer: it lacks nvrtcGetCUBIN"},
		{"no library", Location{Path: garbage, Origin: "the test"}, "NVRTC " + garbage + " (from the test): "},
		{"nothing", Location{Path: "/nowhere/libnvrtc.so.13"}, "/nowhere/libnvrtc.so.13"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(tt.location)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestOpenedOnce(t *testing.T) {
	location := buildFake(t)
	a, err := Open(location)
	require.NoError(t, err)
	b, err := Open(location)
	require.NoError(t, err)
	assert.Same(t, a, b)
	assert.Equal(t, []int{75, 90}, a.SupportedArchs())
	major, minor := a.Version()
	assert.Equal(t, []int{13, 0}, []int{major, minor})
}

func TestFailedCall(t *testing.T) {
	l, err := Open(buildFake(t))
	require.NoError(t, err)
	_, err = l.Compile(t.Context(), Program{Source: "0", Name: "k.cu", Options: []string{"-x"}})
	var failed *CallError
	require.ErrorAs(t, err, &failed)
	assert.EqualError(t, err, l.Location().Path+": nvrtcCompileProgram: FAKE_INVALID_OPTION")
}

func TestZeroByte(t *testing.T) {
	l, err := Open(buildFake(t))
	require.NoError(t, err)
	for name, p := range map[string]Program{
		"source": {Source: "0\x00"}, "name": {Source: "0", Name: "\x00"}, "option": {Source: "0", Options: []string{"\x00"}},
		"expression": {Source: "0", Names: []string{"\x00"}}, "header": {Source: "0", Headers: map[string]string{"a": "\x00"}},
		"header's name": {Source: "0", Headers: map[string]string{"\x00": "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := l.Compile(t.Context(), p)
			assert.ErrorContains(t, err, "a zero byte")
		})
	}
}

// TestOneAtATime: the fake fails when two compilations overlap.
func TestOneAtATime(t *testing.T) {
	l, err := Open(buildFake(t))
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			r, err := l.Compile(t.Context(), Program{Source: "5", Name: "k.cu", Names: []string{"k"}})
			if assert.NoError(t, err) {
				assert.Equal(t, "ptx", string(r.Code))
				assert.Equal(t, map[string]string{"k": "lowered"}, r.Symbols)
			}
		})
	}
	group.Wait()
}

// TestCancelled: neither who compiles nor who waits for a turn has to wait longer than
// its context, and the library is usable afterwards.
func TestCancelled(t *testing.T) {
	l, err := Open(buildFake(t))
	require.NoError(t, err)
	start := time.Now()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			_, err := l.Compile(ctx, Program{Source: "700", Name: "k.cu"})
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorContains(t, err, "compiling k.cu with NVRTC")
		})
	}
	group.Wait()
	assert.Less(t, time.Since(start), 600*time.Millisecond)
	_, err = l.Compile(t.Context(), Program{Source: "0", Name: "k.cu"})
	assert.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(start), 700*time.Millisecond, "the abandoned one has run to its end")
}

const kernels = `#include "five.h"
namespace app { template <class T, int N> __global__ void scale(T *x) { *x *= N + FIVE; } }
namespace { __global__ void hidden(int *x) { *x = 0; } }
extern "C" __global__ void plain(int *x) { int unused; *x = 1; }
`

func TestCompile(t *testing.T) {
	l := openReal(t)
	p := Program{
		Source: kernels, Name: "k.cu", Headers: map[string]string{"five.h": "#define FIVE 5\n"},
		Options: []string{"--gpu-architecture=compute_75"},
		Names:   []string{"app::scale<float, 4>", "hidden", "plain"},
	}
	r, err := l.Compile(t.Context(), p)
	require.NoError(t, err)
	assert.Contains(t, string(r.Code), ".target sm_75")
	assert.NotContains(t, string(r.Code), "\x00")
	assert.Equal(t, "_ZN3app5scaleIfLi4EEEvPT_", r.Symbols["app::scale<float, 4>"])
	assert.Equal(t, "plain", r.Symbols["plain"])
	for _, name := range p.Names {
		assert.Contains(t, string(r.Code), ".entry "+r.Symbols[name]+"(")
	}
	assert.Contains(t, r.Log, "k.cu(4): warning")

	p.Options, p.Cubin = []string{"--gpu-architecture=sm_75"}, true
	r, err = l.Compile(t.Context(), p)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(r.Code), elf.ELFMAG)) // CUDA 12's has a version that debug/elf refuses
	assert.Contains(t, string(r.Code), ".text.plain\x00")
}

func TestCompileErrors(t *testing.T) {
	l := openReal(t)
	arch := []string{"--gpu-architecture=compute_75"}
	_, err := l.Compile(t.Context(), Program{Source: "#include \"h.h\"\n__global__ void k() { q; }\n", Name: "k.cu",
		Headers: map[string]string{"h.h": "\n__device__ int a = b;\n"}, Options: arch})
	var source *CompileError
	require.ErrorAs(t, err, &source)
	assert.EqualError(t, err, "h.h:2: identifier \"b\" is undefined\nk.cu:2: identifier \"q\" is undefined")

	_, err = l.Compile(t.Context(), Program{Source: "", Name: "k.cu", Options: append(arch, "--frobnicate")})
	var call *CallError
	require.ErrorAs(t, err, &call)
	assert.ErrorContains(t, err, "NVRTC_ERROR_INVALID_OPTION: nvrtc: error: unrecognized option --frobnicate")

	_, err = l.Compile(t.Context(), Program{Source: "", Name: "k.cu", Options: arch, Names: []string{"nothing"}})
	assert.ErrorContains(t, err, "nothing")
}
