package toolchain

import (
	"fmt"
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

	libraries map[string]string // versions of the wheels of internal/cudalibs, by the library's name
}

// releases holds what can be installed, the oldest first. Each was installed, and a
// kernel compiled with it. The libraries are those that the wheel cuda-toolkit of the release
// requires.
var releases = []release{
	{nvcc: "13.0.88", nvrtc: "13.0.88", runtime: "13.0.96", cccl: "13.0.85", libraries: map[string]string{
		"cublas": "13.1.0.3", "cufft": "12.0.0.61", "cupti": "13.0.85", "curand": "10.4.0.35", "cusolver": "12.0.4.66",
		"cusparse": "12.6.3.3", "npp": "13.0.1.2", "nvfatbin": "13.0.85", "nvjitlink": "13.0.88", "nvjpeg": "13.0.1.86",
		"nvml": "13.0.87", "nvtx": "13.0.85", "profiler": "13.0.85",
	}},
	{nvcc: "13.1.115", nvrtc: "13.1.115", runtime: "13.1.80", cccl: "13.1.115", libraries: map[string]string{
		"cublas": "13.2.1.1", "cufft": "12.1.0.78", "cupti": "13.1.115", "curand": "10.4.1.81", "cusolver": "12.0.9.81",
		"cusparse": "12.7.3.1", "npp": "13.0.3.3", "nvfatbin": "13.1.115", "nvjitlink": "13.1.115", "nvjpeg": "13.0.3.75",
		"nvml": "13.1.115", "nvtx": "13.1.115", "profiler": "13.1.115",
	}},
	{nvcc: "13.2.86", nvrtc: "13.2.86", runtime: "13.2.86", cccl: "13.2.86", libraries: map[string]string{
		"cublas": "13.4.1.3", "cufft": "12.2.0.57", "cupti": "13.2.86", "curand": "10.4.2.66", "cusolver": "12.2.0.11",
		"cusparse": "12.7.10.12", "npp": "13.1.0.59", "nvfatbin": "13.2.86", "nvjitlink": "13.2.86", "nvjpeg": "13.1.0.59",
		"nvml": "13.2.86", "nvtx": "13.2.86", "profiler": "13.2.86",
	}},
	{nvcc: "13.5.37", nvrtc: "13.5.37", runtime: "13.5.37", cccl: "13.3.5.0.6", libraries: map[string]string{
		"cublas": "13.10.0.20", "cufft": "12.5.0.14", "cupti": "13.5.25", "curand": "10.4.5.25", "cusolver": "12.4.1.2",
		"cusparse": "12.9.4.2", "npp": "13.2.0.93", "nvfatbin": "13.5.37", "nvjitlink": "13.5.37", "nvjpeg": "13.3.2.43",
		"nvml": "13.5.37", "nvtx": "13.5.25", "profiler": "13.5.25",
	}},
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

// wheels returns the wheels of the compilers, sorted.
func (r release) wheels() []wheel {
	return []wheel{
		{"nvidia-cuda-cccl", r.cccl},
		{"nvidia-cuda-crt", r.nvcc},
		{"nvidia-cuda-nvcc", r.nvcc},
		{"nvidia-cuda-nvrtc", r.nvrtc},
		{"nvidia-cuda-runtime", r.runtime},
		{"nvidia-nvvm", r.nvcc},
	}
}
