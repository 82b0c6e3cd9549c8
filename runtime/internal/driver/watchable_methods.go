// Code generated from the interface Driver by runtime/internal/driver/generate. DO NOT EDIT.

package driver

import (
	"unsafe"
)

func (d *watchable) CtxSynchronize() (r Result) {
	d.around(func() Result { r = d.Driver.CtxSynchronize(); return r }, CtxSynchronize)
	return r
}

func (d *watchable) LibraryLoadData(image []byte) (out Library, r Result) {
	d.around(func() Result { out, r = d.Driver.LibraryLoadData(image); return r }, LibraryLoadData, 0, 0)
	return out, r
}

func (d *watchable) LibraryGetKernel(lib Library, name string) (out Kernel, r Result) {
	d.around(func() Result { out, r = d.Driver.LibraryGetKernel(lib, name); return r }, LibraryGetKernel, 0, uintptr(lib), 0)
	return out, r
}

func (d *watchable) StreamSynchronize(s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.StreamSynchronize(s); return r }, StreamSynchronize, uintptr(s))
	return r
}

func (d *watchable) LaunchHostFunc(s Stream, run func()) (r Result) {
	d.around(func() Result { r = d.Driver.LaunchHostFunc(s, run); return r }, LaunchHostFunc, uintptr(s), 0)
	return r
}

func (d *watchable) EventSynchronize(e Event) (r Result) {
	d.around(func() Result { r = d.Driver.EventSynchronize(e); return r }, EventSynchronize, uintptr(e))
	return r
}

func (d *watchable) MemAllocAsync(bytes uint64, s Stream) (out DevicePtr, r Result) {
	d.around(func() Result { out, r = d.Driver.MemAllocAsync(bytes, s); return r }, MemAllocAsync, 0, uintptr(bytes), uintptr(s))
	return out, r
}

func (d *watchable) MemFreeAsync(p DevicePtr, s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.MemFreeAsync(p, s); return r }, MemFreeAsync, uintptr(p), uintptr(s))
	return r
}

func (d *watchable) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes uint64, s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.MemcpyHtoDAsync(dst, src, bytes, s); return r }, MemcpyHtoDAsync, uintptr(dst), 0, uintptr(bytes), uintptr(s))
	return r
}

func (d *watchable) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes uint64, s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.MemcpyDtoHAsync(dst, src, bytes, s); return r }, MemcpyDtoHAsync, 0, uintptr(src), uintptr(bytes), uintptr(s))
	return r
}

func (d *watchable) MemcpyDtoDAsync(dst, src DevicePtr, bytes uint64, s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.MemcpyDtoDAsync(dst, src, bytes, s); return r }, MemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
	return r
}

func (d *watchable) MemsetD8Async(dst DevicePtr, value uint8, count uint64, s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.MemsetD8Async(dst, value, count, s); return r }, MemsetD8Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
	return r
}

func (d *watchable) MemsetD16Async(dst DevicePtr, value uint16, count uint64, s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.MemsetD16Async(dst, value, count, s); return r }, MemsetD16Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
	return r
}

func (d *watchable) MemsetD32Async(dst DevicePtr, value uint32, count uint64, s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.MemsetD32Async(dst, value, count, s); return r }, MemsetD32Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
	return r
}

func (d *watchable) MemcpyPeerAsync(dst DevicePtr, dstCtx Context, src DevicePtr, srcCtx Context, bytes uint64, s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.MemcpyPeerAsync(dst, dstCtx, src, srcCtx, bytes, s); return r }, MemcpyPeerAsync, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(bytes), uintptr(s))
	return r
}

func (d *watchable) MemAllocFromPoolAsync(bytes uint64, p MemPool, s Stream) (out DevicePtr, r Result) {
	d.around(func() Result { out, r = d.Driver.MemAllocFromPoolAsync(bytes, p, s); return r }, MemAllocFromPoolAsync, 0, uintptr(bytes), uintptr(p), uintptr(s))
	return out, r
}

func (d *watchable) MemHostAlloc(bytes uint64, flags uint32) (out unsafe.Pointer, r Result) {
	d.around(func() Result { out, r = d.Driver.MemHostAlloc(bytes, flags); return r }, MemHostAlloc, 0, uintptr(bytes), uintptr(flags))
	return out, r
}

func (d *watchable) MemFreeHost(p unsafe.Pointer) (r Result) {
	d.around(func() Result { r = d.Driver.MemFreeHost(p); return r }, MemFreeHost, 0)
	return r
}

func (d *watchable) MemAllocManaged(bytes uint64, flags uint32) (p DevicePtr, host unsafe.Pointer, r Result) {
	d.around(func() Result { p, host, r = d.Driver.MemAllocManaged(bytes, flags); return r }, MemAllocManaged, 0, uintptr(bytes), uintptr(flags))
	return p, host, r
}

func (d *watchable) MemFree(p DevicePtr) (r Result) {
	d.around(func() Result { r = d.Driver.MemFree(p); return r }, MemFree, uintptr(p))
	return r
}

func (d *watchable) MemHostRegister(p unsafe.Pointer, bytes uint64, flags uint32) (r Result) {
	d.around(func() Result { r = d.Driver.MemHostRegister(p, bytes, flags); return r }, MemHostRegister, 0, uintptr(bytes), uintptr(flags))
	return r
}

func (d *watchable) MemHostUnregister(p unsafe.Pointer) (r Result) {
	d.around(func() Result { r = d.Driver.MemHostUnregister(p); return r }, MemHostUnregister, 0)
	return r
}

func (d *watchable) MemAlloc(bytes uint64) (out DevicePtr, r Result) {
	d.around(func() Result { out, r = d.Driver.MemAlloc(bytes); return r }, MemAlloc, 0, uintptr(bytes))
	return out, r
}

func (d *watchable) MemPrefetchAsync(p DevicePtr, bytes uint64, to Device, s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.MemPrefetchAsync(p, bytes, to, s); return r }, MemPrefetchAsync, uintptr(p), uintptr(bytes), uintptr(to), uintptr(s))
	return r
}

func (d *watchable) IpcOpenMemHandle(h IpcHandle, flags uint32) (p DevicePtr, r Result) {
	d.around(func() Result { p, r = d.Driver.IpcOpenMemHandle(h, flags); return r }, IpcOpenMemHandle, 0, 0, uintptr(flags))
	return p, r
}

func (d *watchable) IpcCloseMemHandle(p DevicePtr) (r Result) {
	d.around(func() Result { r = d.Driver.IpcCloseMemHandle(p); return r }, IpcCloseMemHandle, uintptr(p))
	return r
}

func (d *watchable) Array3DCreate(desc ArrayDesc) (out Array, r Result) {
	d.around(func() Result { out, r = d.Driver.Array3DCreate(desc); return r }, Array3DCreate, 0, 0)
	return out, r
}

func (d *watchable) ArrayDestroy(a Array) (r Result) {
	d.around(func() Result { r = d.Driver.ArrayDestroy(a); return r }, ArrayDestroy, uintptr(a))
	return r
}

func (d *watchable) MipmappedArrayCreate(desc ArrayDesc, levels uint32) (out MipmappedArray, r Result) {
	d.around(func() Result { out, r = d.Driver.MipmappedArrayCreate(desc, levels); return r }, MipmappedArrayCreate, 0, 0, uintptr(levels))
	return out, r
}

func (d *watchable) MipmappedArrayDestroy(m MipmappedArray) (r Result) {
	d.around(func() Result { r = d.Driver.MipmappedArrayDestroy(m); return r }, MipmappedArrayDestroy, uintptr(m))
	return r
}

func (d *watchable) GraphInstantiateWithParams(g Graph, flags uint64) (e GraphExec, at GraphNode, outcome GraphInstantiateResult, r Result) {
	d.around(func() Result { e, at, outcome, r = d.Driver.GraphInstantiateWithParams(g, flags); return r }, GraphInstantiateWithParams, 0, uintptr(g), uintptr(flags))
	return e, at, outcome, r
}

func (d *watchable) GraphUpload(e GraphExec, s Stream) (r Result) {
	d.around(func() Result { r = d.Driver.GraphUpload(e, s); return r }, GraphUpload, uintptr(e), uintptr(s))
	return r
}
