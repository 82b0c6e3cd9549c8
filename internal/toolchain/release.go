package toolchain

import (
	"embed"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/cudalibs"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/wheels"
)

// lists has a file for each release: its wheels for every platform, of the compilers and of the
// libraries of internal/cudalibs. They are installed in exactly these versions: the wheels' own
// requirements are not pinned, and an nvvm that is newer than ptxas writes PTX which that ptxas refuses.
//
//go:embed wheels/*.txt
var lists embed.FS

// versions are the releases that can be installed, named after their nvcc, the oldest first. With each, a
// kernel was compiled. The libraries are those that the wheel cuda-toolkit of the release requires.
var versions = []string{"13.0.88", "13.1.115", "13.2.86", "13.5.37"}

// DefaultVersion is the release that is installed when none is named: the oldest,
// because drivers take PTX of their own CUDA version and of older ones.
const DefaultVersion = "13.0.88"

// Versions returns the versions that Install knows, the oldest first.
func Versions() []string { return slices.Clone(versions) }

// platforms are what the last platform of a wheel ends with, by Go's names of systems.
var platforms = map[string]string{
	"linux/amd64": "_x86_64", "linux/arm64": "_aarch64", "windows/amd64": "win_amd64", "windows/arm64": "win_arm64",
}

// A release is the wheels of a CUDA toolkit for this platform, by the names of their packages.
type release map[string]wheels.Wheel

// findRelease returns the release of a version for a platform, such as linux/amd64.
func findRelease(version, platform string) (release, error) {
	if !slices.Contains(versions, version) {
		return nil, diag.Flags.Errorf("unknown toolchain %q: %w", version, diag.Do("choose one of %s", strings.Join(versions, ", ")))
	}
	text, err := lists.ReadFile("wheels/" + version + ".txt")
	if err != nil {
		return nil, err
	}
	list, err := wheels.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("wheels of toolchain %s: %w", version, err)
	}
	r := make(release)
	for _, w := range list {
		if end := platforms[platform]; end != "" && strings.HasSuffix(w.Platform(), end) {
			r[w.Name()] = w
		}
	}
	if len(r) == 0 {
		return nil, fmt.Errorf("NVIDIA publishes no wheels of toolchain %s for %s, but for Linux with glibc and for Windows: %w", version, platform, diag.Do("generate on such a machine, or use clang 19 (see %s)", diag.Call("doctor")))
	}
	return r, nil
}

// thisPlatform is that of this process.
const thisPlatform = runtime.GOOS + "/" + runtime.GOARCH

// A part is wheels that are of use together.
type part struct {
	name     string // "NVRTC", "nvcc" or a library's
	packages []string
}

// The compilers. NVRTC comes first: it compiles kernels, and needs no host compiler.
var (
	nvrtc = part{"NVRTC", []string{"nvidia-cuda-cccl", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc"}}
	nvcc  = part{"nvcc", []string{"nvidia-nvvm", "nvidia-cuda-nvcc"}}
)

// parts returns the parts of an installation with libraries, in the order in which they are installed.
func parts(libraries []cudalibs.Library) []part {
	list := []part{nvrtc, nvcc}
	for _, l := range libraries {
		list = append(list, part{l.Name, []string{l.Wheel}})
	}
	return list
}
