package nccl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// Errors of this package that are not results of NCCL. Misuse wraps those of package cuda.
var (
	// ErrNotInstalled is wrapped when NCCL cannot be loaded.
	ErrNotInstalled = errors.New("NCCL is not installed")
	// ErrUnsupported is wrapped when NCCL is too old for an operation. The text names the version
	// that has it.
	ErrUnsupported = errors.New("this version of NCCL does not support it")
	// ErrAborted is wrapped when a communicator was ended by Abort, of whichever rank.
	ErrAborted = errors.New("the communicator was aborted")
	// ErrMismatch is wrapped when ranks of a communicator on simulated devices call different
	// operations, or with different lengths and types. NCCL itself does not notice.
	ErrMismatch = errors.New("the ranks do not agree")
)

// A Result is a ncclResult_t. It is an error unless it is Success or InProgress.
type Result int32

// The results of NCCL.
const (
	Success Result = iota
	UnhandledCudaError
	SystemError
	InternalError
	InvalidArgument
	InvalidUsage
	RemoteError
	InProgress
	Timeout
)

var resultNames = []string{"ncclSuccess", "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError", "ncclInvalidArgument",
	"ncclInvalidUsage", "ncclRemoteError", "ncclInProgress", "ncclTimeout"}

// Error returns NCCL's name of r.
func (r Result) Error() string {
	if r < 0 || int(r) >= len(resultNames) {
		return fmt.Sprintf("ncclResult_t %d", int32(r))
	}
	return resultNames[r]
}

// An Error describes a failed operation: what, by which rank, and why. It wraps a Result, a
// *LostError, or an error of package cuda or of this one.
type Error struct {
	Op     string // operation: all-reduce
	Rank   int    // the rank of this process; 0 with Size 0 if the error belongs to no communicator
	Size   int    // the number of ranks
	Count  uint64 // which operation of the communicator it was, from 1, if that is known
	Detail string // what is wrong, or empty
	Hint   string // what to do, or empty
	Err    error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("nccl: " + e.Op)
	if e.Count > 0 {
		fmt.Fprintf(&b, " (operation %d)", e.Count)
	}
	if e.Size > 0 {
		fmt.Fprintf(&b, " on rank %d of %d", e.Rank, e.Size)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if _, isCode := e.Err.(cuda.Code); e.Err != nil && (!isCode || e.Detail == "") { // Detail says it
		b.WriteString(": " + e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// A LostError says which rank is lost, and how that was noticed.
type LostError struct {
	Rank  int    // in the world of Exchange
	Host  string // where it ran
	Cause string
}

func (e *LostError) Error() string {
	if e.Host == "" {
		return fmt.Sprintf("rank %d is lost: %s", e.Rank, e.Cause)
	}
	return fmt.Sprintf("rank %d (%s) is lost: %s", e.Rank, e.Host, e.Cause)
}
