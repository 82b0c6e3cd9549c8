package cuda

import "sync/atomic"

// A useCount counts the calls that are using an object, so that closing it beside them
// leaves its end to the last of them. It costs 5 ns a call, and the object goes at once:
// for what is used beside work of the driver's. Launches hold an epoch in its place.
type useCount struct{ n atomic.Int64 }

const closedBit = 1 << 62

func (u *useCount) isClosed() bool { return u.n.Load()&closedBit != 0 }

// begin begins a use, which end ends. If the object is closed, closed is true and end
// must not be called; last is as end returns it.
func (u *useCount) begin() (closed, last bool) {
	if u.n.Add(1)&closedBit == 0 {
		return false, false
	}
	return true, u.end()
}

// end ends a use. It reports whether the object is closed and this was its last use:
// then the caller destroys it. More than one caller may be told so.
func (u *useCount) end() (last bool) { return u.n.Add(-1) == closedBit }

// close lets no more uses begin. first is false when that was so before; last is as end
// returns it.
func (u *useCount) close() (first, last bool) {
	first = u.n.Or(closedBit)&closedBit == 0
	return first, first && u.n.Load() == closedBit
}
