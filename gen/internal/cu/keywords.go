package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// words returns the set of the words in text.
func words(text string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// specifierWords are the words before a declarator that are not types: C++ standard,
// [dcl.spec]; CUDA C++ Programming Guide, C++ Language Extensions.
var specifierWords = words(`typedef friend static extern inline constexpr consteval constinit virtual mutable register thread_local
	__thread volatile __volatile__ const __const __const__ auto_type
	__inline__ __inline __forceinline__ __forceinline __extension__
	__host__ __device__ __constant__ __managed__ __shared__ __noinline__ __nv_pure__ __device_builtin__
	__restrict__ __restrict restrict`)

// storage are words of a declaration that say nothing about its type.
var storage = words(`register mutable inline __inline__ __inline __forceinline__ __forceinline thread_local __thread __extension__
	__host__ __noinline__ virtual friend auto_type __nv_pure__ __shared__ typename __device_builtin__`)

// memorySpaces are the storage of variables whose value is not a constant expression.
var memorySpaces = words("__device__ __constant__ __managed__ __shared__ extern thread_local")

// spaces are the words for the memory of a device: one that stands further behind wins over
// __device__, which may stand beside it.
var spaces = words("__device__ __constant__ __managed__")

// functionSpecifiers are words in the declaration of a function that do not change its
// parameters.
var functionSpecifiers = words(`inline __inline__ __inline __forceinline__ __forceinline static constexpr consteval explicit extern
	__host__ __device__ __noinline__ __nv_pure__ virtual __extension__ auto`)

// attributeWords are the words that are attributes together with the parentheses
// behind them. CUDA C++ Programming Guide, Execution Configuration and
// Language Extensions; <host_defines.h>; GCC manual, Attribute Syntax.
var attributeWords = words(`__attribute__ __attribute __declspec alignas _Alignas __align__ __builtin_align__
	__launch_bounds__ __cluster_dims__ __block_size__ __maxnreg__ __grid_constant__ __nv_pure__ __noinline__ noexcept
	__device_builtin__ __device_builtin_texture_type__ __device_builtin_surface_type__ __cudart_builtin__ __local_maxnreg__`)

// spaceWords are the words of CUDA C++ that its own headers define as attributes, by the
// attribute: `#define __global__ __attribute__((global))`. <crt/host_defines.h>.
var spaceWords = map[string]string{
	"host": "__host__", "device": "__device__", "global": "__global__", "shared": "__shared__",
	"constant": "__constant__", "managed": "__managed__", "grid_constant": "__grid_constant__",
}

var declaredSpaces = words("__host__ __device__ __constant__ __managed__ __shared__")

// isSpace reports whether l is one of CUDA's words for who calls a function and where a variable
// is, which may stand wherever an attribute may: int *__device__ f(); struct __device__ S.
func isSpace(l *lex.Token) bool {
	return l.Kind == lex.Ident && declaredSpaces[l.Text]
}

// scalarWords are the words that builtin scalar types are made of.
var scalarWords = words(`void bool char char8_t char16_t char32_t wchar_t short int long float double signed unsigned
	__signed__ __signed __int128 __int128_t __uint128_t _Bool __int64`)

// restricts are the spellings of restrict.
var restricts = words("__restrict__ __restrict restrict")

// pointerQualifiers are the words that may stand behind a *.
var pointerQualifiers = words("const volatile __const __const__ __volatile__ restrict __restrict __restrict__")

// callConventions are words that may stand in the declarator of a function pointer and
// do not change it.
var callConventions = words("__cdecl __stdcall __fastcall __vectorcall CUDART_CB CUDAAPI")

// behindParameters are the words that stand behind the parameters of a function.
var behindParameters = words("const volatile noexcept override final throw try requires")

// harmless are the attributes that change neither the layout of a type nor that of
// parameters.
var harmless = words(`maybe_unused unused used deprecated nodiscard noreturn grid_constant visibility device_builtin may_alias
	warn_unused_result warn_unused always_inline noinline weak dllexport dllimport section nv_pure cudart_builtin noexcept
	device_builtin_texture_type device_builtin_surface_type device host shared constant managed global artificial hot cold
	no_instrument_function unavailable availability abi_tag trivial_abi preferred_name capability lockable`)

// launchKinds are the attributes that say how a kernel is launched.
var launchKinds = words("launch_bounds cluster_dims block_size maxnreg")

// noQualifier has the words before a :: that are not what it qualifies with.
var noQualifier = words(`return else do throw case co_return co_yield co_await template typename inline extern static const constexpr volatile
	__global__ __host__ __device__ __forceinline__ __noinline__`)

// declaring begin declarations, and notDeclaring other statements.
var (
	declaring    = words("const constexpr static auto volatile register namespace struct class union enum unsigned signed using typedef extern thread_local typename decltype __shared__ alignas")
	notDeclaring = words("return break continue goto throw delete new sizeof this co_return co_await co_yield static_assert asm __asm__ static_cast reinterpret_cast const_cast dynamic_cast")
)
