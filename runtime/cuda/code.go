package cuda

import (
	"errors"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Code is a result code of the CUDA driver (CUresult). It is an error, so that
// errors.Is(err, cuda.ErrOutOfMemory) holds for what this package returns. Codes that a later
// driver has are valid, too.
type Code int32

// Error returns the driver's name of c, such as CUDA_ERROR_OUT_OF_MEMORY.
func (c Code) Error() string { return driver.Result(c).String() }

// Is tells errors.Is that codes after which a device is unusable are ErrDeviceLost, and that of a
// driver that lacks an entry point ErrUnsupported.
func (c Code) Is(target error) bool {
	switch r := driver.Result(c); target {
	case ErrDeviceLost:
		return r.EndsContext()
	case ErrUnsupported:
		return r == driver.ErrorCallRequiresNewerDriver
	}
	return false
}

// Result codes, as of CUDA 13.0: ErrOutOfMemory is CUDA_ERROR_OUT_OF_MEMORY.
//
// CUDA Driver API, Data types used by CUDA driver, CUresult.
const (
	ErrInvalidValue                 = Code(driver.ErrorInvalidValue)
	ErrOutOfMemory                  = Code(driver.ErrorOutOfMemory)
	ErrNotInitialized               = Code(driver.ErrorNotInitialized)
	ErrDeinitialized                = Code(driver.ErrorDeinitialized)
	ErrProfilerDisabled             = Code(driver.ErrorProfilerDisabled)
	ErrProfilerNotInitialized       = Code(driver.ErrorProfilerNotInitialized)
	ErrProfilerAlreadyStarted       = Code(driver.ErrorProfilerAlreadyStarted)
	ErrProfilerAlreadyStopped       = Code(driver.ErrorProfilerAlreadyStopped)
	ErrStubLibrary                  = Code(driver.ErrorStubLibrary)
	ErrCallRequiresNewerDriver      = Code(driver.ErrorCallRequiresNewerDriver)
	ErrDeviceUnavailable            = Code(driver.ErrorDeviceUnavailable)
	ErrNoDevice                     = Code(driver.ErrorNoDevice)
	ErrInvalidDevice                = Code(driver.ErrorInvalidDevice)
	ErrDeviceNotLicensed            = Code(driver.ErrorDeviceNotLicensed)
	ErrInvalidImage                 = Code(driver.ErrorInvalidImage)
	ErrInvalidContext               = Code(driver.ErrorInvalidContext)
	ErrContextAlreadyCurrent        = Code(driver.ErrorContextAlreadyCurrent)
	ErrMapFailed                    = Code(driver.ErrorMapFailed)
	ErrUnmapFailed                  = Code(driver.ErrorUnmapFailed)
	ErrArrayIsMapped                = Code(driver.ErrorArrayIsMapped)
	ErrAlreadyMapped                = Code(driver.ErrorAlreadyMapped)
	ErrNoBinaryForGPU               = Code(driver.ErrorNoBinaryForGPU)
	ErrAlreadyAcquired              = Code(driver.ErrorAlreadyAcquired)
	ErrNotMapped                    = Code(driver.ErrorNotMapped)
	ErrNotMappedAsArray             = Code(driver.ErrorNotMappedAsArray)
	ErrNotMappedAsPointer           = Code(driver.ErrorNotMappedAsPointer)
	ErrECCUncorrectable             = Code(driver.ErrorECCUncorrectable)
	ErrUnsupportedLimit             = Code(driver.ErrorUnsupportedLimit)
	ErrContextAlreadyInUse          = Code(driver.ErrorContextAlreadyInUse)
	ErrPeerAccessUnsupported        = Code(driver.ErrorPeerAccessUnsupported)
	ErrInvalidPTX                   = Code(driver.ErrorInvalidPTX)
	ErrInvalidGraphicsContext       = Code(driver.ErrorInvalidGraphicsContext)
	ErrNVLinkUncorrectable          = Code(driver.ErrorNVLinkUncorrectable)
	ErrJITCompilerNotFound          = Code(driver.ErrorJITCompilerNotFound)
	ErrUnsupportedPTXVersion        = Code(driver.ErrorUnsupportedPTXVersion)
	ErrJITCompilationDisabled       = Code(driver.ErrorJITCompilationDisabled)
	ErrUnsupportedExecAffinity      = Code(driver.ErrorUnsupportedExecAffinity)
	ErrUnsupportedDevsideSync       = Code(driver.ErrorUnsupportedDevsideSync)
	ErrContained                    = Code(driver.ErrorContained)
	ErrInvalidSource                = Code(driver.ErrorInvalidSource)
	ErrFileNotFound                 = Code(driver.ErrorFileNotFound)
	ErrSharedObjectSymbolNotFound   = Code(driver.ErrorSharedObjectSymbolNotFound)
	ErrSharedObjectInitFailed       = Code(driver.ErrorSharedObjectInitFailed)
	ErrOperatingSystem              = Code(driver.ErrorOperatingSystem)
	ErrInvalidHandle                = Code(driver.ErrorInvalidHandle)
	ErrIllegalState                 = Code(driver.ErrorIllegalState)
	ErrLossyQuery                   = Code(driver.ErrorLossyQuery)
	ErrNotFound                     = Code(driver.ErrorNotFound)
	ErrNotReady                     = Code(driver.ErrorNotReady)
	ErrIllegalAddress               = Code(driver.ErrorIllegalAddress)
	ErrLaunchOutOfResources         = Code(driver.ErrorLaunchOutOfResources)
	ErrLaunchTimeout                = Code(driver.ErrorLaunchTimeout)
	ErrLaunchIncompatibleTexturing  = Code(driver.ErrorLaunchIncompatibleTexturing)
	ErrPeerAccessAlreadyEnabled     = Code(driver.ErrorPeerAccessAlreadyEnabled)
	ErrPeerAccessNotEnabled         = Code(driver.ErrorPeerAccessNotEnabled)
	ErrPrimaryContextActive         = Code(driver.ErrorPrimaryContextActive)
	ErrContextIsDestroyed           = Code(driver.ErrorContextIsDestroyed)
	ErrAssert                       = Code(driver.ErrorAssert)
	ErrTooManyPeers                 = Code(driver.ErrorTooManyPeers)
	ErrHostMemoryAlreadyRegistered  = Code(driver.ErrorHostMemoryAlreadyRegistered)
	ErrHostMemoryNotRegistered      = Code(driver.ErrorHostMemoryNotRegistered)
	ErrHardwareStackError           = Code(driver.ErrorHardwareStackError)
	ErrIllegalInstruction           = Code(driver.ErrorIllegalInstruction)
	ErrMisalignedAddress            = Code(driver.ErrorMisalignedAddress)
	ErrInvalidAddressSpace          = Code(driver.ErrorInvalidAddressSpace)
	ErrInvalidPC                    = Code(driver.ErrorInvalidPC)
	ErrLaunchFailed                 = Code(driver.ErrorLaunchFailed)
	ErrCooperativeLaunchTooLarge    = Code(driver.ErrorCooperativeLaunchTooLarge)
	ErrTensorMemoryLeak             = Code(driver.ErrorTensorMemoryLeak)
	ErrNotPermitted                 = Code(driver.ErrorNotPermitted)
	ErrNotSupported                 = Code(driver.ErrorNotSupported)
	ErrSystemNotReady               = Code(driver.ErrorSystemNotReady)
	ErrSystemDriverMismatch         = Code(driver.ErrorSystemDriverMismatch)
	ErrCompatNotSupportedOnDevice   = Code(driver.ErrorCompatNotSupportedOnDevice)
	ErrMPSConnectionFailed          = Code(driver.ErrorMPSConnectionFailed)
	ErrMPSRPCFailure                = Code(driver.ErrorMPSRPCFailure)
	ErrMPSServerNotReady            = Code(driver.ErrorMPSServerNotReady)
	ErrMPSMaxClientsReached         = Code(driver.ErrorMPSMaxClientsReached)
	ErrMPSMaxConnectionsReached     = Code(driver.ErrorMPSMaxConnectionsReached)
	ErrMPSClientTerminated          = Code(driver.ErrorMPSClientTerminated)
	ErrCDPNotSupported              = Code(driver.ErrorCDPNotSupported)
	ErrCDPVersionMismatch           = Code(driver.ErrorCDPVersionMismatch)
	ErrStreamCaptureUnsupported     = Code(driver.ErrorStreamCaptureUnsupported)
	ErrStreamCaptureInvalidated     = Code(driver.ErrorStreamCaptureInvalidated)
	ErrStreamCaptureMerge           = Code(driver.ErrorStreamCaptureMerge)
	ErrStreamCaptureUnmatched       = Code(driver.ErrorStreamCaptureUnmatched)
	ErrStreamCaptureUnjoined        = Code(driver.ErrorStreamCaptureUnjoined)
	ErrStreamCaptureIsolation       = Code(driver.ErrorStreamCaptureIsolation)
	ErrStreamCaptureImplicit        = Code(driver.ErrorStreamCaptureImplicit)
	ErrCapturedEvent                = Code(driver.ErrorCapturedEvent)
	ErrStreamCaptureWrongThread     = Code(driver.ErrorStreamCaptureWrongThread)
	ErrTimeout                      = Code(driver.ErrorTimeout)
	ErrGraphExecUpdateFailure       = Code(driver.ErrorGraphExecUpdateFailure)
	ErrExternalDevice               = Code(driver.ErrorExternalDevice)
	ErrInvalidClusterSize           = Code(driver.ErrorInvalidClusterSize)
	ErrFunctionNotLoaded            = Code(driver.ErrorFunctionNotLoaded)
	ErrInvalidResourceType          = Code(driver.ErrorInvalidResourceType)
	ErrInvalidResourceConfiguration = Code(driver.ErrorInvalidResourceConfiguration)
	ErrKeyRotation                  = Code(driver.ErrorKeyRotation)
	ErrUnknown                      = Code(driver.ErrorUnknown)
)

// Errors of this package that are not result codes.
var (
	// ErrClosed is wrapped by errors of calls on a closed object.
	ErrClosed = errors.New("closed")
	// ErrShortSlice is wrapped when a slice has fewer elements than its kernel needs, or than
	// are copied there.
	ErrShortSlice = errors.New("slice too short")
	// ErrLongSlice is wrapped when a slice has more elements than are copied there. It is an
	// ErrInvalidValue, too.
	ErrLongSlice error = longSlice{}
	// ErrOverflow is wrapped when a length does not fit the parameter inferred from it.
	ErrOverflow = errors.New("value out of range")
	// ErrABI is wrapped when an image's kernel or variable differs from the Go code.
	ErrABI = errors.New("image and Go code disagree")
	// ErrHostFunc is wrapped when a host function panicked or did not return.
	ErrHostFunc = errors.New("host function failed")
	// ErrNeedsInstantiation is wrapped when a node of a GraphExec cannot be updated to what it
	// does now: Graph.Instantiate makes another exec that does.
	ErrNeedsInstantiation = errors.New("the graph must be instantiated again")
	// ErrDeviceLost is found by errors.Is in every error of a device that a fault has made
	// unusable: in that of the fault, and in all that the driver returns afterwards.
	// docs/faults.md says which codes do so, and how a server goes on.
	ErrDeviceLost = errors.New("the device is unusable")
	// ErrNoDriver is wrapped when there is no CUDA driver and no simulated device.
	ErrNoDriver = errors.New("no CUDA driver")
	// ErrUnsupported is wrapped when the driver is too old for an operation. The text names the
	// driver's version of CUDA and the one that is needed.
	ErrUnsupported = errors.New("the driver does not support it")
)

// A longSlice is ErrLongSlice.
type longSlice struct{}

func (longSlice) Error() string        { return "slice too long" }
func (longSlice) Is(target error) bool { return target == ErrInvalidValue }
