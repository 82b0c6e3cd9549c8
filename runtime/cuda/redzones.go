package cuda

import (
	"slices"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// With red zones, which runtime/simtest offers, the simulated device reports accesses of a kernel to what lies
// in a buffer beyond the slices that the launch got. A launch sees the owners of its slices, and no lengths. So
// each slice of a part of a buffer then has an owner of its own, which knows the part: docs/decisions, "How
// do red zones know what a slice covers?"

// redZones is set once a device looks for accesses beyond slices.
var redZones atomic.Bool

// A part is what a slice covers of an object.
type part struct {
	of          *lifetime // of the object itself
	addr, bytes uint64
}

// useRedZones lets slices that are made from now on of memory of d know what they cover.
func (d *Device) useRedZones() {
	d.redZones.Store(true)
	redZones.Store(true)
}

// partOf returns the owner of a slice that covers some bytes of what has the lifetime l.
//
//go:noinline
func (l *lifetime) partOf(addr, bytes uint64) *lifetime {
	root := l.root()
	if root == nil || root.dev == nil || !root.dev.redZones.Load() || root.graphOnly {
		return l
	}
	return &lifetime{
		addr: root.addr, dev: root.dev, stream: root.stream, what: root.what, object: root.object,
		host: root.host, portable: root.portable, handle: root.handle, part: &part{root, addr, bytes},
	}
}

// root returns the lifetime of the object itself, of which l may have a part.
func (l *lifetime) root() *lifetime {
	if l != nil && l.part != nil {
		return l.part.of
	}
	return l
}

// isClosed reports whether the object is closed.
func (l *lifetime) isClosed() bool { return l.root().uses.IsClosed() }

// extent returns the memory that l covers, if that is known.
func (l *lifetime) extent() (addr, bytes uint64, ok bool) {
	if l.part != nil {
		return l.part.addr, l.part.bytes, true
	}
	a, ok := l.object.(*allocation)
	if !ok || l.handle || a.kind == arrayed {
		return 0, 0, false
	}
	return a.addr, a.bytes, true
}

// ownerCovers returns what the arguments with owners cover, in the order of the parameters that are Owned. It is nil
// without red zones.
func (k *Kernel) ownerCovers(owners, named []Owner) *driver.Covers {
	if !k.dev.redZones.Load() {
		return nil
	}
	c := new(driver.Covers)
	for i, p := range k.params.all {
		if !p.Owned || len(owners) == 0 {
			continue
		}
		cover(c, i, owners[0].lifetime)
		owners = owners[1:]
	}
	for _, o := range named {
		reach(c, o.lifetime)
	}
	return c
}

// cover adds what the argument for the nth parameter covers.
func cover(c *driver.Covers, n int, l *lifetime) {
	if l == nil {
		return
	}
	if addr, bytes, ok := l.extent(); ok {
		c.Slices = append(c.Slices, driver.Cover{Param: n, Addr: driver.DevicePtr(addr), Bytes: bytes})
	}
}

// reach adds an object that the launch may use all of.
func reach(c *driver.Covers, l *lifetime) {
	if l == nil {
		return
	}
	if addr, _, ok := l.root().extent(); ok {
		c.Whole = append(c.Whole, driver.DevicePtr(addr))
	}
}

// callCovers is ownerCovers of a prepared call.
func callCovers(c *Call) *driver.Covers {
	if !c.kernel.dev.redZones.Load() {
		return nil
	}
	covers := new(driver.Covers)
	for i := range c.args {
		a := &c.args[i]
		param := slices.IndexFunc(c.kernel.params.all, func(p ParamSpec) bool { return p.Owned && p.Offset == a.offset })
		if a.param == configOwner || param < 0 {
			reach(covers, a.owner)
		} else {
			cover(covers, param, a.owner)
		}
	}
	return covers
}
