package driver

import "unsafe"

func (i interceptor) MemGetInfo() (free, total uint64, r Result) {
	if r = i.check(MemGetInfo); r != Success {
		return 0, 0, r
	}
	return i.next.MemGetInfo()
}

func (i interceptor) MemHostAlloc(bytes uint64, flags uint32) (unsafe.Pointer, Result) {
	if r := i.check(MemHostAlloc); r != Success {
		return nil, r
	}
	return i.next.MemHostAlloc(bytes, flags)
}

func (i interceptor) MemFreeHost(p unsafe.Pointer) Result {
	if r := i.check(MemFreeHost); r != Success {
		return r
	}
	return i.next.MemFreeHost(p)
}

func (i interceptor) MemHostGetDevicePointer(p unsafe.Pointer, flags uint32) (DevicePtr, Result) {
	if r := i.check(MemHostGetDevicePointer); r != Success {
		return 0, r
	}
	return i.next.MemHostGetDevicePointer(p, flags)
}

func (i interceptor) MemAllocManaged(bytes uint64, flags uint32) (p DevicePtr, host unsafe.Pointer, r Result) {
	if r = i.check(MemAllocManaged); r != Success {
		return 0, nil, r
	}
	return i.next.MemAllocManaged(bytes, flags)
}

func (i interceptor) MemFree(p DevicePtr) Result {
	if r := i.check(MemFree); r != Success {
		return r
	}
	return i.next.MemFree(p)
}

func (i interceptor) MemPrefetchAsync(p DevicePtr, bytes uint64, to Device, s Stream) Result {
	if r := i.check(MemPrefetchAsync); r != Success {
		return r
	}
	return i.next.MemPrefetchAsync(p, bytes, to, s)
}

func (i interceptor) MemAdvise(p DevicePtr, bytes uint64, advice MemAdvice, dev Device) Result {
	if r := i.check(MemAdvise); r != Success {
		return r
	}
	return i.next.MemAdvise(p, bytes, advice, dev)
}

func (i interceptor) MemsetD16Async(dst DevicePtr, value uint16, count uint64, s Stream) Result {
	if r := i.check(MemsetD16Async); r != Success {
		return r
	}
	return i.next.MemsetD16Async(dst, value, count, s)
}

func (i interceptor) MemsetD32Async(dst DevicePtr, value uint32, count uint64, s Stream) Result {
	if r := i.check(MemsetD32Async); r != Success {
		return r
	}
	return i.next.MemsetD32Async(dst, value, count, s)
}

func (i interceptor) Memcpy3DAsync(c Copy3D, s Stream) Result {
	if r := i.check(Memcpy3DAsync); r != Success {
		return r
	}
	return i.next.Memcpy3DAsync(c, s)
}

func (i interceptor) MemcpyPeerAsync(dst DevicePtr, dstCtx Context, src DevicePtr, srcCtx Context, bytes uint64, s Stream) Result {
	if r := i.check(MemcpyPeerAsync); r != Success {
		return r
	}
	return i.next.MemcpyPeerAsync(dst, dstCtx, src, srcCtx, bytes, s)
}

func (i interceptor) DeviceGetDefaultMemPool(dev Device) (MemPool, Result) {
	if r := i.check(DeviceGetDefaultMemPool); r != Success {
		return 0, r
	}
	return i.next.DeviceGetDefaultMemPool(dev)
}

func (i interceptor) MemPoolCreate(dev Device) (MemPool, Result) {
	if r := i.check(MemPoolCreate); r != Success {
		return 0, r
	}
	return i.next.MemPoolCreate(dev)
}

func (i interceptor) MemPoolDestroy(p MemPool) Result {
	if r := i.check(MemPoolDestroy); r != Success {
		return r
	}
	return i.next.MemPoolDestroy(p)
}

func (i interceptor) MemPoolGetAttribute(p MemPool, attr MemPoolAttribute) (uint64, Result) {
	if r := i.check(MemPoolGetAttribute); r != Success {
		return 0, r
	}
	return i.next.MemPoolGetAttribute(p, attr)
}

func (i interceptor) MemPoolSetAttribute(p MemPool, attr MemPoolAttribute, value uint64) Result {
	if r := i.check(MemPoolSetAttribute); r != Success {
		return r
	}
	return i.next.MemPoolSetAttribute(p, attr, value)
}

func (i interceptor) MemPoolTrimTo(p MemPool, keepBytes uint64) Result {
	if r := i.check(MemPoolTrimTo); r != Success {
		return r
	}
	return i.next.MemPoolTrimTo(p, keepBytes)
}

func (i interceptor) MemPoolSetAccess(p MemPool, dev Device, flags MemAccess) Result {
	if r := i.check(MemPoolSetAccess); r != Success {
		return r
	}
	return i.next.MemPoolSetAccess(p, dev, flags)
}

func (i interceptor) MemAllocFromPoolAsync(bytes uint64, p MemPool, s Stream) (DevicePtr, Result) {
	if r := i.check(MemAllocFromPoolAsync); r != Success {
		return 0, r
	}
	return i.next.MemAllocFromPoolAsync(bytes, p, s)
}

func (i interceptor) LibraryGetGlobal(lib Library, name string) (p DevicePtr, bytes uint64, r Result) {
	if r = i.check(LibraryGetGlobal); r != Success {
		return 0, 0, r
	}
	return i.next.LibraryGetGlobal(lib, name)
}

func (i interceptor) LibraryGetManaged(lib Library, name string) (p DevicePtr, bytes uint64, r Result) {
	if r = i.check(LibraryGetManaged); r != Success {
		return 0, 0, r
	}
	return i.next.LibraryGetManaged(lib, name)
}
