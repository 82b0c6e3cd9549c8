package driver

import (
	"io"
	"strings"
	"sync/atomic"
	"time"
)

// A Simulation is what a simulated device can tell and do beyond the interface Driver.
type Simulation interface {
	// Fault describes what ended the context, or is nil.
	Fault() *Fault
	// Reports is what checks have found without ending the context, once for each place, in the order in which it was found, and
	// at how many places more.
	Reports() (found []*Fault, more int)
	// OnReport has tell called with what a check finds at a place for the first time, when the kernel or the copy has ended.
	OnReport(tell func(*Fault))
	// Unsupported says what in k the simulated device does not support. A launch of k then
	// returns ErrorNotSupported. It is empty for kernels that can be launched.
	Unsupported(k Kernel) string
	// Name tells what a Fault in k calls it besides its symbol.
	Name(k Kernel, name string)
	// SetOutput sets where the output of kernels' printf goes, which is standard output.
	SetOutput(w io.Writer)
	// SetChecks says what kernels that are launched from now on are checked for, and how they run.
	SetChecks(c Checks)
	// Elements says that the allocation at p holds elements of len(padding) bytes, of which those
	// for which padding is true mean nothing.
	Elements(p DevicePtr, padding []bool)
	// Heap is what kernels took with malloc and did not free.
	Heap() []HeapUse
	// ReadHost copies device memory at p to dst, in a host function, as a copy of its stream does: freed
	// memory ends the context, and undefined memory is reported.
	ReadHost(dst []byte, p DevicePtr) Result
	// WriteHost copies src to device memory at p, in a host function.
	WriteHost(p DevicePtr, src []byte) Result
	// Coverage returns the lines of the kernels that were loaded since Checks.Coverage was set, if
	// their images have line information, sorted.
	Coverage() []CoveredLine
	// Stop ends what runs, with ErrorLaunchTimeout, and lets nothing else run.
	Stop()
	// Closing says that the device is going to be closed. If no block of a kernel and no other
	// work on it ends for a while, what runs is stopped, with ErrorLaunchTimeout.
	Closing()
	// ClosingStream is Closing for a stream, and a longer while, until closed is called.
	ClosingStream(s Stream) (closed func())
}

// SimulatedCapabilities are the compute capabilities that Checks may give a simulated device. Which modules load
// depends on them, and nothing else.
var SimulatedCapabilities = [...]int{90, 100, 103, 110, 120, 121}

// Checks is how kernels run in tests.
type Checks struct {
	SharedRaces bool          // races in shared memory are found
	GlobalRaces bool          // races in global memory are found
	Arrays      bool          // accesses beyond arrays in shared and local memory are found
	Undefined   bool          // uses of undefined values are found
	Exited      bool          // barriers and member masks are found that count on threads which have exited
	Coverage    bool          // which lines are executed is counted
	RedZones    bool          // accesses beyond LaunchConfig.Covers are found
	Stop        bool          // what a check finds ends the context, behind the kernel or the copy
	Origins     bool          // where memory is allocated and freed is noted, for reports
	Schedule    uint64        // the order in which blocks and warps run: 0 is that of their numbers
	Capability  int           // compute capability, 10 × major + minor; 0 is the device's own
	Budget      time.Duration // how long no block of a kernel may end; 0 is without limit
}

// A HeapUse is memory that a kernel took with malloc at one place.
type HeapUse struct {
	Allocated string // file:line of the kernel; empty unless Checks.Origins was set
	Count     int    // allocations
	Bytes     uint64
}

// A CoveredLine is what threads have executed of a source line.
type CoveredLine struct {
	File     string // as the image has it
	Line     int
	Threads  uint64 // how often threads came to it
	Branches []CoveredBranch
}

// A CoveredBranch is a conditional branch of a line: how often threads took it, and went on behind it.
type CoveredBranch struct{ Taken, Passed uint64 }

// A Waiting is lanes of a warp that wait at one place.
type Waiting struct {
	Block       Dim3
	Thread      Dim3 // the first of them
	Warp        int
	Lanes       uint32
	Source      string // as in Fault
	Line        int
	InlinedAt   []string
	PTXLine     int
	Instruction string
	For         string // what they wait for; empty if they repeat a loop
}

// A Fault describes why a kernel stopped, or what a check has found. Only the simulated device knows more than Result.
type Fault struct {
	Result      Result
	Symbol      string   // the kernel's name in the image; empty if it was not a kernel that failed
	Name        string   // what Simulation.Name was told
	Source      string   // file of the source, if the image has line information
	Line        int      // in Source
	InlinedAt   []string // file:line where the code of that was inlined, and that in turn: innermost first
	PTXLine     int
	Instruction string // as the PTX has it
	Block       Dim3   // index in the grid
	Thread      Dim3   // index in the block
	Warp        int    // of the block
	Lane        int    // of the warp
	Address     uint64 // of the access that failed; 0 if it was none
	Allocated   string // where the memory at Address was allocated, file:line in Go or of a kernel's malloc; empty if that is not known
	Freed       string // where it was freed
	Reason      string
	Check       string    // the check that has found it, and the kernel went on; empty if the kernel stopped by itself
	Place       string    // of what a check has found: it is the same when it is found again
	Others      []*Fault  // what the checks have found at other places
	Count       uint64    // how often it was found at this place
	Waiting     []Waiting // where threads wait, if the kernel made no progress
}

// InlinedText says where a line was inlined, innermost first; "" if it was not.
func InlinedText(at []string) string {
	switch n := len(at); {
	case n == 0:
		return ""
	case n > maxInlined:
		at = append(at[:maxInlined-1:maxInlined-1], "…", at[n-1])
	}
	return "inlined at " + strings.Join(at, ", at ")
}

// maxInlined is how many lines a text names: the outermost one is of the kernel.
const maxInlined = 4

// simulator is what RegisterSimulator was called with.
var simulator atomic.Pointer[func(ordinal int) (Driver, Simulation)]

// RegisterSimulator makes simulated devices available to package cuda. runtime/sim calls it
// when it is imported, as a database/sql driver does. Each call of open makes a device of
// its own: a driver whose only device has that ordinal.
func RegisterSimulator(open func(ordinal int) (Driver, Simulation)) { simulator.Store(&open) }

// Simulator returns the function registered, or nil when no simulator is linked in.
func Simulator() func(ordinal int) (Driver, Simulation) {
	if open := simulator.Load(); open != nil {
		return *open
	}
	return nil
}
