package measure

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// A Call says what a trace shows of a driver call: which of its arguments in C are its bytes,
// in units, and its stream. 0 is none, for arguments count from 1.
type Call struct {
	Category      string
	bytes, stream int
	unit          uint64
}

// CopyCategory is that of calls whose bytes are moved, in the order of a stream.
const CopyCategory = "copy"

// Calls are the calls beside launches that a trace shows.
var Calls = map[driver.EntryPoint]Call{
	driver.MemcpyHtoDAsync:  {CopyCategory, 3, 4, 1},
	driver.MemcpyDtoHAsync:  {CopyCategory, 3, 4, 1},
	driver.MemcpyDtoDAsync:  {CopyCategory, 3, 4, 1},
	driver.MemcpyPeerAsync:  {CopyCategory, 5, 6, 1},
	driver.Memcpy3DAsync:    {CopyCategory, 3, 2, 1},
	driver.MemsetD8Async:    {CopyCategory, 3, 4, 1},
	driver.MemsetD16Async:   {CopyCategory, 3, 4, 2},
	driver.MemsetD32Async:   {CopyCategory, 3, 4, 4},
	driver.MemPrefetchAsync: {CopyCategory, 2, 4, 1},

	driver.MemAllocAsync:         {"memory", 2, 3, 1},
	driver.MemAllocFromPoolAsync: {"memory", 2, 4, 1},
	driver.MemFreeAsync:          {"memory", 0, 2, 0},
	driver.MemHostAlloc:          {"memory", 2, 0, 1},
	driver.MemFreeHost:           {"memory", 0, 0, 0},
	driver.MemHostRegister:       {"memory", 2, 0, 1},
	driver.MemHostUnregister:     {"memory", 0, 0, 0},
	driver.MemAllocManaged:       {"memory", 2, 0, 1},
	driver.MemAlloc:              {"memory", 2, 0, 1},
	driver.MemFree:               {"memory", 0, 0, 0},
	driver.IpcOpenMemHandle:      {"memory", 0, 0, 0},
	driver.IpcCloseMemHandle:     {"memory", 0, 0, 0},
	driver.Array3DCreate:         {"memory", 0, 0, 0},
	driver.ArrayDestroy:          {"memory", 0, 0, 0},
	driver.MipmappedArrayCreate:  {"memory", 0, 0, 0},
	driver.MipmappedArrayDestroy: {"memory", 0, 0, 0},

	driver.StreamSynchronize: {"wait", 0, 1, 0},
	driver.EventSynchronize:  {"wait", 0, 0, 0},
	driver.CtxSynchronize:    {"wait", 0, 0, 0},

	driver.LibraryLoadData:            {"load", 0, 0, 0},
	driver.LibraryGetKernel:           {"load", 0, 0, 0},
	driver.GraphInstantiateWithParams: {"graph", 0, 0, 0},
	driver.GraphUpload:                {"graph", 0, 2, 0},
	driver.LaunchHostFunc:             {"launch", 0, 1, 0},
}

var bytesKeys = tracefile.Keys{{Name: "bytes"}}

// Bytes returns the bytes of c, and notes them in e if it has some.
func (c Call) Bytes(call *driver.WatchedCall, e *tracefile.Event) (bytes uint64) {
	if c.bytes > 0 {
		bytes = uint64(call.Args[c.bytes-1]) * c.unit
		e.Keys, e.Values[0] = &bytesKeys, bytes
	}
	return bytes
}

// Stream returns the stream of c. ok is false if what it does is not queued on one.
func (c Call) Stream(call *driver.WatchedCall) (s driver.Stream, ok bool) {
	if c.stream == 0 || c.Category == "wait" {
		return 0, false
	}
	return driver.Stream(call.Args[c.stream-1]), true
}
