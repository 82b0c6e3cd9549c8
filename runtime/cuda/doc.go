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
// Stream.Synchronize, Event.Synchronize and Device.Synchronize block a thread.
// Stream.Wait and Event.Wait park the goroutine, and take a context.Context. What is
// queued runs later, in the order of its stream: launches, Copy, CopyBox, Fill, Clear,
// host functions and the freeing of buffers. CopyFrom and CopyTo, which copy Go's memory,
// are complete when they return.
//
// # Ownership
//
// What has a Close is closed by whoever opened it. Close is idempotent. Closing a
// stream, a library or a device while another goroutine is inside a call on it is
// a mistake of the caller.
package cuda

//go:generate go run vector_gen.go
