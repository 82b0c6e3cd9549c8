package cuda

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Code is a result code of the CUDA driver (CUresult). It is an error, so that
// errors.Is(err, cuda.ErrOutOfMemory) holds for what this package returns.
type Code int32

// Result codes that programs ask for. Every other one is a Code too.
const (
	ErrInvalidValue          = Code(driver.ErrorInvalidValue)
	ErrOutOfMemory           = Code(driver.ErrorOutOfMemory)
	ErrNoDevice              = Code(driver.ErrorNoDevice)
	ErrInvalidDevice         = Code(driver.ErrorInvalidDevice)
	ErrInvalidPTX            = Code(driver.ErrorInvalidPTX)
	ErrUnsupportedPTXVersion = Code(driver.ErrorUnsupportedPTXVersion)
	ErrNoBinaryForGPU        = Code(driver.ErrorNoBinaryForGPU)
	ErrNotFound              = Code(driver.ErrorNotFound)
	ErrNotReady              = Code(driver.ErrorNotReady)
	ErrPeerAccessUnsupported = Code(driver.ErrorPeerAccessUnsupported)
	ErrIllegalAddress        = Code(driver.ErrorIllegalAddress)
	ErrLaunchOutOfResources  = Code(driver.ErrorLaunchOutOfResources)
	ErrMisalignedAddress     = Code(driver.ErrorMisalignedAddress)
	ErrLaunchFailed          = Code(driver.ErrorLaunchFailed)
	ErrNotSupported          = Code(driver.ErrorNotSupported)
)

// Error returns the driver's name of c, such as CUDA_ERROR_OUT_OF_MEMORY.
func (c Code) Error() string { return driver.Result(c).String() }

// Errors of this package that are no result codes.
var (
	// ErrClosed is wrapped by errors of calls on something that was closed.
	ErrClosed = errors.New("closed")
	// ErrShortSlice is wrapped when a slice has fewer elements than its kernel needs.
	ErrShortSlice = errors.New("slice too short")
	// ErrOverflow is wrapped when a length does not fit the parameter inferred from it.
	ErrOverflow = errors.New("value out of range")
	// ErrABI is wrapped when an image's kernel differs from the generated code.
	ErrABI = errors.New("image and generated code disagree")
	// ErrHostFunc is wrapped when a host function panicked or did not return.
	ErrHostFunc = errors.New("host function failed")
	// ErrNoDriver is wrapped when there is no CUDA driver and no simulator either.
	ErrNoDriver = errors.New("no CUDA driver")
)

// An Error is a failed operation of this package.
type Error struct {
	Op     string       // what was tried: launch, allocate, load kernels.ptx
	Kernel string       // C++ name of the kernel, or empty
	Config LaunchConfig // of a launch; zero otherwise
	Device string       // "device 0 (NVIDIA H200)", or empty
	Detail string       // what is wrong and what to do, or empty
	Err    error        // a Code, or one of the errors above
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("cuda: " + e.Op)
	if e.Kernel != "" {
		b.WriteString(" " + e.Kernel)
	}
	if e.Config.Block != (Dim3{}) || e.Config.Grid != (Dim3{}) {
		fmt.Fprintf(&b, "<<<%v,%v", e.Config.Grid, e.Config.Block)
		if e.Config.SharedBytes > 0 {
			fmt.Fprintf(&b, ",%d", e.Config.SharedBytes)
		}
		b.WriteString(">>>")
	}
	if e.Device != "" {
		b.WriteString(" on " + e.Device)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the Code or the error of this package behind e.
func (e *Error) Unwrap() error { return e.Err }
