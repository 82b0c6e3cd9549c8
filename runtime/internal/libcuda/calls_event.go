//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"math"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func (d *Driver) StreamCreateWithPriority(flags uint32, priority int) (driver.Stream, driver.Result) {
	s, r := d.callOut(driver.StreamCreateWithPriority, uintptr(flags), uintptr(priority), 0)
	return driver.Stream(s), r
}

func (d *Driver) CtxGetStreamPriorityRange() (least, greatest int, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.CtxGetStreamPriorityRange, f, f.outAddress(0), f.outAddress(1))
	return int(int32(f.out[0])), int(int32(f.out[1])), r
}

func (d *Driver) StreamWaitEvent(s driver.Stream, e driver.Event, flags uint32) driver.Result {
	return d.callPlain(driver.StreamWaitEvent, uintptr(s), uintptr(e), uintptr(flags))
}

func (d *Driver) EventCreate(flags uint32) (driver.Event, driver.Result) {
	e, r := d.callOut(driver.EventCreate, uintptr(flags), 0, 0)
	return driver.Event(e), r
}

func (d *Driver) EventDestroy(e driver.Event) driver.Result {
	return d.callPlain(driver.EventDestroy, uintptr(e))
}

func (d *Driver) EventRecord(e driver.Event, s driver.Stream) driver.Result {
	return d.callPlain(driver.EventRecord, uintptr(e), uintptr(s))
}

func (d *Driver) EventQuery(e driver.Event) driver.Result {
	return d.callPlain(driver.EventQuery, uintptr(e))
}

func (d *Driver) EventSynchronize(e driver.Event) driver.Result {
	return d.callPlain(driver.EventSynchronize, uintptr(e))
}

func (d *Driver) EventElapsedTime(start, end driver.Event) (float32, driver.Result) {
	bits, r := d.callOut(driver.EventElapsedTime, uintptr(start), uintptr(end), 0)
	return math.Float32frombits(uint32(bits)), r
}
