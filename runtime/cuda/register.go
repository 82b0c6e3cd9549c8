package cuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/mapping"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// RegisterHost page-locks memory that the program has mapped from a file, such as the weights of a
// model, so that devices copy from and to it, and access it, without another copy. The memory must be
// mapped for reading and writing, and stay mapped until the buffer is closed: Close waits for the
// work that uses it, and does not unmap it. MAP_PRIVATE leaves the file as it is; the driver may
// refuse MAP_SHARED of a file on a disk.
//
// Go memory is refused, be it in the heap, on a stack or a package's variable: a device could
// access it after the garbage collector has freed it. So is all memory of which it is not known
// that a file is mapped there. Use AllocHost, CopyFrom or CopyTo. The error wraps ErrNotSupported.
//
// CUDA Driver API, Memory Management, cuMemHostRegister, CU_MEMHOSTREGISTER_PORTABLE.
func RegisterHost[T any](d *Device, memory []T) (*HostBuffer[T], error) {
	const op = "page-lock memory"
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	if _, err := bytesOf[T](op, d, len(memory)); err != nil {
		return nil, err
	}
	start := unsafe.Pointer(unsafe.SliceData(memory))
	if size := uintptr(len(memory)) * uintptr(sizeOf[T]()); size > 0 {
		if detail := mapping.NotFile(uintptr(start), size); detail != "" {
			return nil, d.invalid(op, detail+": use AllocHost, CopyFrom or CopyTo", ErrNotSupported)
		}
		if d.simulated && uintptr(start)%8 != 0 {
			return nil, d.invalid(op, "it begins at an address that 8 does not divide, as simulated devices need: register the whole mapping, and take a Slice", ErrNotSupported)
		}
	}
	mem, err := allocShared[T](d, len(memory), op, registered, func(bytes uint64) (driver.DevicePtr, unsafe.Pointer, driver.Result) {
		if r := d.drv.MemHostRegister(start, bytes, driver.HostRegisterPortable|driver.HostRegisterDeviceMap); r != driver.Success {
			return 0, nil, r
		}
		addr, r := d.drv.MemHostGetDevicePointer(start, 0)
		return addr, start, r
	})
	if err != nil {
		return nil, err
	}
	return &HostBuffer[T]{mem, len(memory)}, nil
}
