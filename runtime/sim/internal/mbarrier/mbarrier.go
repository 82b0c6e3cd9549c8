// Package mbarrier knows the barriers in shared memory that count threads and bytes: what the 64 bits
// of one say, and what it becomes when something arrives. It knows no memory and no threads.
//
// PTX ISA, Parallel Synchronization and Communication Instructions: mbarrier.
package mbarrier

// A State is a barrier in memory, whose 64 bits are opaque to kernels: the arrivals that
// are pending, those that are expected in each phase, the parity of the phase, and the bytes that
// are still to come.
type State uint64

// Bytes is the size of a barrier.
const Bytes = 8

const (
	countBits  = 20
	countMask  = 1<<countBits - 1
	phaseShift = 2 * countBits
	bytesShift = phaseShift + 1
)

// Pending is the number of arrivals that this phase waits for.
func (s State) Pending() uint64 { return uint64(s) & countMask }

func (s State) expected() uint64 { return uint64(s) >> countBits & countMask }

// Parity is the parity of the phase.
func (s State) Parity() uint64 { return uint64(s) >> phaseShift & 1 }

// Initialised reports whether s can be a barrier.
func (s State) Initialised() bool {
	return s.expected() != 0 || s>>bytesShift != 0 || s.Pending() != 0
}

// settled begins the next phase if nothing of this one is missing.
func (s State) settled() State {
	if s.Pending() != 0 || s>>bytesShift != 0 {
		return s
	}
	return s ^ 1<<phaseShift | State(s.expected())
}

// An Update returns what a barrier becomes by an operand, or what is wrong.
type Update func(s State, operand uint64) (next State, wrong string)

// Init makes a barrier that counts threads.
func Init(_ State, count uint64) (State, string) {
	if count == 0 || count > countMask {
		return 0, "its count is not from 1 to 2^20-1"
	}
	return State(count<<countBits | count), ""
}

// Inval makes a barrier none.
func Inval(State, uint64) (State, string) { return 0, "" }

// Arrive counts threads that arrive.
func Arrive(s State, count uint64) (State, string) {
	if count > s.Pending() {
		return s, "more threads arrive than it counts"
	}
	return (s - State(count)).settled(), ""
}

// Drop counts threads that arrive and take no part in later phases.
func Drop(s State, count uint64) (State, string) {
	if count > s.expected() || count > s.Pending() {
		return s, "more threads arrive than it counts"
	}
	return (s - State(count<<countBits|count)).settled(), ""
}

// Expect makes the phase wait for bytes.
func Expect(s State, bytes uint64) (State, string) {
	return s + State(bytes<<bytesShift), ""
}

// Complete counts bytes that have come.
func Complete(s State, bytes uint64) (State, string) {
	return (s - State(bytes<<bytesShift)).settled(), ""
}

// ExpectArrive is Expect, and one thread that arrives.
func ExpectArrive(s State, bytes uint64) (State, string) {
	s, _ = Expect(s, bytes)
	return Arrive(s, 1)
}

// ExpectDrop is Expect, and one thread that arrives and takes no part in later phases.
func ExpectDrop(s State, bytes uint64) (State, string) {
	s, _ = Expect(s, bytes)
	return Drop(s, 1)
}
