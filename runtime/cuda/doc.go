// Package cuda runs CUDA kernels from Go without cgo: devices, streams, memory, libraries
// and kernels. It is a thin layer over the CUDA driver API.
//
// Programs and generated code use it. A program opens a device, loads generated kernels
// on it, allocates buffers and launches:
//
//	dev, err := cuda.OpenDefault()
//	k, err := example.LoadKernels(dev)
//	s, err := dev.NewStream()
//	x, err := cuda.Upload(s, hostX)
//	y, err := cuda.Alloc[float32](s, len(hostX))
//	err = k.Saxpy.Launch(s, 2, x.All(), y.All())
//	err = y.CopyTo(s, hostY)
//
// A prepared call is checked and converted once and launched many times, alone or in a
// Batch. LaunchAttributes requests clusters, cooperative launches and other attributes.
//
// The same program runs on a GPU or, if it imports runtime/sim and there is no GPU, on a
// simulated device. The package calls the driver through runtime/internal/driver. It does
// not know how kernels are compiled.
//
// # Threads and contexts
//
// Any goroutine may call any function or method unless its comment says otherwise. The
// null stream is never used. Calls that need a current context set it for their duration,
// on a locked thread; launches, copies and stream-ordered allocation need no context.
//
// # Waiting
//
// Launches, Copy, CopyBox, Fill, Clear, host functions and the freeing of buffers are
// queued and run later, in stream order. CopyFrom and CopyTo, which copy Go memory, and
// Symbol's Get and Set are complete when they return.
//
// Stream.Wait and Event.Wait park the goroutine and take a context.Context. Other calls
// that wait block a thread: Synchronize of streams, events and devices, Stream.Close, and
// copies from and to Go memory. HostBuffer.Close and ManagedBuffer.Close wait for the
// device. Buffer.Close waits only if other streams than the one that allocated the buffer
// have used it, or if that stream is closed. Device.Close waits for the device's work,
// for calls of other goroutines, and for a garbage collection. LoadLibrary waits while
// another goroutine loads the same image.
//
// # Errors
//
// Errors of calls are an Error. It wraps a Code of the driver, an error such as ErrClosed, or,
// after a kernel has failed, a Fault, which says where and why: errors.As finds it. The
// simulated device knows all of a Fault.
//
// # Ownership
//
// The caller must Close what it opens. Close is idempotent. Any goroutine may call it, in
// any order, even while other goroutines use the object: later calls fail with ErrClosed,
// and the driver's object is destroyed when no call and no queued work can use it. There
// is one exception: do not close a Buffer while another goroutine launches a kernel with
// it. A launch that begins after Close fails.
//
// Unclosed objects live until Device.Close. Tests on a device of simtest.New fail on them.
// With CUDAGEN_LEAKS=1, or in tests that use simtest.Main, an unreachable object that was
// not closed is reported with the stack that opened it, and destroyed after the next
// Device.Synchronize.
package cuda

//go:generate go run vector_gen.go
