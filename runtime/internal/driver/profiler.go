package driver

import "sync/atomic"

// A Profiler is told what launches of simulated devices cost. Its methods may be called at the same time.
type Profiler interface {
	// Wants reports whether a launch of a kernel that begins is counted. symbol is the kernel's name in the image, name
	// what Simulation.Name was told, or empty.
	Wants(symbol, name string) bool
	// Add is told of a launch that was counted, when it has ended.
	Add(l *LaunchProfile)
}

// profiler is what SetProfiler was called with.
var profiler atomic.Pointer[Profiler]

// SetProfiler has launches that begin from now on counted for p, on all simulated devices of the process; nil counts none.
func SetProfiler(p Profiler) {
	if p == nil {
		profiler.Store(nil)
		return
	}
	profiler.Store(&p)
}

// TheProfiler returns what SetProfiler was called with last, or nil.
func TheProfiler() Profiler {
	if p := profiler.Load(); p != nil {
		return *p
	}
	return nil
}

// A LaunchProfile is what a launch cost.
type LaunchProfile struct {
	Kernel      *ProfiledKernel
	Name        string // what Simulation.Name was told
	Grid, Block Dim3
	SharedBytes uint32              // dynamic
	Failed      string              // why the launch failed: it counted what ran until then; empty if it ended
	Counts      []InstructionCounts // by instruction
	Worst       []WorstRequests     // by instruction
}

// A ProfiledKernel is the instructions of a kernel that was profiled.
type ProfiledKernel struct {
	Symbol       string
	Target       int   // 75 for sm_75
	SharedBytes  int64 // static
	LocalBytes   int64 // of a thread
	Instructions []ProfiledInstruction
	Image        string `json:"-"` // its PTX, if the library was loaded while there was a profiler
	Digest       string `json:"-"` // of the other fields but Image: what tells kernels apart
}

// A ProfiledInstruction is where an instruction stands.
type ProfiledInstruction struct {
	Text    string // as the PTX has it
	PTXLine int
	Frames  []SourceFrame // innermost first; the last is of the kernel. Without line information they have no file
}

// A SourceFrame is a line of a function, or of what was inlined in it.
type SourceFrame struct {
	Function string // as the image has it, mangled
	File     string `json:",omitempty"`
	Line     int    `json:",omitempty"` // 0 if it is not known
}

// InstructionCounts is what the warps of a launch did at one instruction. A request is one execution of it by a warp that
// accesses a memory. docs/profiling.md says what each counts.
type InstructionCounts struct {
	Warps    uint64 // warp instructions
	Threads  uint64 // threads that came to it
	Executed uint64 // of them, those that a predicate did not hold back

	GlobalRequests uint64
	GlobalSectors  uint64 // of 32 bytes
	GlobalIdeal    uint64 // that the bytes asked for would fill

	SharedRequests   uint64
	SharedWavefronts uint64 // turns in which banks hand out words
	SharedIdeal      uint64 // without conflicts

	AtomicRequests uint64
	AtomicRounds   uint64 // each the most threads of the warp that update one address

	LocalRequests uint64
	LocalSectors  uint64
	LocalBytes    uint64

	BarrierArrivals uint64 // of warps
	BarrierWaits    uint64 // warp instructions that the last to arrive had executed more
}

// Add adds what another has counted.
func (c *InstructionCounts) Add(o *InstructionCounts) {
	c.Warps += o.Warps
	c.Threads += o.Threads
	c.Executed += o.Executed
	c.GlobalRequests += o.GlobalRequests
	c.GlobalSectors += o.GlobalSectors
	c.GlobalIdeal += o.GlobalIdeal
	c.SharedRequests += o.SharedRequests
	c.SharedWavefronts += o.SharedWavefronts
	c.SharedIdeal += o.SharedIdeal
	c.AtomicRequests += o.AtomicRequests
	c.AtomicRounds += o.AtomicRounds
	c.LocalRequests += o.LocalRequests
	c.LocalSectors += o.LocalSectors
	c.LocalBytes += o.LocalBytes
	c.BarrierArrivals += o.BarrierArrivals
	c.BarrierWaits += o.BarrierWaits
}

// A Cost is which count of a request is more than it need be.
type Cost uint8

const (
	GlobalSectors    Cost = iota + 1 // instead of as many as the bytes fill
	SharedWavefronts                 // instead of as many as without conflicts
	AtomicRounds                     // instead of one
)

// costs is how many there are.
const costs = 3

// WorstRequests are, by Cost less one, the requests of an instruction that waste most; nil where none wastes.
type WorstRequests [costs]*ProfiledRequest

// Join keeps the worse of what two have.
func (w *WorstRequests) Join(o *WorstRequests) {
	for n, r := range o {
		if r != nil && (w[n] == nil || r.Precedes(w[n])) {
			w[n] = r
		}
	}
}

// A ProfiledRequest is the request of an instruction that wastes most, the first of those.
type ProfiledRequest struct {
	Cost         Cost
	Count, Ideal uint32
	Block        uint64 // number of the block in the grid
	Warp         int32  // of the block
	Lanes        uint32
	Width        uint32     // bytes of a lane
	Addresses    [32]uint64 // of the lanes
}

// Precedes reports whether p is kept where both are of an instruction: it wastes more or, of those that waste as much, was first in the grid.
func (p *ProfiledRequest) Precedes(o *ProfiledRequest) bool {
	a, b := p.Count-p.Ideal, o.Count-o.Ideal
	switch {
	case a != b:
		return a > b
	case p.Block != o.Block:
		return p.Block < o.Block
	}
	return p.Warp < o.Warp
}
