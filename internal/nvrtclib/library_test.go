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
		{"too old", buildFake(t, "-DVERSION=11080"), "CUDA 11.8 is too old: run cudagen toolchain install, which needs no root, or install a CUDA toolkit 12.0 or newer"},
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
// its context, and the next compilation begins at once.
func TestCancelled(t *testing.T) {
	l, err := Open(buildFake(t, "-DPARALLEL"))
	require.NoError(t, err)
	start := time.Now()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() { cancelled(t, l, "0 4000") })
	}
	group.Wait()
	_, err = l.Compile(t.Context(), Program{Source: "0", Name: "k.cu"})
	assert.NoError(t, err)
	assert.NotEmpty(t, background, "the abandoned ones go on")
	drained(t)
	assert.GreaterOrEqual(t, time.Since(start), 4*time.Second, "the control: this NVRTC cannot be stopped")
}

// cancelled compiles source and gives up after 20 ms.
func cancelled(t *testing.T, l *Library, source string) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := l.Compile(ctx, Program{Source: source, Name: "k.cu"})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, "compiling k.cu with NVRTC")
}

// drained waits until no compilation runs.
func drained(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		empty := true
		runnings.Range(func(any, any) bool { empty = false; return false })
		return empty
	}, time.Minute, time.Millisecond)
	assert.Empty(t, turn)
	assert.Empty(t, background)
}

// TestFlowCallback: NVRTC is told to stop, and stops only what was abandoned.
func TestFlowCallback(t *testing.T) {
	l, err := Open(buildFake(t, "-DPARALLEL", "-DFLOW"))
	require.NoError(t, err)
	start := time.Now()
	cancelled(t, l, "0 20000")
	_, err = l.Compile(t.Context(), Program{Source: "0 50", Name: "k.cu"})
	assert.NoError(t, err)
	drained(t)
	assert.Less(t, time.Since(start), 10*time.Second)
}

// TestAbandonedAreBounded: of many that are abandoned some keep their turn.
func TestAbandonedAreBounded(t *testing.T) {
	l, err := Open(buildFake(t, "-DPARALLEL"))
	require.NoError(t, err)
	for range maxAbandoned + 1 {
		cancelled(t, l, "0 1000")
	}
	assert.Len(t, background, maxAbandoned)
	assert.Len(t, turn, 1)
	_, err = l.Compile(t.Context(), Program{Source: "0", Name: "k.cu"})
	assert.NoError(t, err, "it has waited")
	drained(t)
}

// manyInstances takes NVRTC's back end seconds to compile, and its front end a moment.
const manyInstances = `
template <int N> __device__ __forceinline__ float f(float x, float y) {
  if constexpr (N == 0) return x; else return f<N - 1>(__sinf(x) * y + f<N - 1>(y, x), x);
}
extern "C" __global__ void k(float *x) { *x = f<14>(x[0], x[1]); }
`

// TestNextAfterCancelled: the real NVRTC, with seconds of work that is abandoned, compiles the
// next source as fast as without.
func TestNextAfterCancelled(t *testing.T) {
	l := openReal(t)
	options := []string{"--gpu-architecture=sm_75"}
	small := func() time.Duration {
		start := time.Now()
		_, err := l.Compile(t.Context(), Program{Source: "extern \"C\" __global__ void k() {}", Name: "k.cu", Options: options, Cubin: true})
		require.NoError(t, err)
		return time.Since(start)
	}
	small()
	alone := small()
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	_, err := l.Compile(ctx, Program{Source: manyInstances, Name: "many.cu", Options: options, Cubin: true})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	next := small()
	drained(t)
	background := time.Since(start)
	t.Logf("alone %v, after a cancelled compilation %v, which was over after %v", alone, next, background)
	assert.Less(t, next, 10*alone+3*time.Second)

	start = time.Now()
	_, err = l.Compile(t.Context(), Program{Source: manyInstances, Name: "many.cu", Options: options, Cubin: true})
	require.NoError(t, err, "the control: it compiles")
	whole := time.Since(start)
	t.Logf("the whole compilation takes %v", whole)
	assert.Greater(t, whole, 2*next, "the control: it is long")
	assert.Less(t, background, whole, "it was cancelled")
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

	_, err = l.Compile(t.Context(), Program{Source: "", Name: "k.cu", Options: append(arch, "-dlto")})
	assert.ErrorContains(t, err, "k.cu with NVRTC: it has made neither PTX nor machine code")

	_, err = l.Compile(t.Context(), Program{Source: "", Name: "k.cu", Options: arch, Names: []string{"nothing"}})
	assert.ErrorContains(t, err, "nothing")
}
