package cudalibs

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever people call a library, it is found; what the toolkit does not have is not.
func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"curand": "curand", "cuRAND": "curand", "libcurand": "curand", "libcurand.so.10": "curand", "-lcurand": "curand",
		"nvidia-curand": "curand", "nvidia-curand-cu12": "curand", "nvidia-curand-cu13": "curand", "nvidia-curand==10.4.0.35": "curand",
		"curand_kernel.h": "curand", "<curand_kernel.h>": "curand", `"curand.h"`: "curand", "curand_mtgp32dc_p_11213.h": "curand",
		"libcurand-dev": "curand", "libcurand_static.a": "curand", "CUDA::curand": "curand",
		"cublasLt": "cublas", "cublas_v2.h": "cublas", "cublas_api.h": "cublas", "cufftXt.h": "cufft", "cusolverDn": "cusolver",
		"nvml": "nvml", "nvidia-nvml-dev": "nvml", "nvml.h": "nvml", "nvtx3/nvtx3.hpp": "nvtx", "nvToolsExt.h": "nvtx",
		"cuda_profiler_api.h": "profiler", "nvidia-cuda-profiler-api": "profiler", "nvidia-cuda-cupti": "cupti", "nppi_filtering_functions.h": "npp", "nppi": "npp",
		"nvJitLink": "nvjitlink", "nvJitLink.h": "nvjitlink",
		"": "", "cu": "", "cudnn": "", "cudnn.h": "", "cufftdx.hpp": "", "cutlass/gemm.h": "", "curand/mine.h": "", "cuda_runtime.h": "", "curnad": "",
	} {
		l, found := Find(name)
		assert.Equal(t, want, l.Name, "%q", name)
		assert.Equal(t, want != "", found, "%q", name)
	}
}

func TestLibraries(t *testing.T) {
	assert.True(t, slices.IsSorted(Names()))
	for _, l := range libraries {
		assert.Regexp(t, `^nvidia-[a-z-]+$`, l.Wheel)
		found, ok := Find(l.Wheel)
		require.True(t, ok, l.Wheel)
		assert.Equal(t, l.Name, found.Name)
		for _, need := range l.Needs {
			assert.Contains(t, Names(), need)
		}
	}
}
