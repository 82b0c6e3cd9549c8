// Package cuda runs CUDA kernels from Go without cgo. It is a thin layer over the CUDA driver
// API. The package has no kernels: cudagen generates typed ones from a .cu file.
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
// The types to know, by subject; what holds for all of a kind stands with the first of each line:
//
//   - [Device], [DeviceInfo], [Event]: devices, contexts, and who closes what
//   - [Stream]: the order of work, and what waits
//   - [Slice], [Buffer], [HostBuffer], [ManagedBuffer], [Pool], [Box], [Ptr], [Symbol]: memory
//   - [Array], [MipmappedArray], [Texture], [Surface], [TensorMap]: elements by coordinates
//   - [Kernel], [LaunchConfig], [LaunchAttributes], [Batch], [BoundKernel], [Image]: launches
//   - [Prepared]: kernels, copies and fills, for streams, batches and graphs
//   - [Graph], [GraphExec], [Node], [Conditional]: graphs
//   - [Error], [Fault], [Code]: errors
//
// Packages vec and tensormap have CUDA's vector types, numbers of 16 bits, and tensors.
//
// Any goroutine may call any function or method unless its comment says otherwise. The caller must
// Close what it opens.
package cuda
