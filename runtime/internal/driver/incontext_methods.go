// Code generated from the interface Driver by runtime/internal/driver/generate. DO NOT EDIT.

package driver

import (
	"unsafe"
)

func (in inContext) LibraryLoadData(image []byte) (out Library, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.LibraryLoadData(image); return r })
	return out, r
}

func (in inContext) LibraryUnload(lib Library) Result {
	return in.around(func() Result { return in.Driver.LibraryUnload(lib) })
}

func (in inContext) LibraryGetKernel(lib Library, name string) (out Kernel, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.LibraryGetKernel(lib, name); return r })
	return out, r
}

func (in inContext) KernelGetAttribute(attr FunctionAttribute, k Kernel, dev Device) (out int, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.KernelGetAttribute(attr, k, dev); return r })
	return out, r
}

func (in inContext) StreamDestroy(s Stream) Result {
	return in.around(func() Result { return in.Driver.StreamDestroy(s) })
}

func (in inContext) StreamSynchronize(s Stream) Result {
	return in.around(func() Result { return in.Driver.StreamSynchronize(s) })
}

func (in inContext) StreamQuery(s Stream) Result {
	return in.around(func() Result { return in.Driver.StreamQuery(s) })
}

func (in inContext) StreamWaitEvent(s Stream, e Event, flags uint32) Result {
	return in.around(func() Result { return in.Driver.StreamWaitEvent(s, e, flags) })
}

func (in inContext) EventDestroy(e Event) Result {
	return in.around(func() Result { return in.Driver.EventDestroy(e) })
}

func (in inContext) EventRecord(e Event, s Stream) Result {
	return in.around(func() Result { return in.Driver.EventRecord(e, s) })
}

func (in inContext) EventQuery(e Event) Result {
	return in.around(func() Result { return in.Driver.EventQuery(e) })
}

func (in inContext) EventSynchronize(e Event) Result {
	return in.around(func() Result { return in.Driver.EventSynchronize(e) })
}

func (in inContext) EventElapsedTime(start, end Event) (milliseconds float32, r Result) {
	r = in.around(func() (r Result) { milliseconds, r = in.Driver.EventElapsedTime(start, end); return r })
	return milliseconds, r
}

func (in inContext) MemAllocAsync(bytes uint64, s Stream) (out DevicePtr, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.MemAllocAsync(bytes, s); return r })
	return out, r
}

func (in inContext) MemFreeAsync(p DevicePtr, s Stream) Result {
	return in.around(func() Result { return in.Driver.MemFreeAsync(p, s) })
}

func (in inContext) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes uint64, s Stream) Result {
	return in.around(func() Result { return in.Driver.MemcpyHtoDAsync(dst, src, bytes, s) })
}

func (in inContext) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes uint64, s Stream) Result {
	return in.around(func() Result { return in.Driver.MemcpyDtoHAsync(dst, src, bytes, s) })
}

func (in inContext) MemcpyDtoDAsync(dst, src DevicePtr, bytes uint64, s Stream) Result {
	return in.around(func() Result { return in.Driver.MemcpyDtoDAsync(dst, src, bytes, s) })
}

func (in inContext) MemsetD8Async(dst DevicePtr, value uint8, count uint64, s Stream) Result {
	return in.around(func() Result { return in.Driver.MemsetD8Async(dst, value, count, s) })
}

func (in inContext) MemsetD16Async(dst DevicePtr, value uint16, count uint64, s Stream) Result {
	return in.around(func() Result { return in.Driver.MemsetD16Async(dst, value, count, s) })
}

func (in inContext) MemsetD32Async(dst DevicePtr, value uint32, count uint64, s Stream) Result {
	return in.around(func() Result { return in.Driver.MemsetD32Async(dst, value, count, s) })
}

func (in inContext) MemAllocFromPoolAsync(bytes uint64, p MemPool, s Stream) (out DevicePtr, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.MemAllocFromPoolAsync(bytes, p, s); return r })
	return out, r
}

func (in inContext) MemPoolCreate(dev Device, maxBytes uint64) (out MemPool, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.MemPoolCreate(dev, maxBytes); return r })
	return out, r
}

func (in inContext) MemPoolDestroy(p MemPool) Result {
	return in.around(func() Result { return in.Driver.MemPoolDestroy(p) })
}

func (in inContext) MemPoolGetAttribute(p MemPool, attr MemPoolAttribute) (value uint64, r Result) {
	r = in.around(func() (r Result) { value, r = in.Driver.MemPoolGetAttribute(p, attr); return r })
	return value, r
}

func (in inContext) MemPoolSetAttribute(p MemPool, attr MemPoolAttribute, value uint64) Result {
	return in.around(func() Result { return in.Driver.MemPoolSetAttribute(p, attr, value) })
}

func (in inContext) MemPoolTrimTo(p MemPool, keepBytes uint64) Result {
	return in.around(func() Result { return in.Driver.MemPoolTrimTo(p, keepBytes) })
}

func (in inContext) MemPoolSetAccess(p MemPool, dev Device, flags MemAccess) Result {
	return in.around(func() Result { return in.Driver.MemPoolSetAccess(p, dev, flags) })
}

func (in inContext) MemFreeHost(p unsafe.Pointer) Result {
	return in.around(func() Result { return in.Driver.MemFreeHost(p) })
}

func (in inContext) LaunchKernel(k Kernel, cfg LaunchConfig, s Stream, params []byte, offsets []uint32) Result {
	return in.around(func() Result { return in.Driver.LaunchKernel(k, cfg, s, params, offsets) })
}

func (in inContext) LaunchKernelEx(k Kernel, cfg LaunchConfig, a LaunchAttributes, s Stream, params []byte, offsets []uint32) Result {
	return in.around(func() Result { return in.Driver.LaunchKernelEx(k, cfg, a, s, params, offsets) })
}

func (in inContext) KernelSetAttribute(attr FunctionAttribute, value int, k Kernel, dev Device) Result {
	return in.around(func() Result { return in.Driver.KernelSetAttribute(attr, value, k, dev) })
}

func (in inContext) GraphCreate(flags uint32) (out Graph, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.GraphCreate(flags); return r })
	return out, r
}

func (in inContext) GraphDestroy(g Graph) Result {
	return in.around(func() Result { return in.Driver.GraphDestroy(g) })
}

func (in inContext) GraphClone(g Graph) (out Graph, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.GraphClone(g); return r })
	return out, r
}

func (in inContext) GraphGetNodes(g Graph) (out []GraphNode, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.GraphGetNodes(g); return r })
	return out, r
}

func (in inContext) GraphNodeFindInClone(original GraphNode, clone Graph) (out GraphNode, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.GraphNodeFindInClone(original, clone); return r })
	return out, r
}

func (in inContext) GraphNodeGetType(n GraphNode) (typ GraphNodeType, r Result) {
	r = in.around(func() (r Result) { typ, r = in.Driver.GraphNodeGetType(n); return r })
	return typ, r
}

func (in inContext) GraphNodeGetDependencies(n GraphNode) (out []GraphNode, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.GraphNodeGetDependencies(n); return r })
	return out, r
}

func (in inContext) GraphDestroyNode(n GraphNode) Result {
	return in.around(func() Result { return in.Driver.GraphDestroyNode(n) })
}

func (in inContext) GraphAddNode(g Graph, after []GraphEdge, p NodeParams) (out AddedNode, r Result) {
	r = in.around(func() (r Result) { out, r = in.Driver.GraphAddNode(g, after, p); return r })
	return out, r
}

func (in inContext) GraphKernelNodeSetAttribute(n GraphNode, id uint32, value [8]uint64) Result {
	return in.around(func() Result { return in.Driver.GraphKernelNodeSetAttribute(n, id, value) })
}

func (in inContext) GraphConditionalHandleCreate(g Graph, ctx Context, initial, flags uint32) (h GraphConditionalHandle, r Result) {
	r = in.around(func() (r Result) { h, r = in.Driver.GraphConditionalHandleCreate(g, ctx, initial, flags); return r })
	return h, r
}

func (in inContext) GraphExecDestroy(e GraphExec) Result {
	return in.around(func() Result { return in.Driver.GraphExecDestroy(e) })
}

func (in inContext) GraphUpload(e GraphExec, s Stream) Result {
	return in.around(func() Result { return in.Driver.GraphUpload(e, s) })
}

func (in inContext) GraphLaunch(e GraphExec, s Stream) Result {
	return in.around(func() Result { return in.Driver.GraphLaunch(e, s) })
}

func (in inContext) GraphExecNodeSetParams(e GraphExec, n GraphNode, p NodeParams) Result {
	return in.around(func() Result { return in.Driver.GraphExecNodeSetParams(e, n, p) })
}

func (in inContext) GraphExecUpdate(e GraphExec, g Graph) (at, from GraphNode, outcome GraphExecUpdateResult, r Result) {
	r = in.around(func() (r Result) { at, from, outcome, r = in.Driver.GraphExecUpdate(e, g); return r })
	return at, from, outcome, r
}

func (in inContext) GraphNodeSetEnabled(e GraphExec, n GraphNode, enabled uint32) Result {
	return in.around(func() Result { return in.Driver.GraphNodeSetEnabled(e, n, enabled) })
}

func (in inContext) StreamBeginCapture(s Stream, mode StreamCaptureMode) Result {
	return in.around(func() Result { return in.Driver.StreamBeginCapture(s, mode) })
}

func (in inContext) StreamEndCapture(s Stream) (g Graph, r Result) {
	r = in.around(func() (r Result) { g, r = in.Driver.StreamEndCapture(s); return r })
	return g, r
}

func (in inContext) StreamGetCaptureInfo(s Stream) (status StreamCaptureStatus, id uint64, g Graph, last []GraphNode, r Result) {
	r = in.around(func() (r Result) { status, id, g, last, r = in.Driver.StreamGetCaptureInfo(s); return r })
	return status, id, g, last, r
}

func (in inContext) StreamUpdateCaptureDependencies(s Stream, after []GraphNode, flags uint32) Result {
	return in.around(func() Result { return in.Driver.StreamUpdateCaptureDependencies(s, after, flags) })
}
