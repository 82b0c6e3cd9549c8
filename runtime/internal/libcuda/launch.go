//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import "github.com/cudagen/cudagen/runtime/internal/driver"

// launchKernel and launchKernelEx are the addresses of the open driver's cuLaunchKernel
// and cuLaunchKernelEx, 0 before Open has succeeded.
var launchKernel, launchKernelEx uintptr

// Launch enqueues a kernel.
//
// The driver reads the parameters before Launch returns, and nothing of r is kept.
// Any goroutine may call it, also with a record that others launch at the same time;
// no context need be current. Launch does not allocate, and r does not escape.
//
// It checks nothing, to be inlined into its caller: r must have a Config, a Target with
// the Entry that LaunchEntry returns, or that AttributedEntry returns and Attributes,
// MaxParams parameters at most, and ParamBytes if it has any. The maker of the record
// checks that once. The result is the driver's, and may belong to
// earlier work on the stream.
//
// CUDA Driver API, Execution Control, cuLaunchKernel, cuLaunchKernelEx.
func Launch(r *LaunchRecord) driver.Result { return launch(r) }

// LaunchBatch enqueues the launches of b in their order, in one crossing into C. It ends
// at the first that fails, with its result; b.Launched counts those before it. Each record
// is what Launch needs. LaunchBatch does not allocate, and b does not escape.
func LaunchBatch(b *Batch) driver.Result { return launchBatch(b) }

// LaunchEntry returns the Entry of the open driver. Open must have succeeded.
func LaunchEntry() Entry { return entryOf(launchKernel) }

// AttributedEntry returns the Entry for records with Attributes, and whether the open
// driver has it. Open must have succeeded.
func AttributedEntry() (Entry, bool) { return attributedEntryOf(launchKernelEx), launchKernelEx != 0 }

// launchOn launches r by the cuLaunchKernel at address fn, or the cuLaunchKernelEx if r
// has Attributes, if r is what Launch needs: driver.ErrorInvalidValue if not,
// driver.ErrorNotInitialized for no fn.
func launchOn(fn uintptr, r *LaunchRecord) driver.Result {
	if fn == 0 {
		return driver.ErrorNotInitialized
	}
	if r.Config == nil || r.Target == nil || r.Target.Count > MaxParams || r.Target.Count > 0 && r.Target.ParamBytes == 0 {
		return driver.ErrorInvalidValue
	}
	target := *r.Target
	if target.Entry = entryOf(fn); r.Attributes != nil {
		target.Entry = attributedEntryOf(fn)
	}
	return launch(&LaunchRecord{Target: &target, Stream: r.Stream, Params: r.Params, Config: r.Config, Attributes: r.Attributes})
}
