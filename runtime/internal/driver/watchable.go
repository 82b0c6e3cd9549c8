package driver

import "unsafe"

// Watchable returns d, which is a simulated device's, so that a Watcher is told of its calls.
func Watchable(d Driver) Driver { return &watchable{d} }

// A watchable has methods for what a Watcher may want to know of.
type watchable struct{ Driver }

// around makes a call.
func (d *watchable) around(call func() Result, e EntryPoint, args ...uintptr) Result {
	w := Watching()
	if w == nil || !w.Watches(e) {
		return call()
	}
	c := WatchedCall{Of: d, Entry: e}
	copy(c.Args[:], args)
	c = w.Begin(c)
	r := call()
	w.End(c, r)
	return r
}

func (d *watchable) CtxSynchronize() Result {
	return d.around(d.Driver.CtxSynchronize, CtxSynchronize)
}

func (d *watchable) LibraryLoadData(image []byte) (lib Library, r Result) {
	d.around(func() Result { lib, r = d.Driver.LibraryLoadData(image); return r }, LibraryLoadData)
	return lib, r
}

func (d *watchable) LibraryGetKernel(lib Library, name string) (k Kernel, r Result) {
	d.around(func() Result { k, r = d.Driver.LibraryGetKernel(lib, name); return r }, LibraryGetKernel, 0, uintptr(lib))
	return k, r
}

func (d *watchable) StreamSynchronize(s Stream) Result {
	return d.around(func() Result { return d.Driver.StreamSynchronize(s) }, StreamSynchronize, uintptr(s))
}

func (d *watchable) EventSynchronize(e Event) Result {
	return d.around(func() Result { return d.Driver.EventSynchronize(e) }, EventSynchronize, uintptr(e))
}

func (d *watchable) LaunchHostFunc(s Stream, run func()) Result {
	return d.around(func() Result { return d.Driver.LaunchHostFunc(s, run) }, LaunchHostFunc, uintptr(s))
}

func (d *watchable) MemAllocAsync(bytes uint64, s Stream) (p DevicePtr, r Result) {
	d.around(func() Result { p, r = d.Driver.MemAllocAsync(bytes, s); return r }, MemAllocAsync, 0, uintptr(bytes), uintptr(s))
	return p, r
}

func (d *watchable) MemAllocFromPoolAsync(bytes uint64, pool MemPool, s Stream) (p DevicePtr, r Result) {
	d.around(func() Result { p, r = d.Driver.MemAllocFromPoolAsync(bytes, pool, s); return r }, MemAllocFromPoolAsync, 0, uintptr(bytes), uintptr(pool), uintptr(s))
	return p, r
}

func (d *watchable) MemFreeAsync(p DevicePtr, s Stream) Result {
	return d.around(func() Result { return d.Driver.MemFreeAsync(p, s) }, MemFreeAsync, uintptr(p), uintptr(s))
}

func (d *watchable) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes uint64, s Stream) Result {
	return d.around(func() Result { return d.Driver.MemcpyHtoDAsync(dst, src, bytes, s) }, MemcpyHtoDAsync, uintptr(dst), 0, uintptr(bytes), uintptr(s))
}

func (d *watchable) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes uint64, s Stream) Result {
	return d.around(func() Result { return d.Driver.MemcpyDtoHAsync(dst, src, bytes, s) }, MemcpyDtoHAsync, 0, uintptr(src), uintptr(bytes), uintptr(s))
}

func (d *watchable) MemcpyDtoDAsync(dst, src DevicePtr, bytes uint64, s Stream) Result {
	return d.around(func() Result { return d.Driver.MemcpyDtoDAsync(dst, src, bytes, s) }, MemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (d *watchable) Memcpy3DAsync(c Copy3D, s Stream) Result {
	return d.around(func() Result { return d.Driver.Memcpy3DAsync(c, s) }, Memcpy3DAsync, 0, uintptr(s), uintptr(c.WidthBytes*c.Height*c.Depth))
}

func (d *watchable) MemcpyPeerAsync(dst DevicePtr, dstCtx Context, src DevicePtr, srcCtx Context, bytes uint64, s Stream) Result {
	return d.around(func() Result { return d.Driver.MemcpyPeerAsync(dst, dstCtx, src, srcCtx, bytes, s) },
		MemcpyPeerAsync, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(bytes), uintptr(s))
}

func (d *watchable) MemsetD8Async(dst DevicePtr, value uint8, count uint64, s Stream) Result {
	return d.around(func() Result { return d.Driver.MemsetD8Async(dst, value, count, s) }, MemsetD8Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
}

func (d *watchable) MemsetD16Async(dst DevicePtr, value uint16, count uint64, s Stream) Result {
	return d.around(func() Result { return d.Driver.MemsetD16Async(dst, value, count, s) }, MemsetD16Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
}

func (d *watchable) MemsetD32Async(dst DevicePtr, value uint32, count uint64, s Stream) Result {
	return d.around(func() Result { return d.Driver.MemsetD32Async(dst, value, count, s) }, MemsetD32Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
}

func (d *watchable) MemPrefetchAsync(p DevicePtr, bytes uint64, to Device, s Stream) Result {
	return d.around(func() Result { return d.Driver.MemPrefetchAsync(p, bytes, to, s) }, MemPrefetchAsync, uintptr(p), uintptr(bytes), uintptr(to), uintptr(s))
}

func (d *watchable) MemHostAlloc(bytes uint64, flags uint32) (p unsafe.Pointer, r Result) {
	d.around(func() Result { p, r = d.Driver.MemHostAlloc(bytes, flags); return r }, MemHostAlloc, 0, uintptr(bytes), uintptr(flags))
	return p, r
}

func (d *watchable) MemAllocManaged(bytes uint64, flags uint32) (p DevicePtr, host unsafe.Pointer, r Result) {
	d.around(func() Result { p, host, r = d.Driver.MemAllocManaged(bytes, flags); return r }, MemAllocManaged, 0, uintptr(bytes), uintptr(flags))
	return p, host, r
}

func (d *watchable) MemFreeHost(p unsafe.Pointer) Result {
	return d.around(func() Result { return d.Driver.MemFreeHost(p) }, MemFreeHost)
}

func (d *watchable) MemFree(p DevicePtr) Result {
	return d.around(func() Result { return d.Driver.MemFree(p) }, MemFree, uintptr(p))
}

func (d *watchable) GraphInstantiateWithParams(g Graph, flags uint64) (e GraphExec, at GraphNode, outcome GraphInstantiateResult, r Result) {
	d.around(func() Result { e, at, outcome, r = d.Driver.GraphInstantiateWithParams(g, flags); return r }, GraphInstantiateWithParams, 0, uintptr(g))
	return e, at, outcome, r
}

func (d *watchable) GraphUpload(e GraphExec, s Stream) Result {
	return d.around(func() Result { return d.Driver.GraphUpload(e, s) }, GraphUpload, uintptr(e), uintptr(s))
}

func (d *watchable) MemAlloc(bytes uint64) (p DevicePtr, r Result) {
	d.around(func() Result { p, r = d.Driver.MemAlloc(bytes); return r }, MemAlloc, 0, uintptr(bytes))
	return p, r
}

func (d *watchable) MemHostRegister(p unsafe.Pointer, bytes uint64, flags uint32) Result {
	return d.around(func() Result { return d.Driver.MemHostRegister(p, bytes, flags) }, MemHostRegister, 0, uintptr(bytes), uintptr(flags))
}

func (d *watchable) MemHostUnregister(p unsafe.Pointer) Result {
	return d.around(func() Result { return d.Driver.MemHostUnregister(p) }, MemHostUnregister)
}

func (d *watchable) IpcOpenMemHandle(h IpcHandle, flags uint32) (p DevicePtr, r Result) {
	d.around(func() Result { p, r = d.Driver.IpcOpenMemHandle(h, flags); return r }, IpcOpenMemHandle)
	return p, r
}

func (d *watchable) IpcCloseMemHandle(p DevicePtr) Result {
	return d.around(func() Result { return d.Driver.IpcCloseMemHandle(p) }, IpcCloseMemHandle, uintptr(p))
}

func (d *watchable) Array3DCreate(desc ArrayDesc) (a Array, r Result) {
	d.around(func() Result { a, r = d.Driver.Array3DCreate(desc); return r }, Array3DCreate)
	return a, r
}

func (d *watchable) ArrayDestroy(a Array) Result {
	return d.around(func() Result { return d.Driver.ArrayDestroy(a) }, ArrayDestroy, uintptr(a))
}

func (d *watchable) MipmappedArrayCreate(desc ArrayDesc, levels uint32) (a MipmappedArray, r Result) {
	d.around(func() Result { a, r = d.Driver.MipmappedArrayCreate(desc, levels); return r }, MipmappedArrayCreate)
	return a, r
}

func (d *watchable) MipmappedArrayDestroy(a MipmappedArray) Result {
	return d.around(func() Result { return d.Driver.MipmappedArrayDestroy(a) }, MipmappedArrayDestroy, uintptr(a))
}
