package driver

import "strconv"

// A Result is a CUresult. Zero is success.
//
// A Result is a plain value, not an error: runtime/cuda wraps it in one that says
// what was called, on which device and with what.
type Result int32

// Success is CUDA_SUCCESS.
const Success Result = 0

// The results other than Success, as of CUDA 13.0: ErrorInvalidValue is
// CUDA_ERROR_INVALID_VALUE. CUDA Driver API, Data types used by CUDA driver, CUresult.
const (
	ErrorInvalidValue                 Result = 1
	ErrorOutOfMemory                  Result = 2
	ErrorNotInitialized               Result = 3
	ErrorDeinitialized                Result = 4
	ErrorProfilerDisabled             Result = 5
	ErrorProfilerNotInitialized       Result = 6
	ErrorProfilerAlreadyStarted       Result = 7
	ErrorProfilerAlreadyStopped       Result = 8
	ErrorStubLibrary                  Result = 34
	ErrorCallRequiresNewerDriver      Result = 36
	ErrorDeviceUnavailable            Result = 46
	ErrorNoDevice                     Result = 100
	ErrorInvalidDevice                Result = 101
	ErrorDeviceNotLicensed            Result = 102
	ErrorInvalidImage                 Result = 200
	ErrorInvalidContext               Result = 201
	ErrorContextAlreadyCurrent        Result = 202
	ErrorMapFailed                    Result = 205
	ErrorUnmapFailed                  Result = 206
	ErrorArrayIsMapped                Result = 207
	ErrorAlreadyMapped                Result = 208
	ErrorNoBinaryForGPU               Result = 209
	ErrorAlreadyAcquired              Result = 210
	ErrorNotMapped                    Result = 211
	ErrorNotMappedAsArray             Result = 212
	ErrorNotMappedAsPointer           Result = 213
	ErrorECCUncorrectable             Result = 214
	ErrorUnsupportedLimit             Result = 215
	ErrorContextAlreadyInUse          Result = 216
	ErrorPeerAccessUnsupported        Result = 217
	ErrorInvalidPTX                   Result = 218
	ErrorInvalidGraphicsContext       Result = 219
	ErrorNVLinkUncorrectable          Result = 220
	ErrorJITCompilerNotFound          Result = 221
	ErrorUnsupportedPTXVersion        Result = 222
	ErrorJITCompilationDisabled       Result = 223
	ErrorUnsupportedExecAffinity      Result = 224
	ErrorUnsupportedDevsideSync       Result = 225
	ErrorContained                    Result = 226
	ErrorInvalidSource                Result = 300
	ErrorFileNotFound                 Result = 301
	ErrorSharedObjectSymbolNotFound   Result = 302
	ErrorSharedObjectInitFailed       Result = 303
	ErrorOperatingSystem              Result = 304
	ErrorInvalidHandle                Result = 400
	ErrorIllegalState                 Result = 401
	ErrorLossyQuery                   Result = 402
	ErrorNotFound                     Result = 500
	ErrorNotReady                     Result = 600
	ErrorIllegalAddress               Result = 700
	ErrorLaunchOutOfResources         Result = 701
	ErrorLaunchTimeout                Result = 702
	ErrorLaunchIncompatibleTexturing  Result = 703
	ErrorPeerAccessAlreadyEnabled     Result = 704
	ErrorPeerAccessNotEnabled         Result = 705
	ErrorPrimaryContextActive         Result = 708
	ErrorContextIsDestroyed           Result = 709
	ErrorAssert                       Result = 710
	ErrorTooManyPeers                 Result = 711
	ErrorHostMemoryAlreadyRegistered  Result = 712
	ErrorHostMemoryNotRegistered      Result = 713
	ErrorHardwareStackError           Result = 714
	ErrorIllegalInstruction           Result = 715
	ErrorMisalignedAddress            Result = 716
	ErrorInvalidAddressSpace          Result = 717
	ErrorInvalidPC                    Result = 718
	ErrorLaunchFailed                 Result = 719
	ErrorCooperativeLaunchTooLarge    Result = 720
	ErrorTensorMemoryLeak             Result = 721
	ErrorNotPermitted                 Result = 800
	ErrorNotSupported                 Result = 801
	ErrorSystemNotReady               Result = 802
	ErrorSystemDriverMismatch         Result = 803
	ErrorCompatNotSupportedOnDevice   Result = 804
	ErrorMPSConnectionFailed          Result = 805
	ErrorMPSRPCFailure                Result = 806
	ErrorMPSServerNotReady            Result = 807
	ErrorMPSMaxClientsReached         Result = 808
	ErrorMPSMaxConnectionsReached     Result = 809
	ErrorMPSClientTerminated          Result = 810
	ErrorCDPNotSupported              Result = 811
	ErrorCDPVersionMismatch           Result = 812
	ErrorStreamCaptureUnsupported     Result = 900
	ErrorStreamCaptureInvalidated     Result = 901
	ErrorStreamCaptureMerge           Result = 902
	ErrorStreamCaptureUnmatched       Result = 903
	ErrorStreamCaptureUnjoined        Result = 904
	ErrorStreamCaptureIsolation       Result = 905
	ErrorStreamCaptureImplicit        Result = 906
	ErrorCapturedEvent                Result = 907
	ErrorStreamCaptureWrongThread     Result = 908
	ErrorTimeout                      Result = 909
	ErrorGraphExecUpdateFailure       Result = 910
	ErrorExternalDevice               Result = 911
	ErrorInvalidClusterSize           Result = 912
	ErrorFunctionNotLoaded            Result = 913
	ErrorInvalidResourceType          Result = 914
	ErrorInvalidResourceConfiguration Result = 915
	ErrorKeyRotation                  Result = 916
	ErrorUnknown                      Result = 999
)

// results describes each Result: what the driver API calls it, and what it means.
var results = map[Result]struct{ name, description string }{
	Success:                           {"CUDA_SUCCESS", "success"},
	ErrorInvalidValue:                 {"CUDA_ERROR_INVALID_VALUE", "an argument is outside of its range"},
	ErrorOutOfMemory:                  {"CUDA_ERROR_OUT_OF_MEMORY", "not enough memory"},
	ErrorNotInitialized:               {"CUDA_ERROR_NOT_INITIALIZED", "cuInit has not been called, or failed"},
	ErrorDeinitialized:                {"CUDA_ERROR_DEINITIALIZED", "the driver is shutting down"},
	ErrorProfilerDisabled:             {"CUDA_ERROR_PROFILER_DISABLED", "the profiler is off, as it is when another profiling tool runs"},
	ErrorProfilerNotInitialized:       {"CUDA_ERROR_PROFILER_NOT_INITIALIZED", "the profiler is not initialized (unused since CUDA 5.0)"},
	ErrorProfilerAlreadyStarted:       {"CUDA_ERROR_PROFILER_ALREADY_STARTED", "the profiler runs already (unused since CUDA 5.0)"},
	ErrorProfilerAlreadyStopped:       {"CUDA_ERROR_PROFILER_ALREADY_STOPPED", "the profiler is stopped already (unused since CUDA 5.0)"},
	ErrorStubLibrary:                  {"CUDA_ERROR_STUB_LIBRARY", "the library loaded is the toolkit's stub, not a driver"},
	ErrorCallRequiresNewerDriver:      {"CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "the installed driver is too old for this call"},
	ErrorDeviceUnavailable:            {"CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is busy, or in exclusive or prohibited compute mode"},
	ErrorNoDevice:                     {"CUDA_ERROR_NO_DEVICE", "the driver sees no CUDA device"},
	ErrorInvalidDevice:                {"CUDA_ERROR_INVALID_DEVICE", "there is no such device, or it cannot do this"},
	ErrorDeviceNotLicensed:            {"CUDA_ERROR_DEVICE_NOT_LICENSED", "the device's GRID license is missing"},
	ErrorInvalidImage:                 {"CUDA_ERROR_INVALID_IMAGE", "the kernel image is malformed"},
	ErrorInvalidContext:               {"CUDA_ERROR_INVALID_CONTEXT", "no valid context is current on this thread"},
	ErrorContextAlreadyCurrent:        {"CUDA_ERROR_CONTEXT_ALREADY_CURRENT", "the context is current already (unused since CUDA 3.2)"},
	ErrorMapFailed:                    {"CUDA_ERROR_MAP_FAILED", "a resource could not be mapped"},
	ErrorUnmapFailed:                  {"CUDA_ERROR_UNMAP_FAILED", "a resource could not be unmapped"},
	ErrorArrayIsMapped:                {"CUDA_ERROR_ARRAY_IS_MAPPED", "the array is mapped, so it cannot be destroyed"},
	ErrorAlreadyMapped:                {"CUDA_ERROR_ALREADY_MAPPED", "the resource is mapped already"},
	ErrorNoBinaryForGPU:               {"CUDA_ERROR_NO_BINARY_FOR_GPU", "the image has no code for this device"},
	ErrorAlreadyAcquired:              {"CUDA_ERROR_ALREADY_ACQUIRED", "the resource is held already"},
	ErrorNotMapped:                    {"CUDA_ERROR_NOT_MAPPED", "the resource is not mapped"},
	ErrorNotMappedAsArray:             {"CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "the resource is mapped, but not as an array"},
	ErrorNotMappedAsPointer:           {"CUDA_ERROR_NOT_MAPPED_AS_POINTER", "the resource is mapped, but not as a pointer"},
	ErrorECCUncorrectable:             {"CUDA_ERROR_ECC_UNCORRECTABLE", "device memory had an error that ECC could not correct"},
	ErrorUnsupportedLimit:             {"CUDA_ERROR_UNSUPPORTED_LIMIT", "the device does not have this limit"},
	ErrorContextAlreadyInUse:          {"CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "the context is bound to another thread"},
	ErrorPeerAccessUnsupported:        {"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "these devices cannot reach each other's memory"},
	ErrorInvalidPTX:                   {"CUDA_ERROR_INVALID_PTX", "the driver could not compile the PTX"},
	ErrorInvalidGraphicsContext:       {"CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "the OpenGL or DirectX context is unusable"},
	ErrorNVLinkUncorrectable:          {"CUDA_ERROR_NVLINK_UNCORRECTABLE", "NVLink had an error that could not be corrected"},
	ErrorJITCompilerNotFound:          {"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "the driver's PTX compiler library is missing"},
	ErrorUnsupportedPTXVersion:        {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX is newer than the driver's compiler"},
	ErrorJITCompilationDisabled:       {"CUDA_ERROR_JIT_COMPILATION_DISABLED", "compiling PTX is switched off"},
	ErrorUnsupportedExecAffinity:      {"CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "the device does not have this execution affinity"},
	ErrorUnsupportedDevsideSync:       {"CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "the PTX calls cudaDeviceSynchronize, which the driver no longer compiles"},
	ErrorContained:                    {"CUDA_ERROR_CONTAINED", "an exception on the device was contained; the process must be restarted"},
	ErrorInvalidSource:                {"CUDA_ERROR_INVALID_SOURCE", "the kernel source is malformed"},
	ErrorFileNotFound:                 {"CUDA_ERROR_FILE_NOT_FOUND", "no such file"},
	ErrorSharedObjectSymbolNotFound:   {"CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "a shared library lacks a symbol"},
	ErrorSharedObjectInitFailed:       {"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "a shared library could not be initialized"},
	ErrorOperatingSystem:              {"CUDA_ERROR_OPERATING_SYSTEM", "a call to the operating system failed"},
	ErrorInvalidHandle:                {"CUDA_ERROR_INVALID_HANDLE", "no such stream, event or other object"},
	ErrorIllegalState:                 {"CUDA_ERROR_ILLEGAL_STATE", "a resource is in the wrong state for this call"},
	ErrorLossyQuery:                   {"CUDA_ERROR_LOSSY_QUERY", "the answer would leave out something that matters"},
	ErrorNotFound:                     {"CUDA_ERROR_NOT_FOUND", "no kernel, variable or symbol of this name"},
	ErrorNotReady:                     {"CUDA_ERROR_NOT_READY", "earlier work has not finished; not a failure"},
	ErrorIllegalAddress:               {"CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel accessed memory that is not there; the context is lost"},
	ErrorLaunchOutOfResources:         {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too few registers or other resources for this launch, or too many arguments"},
	ErrorLaunchTimeout:                {"CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran longer than the display allows; the context is lost"},
	ErrorLaunchIncompatibleTexturing:  {"CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "the launch uses an incompatible texture mode"},
	ErrorPeerAccessAlreadyEnabled:     {"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is enabled already"},
	ErrorPeerAccessNotEnabled:         {"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not enabled"},
	ErrorPrimaryContextActive:         {"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "the primary context exists already"},
	ErrorContextIsDestroyed:           {"CUDA_ERROR_CONTEXT_IS_DESTROYED", "the current context was destroyed"},
	ErrorAssert:                       {"CUDA_ERROR_ASSERT", "an assertion failed in a kernel; the context is lost"},
	ErrorTooManyPeers:                 {"CUDA_ERROR_TOO_MANY_PEERS", "a device has no room for another peer"},
	ErrorHostMemoryAlreadyRegistered:  {"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "this host memory is registered already"},
	ErrorHostMemoryNotRegistered:      {"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "this host memory is not registered"},
	ErrorHardwareStackError:           {"CUDA_ERROR_HARDWARE_STACK_ERROR", "a kernel overran or corrupted its stack; the context is lost"},
	ErrorIllegalInstruction:           {"CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel met an illegal instruction; the context is lost"},
	ErrorMisalignedAddress:            {"CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel accessed memory at a misaligned address; the context is lost"},
	ErrorInvalidAddressSpace:          {"CUDA_ERROR_INVALID_ADDRESS_SPACE", "a kernel used an instruction on the wrong address space; the context is lost"},
	ErrorInvalidPC:                    {"CUDA_ERROR_INVALID_PC", "a kernel's program counter left its code; the context is lost"},
	ErrorLaunchFailed:                 {"CUDA_ERROR_LAUNCH_FAILED", "a kernel failed with an exception; the context is lost"},
	ErrorCooperativeLaunchTooLarge:    {"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "the cooperative grid does not fit on the device at once"},
	ErrorTensorMemoryLeak:             {"CUDA_ERROR_TENSOR_MEMORY_LEAK", "a kernel ended without freeing its tensor memory; the context is lost"},
	ErrorNotPermitted:                 {"CUDA_ERROR_NOT_PERMITTED", "this is not permitted"},
	ErrorNotSupported:                 {"CUDA_ERROR_NOT_SUPPORTED", "this device, driver or system does not have this"},
	ErrorSystemNotReady:               {"CUDA_ERROR_SYSTEM_NOT_READY", "the system cannot run CUDA yet: see its configuration and services"},
	ErrorSystemDriverMismatch:         {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "the kernel module and libcuda are of different versions"},
	ErrorCompatNotSupportedOnDevice:   {"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "this device does not run with the forward compatibility package"},
	ErrorMPSConnectionFailed:          {"CUDA_ERROR_MPS_CONNECTION_FAILED", "no connection to the MPS control daemon or server"},
	ErrorMPSRPCFailure:                {"CUDA_ERROR_MPS_RPC_FAILURE", "a call to the MPS server failed"},
	ErrorMPSServerNotReady:            {"CUDA_ERROR_MPS_SERVER_NOT_READY", "the MPS server takes no clients at the moment"},
	ErrorMPSMaxClientsReached:         {"CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the MPS server has no room for another client"},
	ErrorMPSMaxConnectionsReached:     {"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "the MPS server has no room for another connection"},
	ErrorMPSClientTerminated:          {"CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS server ended this client; the process must be restarted"},
	ErrorCDPNotSupported:              {"CUDA_ERROR_CDP_NOT_SUPPORTED", "dynamic parallelism does not work in this configuration"},
	ErrorCDPVersionMismatch:           {"CUDA_ERROR_CDP_VERSION_MISMATCH", "the module mixes versions of dynamic parallelism"},
	ErrorStreamCaptureUnsupported:     {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not permitted while the stream is captured"},
	ErrorStreamCaptureInvalidated:     {"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "an earlier error has spoiled the capture"},
	ErrorStreamCaptureMerge:           {"CUDA_ERROR_STREAM_CAPTURE_MERGE", "this would merge two separate captures"},
	ErrorStreamCaptureUnmatched:       {"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the capture did not begin on this stream"},
	ErrorStreamCaptureUnjoined:        {"CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "the capture has a fork that was not joined to its stream"},
	ErrorStreamCaptureIsolation:       {"CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "a dependency would cross the capture's border"},
	ErrorStreamCaptureImplicit:        {"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "the legacy stream would implicitly depend on a capture"},
	ErrorCapturedEvent:                {"CUDA_ERROR_CAPTURED_EVENT", "the event was recorded in a capture"},
	ErrorStreamCaptureWrongThread:     {"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "another thread began this capture"},
	ErrorTimeout:                      {"CUDA_ERROR_TIMEOUT", "the time limit has passed"},
	ErrorGraphExecUpdateFailure:       {"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph differs too much for an update"},
	ErrorExternalDevice:               {"CUDA_ERROR_EXTERNAL_DEVICE", "a device that CUDA works with has failed"},
	ErrorInvalidClusterSize:           {"CUDA_ERROR_INVALID_CLUSTER_SIZE", "the cluster does not fit the grid or the device"},
	ErrorFunctionNotLoaded:            {"CUDA_ERROR_FUNCTION_NOT_LOADED", "the function is not loaded"},
	ErrorInvalidResourceType:          {"CUDA_ERROR_INVALID_RESOURCE_TYPE", "a resource has the wrong type for this call"},
	ErrorInvalidResourceConfiguration: {"CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "a resource is missing or configured otherwise"},
	ErrorKeyRotation:                  {"CUDA_ERROR_KEY_ROTATION", "confidential computing failed to rotate its keys"},
	ErrorUnknown:                      {"CUDA_ERROR_UNKNOWN", "the driver does not know what is wrong"},
}

// Name returns what the driver API calls r, as CUDA_ERROR_INVALID_VALUE. A result
// that CUDA 13.0 does not have is CUDA_ERROR_ and its number.
func (r Result) Name() string {
	if row, ok := results[r]; ok {
		return row.name
	}
	return "CUDA_ERROR_" + strconv.Itoa(int(r))
}

// Description says in a few words what r means, beginning in lower case. It is
// empty for a result that CUDA 13.0 does not have.
func (r Result) Description() string { return results[r].description }

// String returns the name, the number and the description:
// "CUDA_ERROR_NO_DEVICE (100): the driver sees no CUDA device".
func (r Result) String() string {
	s := r.Name() + " (" + strconv.Itoa(int(r)) + ")"
	if d := r.Description(); d != "" {
		s += ": " + d
	}
	return s
}

// EndsContext reports whether a call that returns r has found the context in a state
// that no later call can repair: every call fails from then on.
//
// CUDA Driver API, CUresult: "this leaves the process in an inconsistent state".
func (r Result) EndsContext() bool {
	switch r {
	case ErrorECCUncorrectable, ErrorNVLinkUncorrectable, ErrorContained,
		ErrorIllegalAddress, ErrorLaunchTimeout, ErrorContextIsDestroyed, ErrorAssert, ErrorHardwareStackError,
		ErrorIllegalInstruction, ErrorMisalignedAddress, ErrorInvalidAddressSpace, ErrorInvalidPC,
		ErrorLaunchFailed, ErrorTensorMemoryLeak, ErrorMPSClientTerminated, ErrorExternalDevice:
		return true
	}
	return false
}
