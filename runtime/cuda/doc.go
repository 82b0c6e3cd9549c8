// Package cuda runs CUDA kernels from Go without cgo: devices, streams, memory, libraries
// and kernels. It is a thin layer over the CUDA driver API.
//
// The package has no kernels. cudagen generates typed ones from a .cu file, and their Go
// code uses this package. A program opens a device, loads the kernels on it, allocates
// memory, launches, and copies the result back:
//
//	dev, err := cuda.OpenDefault()         // the first GPU
//	defer dev.Close()
//	k, err := kernels.LoadKernels(dev)     // generated from kernels.cu
//	s, err := dev.NewStream()
//	x, err := cuda.Upload(s, hostX)        // a *cuda.Buffer[float32]
//	y, err := cuda.Upload(s, hostY)
//	err = k.Saxpy.Launch(s, 2, x.All(), y.All())
//	err = y.CopyTo(s, hostY)               // waits for the kernel
//
// Each of these can fail. Every error says which operation, kernel and device it is about,
// and works with errors.Is: ErrOutOfMemory, ErrClosed, ErrShortSlice and others. A kernel
// runs after Launch has returned, so its own errors come from a later call that waits.
//
// # Types by subject
//
// These are the types to know:
//
//   - [Device], [DeviceInfo], [Stream], [Event]: where work runs, and in which order
//   - [Buffer], [HostBuffer], [ManagedBuffer], [Pool]: memory
//   - [Slice], [Box], [Ptr], [Symbol]: parts of memory, addresses, variables
//   - [Array], [MipmappedArray], [Texture], [Surface]: elements that kernels read by coordinates
//   - [LaunchConfig], [LaunchAttributes], [Dim3], [Batch]: launches
//   - [Library], [Kernel], [BoundKernel], [Image]: code that is loaded
//   - [Graph], [GraphExec], [Node] and its kinds, [Conditional]: graphs
//   - [Error], [Fault], [Code]: errors
//   - [vec.Float4], [vec.Float16] and the others of package vec: values that Go does not have
//
// # Devices
//
// OpenDefault opens the first GPU, or what the environment variable CUDAGEN_DEVICE names.
// Open, OpenUUID and OpenPCIBusID open a certain one. A program that imports runtime/sim
// runs without a GPU, too: on a simulated device, which executes the same code slowly and
// reports faults with their source line. The package calls the driver through
// runtime/internal/driver. It does not know how kernels are compiled.
//
// # Memory
//
//	Alloc, Upload, AllocFrom   Buffer          memory of the device
//	AllocHost, RegisterHost    HostBuffer      page-locked memory of the host, a mapped file
//	AllocManaged               ManagedBuffer   memory that the driver moves
//	Adopt                      Buffer          memory of another library
//	NewArray                   Array           elements for textures and surfaces
//	Elements                   Slice           an array that is a variable of a library
//
// A Slice is a part of one of them: All and Slice make it, and kernels, Copy, CopyTo,
// CopyFrom, Fill and Clear take it. It has a length, and an owner whose lifetime every
// use checks. A Ptr is a bare address, about which nothing is known. Reinterpret changes
// the type of elements.
//
// # Launches
//
// Generated kernels have these methods:
//
//	Launch          computes the launch configuration from directives
//	LaunchWith      takes a LaunchConfig
//	LaunchArgs      is Launch with named arguments, for kernels with many
//	Prepare         checks and converts arguments once, for many launches
//
// A launch checks that its slices are long enough, open and on its device. A
// configuration that is computed to have no blocks launches nothing. LaunchAttributes
// requests clusters, cooperative launches and other attributes. Addresses inside of
// structs cannot be checked: the Owners of a LaunchConfig or of the arguments name what
// they refer to.
//
// A prepared call is launched alone or, with others, in a Batch.
//
// Bind gives kernels of runtime/nvrtc, and of any other image, typed arguments without
// generated code: a struct with a field for each parameter.
//
// # Graphs
//
// BuildGraph makes a graph of nodes: prepared calls, copies, fills, functions of the host and
// others. A launch of its GraphExec costs less than that of one kernel. Capture makes a graph
// of what a function does on a stream.
//
// # Threads and contexts
//
// Any goroutine may call any function or method unless its comment says otherwise. The
// null stream is never used. Calls that need a current context set it for their duration,
// on a locked thread; launches, copies and stream-ordered allocation need no context. A
// context that other code has left on a thread does not matter. Device.Do calls code of
// other libraries in the context of a device.
//
// # Waiting
//
// Launches, Copy, CopyBox, Fill, Clear, host functions and the freeing of buffers are
// queued and run later, in stream order. CopyFrom and CopyTo, which copy Go memory, and
// Symbol's Get and Set are complete when they return.
//
// Device.Wait, Stream.Wait and Event.Wait park the goroutine and take a context.Context.
// Copies from and to Go memory, Upload and Download have forms that take one, whose names end
// with Context. While their streams are busy few copies block a thread, and the others park
// their goroutines. Other calls that wait block a thread: Synchronize of streams, events and
// devices, and Stream.Close. HostBuffer.Close and ManagedBuffer.Close
// wait for the device. Buffer.Close waits only if other streams than the one that
// allocated the buffer have used it, or if that stream is closed. Device.Close waits for
// the device's work, for calls of other goroutines, and for a garbage collection.
// LoadLibrary waits while another goroutine loads the same image. To wait with a
// context.Context for what blocks, call Wait first.
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
// Close of nil and of zero values does nothing. Their other methods return errors, or
// zero values.
//
// Unclosed objects live until Device.Close. Tests on a device of simtest.New fail on them.
// With CUDAGEN_LEAKS=1, or in tests that use simtest.Main, an unreachable object that was
// not closed is reported with the stack that opened it, and destroyed after the next
// Device.Synchronize.
package cuda
