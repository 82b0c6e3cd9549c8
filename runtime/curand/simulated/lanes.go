package simulated

import "github.com/cudagen/cudagen/runtime/curand"

// A recurrence is a generator whose numbers come from many lanes: parts of one long sequence that begin far apart. Element i of memory is
// of lane i mod count. S is the state of a lane.
//
// cuRAND, Generator Options, Ordering.
type recurrence[S any] interface {
	count() int
	begin(seed uint64) S       // of lane 0
	skips() func(S) S          // from the begin of a lane to that of the next
	forward(n uint64) func(*S) // n numbers further
	bits(*S) uint32
	uniform32(*S) float32
	uniform64(*S) float64
	normal32(*S) (float32, float32)
	normal64(*S) (float64, float64)
}

// lanes are numbers of a recurrence.
type lanes[S any, R recurrence[S]] struct {
	recurrence R
	states     []S
	at         int // the lane whose turn it is
}

// newLanes returns the numbers from that offset on.
func newLanes[S any, R recurrence[S]](r R, seed, offset uint64) *lanes[S, R] {
	n := r.count()
	l := &lanes[S, R]{r, make([]S, n), int(offset % uint64(n))}
	state, next := r.begin(seed), r.skips()
	rounds := offset / uint64(n)
	forward, once := r.forward(rounds), r.forward(1)
	for i := range l.states {
		l.states[i] = state
		state = next(state)
		if rounds > 0 {
			forward(&l.states[i])
		}
		if i < l.at {
			once(&l.states[i])
		}
	}
	return l
}

// lane returns the state of the lane whose turn it is.
func (l *lanes[S, R]) lane() *S {
	s := &l.states[l.at]
	l.at = (l.at + 1) % len(l.states)
	return s
}

// each puts a number of each lane into out.
func each[S any, R recurrence[S], T any](l *lanes[S, R], out []T, next func(*S) T) error {
	for i := range out {
		out[i] = next(l.lane())
	}
	return nil
}

// pairs puts two numbers of each lane into out.
func pairs[S any, R recurrence[S], T any](l *lanes[S, R], out []T, next func(*S) (T, T)) error {
	if len(out)%2 != 0 {
		return curand.StatusLengthNotMultiple
	}
	for i := 0; i < len(out); i += 2 {
		out[i], out[i+1] = next(l.lane())
	}
	return nil
}

func (l *lanes[S, R]) bits(out []uint32) error       { return each(l, out, l.recurrence.bits) }
func (l *lanes[S, R]) uniform32(out []float32) error { return each(l, out, l.recurrence.uniform32) }
func (l *lanes[S, R]) uniform64(out []float64) error { return each(l, out, l.recurrence.uniform64) }
func (l *lanes[S, R]) normal32(out []float32) error  { return pairs(l, out, l.recurrence.normal32) }
func (l *lanes[S, R]) normal64(out []float64) error  { return pairs(l, out, l.recurrence.normal64) }
