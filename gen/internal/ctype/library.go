package ctype

import "strings"

// aliases holds the names that the C library's headers and CUDA's give to builtin types
// where long has 8 bytes (LP64): glibc's <stdint.h>, <stddef.h>, <sys/types.h> and
// <time.h>; CUDA's <driver_types.h>, <cuda.h>, <texture_types.h> and <surface_types.h>.
var aliases = map[string]Kind{
	"int8_t": SignedChar, "int16_t": Short, "int32_t": Int, "int64_t": Long,
	"uint8_t": UnsignedChar, "uint16_t": UnsignedShort, "uint32_t": UnsignedInt, "uint64_t": UnsignedLong,

	"int_least8_t": SignedChar, "int_least16_t": Short, "int_least32_t": Int, "int_least64_t": Long,
	"uint_least8_t": UnsignedChar, "uint_least16_t": UnsignedShort, "uint_least32_t": UnsignedInt, "uint_least64_t": UnsignedLong,

	"int_fast8_t": SignedChar, "int_fast16_t": Long, "int_fast32_t": Long, "int_fast64_t": Long,
	"uint_fast8_t": UnsignedChar, "uint_fast16_t": UnsignedLong, "uint_fast32_t": UnsignedLong, "uint_fast64_t": UnsignedLong,

	"intptr_t": Long, "uintptr_t": UnsignedLong, "intmax_t": Long, "uintmax_t": UnsignedLong,
	"size_t": UnsignedLong, "ptrdiff_t": Long, "nullptr_t": NullPtr,
	"ssize_t": Long, "off_t": Long, "time_t": Long, "clock_t": Long, "wint_t": UnsignedInt,
	"uint": UnsignedInt, "ushort": UnsignedShort, "ulong": UnsignedLong,
	"u_char": UnsignedChar, "u_short": UnsignedShort, "u_int": UnsignedInt, "u_long": UnsignedLong,
	"u_int8_t": UnsignedChar, "u_int16_t": UnsignedShort, "u_int32_t": UnsignedInt, "u_int64_t": UnsignedLong,

	"cudaTextureObject_t": UnsignedLongLong, "cudaSurfaceObject_t": UnsignedLongLong, "cudaGraphConditionalHandle": UnsignedLongLong,
	"CUtexObject": UnsignedLongLong, "CUsurfObject": UnsignedLongLong, "CUdeviceptr": UnsignedLongLong, "CUdevice": Int,
	"cufftReal": Float, "cufftDoubleReal": Double,
}

// Standard returns the builtin type that the C library or CUDA names name, such as
// uint32_t, and nil when they name none. The caller looks up "std::" itself: the alias
// has the bare name.
func Standard(name string) *Alias {
	kind, ok := aliases[name]
	if !ok {
		return nil
	}
	return &Alias{Name: name, Type: Builtin(kind)}
}

// libraries holds the classes of CUDA's headers whose layout is the same in all its
// versions. Their sizes are those of the storage types that the headers name:
// <cuda_fp16.h>, <cuda_bf16.h>, <cuda_fp8.h>, <cuda_fp6.h>, <cuda_fp4.h>,
// <curand_kernel.h>, <driver_types.h>.
var libraries = makeLibraries()

func makeLibraries() map[string]*Library {
	table := make(map[string]*Library)
	for _, l := range []struct {
		name        string
		size, align int64
		header      string
	}{
		{"__half", 2, 2, "cuda_fp16.h"}, {"__half_raw", 2, 2, "cuda_fp16.h"},
		{"__half2", 4, 4, "cuda_fp16.h"}, {"__half2_raw", 4, 4, "cuda_fp16.h"},
		{"__nv_bfloat16", 2, 2, "cuda_bf16.h"}, {"__nv_bfloat16_raw", 2, 2, "cuda_bf16.h"},
		{"__nv_bfloat162", 4, 4, "cuda_bf16.h"}, {"__nv_bfloat162_raw", 4, 4, "cuda_bf16.h"},
		{"__nv_fp8_e4m3", 1, 1, "cuda_fp8.h"}, {"__nv_fp8_e5m2", 1, 1, "cuda_fp8.h"}, {"__nv_fp8_e8m0", 1, 1, "cuda_fp8.h"},
		{"__nv_fp8x2_e4m3", 2, 2, "cuda_fp8.h"}, {"__nv_fp8x2_e5m2", 2, 2, "cuda_fp8.h"}, {"__nv_fp8x2_e8m0", 2, 2, "cuda_fp8.h"},
		{"__nv_fp8x4_e4m3", 4, 4, "cuda_fp8.h"}, {"__nv_fp8x4_e5m2", 4, 4, "cuda_fp8.h"}, {"__nv_fp8x4_e8m0", 4, 4, "cuda_fp8.h"},
		{"__nv_fp6_e2m3", 1, 1, "cuda_fp6.h"}, {"__nv_fp6_e3m2", 1, 1, "cuda_fp6.h"},
		{"__nv_fp6x2_e2m3", 2, 2, "cuda_fp6.h"}, {"__nv_fp6x2_e3m2", 2, 2, "cuda_fp6.h"},
		{"__nv_fp6x4_e2m3", 4, 4, "cuda_fp6.h"}, {"__nv_fp6x4_e3m2", 4, 4, "cuda_fp6.h"},
		{"__nv_fp4_e2m1", 1, 1, "cuda_fp4.h"}, {"__nv_fp4x2_e2m1", 1, 1, "cuda_fp4.h"}, {"__nv_fp4x4_e2m1", 2, 2, "cuda_fp4.h"},
		{"curandStateXORWOW", 48, 8, "curand_kernel.h"}, {"curandStatePhilox4_32_10", 64, 16, "curand_kernel.h"},
		{"cudaExtent", 24, 8, "driver_types.h"}, {"cudaPos", 24, 8, "driver_types.h"}, {"cudaPitchedPtr", 32, 8, "driver_types.h"},
		{"cudaChannelFormatDesc", 20, 4, "driver_types.h"},
	} {
		table[l.name] = &Library{Name: l.name, Size: l.size, Align: l.align, Header: l.header}
	}
	return table
}

// libraryNames are other names of the classes in libraries and of vector types.
var libraryNames = map[string]string{
	"half": "__half", "half2": "__half2", "nv_half": "__half", "nv_half2": "__half2", "__nv_half": "__half", "__nv_half2": "__half2",
	"nv_bfloat16": "__nv_bfloat16", "nv_bfloat162": "__nv_bfloat162",
	"curandState": "curandStateXORWOW", "curandState_t": "curandStateXORWOW", "curandStateXORWOW_t": "curandStateXORWOW",
	"curandStatePhilox4_32_10_t": "curandStatePhilox4_32_10",

	"cuComplex": "float2", "cuFloatComplex": "float2", "cuDoubleComplex": "double2",
	"cufftComplex": "float2", "cufftDoubleComplex": "double2",
}

// classes holds the classes that may only be pointed at, by name: their layout is
// secret, or differs between versions of the headers.
var classes = makeClasses()

func makeClasses() map[string]*Struct {
	table := make(map[string]*Struct)
	for _, name := range []string{
		"CUstream_st", "CUevent_st", "CUgraph_st", "CUgraphExec_st", "CUmemPoolHandle_st", "CUctx_st", "CUmod_st", "CUfunc_st",
		"cudaArray", "cudaMipmappedArray", "CUarray_st", "cublasContext", "cusparseContext", "cudnnContext",
		"CUtensorMap", "_IO_FILE",
		"curandStateMRG32k3a", "curandStateSobol32", "curandStateSobol64", "curandStateScrambledSobol32", "curandStateScrambledSobol64",
		"curandStateMtgp32", "mtgp32_kernel_params",
	} {
		table[name] = &Struct{Name: name}
	}
	return table
}

// handles holds the class that a handle points at, by the handle's name.
var handles = map[string]string{
	"cudaStream_t": "CUstream_st", "CUstream": "CUstream_st", "cudaEvent_t": "CUevent_st", "CUevent": "CUevent_st",
	"cudaGraph_t": "CUgraph_st", "CUgraph": "CUgraph_st", "cudaGraphExec_t": "CUgraphExec_st", "CUgraphExec": "CUgraphExec_st",
	"cudaMemPool_t": "CUmemPoolHandle_st", "CUcontext": "CUctx_st", "CUmodule": "CUmod_st", "CUfunction": "CUfunc_st",
	"cudaArray_t": "cudaArray", "cudaMipmappedArray_t": "cudaMipmappedArray", "CUarray": "CUarray_st",
	"cublasHandle_t": "cublasContext", "cusparseHandle_t": "cusparseContext", "cudnnHandle_t": "cudnnContext",
}

// classNames are other names of the classes in classes.
var classNames = map[string]string{
	"FILE": "_IO_FILE", "curandStateMRG32k3a_t": "curandStateMRG32k3a", "curandStateSobol32_t": "curandStateSobol32",
	"curandStateSobol64_t": "curandStateSobol64", "curandStateScrambledSobol32_t": "curandStateScrambledSobol32",
	"curandStateScrambledSobol64_t": "curandStateScrambledSobol64", "curandStateMtgp32_t": "curandStateMtgp32",
	"mtgp32_kernel_params_t": "mtgp32_kernel_params",
}

// Byte returns std::byte of the namespace std or cuda::std: C++ standard, [cstddef.syn]. An
// enumeration without enumerators, it is known where its header was not read.
func Byte(namespace []string) *Enum { return bytes[strings.Join(namespace, "::")] }

// IsByte reports whether e is std::byte, of whichever library.
func IsByte(e *Enum) bool { return e == bytes["std"] || e == bytes["cuda::std"] }

var bytes = map[string]*Enum{
	"std":       {Name: "byte", Scope: []string{"std"}, Scoped: true, Fixed: true, Underlying: Builtin(UnsignedChar)},
	"cuda::std": {Name: "byte", Scope: []string{"cuda", "std"}, Scoped: true, Fixed: true, Underlying: Builtin(UnsignedChar)},
}

// Known returns the type that the headers of the C library or of CUDA give to a name at
// file scope, for a source whose headers are out of reach. It returns nil when there is
// none.
//
// Classes whose layout depends on the version of the headers, such as CUtensorMap, are
// incomplete structs. Enumerations have no type here: their enumerators depend on the version, too.
func Known(name string) Type {
	if v := LookupVector(name); v != nil {
		return v
	}
	if a := Standard(name); a != nil {
		return a
	}
	if l := libraries[name]; l != nil {
		return l
	}
	if target, ok := libraryNames[name]; ok {
		return &Alias{Name: name, Type: Known(target)}
	}
	if class, ok := handles[name]; ok {
		return &Alias{Name: name, Type: &Pointer{Elem: classes[class]}}
	}
	if class, ok := classNames[name]; ok {
		return &Alias{Name: name, Type: classes[class]}
	}
	if s := classes[name]; s != nil {
		return s
	}
	return nil
}

// Libraries calls yield for every class whose size is known without its header, in no
// particular order.
func Libraries(yield func(*Library) bool) {
	for _, l := range libraries {
		if !yield(l) {
			return
		}
	}
}

// Complex returns the class name<elem> of a complex number, such as
// "std::complex<float>", for name std::complex, cuda::std::complex or thrust::complex
// and a floating-point elem. It returns nil for any other.
//
// Two numbers of type elem follow each other. The std class is aligned like elem, the
// others to their size: <thrust/complex.h>, <cuda/std/complex>.
func Complex(name string, elem Type) *Library {
	basic, ok := Unqualified(elem).(*Basic)
	if !ok || basic.Kind != Float && basic.Kind != Double {
		return nil
	}
	l := &Library{Name: name + "<" + basic.Name + ">", Size: 2 * basic.Size, Align: 2 * basic.Size, Header: "thrust/complex.h"}
	switch name {
	case "std::complex":
		l.Align, l.Header = basic.Size, "complex"
	case "cuda::std::complex":
		l.Header = "cuda/std/complex"
	case "thrust::complex":
	default:
		return nil
	}
	return l
}

// Smart returns the pointer class name<elem> of the libraries, such as
// "std::shared_ptr<Node>". It returns nil for any other name.
//
// A shared_ptr has two addresses, in libstdc++ and in libc++; the others have one.
func Smart(name string, elem Type) Type {
	const address = 8
	spelled := Arguments([]TemplateArg{{Type: elem}})
	switch name {
	case "std::shared_ptr", "std::weak_ptr":
		return &Library{Name: name + spelled, Size: 2 * address, Align: address, Header: "memory"}
	case "thrust::device_ptr":
		return &Library{Name: name + spelled, Size: address, Align: address, Header: "thrust/device_ptr.h"}
	}
	return nil
}
