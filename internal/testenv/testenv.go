// Package testenv reports which resources a test can use: a GPU, compilers, an emulator.
// Every test that lacks one is skipped by this package.
//
// The environment variable CUDAGEN_REQUIRE, a comma-separated list of resources
// (CUDAGEN_REQUIRE=nvcc,cc), turns such a skip into a failure, so that a CI job with nvcc
// fails if nvcc is missing.
//
// CUDAGEN_REQUIRE=long runs the tests that take seconds, and CUDAGEN_REQUIRE=exhaustive runs them,
// too, and all tests with all their cases. Without it they try some of them: see Cases and Stride. With -short
// they try fewer, and compilers are not used.
//
// The package imports only the standard library, and never loads a CUDA library
// into the process.
package testenv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A Resource is something outside Go that a test may need. Its text is the name
// that CUDAGEN_REQUIRE uses.
type Resource string

// What a test can need.
const (
	GPU       Resource = "gpu"        // an NVIDIA GPU and its driver
	TwoGPUs   Resource = "gpus"       // two of them or more
	NetNS     Resource = "netns"      // the right to make network namespaces, with unshare and ip
	NVCC      Resource = "nvcc"       // NVIDIA's compiler driver
	NVRTC     Resource = "nvrtc"      // NVIDIA's run-time compilation library
	CUBLAS    Resource = "cublas"     // NVIDIA's library of linear algebra
	CURAND    Resource = "curand"     // the headers of NVIDIA's library of random numbers
	JITLink   Resource = "nvjitlink"  // NVIDIA's library that links device code
	Clang     Resource = "clang"      // clang++, which compiles CUDA without NVIDIA's files
	CC        Resource = "cc"         // a C compiler for this machine, which runs Linux
	CCArm64   Resource = "cc-arm64"   // a C compiler for linux/arm64
	QemuArm64 Resource = "qemu-arm64" // the user-mode emulator for linux/arm64
	Go        Resource = "go"         // the go command
	Network   Resource = "network"    // a package index that pip can reach; used only when CUDAGEN_REQUIRE names it

	// Long is the time for a test that takes seconds, and Exhaustive the time for all cases of a test and for what is
	// Long; used only when CUDAGEN_REQUIRE names them.
	Long       Resource = "long"
	Exhaustive Resource = "exhaustive"
)

// compilers are what tests with -short use only if CUDAGEN_REQUIRE names it.
var compilers = []Resource{NVCC, NVRTC, JITLink, Clang, CC, CCArm64, QemuArm64}

// resources defines how each Resource is found and how to install it. find returns "" if it
// is missing.
var resources = map[Resource]struct {
	find    func() string
	install string
}{
	GPU:       {findGPU, "run on a Linux machine with an NVIDIA GPU and driver"},
	TwoGPUs:   {findTwoGPUs, "run on a Linux machine with two NVIDIA GPUs"},
	NetNS:     {findNetNS, "run as root on Linux, with unshare and ip of iproute2"},
	NVCC:      {findNVCC, "install the CUDA toolkit and set CUDA_HOME, or set NVCC"},
	NVRTC:     {findNVRTC, "install the CUDA toolkit and set CUDA_HOME, or set NVRTC_LIB to libnvrtc's path"},
	CUBLAS:    {findCUBLAS, "install the wheel nvidia-cublas, or set CUBLAS_LIB to libcublas's path"},
	CURAND:    {findCURAND, "run cudagen toolchain install -with curand and set CUDA_HOME, or set CURAND_HEADER to the path of curand_kernel.h"},
	JITLink:   {findJITLink, "install the wheel nvidia-nvjitlink, or set NVJITLINK_LIB to libnvJitLink's path"},
	Clang:     {findClang, "install clang 19 or newer"},
	CC:        {findCC, "install gcc, or set CC, on Linux"},
	CCArm64:   {func() string { return lookPath("aarch64-linux-gnu-gcc") }, "install gcc-aarch64-linux-gnu"},
	QemuArm64: {func() string { return lookPath("qemu-aarch64", "qemu-aarch64-static") }, "install qemu-user"},
	Go:        {func() string { return lookPath("go") }, "put go on PATH"},
	Network:   {func() string { return findRequired(Network) }, "set CUDAGEN_REQUIRE=network to use it"},

	Long:       {func() string { return findRequired(Long) + findRequired(Exhaustive) }, "set CUDAGEN_REQUIRE=long to take it"},
	Exhaustive: {func() string { return findRequired(Exhaustive) }, "set CUDAGEN_REQUIRE=exhaustive to take it"},
}

// Need skips the test unless the machine has all resources in what. If CUDAGEN_REQUIRE
// names a missing resource, the test fails.
func Need(t testing.TB, what ...Resource) {
	t.Helper()
	for _, r := range what {
		find(t, r)
	}
}

// Cases returns how many random cases a test tries: all if CUDAGEN_REQUIRE names Exhaustive,
// few otherwise, and a quarter of few with -short.
func Cases(few, all int) int {
	switch {
	case findRequired(Exhaustive) != "":
		return all
	case testing.Short():
		return (few + 3) / 4
	}
	return few
}

// Stride returns the distance of the cases that a test tries in a list of them: 1 if CUDAGEN_REQUIRE
// names Exhaustive, n otherwise, and 4*n with -short.
func Stride(n int) int {
	switch {
	case findRequired(Exhaustive) != "":
		return 1
	case testing.Short():
		return 4 * n
	}
	return n
}

// NVCCPath returns nvcc's path, or ends the test as Need does. It is, in this order, the
// last word of $NVCC (which may hold a launcher in front, as "ccache nvcc"),
// $CUDA_HOME/bin/nvcc, $CUDA_PATH/bin/nvcc, or nvcc on PATH.
func NVCCPath(t testing.TB) string { t.Helper(); return find(t, NVCC) }

// Toolkit skips the test if nvcc is of an older CUDA than major, which lacks headers or GPUs
// that the test uses.
func Toolkit(t testing.TB, major int) {
	t.Helper()
	out, err := exec.Command(NVCCPath(t), "--version").Output()
	m := toolkitRelease.FindSubmatch(out)
	if err != nil || m == nil {
		t.Fatalf("testenv: nvcc --version: %v: it names no release", err)
		return
	}
	if have, _ := strconv.Atoi(string(m[1])); have < major {
		t.Skipf("skipped: nvcc is of CUDA %d, needs %d: install a newer CUDA toolkit and set CUDA_HOME", have, major)
	}
}

var toolkitRelease = regexp.MustCompile(`release (\d+)\.`)

// NVRTCPath returns the path of NVRTC's shared library, or ends the test as Need does.
func NVRTCPath(t testing.TB) string { t.Helper(); return find(t, NVRTC) }

// CUBLASPath returns the path of cuBLAS's shared library, or ends the test as Need does.
func CUBLASPath(t testing.TB) string { t.Helper(); return find(t, CUBLAS) }

// CURANDPath returns the path of curand_kernel.h, or ends the test as Need does.
func CURANDPath(t testing.TB) string { t.Helper(); return find(t, CURAND) }

// JITLinkPath returns the path of nvJitLink's shared library, or ends the test as Need does.
func JITLinkPath(t testing.TB) string { t.Helper(); return find(t, JITLink) }

// ClangPath returns clang++'s path, or ends the test as Need does.
func ClangPath(t testing.TB) string { t.Helper(); return find(t, Clang) }

// CCPath returns the path of a C compiler for this machine, or ends the test as Need does.
// It is the last word of $CC, cc or gcc.
func CCPath(t testing.TB) string { t.Helper(); return find(t, CC) }

// CCArm64Path returns the path of a C compiler for linux/arm64, or ends the test as Need does.
func CCArm64Path(t testing.TB) string { t.Helper(); return find(t, CCArm64) }

// QemuArm64Path returns the path of the emulator for linux/arm64, or ends the test as Need does.
func QemuArm64Path(t testing.TB) string { t.Helper(); return find(t, QemuArm64) }

// GoPath returns the path of the go command, or ends the test as Need does.
func GoPath(t testing.TB) string { t.Helper(); return find(t, Go) }

// find returns the path of r. If r is missing, find ends the test.
func find(t testing.TB, r Resource) string {
	t.Helper()
	res, ok := resources[r]
	if !ok {
		t.Fatalf("testenv: there is no resource %q", r)
		return ""
	}
	unknown := slices.DeleteFunc(required(), func(r Resource) bool { _, ok := resources[r]; return ok })
	if len(unknown) > 0 {
		t.Fatalf("testenv: CUDAGEN_REQUIRE names %q, which is not a resource", unknown[0])
		return ""
	}
	if testing.Short() && slices.Contains(compilers, r) && !slices.Contains(required(), r) {
		t.Skipf("skipped: no %s: -short leaves compilers alone", r)
		return ""
	}
	if path := res.find(); path != "" {
		return path
	}
	if slices.Contains(required(), r) {
		t.Fatalf("CUDAGEN_REQUIRE requires %s, which is missing: %s", r, res.install)
	}
	t.Skipf("skipped: no %s: %s", r, res.install)
	return ""
}

// required returns the resources that CUDAGEN_REQUIRE names.
func required() []Resource {
	var rs []Resource
	for name := range strings.SplitSeq(os.Getenv("CUDAGEN_REQUIRE"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			rs = append(rs, Resource(name))
		}
	}
	return rs
}

func findNVCC() string {
	if path := lastWord("NVCC"); path != "" {
		return path
	}
	for _, env := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if dir := os.Getenv(env); dir != "" {
			if path := lookPath(filepath.Join(dir, "bin", "nvcc")); path != "" {
				return path
			}
		}
	}
	return lookPath("nvcc")
}

func findNVRTC() string {
	if path := os.Getenv("NVRTC_LIB"); isFile(path) {
		return path
	}
	for _, env := range []string{"CUDA_HOME", "CUDA_PATH"} {
		dir := os.Getenv(env)
		if dir == "" {
			continue
		}
		for _, lib := range []string{"lib64", "lib"} {
			// The wheels have libnvrtc.so.13 without libnvrtc.so beside it, and
			// libnvrtc.alt.so.13, which is no NVRTC of its own.
			found, err := filepath.Glob(filepath.Join(dir, lib, "libnvrtc.so*"))
			if err == nil && len(found) > 0 {
				return found[0]
			}
		}
	}
	return ""
}

func findCUBLAS() string { return findInToolkit("CUBLAS_LIB", "libcublas.so.1[2-9]") }

func findCURAND() string {
	if path := os.Getenv("CURAND_HEADER"); isFile(path) {
		return path
	}
	path := filepath.Join(filepath.Dir(filepath.Dir(findNVCC())), "include", "curand_kernel.h")
	if !isFile(path) {
		return ""
	}
	return path
}

func findJITLink() string { return findInToolkit("NVJITLINK_LIB", "libnvJitLink.so.1[2-9]") }

// findInToolkit looks where toolkits and Python's wheels have a library. An environment variable
// may name it.
func findInToolkit(variable, name string) string {
	if path := os.Getenv(variable); isFile(path) {
		return path
	}
	patterns := []string{"/usr/local/cuda*/lib64", "/usr/local/lib/python3*/*-packages/nvidia/*/lib", "/usr/lib/python3/dist-packages/nvidia/*/lib", "/opt/*/lib/python3*/site-packages/nvidia/*/lib"}
	for _, env := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if dir := os.Getenv(env); dir != "" {
			patterns = append(patterns, filepath.Join(dir, "lib64"), filepath.Join(dir, "lib"))
		}
	}
	for _, env := range []string{"VIRTUAL_ENV", "HOME"} {
		if dir := os.Getenv(env); dir != "" {
			patterns = append(patterns, filepath.Join(dir, "lib/python3*/site-packages/nvidia/*/lib"), filepath.Join(dir, ".local/lib/python3*/site-packages/nvidia/*/lib"))
		}
	}
	if out, err := exec.Command("python3", "-c", "import nvidia; print(*nvidia.__path__, sep='\\n')").Output(); err == nil {
		for dir := range strings.Lines(string(out)) {
			patterns = append(patterns, filepath.Join(strings.TrimSpace(dir), "*", "lib"))
		}
	}
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(pattern, name))
		if err == nil && len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// findClang leaves out an older clang++ than 19, and Apple's, which has no PTX.
func findClang() string {
	if path := lookPath("clang++-22", "clang++-21", "clang++-20", "clang++-19"); path != "" {
		return path
	}
	path := lookPath("clang++")
	if path == "" {
		return ""
	}
	out, err := exec.Command(path, "--version").Output()
	m := clangRelease.FindSubmatch(out)
	if err != nil || m == nil || bytes.Contains(m[1], []byte("Apple")) {
		return ""
	}
	if major, _ := strconv.Atoi(string(m[2])); major < 19 {
		return ""
	}
	return path
}

var clangRelease = regexp.MustCompile(`(?m)^(.*)\bclang version (\d+)\.`)

// findCC looks on Linux alone. The fake drivers, which it compiles, need Linux's loader, and what tests
// compare with C needs glibc or gcc.
func findCC() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	if path := lastWord("CC"); path != "" {
		return path
	}
	return lookPath("cc", "gcc")
}

// findRequired finds r if CUDAGEN_REQUIRE names it: what costs time or traffic is used only then.
func findRequired(r Resource) string {
	if slices.Contains(required(), r) {
		return string(r)
	}
	return ""
}

// findGPU looks for the device files of NVIDIA's kernel module, or of WSL's.
func findGPU() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	for _, pattern := range []string{"/dev/nvidia[0-9]*", "/dev/dxg", "/dev/nvhost-gpu"} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// findTwoGPUs looks for the second device file of NVIDIA's kernel module.
func findTwoGPUs() string {
	found, err := filepath.Glob("/dev/nvidia[0-9]*")
	if err != nil || len(found) < 2 || runtime.GOOS != "linux" {
		return ""
	}
	return found[1]
}

// findNetNS tries to make a network namespace.
func findNetNS() string {
	ip := lookPath("ip")
	if runtime.GOOS != "linux" || ip == "" || exec.Command("unshare", "--net", ip, "link").Run() != nil {
		return ""
	}
	return ip
}

// lastWord returns the path of the last word in the environment variable env.
func lastWord(env string) string {
	words := strings.Fields(os.Getenv(env))
	if len(words) == 0 {
		return ""
	}
	return lookPath(words[len(words)-1])
}

// lookPath returns the path of the first of names that can be run, or "".
func lookPath(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
