package cuda

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// A watchedEntry says what a trace shows of a driver call: which of its arguments in C are its bytes,
// in units, and its stream. 0 is none, for arguments count from 1.
type watchedEntry struct {
	category      string
	bytes, stream int
	unit          uint64
}

// watchedEntries are the calls beside launches that a trace shows.
var watchedEntries = map[driver.EntryPoint]watchedEntry{
	driver.MemcpyHtoDAsync:  {copyCategory, 3, 4, 1},
	driver.MemcpyDtoHAsync:  {copyCategory, 3, 4, 1},
	driver.MemcpyDtoDAsync:  {copyCategory, 3, 4, 1},
	driver.MemcpyPeerAsync:  {copyCategory, 5, 6, 1},
	driver.Memcpy3DAsync:    {copyCategory, 3, 2, 1},
	driver.MemsetD8Async:    {copyCategory, 3, 4, 1},
	driver.MemsetD16Async:   {copyCategory, 3, 4, 2},
	driver.MemsetD32Async:   {copyCategory, 3, 4, 4},
	driver.MemPrefetchAsync: {copyCategory, 2, 4, 1},

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

// copyCategory is that of calls whose bytes are moved, in the order of a stream.
const copyCategory = "copy"

var bytesKeys = tracefile.Keys{{Name: "bytes"}}

// A traceWatcher listens for its trace.
type traceWatcher struct{ *Trace }

// Watches implements driver.Watcher.
func (t traceWatcher) Watches(e driver.EntryPoint) bool {
	_, is := watchedEntries[e]
	return is
}

// Begin implements driver.Watcher.
func (t traceWatcher) Begin(c driver.WatchedCall) driver.WatchedCall {
	if at := watchedEntries[c.Entry]; at.category == copyCategory && t.cfg.KernelTimes {
		stream := driver.Stream(c.Args[at.stream-1])
		timing := t.stream(c.Of, stream).dev.begin(stream)
		c.Events, c.Owner = [2]uintptr{uintptr(timing.start), uintptr(timing.end)}, timing.base
	}
	c.Began = t.now()
	return c
}

// End implements driver.Watcher.
func (t traceWatcher) End(c driver.WatchedCall, r driver.Result) {
	at := watchedEntries[c.Entry]
	e := tracefile.Event{
		Name: c.Entry.Name(), Category: at.category, Phase: tracefile.Complete, On: t.here(),
		Start: c.Began, Duration: t.now() - c.Began,
	}
	var bytes uint64
	if at.bytes > 0 {
		bytes = uint64(c.Args[at.bytes-1]) * at.unit
		e.Keys, e.Values[0] = &bytesKeys, bytes
	}
	if r != driver.Success {
		e.Error = r.String()
	}
	if at.stream == 0 || at.category == "wait" {
		t.file.Add(&e)
		return
	}
	stream := driver.Stream(c.Args[at.stream-1])
	st := t.stream(c.Of, stream)
	var timing timing
	if c.Events[0] != 0 {
		timing = timingOf(driver.Event(c.Events[0]), driver.Event(c.Events[1]), stream, c.Owner)
	}
	kind := otherTotal
	if at.category == copyCategory {
		kind = copyTotal
	}
	t.queued(st, &e, timing, t.total(totalKey{name: c.Entry.Name(), device: st.text(), kind: kind}), r == driver.Success, bytes)
}
