package driver

import "strconv"

// A Result is a CUresult. Zero is success.
//
// A Result is a plain value, not an error: runtime/cuda wraps it in one that says
// what was called, on which device and with what.
type Result int32

// The results, as of CUDA 13.0, each with what the driver API calls it, and what it means: go generate makes the
// table of them. CUDA Driver API, Data types used by CUDA driver, CUresult.
const (
	Success                           Result = 0   // CUDA_SUCCESS: success
	ErrorInvalidValue                 Result = 1   // CUDA_ERROR_INVALID_VALUE: an argument is outside of its range
	ErrorOutOfMemory                  Result = 2   // CUDA_ERROR_OUT_OF_MEMORY: not enough memory
	ErrorNotInitialized               Result = 3   // CUDA_ERROR_NOT_INITIALIZED: cuInit has not been called, or failed
	ErrorDeinitialized                Result = 4   // CUDA_ERROR_DEINITIALIZED: the driver is shutting down
	ErrorProfilerDisabled             Result = 5   // CUDA_ERROR_PROFILER_DISABLED: the profiler is off, as it is when another profiling tool runs
	ErrorProfilerNotInitialized       Result = 6   // CUDA_ERROR_PROFILER_NOT_INITIALIZED: the profiler is not initialized (unused since CUDA 5.0)
	ErrorProfilerAlreadyStarted       Result = 7   // CUDA_ERROR_PROFILER_ALREADY_STARTED: the profiler runs already (unused since CUDA 5.0)
	ErrorProfilerAlreadyStopped       Result = 8   // CUDA_ERROR_PROFILER_ALREADY_STOPPED: the profiler is stopped already (unused since CUDA 5.0)
	ErrorStubLibrary                  Result = 34  // CUDA_ERROR_STUB_LIBRARY: the library loaded is the toolkit's stub, not a driver
	ErrorCallRequiresNewerDriver      Result = 36  // CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER: the installed driver is too old for this call
	ErrorDeviceUnavailable            Result = 46  // CUDA_ERROR_DEVICE_UNAVAILABLE: the device is busy, or in exclusive or prohibited compute mode
	ErrorNoDevice                     Result = 100 // CUDA_ERROR_NO_DEVICE: the driver sees no CUDA device
	ErrorInvalidDevice                Result = 101 // CUDA_ERROR_INVALID_DEVICE: there is no such device, or it cannot do this
	ErrorDeviceNotLicensed            Result = 102 // CUDA_ERROR_DEVICE_NOT_LICENSED: the device's GRID license is missing
	ErrorInvalidImage                 Result = 200 // CUDA_ERROR_INVALID_IMAGE: the kernel image is malformed
	ErrorInvalidContext               Result = 201 // CUDA_ERROR_INVALID_CONTEXT: no valid context is current on this thread
	ErrorContextAlreadyCurrent        Result = 202 // CUDA_ERROR_CONTEXT_ALREADY_CURRENT: the context is current already (unused since CUDA 3.2)
	ErrorMapFailed                    Result = 205 // CUDA_ERROR_MAP_FAILED: a resource could not be mapped
	ErrorUnmapFailed                  Result = 206 // CUDA_ERROR_UNMAP_FAILED: a resource could not be unmapped
	ErrorArrayIsMapped                Result = 207 // CUDA_ERROR_ARRAY_IS_MAPPED: the array is mapped, so it cannot be destroyed
	ErrorAlreadyMapped                Result = 208 // CUDA_ERROR_ALREADY_MAPPED: the resource is mapped already
	ErrorNoBinaryForGPU               Result = 209 // CUDA_ERROR_NO_BINARY_FOR_GPU: the image has no code for this device
	ErrorAlreadyAcquired              Result = 210 // CUDA_ERROR_ALREADY_ACQUIRED: the resource is held already
	ErrorNotMapped                    Result = 211 // CUDA_ERROR_NOT_MAPPED: the resource is not mapped
	ErrorNotMappedAsArray             Result = 212 // CUDA_ERROR_NOT_MAPPED_AS_ARRAY: the resource is mapped, but not as an array
	ErrorNotMappedAsPointer           Result = 213 // CUDA_ERROR_NOT_MAPPED_AS_POINTER: the resource is mapped, but not as a pointer
	ErrorECCUncorrectable             Result = 214 // CUDA_ERROR_ECC_UNCORRECTABLE: device memory had an error that ECC could not correct
	ErrorUnsupportedLimit             Result = 215 // CUDA_ERROR_UNSUPPORTED_LIMIT: the device does not have this limit
	ErrorContextAlreadyInUse          Result = 216 // CUDA_ERROR_CONTEXT_ALREADY_IN_USE: the context is bound to another thread
	ErrorPeerAccessUnsupported        Result = 217 // CUDA_ERROR_PEER_ACCESS_UNSUPPORTED: these devices cannot reach each other's memory
	ErrorInvalidPTX                   Result = 218 // CUDA_ERROR_INVALID_PTX: the driver could not compile the PTX
	ErrorInvalidGraphicsContext       Result = 219 // CUDA_ERROR_INVALID_GRAPHICS_CONTEXT: the OpenGL or DirectX context is unusable
	ErrorNVLinkUncorrectable          Result = 220 // CUDA_ERROR_NVLINK_UNCORRECTABLE: NVLink had an error that could not be corrected
	ErrorJITCompilerNotFound          Result = 221 // CUDA_ERROR_JIT_COMPILER_NOT_FOUND: the driver's PTX compiler library is missing
	ErrorUnsupportedPTXVersion        Result = 222 // CUDA_ERROR_UNSUPPORTED_PTX_VERSION: the PTX is newer than the driver's compiler
	ErrorJITCompilationDisabled       Result = 223 // CUDA_ERROR_JIT_COMPILATION_DISABLED: compiling PTX is switched off
	ErrorUnsupportedExecAffinity      Result = 224 // CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY: the device does not have this execution affinity
	ErrorUnsupportedDevsideSync       Result = 225 // CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC: the PTX calls cudaDeviceSynchronize, which the driver no longer compiles
	ErrorContained                    Result = 226 // CUDA_ERROR_CONTAINED: an exception on the device was contained; the process must be restarted
	ErrorInvalidSource                Result = 300 // CUDA_ERROR_INVALID_SOURCE: the kernel source is malformed
	ErrorFileNotFound                 Result = 301 // CUDA_ERROR_FILE_NOT_FOUND: no such file
	ErrorSharedObjectSymbolNotFound   Result = 302 // CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND: a shared library lacks a symbol
	ErrorSharedObjectInitFailed       Result = 303 // CUDA_ERROR_SHARED_OBJECT_INIT_FAILED: a shared library could not be initialized
	ErrorOperatingSystem              Result = 304 // CUDA_ERROR_OPERATING_SYSTEM: a call to the operating system failed
	ErrorInvalidHandle                Result = 400 // CUDA_ERROR_INVALID_HANDLE: no such stream, event or other object
	ErrorIllegalState                 Result = 401 // CUDA_ERROR_ILLEGAL_STATE: a resource is in the wrong state for this call
	ErrorLossyQuery                   Result = 402 // CUDA_ERROR_LOSSY_QUERY: the answer would leave out something that matters
	ErrorNotFound                     Result = 500 // CUDA_ERROR_NOT_FOUND: no kernel, variable or symbol of this name
	ErrorNotReady                     Result = 600 // CUDA_ERROR_NOT_READY: earlier work has not finished; not a failure
	ErrorIllegalAddress               Result = 700 // CUDA_ERROR_ILLEGAL_ADDRESS: a kernel accessed memory that is not there; the context is lost
	ErrorLaunchOutOfResources         Result = 701 // CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: too few registers or other resources for this launch, or too many arguments
	ErrorLaunchTimeout                Result = 702 // CUDA_ERROR_LAUNCH_TIMEOUT: a kernel ran longer than the display allows; the context is lost
	ErrorLaunchIncompatibleTexturing  Result = 703 // CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING: the launch uses an incompatible texture mode
	ErrorPeerAccessAlreadyEnabled     Result = 704 // CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED: peer access is enabled already
	ErrorPeerAccessNotEnabled         Result = 705 // CUDA_ERROR_PEER_ACCESS_NOT_ENABLED: peer access is not enabled
	ErrorPrimaryContextActive         Result = 708 // CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE: the primary context exists already
	ErrorContextIsDestroyed           Result = 709 // CUDA_ERROR_CONTEXT_IS_DESTROYED: the current context was destroyed
	ErrorAssert                       Result = 710 // CUDA_ERROR_ASSERT: an assertion failed in a kernel; the context is lost
	ErrorTooManyPeers                 Result = 711 // CUDA_ERROR_TOO_MANY_PEERS: a device has no room for another peer
	ErrorHostMemoryAlreadyRegistered  Result = 712 // CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED: this host memory is registered already
	ErrorHostMemoryNotRegistered      Result = 713 // CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED: this host memory is not registered
	ErrorHardwareStackError           Result = 714 // CUDA_ERROR_HARDWARE_STACK_ERROR: a kernel overran or corrupted its stack; the context is lost
	ErrorIllegalInstruction           Result = 715 // CUDA_ERROR_ILLEGAL_INSTRUCTION: a kernel met an illegal instruction; the context is lost
	ErrorMisalignedAddress            Result = 716 // CUDA_ERROR_MISALIGNED_ADDRESS: a kernel accessed memory at a misaligned address; the context is lost
	ErrorInvalidAddressSpace          Result = 717 // CUDA_ERROR_INVALID_ADDRESS_SPACE: a kernel used an instruction on the wrong address space; the context is lost
	ErrorInvalidPC                    Result = 718 // CUDA_ERROR_INVALID_PC: a kernel's program counter left its code; the context is lost
	ErrorLaunchFailed                 Result = 719 // CUDA_ERROR_LAUNCH_FAILED: a kernel failed with an exception; the context is lost
	ErrorCooperativeLaunchTooLarge    Result = 720 // CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: the cooperative grid does not fit on the device at once
	ErrorTensorMemoryLeak             Result = 721 // CUDA_ERROR_TENSOR_MEMORY_LEAK: a kernel ended without freeing its tensor memory; the context is lost
	ErrorNotPermitted                 Result = 800 // CUDA_ERROR_NOT_PERMITTED: this is not permitted
	ErrorNotSupported                 Result = 801 // CUDA_ERROR_NOT_SUPPORTED: this device, driver or system does not have this
	ErrorSystemNotReady               Result = 802 // CUDA_ERROR_SYSTEM_NOT_READY: the system cannot run CUDA yet: see its configuration and services
	ErrorSystemDriverMismatch         Result = 803 // CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: the kernel module and libcuda are of different versions
	ErrorCompatNotSupportedOnDevice   Result = 804 // CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: this device does not run with the forward compatibility package
	ErrorMPSConnectionFailed          Result = 805 // CUDA_ERROR_MPS_CONNECTION_FAILED: no connection to the MPS control daemon or server
	ErrorMPSRPCFailure                Result = 806 // CUDA_ERROR_MPS_RPC_FAILURE: a call to the MPS server failed
	ErrorMPSServerNotReady            Result = 807 // CUDA_ERROR_MPS_SERVER_NOT_READY: the MPS server takes no clients at the moment
	ErrorMPSMaxClientsReached         Result = 808 // CUDA_ERROR_MPS_MAX_CLIENTS_REACHED: the MPS server has no room for another client
	ErrorMPSMaxConnectionsReached     Result = 809 // CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED: the MPS server has no room for another connection
	ErrorMPSClientTerminated          Result = 810 // CUDA_ERROR_MPS_CLIENT_TERMINATED: the MPS server ended this client; the process must be restarted
	ErrorCDPNotSupported              Result = 811 // CUDA_ERROR_CDP_NOT_SUPPORTED: dynamic parallelism does not work in this configuration
	ErrorCDPVersionMismatch           Result = 812 // CUDA_ERROR_CDP_VERSION_MISMATCH: the module mixes versions of dynamic parallelism
	ErrorStreamCaptureUnsupported     Result = 900 // CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: not permitted while the stream is captured
	ErrorStreamCaptureInvalidated     Result = 901 // CUDA_ERROR_STREAM_CAPTURE_INVALIDATED: an earlier error has spoiled the capture
	ErrorStreamCaptureMerge           Result = 902 // CUDA_ERROR_STREAM_CAPTURE_MERGE: this would merge two separate captures
	ErrorStreamCaptureUnmatched       Result = 903 // CUDA_ERROR_STREAM_CAPTURE_UNMATCHED: the capture did not begin on this stream
	ErrorStreamCaptureUnjoined        Result = 904 // CUDA_ERROR_STREAM_CAPTURE_UNJOINED: the capture has a fork that was not joined to its stream
	ErrorStreamCaptureIsolation       Result = 905 // CUDA_ERROR_STREAM_CAPTURE_ISOLATION: a dependency would cross the capture's border
	ErrorStreamCaptureImplicit        Result = 906 // CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: the legacy stream would implicitly depend on a capture
	ErrorCapturedEvent                Result = 907 // CUDA_ERROR_CAPTURED_EVENT: the event was recorded in a capture
	ErrorStreamCaptureWrongThread     Result = 908 // CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD: another thread began this capture
	ErrorTimeout                      Result = 909 // CUDA_ERROR_TIMEOUT: the time limit has passed
	ErrorGraphExecUpdateFailure       Result = 910 // CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE: the graph differs too much for an update
	ErrorExternalDevice               Result = 911 // CUDA_ERROR_EXTERNAL_DEVICE: a device that CUDA works with has failed
	ErrorInvalidClusterSize           Result = 912 // CUDA_ERROR_INVALID_CLUSTER_SIZE: the cluster does not fit the grid or the device
	ErrorFunctionNotLoaded            Result = 913 // CUDA_ERROR_FUNCTION_NOT_LOADED: the function is not loaded
	ErrorInvalidResourceType          Result = 914 // CUDA_ERROR_INVALID_RESOURCE_TYPE: a resource has the wrong type for this call
	ErrorInvalidResourceConfiguration Result = 915 // CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION: a resource is missing or configured otherwise
	ErrorKeyRotation                  Result = 916 // CUDA_ERROR_KEY_ROTATION: confidential computing failed to rotate its keys
	ErrorUnknown                      Result = 999 // CUDA_ERROR_UNKNOWN: the driver does not know what is wrong
)

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
