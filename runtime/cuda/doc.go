// Package cuda runs CUDA kernels from Go without cgo: devices, streams, memory,
// libraries and kernels, thinly over the CUDA driver API.
//
// Its users are programs and the code that cudagen generates for them. A program
// opens a device, loads generated kernels on it, allocates buffers and launches:
//
//	dev, err := cuda.OpenDefault()
//	k, err := example.LoadKernels(dev)
//	s, err := dev.NewStream()
//	x, err := cuda.Upload(s, hostX)
//	y, err := cuda.Alloc[float32](s, len(hostX))
//	err = k.Saxpy.Launch(s, 2, x.All(), y.All())
//	err = y.CopyTo(s, hostY)
//
// What is launched often is prepared: checked and converted once, launched many times,
// alone or in a Batch. LaunchAttributes has what a launch may have beside its shape.
//
// The same program runs on a GPU and, when runtime/sim is imported and no GPU is
// there, on a simulated device. The package knows the driver through
// runtime/internal/driver and does not know how kernels are compiled.
//
// # Threads and contexts
//
// Any goroutine may call anything here unless a comment says otherwise. The null
// stream is never used. Calls that need a current context set it for their own
// duration, on a locked thread; launches, copies and stream-ordered allocation
// need none.
//
// # Waiting
//
// What is queued runs later, in the order of its stream: launches, Copy, CopyBox, Fill,
// Clear, host functions and the freeing of buffers. CopyFrom and CopyTo, which copy Go's
// memory, and Symbol's Get and Set are complete when they return.
//
// Stream.Wait and Event.Wait park the goroutine, and take a context.Context. What else
// waits blocks a thread, until the device has done what it waits for: Synchronize of
// streams, events and devices, Stream.Close, and copies from and to Go's memory.
// HostBuffer.Close and ManagedBuffer.Close wait for the device. Buffer.Close waits only
// when other streams than its own have used the buffer, or its own is closed.
// Device.Close waits for the device's work, for the calls of other goroutines, and for a
// garbage collection. LoadLibrary waits while another goroutine loads the same image.
//
// # Ownership
//
// What has a Close is closed by whoever opened it. Close is idempotent, and any
// goroutine may call it, in any order, also while others are inside calls on the same
// thing: calls that begin later fail with ErrClosed, and the driver's object goes when
// no call and no queue can use it. One thing remains with the caller: a Buffer must not
// be closed while another goroutine is launching a kernel with it. A launch that begins
// after Close is refused.
//
// What is lost without Close stays until Device.Close. With CUDAGEN_LEAKS=1, or in
// tests that use runtime/cudatest, it is reported with the stack that opened it, and
// given back after the next Device.Synchronize.
package cuda

//go:generate go run vector_gen.go
