package cuda

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/inuse"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A lifetime is what an object that queued work uses shares with its slices and owners:
// whether it is open, and which streams use it. docs/decisions, "How does a launch know
// that its buffers are open?"
type lifetime struct {
	// users has the tag of dev and the bits of the streams that use the object, while it is
	// open: a launch on one of them looks at nothing else. It only saves the look at others.
	users atomic.Uint64

	addr   uint64
	dev    *Device
	stream *Stream // in whose order the object is freed; nil if no stream orders that
	what   string  // buffer
	object freer

	host      unsafe.Pointer // where the CPU sees page-locked and managed memory
	portable  bool           // page-locked: work of every device may use it
	graphOnly bool           // only a graph gives it a value
	handle    bool           // a texture's or surface's, which means nothing to other devices
	counted   bool           // the device clears bits of users before other streams get them

	uses inuse.Count // the copies that are under way

	mu     sync.Mutex
	others atomic.Pointer[otherStreams] // that have used it, but stream; nil if there are none

	part *part // of another lifetime, which has all that changes; nil as a rule
}

// deviceOrNil returns the device of what l is the lifetime of, or nil if l is nil.
func (l *lifetime) deviceOrNil() *Device {
	if l == nil {
		return nil
	}
	return l.dev
}

// noBuffer is the lifetime of nil and zero buffers.
var noBuffer = closedLifetime("buffer")

// noArray, noTexture, noSurface and noTensor are those of nil and zero arrays, textures, surfaces and tensor maps.
var noArray, noTexture, noSurface, noTensor = closedLifetime("array"), closedLifetime("texture"), closedLifetime("surface"), closedLifetime("tensor map")

// noMemory is that of elements at address 0, which SliceAt was given.
var noMemory = closedLifetime("memory")

// isUnmade reports whether l is of a nil or zero value.
func (l *lifetime) isUnmade() bool {
	return l == noBuffer || l == noArray || l == noTexture || l == noSurface || l == noTensor || l == noMemory
}

func closedLifetime(what string) *lifetime {
	l := &lifetime{what: what}
	l.uses.Close()
	return l
}

// A freer is an object with a lifetime.
type freer interface {
	// free frees the object, after the work that uses it. Calling it again has no effect.
	free() driver.Result
}

// An Owner is an object with a lifetime that a launch can depend on, such as a buffer: a
// launch fails if it is closed or on another device, and keeps it reachable. A LaunchConfig
// names the owners of addresses that a launch does not see, inside of structs. The zero
// Owner stands for no object.
type Owner struct{ *lifetime }

// allUsers is what users of no object is: every stream may use it.
const allUsers = 1<<64 - 1

// usersOf returns the value of users. A launch on a stream may use the object without looking
// further if it has all bits of the stream's word.
func (o Owner) usersOf() uint64 {
	if o.lifetime == nil {
		return allUsers
	}
	return o.users.Load()
}

// isNoted reports whether work on s may use l: that was noted, and l is open.
func (l *lifetime) isNoted(s *Stream) bool {
	l = l.root()
	if s.word&^l.users.Load() == 0 {
		return true
	}
	return (s == l.stream || l.others.Load().has(s)) && l.isOpenTo(s.dev)
}

// usedOn notes that work on s uses l. It reports false if l is closed. The zero Slice has
// no lifetime, which is always open.
func (l *lifetime) usedOn(s *Stream) bool {
	if l = l.root(); l == nil || l.isNoted(s) {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isOpenTo(s.dev) {
		return false
	}
	epoch := s.hold() // nil if s is closed: then its bit may be another's
	defer epoch.release()
	l.note(s)
	if epoch != nil && l.counted && s.dev == l.dev {
		l.users.Or(s.word &^ inuse.NoBit)
	}
	return true
}

// note adds s to the streams that have used l. l.mu is held. A stream that a capture has passed has
// no queue and never work: nobody waits for it, and it is not kept.
func (l *lifetime) note(s *Stream) {
	if s == l.stream || s.queue == nil {
		return
	}
	others := l.others.Load()
	if others == nil {
		others = new(otherStreams)
		l.others.Store(others)
	}
	others.add(s)
}

// usedLate notes that work on s uses l, if s was closed before the work was queued. The
// caller has called the driver, and l may be nil.
func (l *lifetime) usedLate(s *Stream) {
	if l = l.root(); l == nil || !s.isLate() {
		return
	}
	s.noteLate()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(s)
}

// checkLaunch returns why a launch of k on s cannot use l, which belongs to its argument
// for param. Otherwise it notes that s uses l.
func (l *lifetime) checkLaunch(k *Kernel, s *Stream, param string) error {
	l = l.root()
	switch {
	case l == nil || s.word&^l.users.Load() == 0:
		return nil
	case l.isClosed(), !l.graphOnly && !l.isOpenTo(s.dev):
		return k.launchArgument(l.closedFor(param))
	case l.graphOnly:
		return k.launchArgument(param+" exists only in a graph", ErrInvalidValue)
	case !l.reachableFrom(s.dev):
		return k.launchArgument("the "+l.what+" of "+param+" is on "+l.dev.besides(k.dev), ErrInvalidValue)
	}
	if !l.usedOn(s) {
		return k.launchArgument("the "+l.what+" of "+param, ErrClosed)
	}
	return nil
}

// isOpenTo reports whether l is open; a stream of d shows whether d is.
func (l *lifetime) isOpenTo(d *Device) bool {
	return !l.isClosed() && (l.dev == d || !l.dev.isClosed())
}

// reachableFrom reports whether kernels on d can use the object: it is d's, or the
// host's, or d has access to the other device.
func (l *lifetime) reachableFrom(d *Device) bool {
	return l.dev == d || l.portable && l.dev.simulated == d.simulated || !l.handle && d.hasAccess(l.dev)
}

// begin keeps the object until end. It reports false if the object is closed. The
// caller holds an epoch.
func (l *lifetime) begin() bool {
	if l = l.root(); l == nil {
		return true
	}
	closed, last := l.uses.Begin()
	if last {
		l.freeLate()
	}
	return !closed
}

// beginOn is begin for work on s, and notes that s uses the object.
func (l *lifetime) beginOn(s *Stream) bool {
	if !l.begin() {
		return false
	}
	if !l.usedOn(s) {
		l.end()
		return false
	}
	return true
}

// endOn is end for what begin, or beginOn, began for work on s that was queued.
func (l *lifetime) endOn(s *Stream) {
	l.usedLate(s)
	l.end()
}

// end ends what begin began.
func (l *lifetime) end() {
	if l = l.root(); l != nil && l.uses.End() {
		l.freeLate()
	}
}

// freeLate frees the object, which was closed while the caller has used it. A host function must not
// wait for the work that uses it.
func (l *lifetime) freeLate() {
	free := func() { l.dev.given(l.object.free()) }
	if hostFuncHere() != nil {
		l.dev.retire(free)
		return
	}
	free()
}

// recheck makes the next launch of each stream that has used l look at it again. It is
// closed.
func (l *lifetime) recheck() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users.Store(0)
	if l.stream != nil {
		l.stream.nextTurn()
	}
	for _, u := range l.others.Load().all() {
		u.stream.nextTurn()
	}
}

// An otherStreams is the streams that have used an object besides the one in whose order it is
// freed: of each queue the latest, so that it does not grow with the streams that come and go.
// nil has none. Any goroutine may read it; lifetime.mu is held while it changes.
type otherStreams struct {
	byQueue sync.Map // *queue → *user
	count   int      // in byQueue
	enough  int      // the count at which those are forgotten whose work has run
}

// A user is a stream that has used an object.
type user struct {
	stream *Stream
	until  uint64 // the last generation of its queue whose work may use the object
}

// minUsers is the least count at which streams are forgotten.
const minUsers = 64

// has reports whether s was added, and no other stream of its queue since.
func (o *otherStreams) has(s *Stream) bool {
	if o == nil {
		return false
	}
	u, ok := o.byQueue.Load(s.queue)
	return ok && u.(*user).stream == s
}

// add adds s, or that there may be work of s later than Close.
func (o *otherStreams) add(s *Stream) {
	until := s.until.Load()
	if before, ok := o.byQueue.Load(s.queue); ok {
		until = max(until, before.(*user).until)
	} else {
		o.count++
	}
	o.byQueue.Store(s.queue, &user{s, until})
	if o.count >= max(o.enough, minUsers) {
		o.forget()
	}
}

// forget removes the streams whose work has run.
func (o *otherStreams) forget() {
	o.count = 0
	o.byQueue.Range(func(key, value any) bool {
		if q := key.(*queue); q.gone.Load() || q.generation.Load() > value.(*user).until {
			o.byQueue.Delete(q)
		} else {
			o.count++
		}
		return true
	})
	o.enough = 2 * o.count
}

// all returns the streams.
func (o *otherStreams) all() (users []*user) {
	if o == nil {
		return nil
	}
	o.byQueue.Range(func(_, value any) bool {
		users = append(users, value.(*user))
		return true
	})
	return users
}

// drain waits for the work of u that may use the object.
func (u *user) drain() driver.Result { return u.stream.queue.synchronize(u.until) }

// A launch sees the owners of its slices, and neither their lengths nor how their elements are aligned. A slice of which it
// must know more has an owner of its own, which knows the part of the buffer that it covers. With red zones, which
// runtime/simtest offers, that is each slice of a part of a buffer: the simulated device reports accesses of a kernel to what
// lies beyond the slices that the launch got. docs/decisions, "How do red zones know what a slice covers?"

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
	if root := l.root(); root == nil || root.dev == nil || !root.dev.redZones.Load() {
		return l
	}
	return l.newPart(addr, bytes)
}

// placed returns the owner of a slice that covers some bytes of what has the lifetime l, in elements of size bytes. Where
// their alignment in C++ may not divide the address, it is one that no launch takes without a look at the parameters.
func (l *lifetime) placed(addr, bytes, size uint64) *lifetime {
	if l == nil || addr%min(size&-size, mostAligned) == 0 {
		return l
	}
	return l.newPart(addr, bytes)
}

// mostAligned is the alignment of all buffers: CUDA C++ Programming Guide, Device Memory Accesses.
const mostAligned = 256

// newPart returns an owner for a part of what has the lifetime l.
func (l *lifetime) newPart(addr, bytes uint64) *lifetime {
	root := l.root()
	if root.dev == nil || root.graphOnly {
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

// mayShare reports whether the memory of l and of other may be the same, by their addresses: two libraries of one image, too,
// have one variable.
func (l *lifetime) mayShare(other *lifetime) bool {
	l, other = l.root(), other.root()
	return l == other || l != nil && other != nil && l.dev == other.dev
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
