package lex

import (
	"cmp"
	"fmt"
	"strings"
)

// defaultArch is the compute capability whose device pass is read when no target is
// given, times ten: the lowest that CUDA 13 compiles for.
const defaultArch = 75

// DefaultStd is the language version that nvcc uses by default: CUDA Compiler Driver
// NVCC, --std.
const DefaultStd = "c++17"

// versions holds __cplusplus by language version: C++ standard, [cpp.predefined].
var versions = map[string]string{
	"03": "199711L", "11": "201103L", "14": "201402L", "17": "201703L", "20": "202002L", "23": "202302L",
}

// VersionOf returns __cplusplus of a language version, such as c++17 or gnu++17.
func VersionOf(std string) (string, bool) {
	language, year, _ := strings.Cut(std, "++")
	version, known := versions[year]
	return version, known && (language == "c" || language == "gnu")
}

// predefined returns the macros that nvcc defines when it compiles a .cu file for a
// device on Linux, as source text: CUDA Compiler Driver NVCC, NVCC Identification
// Macros; CUDA C++ Programming Guide, __CUDA_ARCH__; GCC manual, Common Predefined
// Macros; and those of <cuda_runtime.h>, which nvcc includes by itself.
func predefined(c *Config) string {
	version, _ := VersionOf(cmp.Or(c.Std, DefaultStd))
	arch := c.Arch
	if arch == 0 {
		arch = defaultArch
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#define __cplusplus %s\n#define __CUDA_ARCH__ %d0\n#define __CUDA_ARCH_LIST__ %d0\n", version, arch, arch)
	if c.NVRTC {
		b.WriteString(rtcMacros)
	} else {
		b.WriteString(fixedMacros + gccMacros + libraryMacros)
		std := cmp.Or(c.Std, DefaultStd)
		b.WriteString(features(std[len(std)-2:]))
		if strings.HasPrefix(strings.ToLower(c.Std), "c++") {
			b.WriteString("#define __STRICT_ANSI__ 1\n")
		} else {
			b.WriteString("#define linux 1\n#define unix 1\n")
		}
	}
	return b.String()
}

// rtcMacros are the predefined macros of NVRTC: NVRTC, Predefined Macros. It has none of a
// host compiler.
const rtcMacros = `
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 48
#define CUDART_VERSION 13000
#define CUDARTAPI
#define CUDART_CB
#define __CUDA_ALIGN__(n) __align__(n)
#define __STDC__ 1
#define __STDC_HOSTED__ 1
#define __EXCEPTIONS 1
#define __cpp_exceptions 199711L
#define __LP64__ 1
`

// fixedMacros are the predefined macros of nvcc that depend on nothing.
const fixedMacros = `
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 48
#define CUDART_VERSION 13000
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB
#define __CUDA_ALIGN__(n) __align__(n)
#define __STDC__ 1
#define __STDC_HOSTED__ 1
#define __STDC_VERSION_STDINT_H__ 1
#define __GNUC__ 13
#define __GNUC_MINOR__ 2
#define __GNUC_PATCHLEVEL__ 0
#define __GNUG__ 13
#define __VERSION__ "13.2.0"
#define _GNU_SOURCE 1
#define __EXCEPTIONS 1
#define __GXX_RTTI 1
#define __cpp_exceptions 199711L
#define __ELF__ 1
#define __linux__ 1
#define __linux 1
#define __gnu_linux__ 1
#define __unix__ 1
#define __unix 1
#define __x86_64__ 1
#define __x86_64 1
#define __amd64__ 1
#define __amd64 1
#define _LP64 1
#define __LP64__ 1
#define __CHAR_BIT__ 8
#define __SCHAR_MAX__ 0x7f
#define __SHRT_MAX__ 0x7fff
#define __INT_MAX__ 0x7fffffff
#define __LONG_MAX__ 0x7fffffffffffffffL
#define __LONG_LONG_MAX__ 0x7fffffffffffffffLL
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_FLOAT__ 4
#define __SIZEOF_DOUBLE__ 8
#define __SIZEOF_POINTER__ 8
#define __SIZEOF_SIZE_T__ 8
#define __SIZEOF_PTRDIFF_T__ 8
#define __SIZEOF_WCHAR_T__ 4
#define __SIZEOF_INT128__ 16
#define __SIZE_TYPE__ long unsigned int
#define __PTRDIFF_TYPE__ long int
#define __BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __SSE__ 1
#define __SSE2__ 1
`

// commandLine returns the macros of the command line as source text. A macro of -D without a value is 1:
// GCC manual, -D.
func commandLine(c *Config) string {
	var b strings.Builder
	for _, d := range c.Define {
		name, value, ok := strings.Cut(strings.ReplaceAll(d, "\n", " "), "=")
		if !ok {
			value = "1"
		}
		fmt.Fprintf(&b, "#define %s %s\n", name, value)
	}
	return b.String() + c.Macros
}

// limits are the macros of <limits.h> and <stdint.h> for LP64.
var limits = []string{
	"CHAR_BIT 8", "SCHAR_MAX 127", "SCHAR_MIN (-128)", "UCHAR_MAX 255", "CHAR_MAX 127", "CHAR_MIN (-128)",
	"SHRT_MAX 32767", "SHRT_MIN (-32768)", "USHRT_MAX 65535",
	"INT_MAX 2147483647", "INT_MIN (-2147483647-1)", "UINT_MAX 4294967295U",
	"LONG_MAX 9223372036854775807L", "LONG_MIN (-9223372036854775807L-1L)", "ULONG_MAX 18446744073709551615UL",
	"LLONG_MAX 9223372036854775807LL", "LLONG_MIN (-9223372036854775807LL-1LL)", "ULLONG_MAX 18446744073709551615ULL",
	"INT8_MAX 127", "INT16_MAX 32767", "INT32_MAX 2147483647", "INT64_MAX 9223372036854775807L",
	"UINT8_MAX 255", "UINT16_MAX 65535", "UINT32_MAX 4294967295U", "UINT64_MAX 18446744073709551615UL",
	"SIZE_MAX 18446744073709551615UL", "PATH_MAX 4096",
}

// headerMacros returns the macros, as name and value, that a header defines which was
// not found, as far as conditions and array bounds depend on them.
func headerMacros(c *Config, header string) []string {
	folder, _, _ := strings.Cut(header, "/")
	switch {
	case folder == "thrust", folder == "cub":
		return append([]string{"CUDA_VERSION 13000", "THRUST_VERSION 300001", "CUB_VERSION 300001"}, limits...)
	case !standardHeader(header), cudaHeaders[header]:
		// Whatever it is, it may include <cuda.h>.
		return append([]string{"CUDA_VERSION 13000"}, limits...)
	case header == "limits.h", header == "climits", header == "stdint.h", header == "cstdint":
		return limits
	}
	return nil
}

// standardHeader reports whether header is one of the C and C++ libraries, of Linux or
// of CUDA: its types are known without it, as far as kernels take them.
func standardHeader(header string) bool {
	if cHeaders[header] || cudaHeaders[header] {
		return true
	}
	folder, _, inside := strings.Cut(header, "/")
	return inside && systemFolders[folder]
}

// systemFolders are folders of the system's and the toolkit's headers.
var systemFolders = words("sys linux bits gnu asm netinet arpa cuda nv thrust cub cooperative_groups crt nvtx3 ext")

// cHeaders are the headers of the C and C++ standard libraries and of POSIX.
var cHeaders = words(`assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h memory.h setjmp.h
	signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h tgmath.h threads.h time.h
	uchar.h wchar.h wctype.h malloc.h alloca.h unistd.h pthread.h fcntl.h dirent.h dlfcn.h getopt.h sched.h semaphore.h termios.h
	execinfo.h cxxabi.h omp.h mpi.h immintrin.h xmmintrin.h emmintrin.h x86intrin.h
	algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath
	codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime
	cuchar cwchar cwctype deque exception execution expected filesystem format forward_list fstream functional future
	initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex new
	numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location
	span sstream stack stdexcept stop_token streambuf string string_view strstream syncstream system_error thread tuple type_traits
	typeindex typeinfo unordered_map unordered_set utility valarray variant vector version`)

// cudaHeaders are the headers of the CUDA toolkit.
var cudaHeaders = words(`cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h driver_types.h vector_types.h
	vector_functions.h vector_functions.hpp host_defines.h device_functions.h device_atomic_functions.h math_functions.h
	math_constants.h common_functions.h builtin_types.h channel_descriptor.h texture_types.h surface_types.h
	texture_fetch_functions.h texture_indirect_functions.h surface_functions.h surface_indirect_functions.h library_types.h
	sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_intrinsics.h sm_35_intrinsics.h sm_60_atomic_functions.h
	sm_61_intrinsics.h cuda_fp16.h cuda_fp16.hpp cuda_bf16.h cuda_bf16.hpp cuda_fp8.h cuda_fp8.hpp cuda_fp6.h cuda_fp4.h
	cuComplex.h cooperative_groups.h cuda_pipeline.h cuda_pipeline_primitives.h cuda_awbarrier.h cuda_awbarrier_primitives.h
	cuda_device_runtime_api.h cuda_occupancy.h cuda_profiler_api.h cudaProfiler.h cuda_gl_interop.h cuda_texture_types.h
	cuda_surface_types.h cuda_vdpau_interop.h cudaTypedefs.h cudaEGL.h cudaGL.h cuda_egl_interop.h mma.h fatbinary_section.h
	cublas.h cublas_v2.h cublas_api.h cublasLt.h cublasXt.h cufft.h cufftXt.h cufftw.h curand.h curand_kernel.h
	curand_mtgp32_host.h curand_mtgp32dc_p_11213.h curand_poisson.h curand_normal.h curand_uniform.h curand_philox4x32_x.h
	curand_globals.h cusparse.h cusparse_v2.h cusolverDn.h cusolverSp.h cusolver_common.h nvrtc.h nvml.h npp.h nppi.h npps.h
	nvToolsExt.h nvtx3.hpp cupti.h cudnn.h nccl.h nvjpeg.h`)
