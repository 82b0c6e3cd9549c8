// Package bytecode makes kernels of PTX: an image comes in, and a Library of kernels with decoded instructions goes out.
// It knows registers, variables and functions. It knows no block or warp that executes them, and the forms of instructions
// only as a table that it is given.
package bytecode

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

const (
	WarpSize = limits.WarpSize
	Full     = ^uint32(0) // the mask of all lanes
)

// A Predicate operand: the register at index, with every bit that flip has inverted.
type Predicate struct {
	Index int32
	Flip  uint32
}

// Predicate registers that every kernel has.
const (
	PredTrue  = 0 // all ones, never written
	PredSink  = 1 // written where a destination is absent or _
	FirstPred = 2
)

// RegSink is the register that is written where a destination is absent or _.
const RegSink = 0

// An Opcode selects what the dispatch loop does with an instruction: the frequent ones first.
type Opcode uint8

const (
	OpLanes      Opcode = iota // computes lanes by fn
	OpLanesFloat               // the same, with subnormal operands flushed or the result saturated
	OpTest                     // computes a predicate from lanes
	OpPair                     // computes lanes from lanes and a predicate from those
	OpCompare                  // the same, with subnormal operands flushed, two results, or combined with another
	OpLogic                    // computes predicates from predicates
	OpSelect
	OpSpread // lanes from a predicate
	OpPack
	OpUnpack
	OpLoad
	OpLoadParam
	OpStore
	OpBranch
	OpNothing
	OpHoisted // computed before; goes on at target
	OpCarry   // computes lanes and the carry flag
	OpInsert
	OpAtomic
	OpShuffle
	OpVote
	OpBallot
	OpActiveMask
	OpMatchAny
	OpMatchAll
	OpReduce
	OpElect
	OpWarpBarrier
	OpFence
	OpCall // of a builtin
	OpClock
	OpAlloca
	OpStackSave
	OpStackRestore
	OpOperation // runs own
	OpClusterArrive

	// Behind those that follow, lanes do not simply go on.

	OpBarrier
	OpBranchIndexed
	OpYield
	OpClusterWait
	OpInvoke // calls a device function
	OpReturn // from one
	OpExit
	OpTrap
)

// A Space is a state space.
type Space uint8

const (
	Generic Space = iota
	Global
	Constant
	Shared
	Local
	Param
	code // of functions
)

func (s Space) String() string {
	return [...]string{"generic", "global", "const", "shared", "local", "param", "code"}[s]
}

// An Instr is an instruction, decoded. Which fields count depends on op. What the frequent ones
// need lies in front: in the first 64 bytes, and what accesses need in the next.
type Instr struct {
	Op           Opcode
	Flush        bool // .ftz: subnormal f32 sources and results become zero
	Sat          bool // .sat: an f32 result is clamped to [0, 1]
	Leads        bool
	Guard        Predicate
	Dst, A, B, C int32  // registers
	Pdst         int32  // a predicate destination
	Target       int32  // of a branch
	Straight     int32  // how many instructions from here on stand in a line, in a plan
	Negate       uint32 // full where the opposite of compare holds
	Temporary    bool   // nobody reads dst in lanes that do not execute it
	Sums         bool   // it adds 64-bit integers
	Fn           simd.Func
	Compare      simd.Comparison

	Slot       uint8 // plus 1, of the survey that an access leads or follows; or 0
	Space      Space
	Narrower   bool   // than the access that it follows
	OfCall     bool   // an access of a parameter or result of a call, which is in local memory here
	SetCarry   bool   // .cc: the carry is kept
	Adds       bool   // an atomic sum of integers
	Returns    bool   // an atomic: the kernel reads what was there
	Mask       uint64 // of the base register's width
	Offset     uint64
	LoadWhole  *simd.WholeLoad // nil where all lanes are loaded as some are
	StoreWhole *simd.WholeStore
	Size       int      // bytes of one element in memory
	Elems      int      // of vec in use; for a scalar 1
	Vec        [4]int32 // registers of a vector operand

	Pair    simd.PairFunc
	Pdst2   int32     // a second predicate destination
	Pa, Pb  Predicate // predicate sources
	Combine func(a, b uint32) uint32
	Carry   simd.CarryFunc
	Summed  simd.Func // of a product: the product plus a third register; or nil

	Load   func(d *simd.Lanes, at *Accessed, e uint32, elem int)
	Store  func(s *simd.Lanes, at *Accessed, e uint32, elem int)
	Update Update // of an atomic
	Shared Update // of an atomic where shared memory has other rules; else nil
	Spread func(d *simd.Lanes, p uint32)
	Reduce func(x, y uint64) uint64
	Source func(lane, b, c uint32) (from uint32, inRange bool) // of a shuffle

	Targets    []int32 // of brx.idx
	Call       *CallSite
	Own        Operation
	Barrier    BarrierKind
	Aligned    bool
	Strong     bool // a volatile, relaxed, acquire or release access
	IsVolatile bool
}

// An Update is what an atomic does to memory.
type Update func(old, b, c uint64) uint64

// BarrierKind says what bar does beside counting.
type BarrierKind uint8

const (
	BarSync BarrierKind = iota
	BarArrive
	BarReduce
)

// IsFloat reports whether t is a floating-point type.
func IsFloat(t ptx.Type) bool { return t == "f16" || t == "f32" || t == "f64" }

// IsSigned reports whether t is a signed integer type.
func IsSigned(t ptx.Type) bool { return t[0] == 's' }

// Width is the bytes that a lane accesses.
func (in *Instr) Width() uint64 { return uint64(in.Size * in.Elems) }
