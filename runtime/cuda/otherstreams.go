package cuda

import (
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

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
