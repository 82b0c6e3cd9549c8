package testenv

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder is a testing.TB that remembers how the test under test ended.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper() {}
func (r *recorder) Skipf(f string, args ...any) {
	r.skipped = fmt.Sprintf(f, args...)
	runtime.Goexit()
}
func (r *recorder) Fatalf(f string, args ...any) {
	r.failed = fmt.Sprintf(f, args...)
	runtime.Goexit()
}

// outcome runs Need as a test of its own would.
func outcome(t *testing.T, what ...Resource) *recorder {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Need(r, what...)
	}()
	<-done
	return r
}

// bareMachine takes away everything that the environment leads to.
func bareMachine(t *testing.T) {
	for _, env := range []string{"NVCC", "CUDA_HOME", "CUDA_PATH", "NVRTC_LIB", "CC", "CURAND_HEADER", "NVJITLINK_LIB", "VIRTUAL_ENV", "HOME"} {
		t.Setenv(env, "")
	}
	t.Setenv("PATH", t.TempDir())
	setShort(t, false)
}

// setShort sets -short, for the time of the test.
func setShort(t *testing.T, short bool) {
	before := flag.Lookup("test.short").Value.String()
	require.NoError(t, flag.Set("test.short", strconv.FormatBool(short)))
	t.Cleanup(func() { flag.Set("test.short", before) })
}

func TestNeed(t *testing.T) {
	tests := []struct {
		name            string
		short           bool
		require         string
		what            []Resource
		skipped, failed string
	}{
		{name: "nothing needed"},
		{name: "missing", what: []Resource{NVCC}, skipped: "skipped: no nvcc: install the CUDA toolkit and set CUDA_HOME, or set NVCC"},
		{name: "missing and required", require: "gpu, nvcc", what: []Resource{NVCC},
			failed: "CUDAGEN_REQUIRE requires nvcc, which is missing: install the CUDA toolkit and set CUDA_HOME, or set NVCC"},
		{name: "another is required", require: "nvcc", what: []Resource{Clang}, skipped: "skipped: no clang: install clang 19 or newer"},
		{name: "what takes seconds", what: []Resource{Long}, skipped: "skipped: no long: set CUDAGEN_REQUIRE=long to take it"},
		{name: "what takes seconds is required", require: "long", what: []Resource{Long}},
		{name: "what takes seconds with all cases", require: "exhaustive", what: []Resource{Long}},
		{name: "short", short: true, what: []Resource{NVCC}, skipped: "skipped: no nvcc: -short leaves compilers alone"},
		{name: "short, and no compiler", short: true, what: []Resource{NetNS}, skipped: "skipped: no netns: run as root on Linux, with unshare and ip of iproute2"},
		{name: "short, and required", short: true, require: "nvcc", what: []Resource{NVCC},
			failed: "CUDAGEN_REQUIRE requires nvcc, which is missing: install the CUDA toolkit and set CUDA_HOME, or set NVCC"},
		{name: "misspelled requirement", require: "nvc", what: []Resource{CC}, failed: `testenv: CUDAGEN_REQUIRE names "nvc", which is not a resource`},
		{name: "misspelled resource", what: []Resource{"gcc"}, failed: `testenv: there is no resource "gcc"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bareMachine(t)
			setShort(t, tt.short)
			t.Setenv("CUDAGEN_REQUIRE", tt.require)
			got := outcome(t, tt.what...)
			assert.Equal(t, tt.skipped, got.skipped)
			assert.Equal(t, tt.failed, got.failed)
		})
	}
}

func TestCases(t *testing.T) {
	for _, tt := range []struct {
		require       string
		short         bool
		cases, stride int
	}{{"", false, 10, 5}, {"", true, 3, 20}, {"cc,exhaustive", false, 100, 1}, {"exhaustive", true, 100, 1}} {
		t.Run(fmt.Sprint(tt.require, tt.short), func(t *testing.T) {
			t.Setenv("CUDAGEN_REQUIRE", tt.require)
			setShort(t, tt.short)
			assert.Equal(t, tt.cases, Cases(10, 100))
			assert.Equal(t, tt.stride, Stride(5))
		})
	}
}

func TestFind(t *testing.T) {
	if runtime.GOOS != "linux" {
		Need(t, CC) // there is none; and on Windows executables have an extension
	}
	dir := t.TempDir()
	program := func(path ...string) string {
		p := filepath.Join(append([]string{dir}, path...)...)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte("#!/bin/sh\n"), 0o755))
		return p
	}
	named, home, cudaPath := program("named", "nvcc"), program("home", "bin", "nvcc"), program("path", "bin", "nvcc")
	onPath, gcc, clang := program("bin", "nvcc"), program("bin", "gcc"), program("bin", "clang++-19")
	nvrtc := program("home", "lib", "libnvrtc.so.13")
	curand := program("home", "include", "curand_kernel.h")

	tests := []struct {
		name string
		env  map[string]string
		what Resource
		want string
	}{
		{"nvcc of NVCC, behind a launcher", map[string]string{"NVCC": "ccache " + named, "CUDA_HOME": filepath.Join(dir, "home")}, NVCC, named},
		{"nvcc of CUDA_HOME", map[string]string{"CUDA_HOME": filepath.Join(dir, "home"), "CUDA_PATH": filepath.Join(dir, "path")}, NVCC, home},
		{"nvcc of CUDA_PATH", map[string]string{"CUDA_PATH": filepath.Join(dir, "path")}, NVCC, cudaPath},
		{"nvcc on PATH", nil, NVCC, onPath},
		{"nvrtc of NVRTC_LIB", map[string]string{"NVRTC_LIB": named}, NVRTC, named},
		{"nvrtc of CUDA_HOME", map[string]string{"CUDA_HOME": filepath.Join(dir, "home")}, NVRTC, nvrtc},
		{"nvrtc nowhere", nil, NVRTC, ""},
		{"curand of CURAND_HEADER", map[string]string{"CURAND_HEADER": named, "CUDA_HOME": filepath.Join(dir, "home")}, CURAND, named},
		{"curand of CUDA_HOME", map[string]string{"CUDA_HOME": filepath.Join(dir, "home")}, CURAND, curand},
		{"curand nowhere", nil, CURAND, ""},
		{"nvjitlink of NVJITLINK_LIB", map[string]string{"NVJITLINK_LIB": named}, JITLink, named},
		{"gcc", nil, CC, gcc},
		{"CC", map[string]string{"CC": named}, CC, named},
		{"clang with a version", nil, Clang, clang},
		{"no emulator", nil, QemuArm64, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bareMachine(t)
			t.Setenv("PATH", filepath.Join(dir, "bin"))
			for k, v := range tt.env {
				t.Setenv(k, v)
			}
			assert.Equal(t, tt.want, resources[tt.what].find())
		})
	}
}

func TestFindInToolkit(t *testing.T) {
	const name = "libcudagen-test.so.1" // which no machine has
	for folder, env := range map[string]string{
		"lib": "CUDA_HOME", "lib64": "CUDA_PATH",
		"lib/python3.12/site-packages/nvidia/cu13/lib": "VIRTUAL_ENV", ".local/lib/python3.12/site-packages/nvidia/cu13/lib": "HOME",
	} {
		t.Run(env, func(t *testing.T) {
			bareMachine(t)
			dir := t.TempDir()
			library := filepath.Join(dir, folder, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(library), 0o755))
			require.NoError(t, os.WriteFile(library, nil, 0o644))
			assert.Empty(t, findInToolkit("NVJITLINK_LIB", name))
			t.Setenv(env, dir)
			assert.Equal(t, library, findInToolkit("NVJITLINK_LIB", name))
		})
	}
}

// A clang++ without its version in its name is asked for it.
func TestFindClang(t *testing.T) {
	if runtime.GOOS == "windows" {
		Need(t, CC) // executables have an extension
	}
	for version, fits := range map[string]bool{
		"Ubuntu clang version 18.1.3 (1ubuntu1)": false, "clang version 19.1.7": true, "Homebrew clang version 22.1.0": true,
		"Apple clang version 21.0.0 (clang-2100.0.1)": false, "hello": false,
	} {
		t.Run(version, func(t *testing.T) {
			bareMachine(t)
			path := filepath.Join(os.Getenv("PATH"), "clang++")
			require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho '"+version+"'\n"), 0o755))
			want := ""
			if fits {
				want = path
			}
			assert.Equal(t, want, resources[Clang].find())
		})
	}
}
