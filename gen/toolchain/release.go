package toolchain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A release is a CUDA toolkit as wheels, which are installed in exactly these versions:
// the wheels' own requirements are not pinned, and an nvvm that is newer than ptxas
// writes PTX which that ptxas refuses.
type release struct {
	nvcc    string // of nvidia-cuda-nvcc, nvidia-nvvm and nvidia-cuda-crt; names the release
	nvrtc   string // of nvidia-cuda-nvrtc
	runtime string // of nvidia-cuda-runtime
	cccl    string // of nvidia-cuda-cccl
}

// releases holds what can be installed, the oldest first. Each was installed, and a
// kernel compiled with it.
var releases = []release{
	{nvcc: "13.0.88", nvrtc: "13.0.88", runtime: "13.0.96", cccl: "13.0.85"},
	{nvcc: "13.1.115", nvrtc: "13.1.115", runtime: "13.1.80", cccl: "13.1.115"},
	{nvcc: "13.2.86", nvrtc: "13.2.86", runtime: "13.2.86", cccl: "13.2.86"},
	{nvcc: "13.5.37", nvrtc: "13.5.37", runtime: "13.5.37", cccl: "13.3.5.0.6"},
}

// DefaultVersion is the release that is installed when none is named: the oldest,
// because drivers take PTX of their own CUDA version and of older ones.
const DefaultVersion = "13.0.88"

// Versions returns the versions that Install knows, the oldest first.
func Versions() []string {
	var versions []string
	for _, r := range releases {
		versions = append(versions, r.nvcc)
	}
	return versions
}

func find(version string) (release, error) {
	for _, r := range releases {
		if r.nvcc == version {
			return r, nil
		}
	}
	return release{}, fmt.Errorf("unknown toolchain %q: choose one of %s", version, strings.Join(Versions(), ", "))
}

// wheels returns the requirements of r as pip and uv read them, sorted.
func (r release) wheels() []string {
	versions := map[string]string{
		"nvidia-cuda-nvcc":    r.nvcc,
		"nvidia-nvvm":         r.nvcc,
		"nvidia-cuda-crt":     r.nvcc,
		"nvidia-cuda-nvrtc":   r.nvrtc,
		"nvidia-cuda-runtime": r.runtime,
		"nvidia-cuda-cccl":    r.cccl,
	}
	var wheels []string
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		wheels = append(wheels, name+"=="+versions[name])
	}
	return wheels
}
