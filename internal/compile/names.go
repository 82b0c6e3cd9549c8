package compile

import (
	"regexp"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/cudagen/cudagen/internal/diag"
)

// undefinedName matches what nvcc and NVRTC say of a name that nothing declares. clang has
// suggestions of its own.
var undefinedName = regexp.MustCompile(`^identifier "(\w+)" is undefined`)

// wellKnown are names of CUDA C++ that people mistype.
var wellKnown = strings.Fields(`threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp __threadfence __ldg
	__shared__ __device__ __constant__ __global__ __restrict__ __forceinline__ __launch_bounds__
	__shfl_sync __shfl_down_sync __shfl_up_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync
	atomicAdd atomicSub atomicMax atomicMin atomicExch atomicCAS
	char2 char3 char4 uchar2 uchar3 uchar4 short2 short3 short4 ushort2 ushort3 ushort4 int2 int3 int4 uint2 uint3 uint4
	long2 ulong2 longlong2 ulonglong2 float2 float3 float4 double2 double3 double4 dim3
	size_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t unsigned printf sqrtf`)

// nameHint returns what to add to a message about a name that is nearly one of CUDA's, or "".
func nameHint(message string) diag.Message {
	m := undefinedName.FindStringSubmatch(message)
	if m == nil || len(m[1]) < 4 {
		return diag.Message{}
	}
	best, least := "", 3 // two letters that changed places are two changes
	for _, name := range wellKnown {
		distance := levenshtein.ComputeDistance(m[1], name)
		if strings.EqualFold(m[1], name) {
			distance = 1
		}
		if distance < least && distance*2 <= len(name) {
			best, least = name, distance
		}
	}
	if best == "" {
		return diag.Message{}
	}
	return diag.Hint("did you mean %s?", best)
}
