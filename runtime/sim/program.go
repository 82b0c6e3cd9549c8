package sim

import (
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

const (
	warpSize = limits.WarpSize
	full     = ^uint32(0) // the mask of all lanes
)

// A predicate operand: the register at index, with every bit that flip has inverted.
type predicate struct {
	index int32
	flip  uint32
}

// Predicate registers that every kernel has.
const (
	predTrue  = 0 // all ones, never written
	predSink  = 1 // written where a destination is absent or _
	firstPred = 2
)

// regSink is the register that is written where a destination is absent or _.
const regSink = 0

// An opcode selects what the dispatch loop does with an instruction: the frequent ones first.
type opcode uint8

const (
	opLanes      opcode = iota // computes lanes by fn
	opLanesFloat               // the same, with subnormal operands flushed or the result saturated
	opTest                     // computes a predicate from lanes
	opPair                     // computes lanes from lanes and a predicate from those
	opCompare                  // the same, with subnormal operands flushed, two results, or combined with another
	opLogic                    // computes predicates from predicates
	opSelect
	opSpread // lanes from a predicate
	opPack
	opUnpack
	opLoad
	opLoadParam
	opStore
	opBranch
	opNothing
	opHoisted // computed before; goes on at target
	opCarry   // computes lanes and the carry flag
	opInsert
	opAtomic
	opShuffle
	opVote
	opBallot
	opActiveMask
	opMatchAny
	opMatchAll
	opReduce
	opElect
	opWarpBarrier
	opFence
	opCall // of a builtin
	opClock
	opAlloca
	opStackSave
	opStackRestore
	opOperation // runs own
	opClusterArrive

	// Behind those that follow, lanes do not simply go on.

	opBarrier
	opBranchIndexed
	opYield
	opClusterWait
	opInvoke // calls a device function
	opReturn // from one
	opExit
	opTrap
)

// A space is a state space.
type space uint8

const (
	generic space = iota
	global
	constant
	shared
	local
	param
	code // of functions
)

func (s space) String() string {
	return [...]string{"generic", "global", "const", "shared", "local", "param", "code"}[s]
}

// An instr is an instruction, decoded. Which fields count depends on op. What the frequent ones
// need lies in front: in the first 64 bytes, and what accesses need in the next.
type instr struct {
	op           opcode
	flush        bool // .ftz: subnormal f32 sources and results become zero
	sat          bool // .sat: an f32 result is clamped to [0, 1]
	leads        bool
	guard        predicate
	dst, a, b, c int32  // registers
	pdst         int32  // a predicate destination
	target       int32  // of a branch
	straight     int32  // how many instructions from here on stand in a line, in a plan
	negate       uint32 // full where the opposite of compare holds
	temporary    bool   // nobody reads dst in lanes that do not execute it
	sums         bool   // it adds 64-bit integers
	fn           simd.Func
	compare      simd.Comparison

	slot       uint8 // plus 1, of the survey that an access leads or follows; or 0
	space      space
	narrower   bool   // than the access that it follows
	setCarry   bool   // .cc: the carry is kept
	adds       bool   // an atomic sum of integers
	returns    bool   // an atomic: the kernel reads what was there
	mask       uint64 // of the base register's width
	offset     uint64
	loadWhole  *simd.WholeLoad // nil where all lanes are loaded as some are
	storeWhole *simd.WholeStore
	size       int      // bytes of one element in memory
	elems      int      // of vec in use; for a scalar 1
	vec        [4]int32 // registers of a vector operand

	pair    simd.PairFunc
	pdst2   int32     // a second predicate destination
	pa, pb  predicate // predicate sources
	combine func(a, b uint32) uint32
	carry   carryFunc
	summed  simd.Func // of a product: the product plus a third register; or nil

	load   func(d *simd.Lanes, at *accessed, e uint32, elem int)
	store  func(s *simd.Lanes, at *accessed, e uint32, elem int)
	update update // of an atomic
	shared update // of an atomic where shared memory has other rules; else nil
	spread func(d *simd.Lanes, p uint32)
	reduce func(x, y uint64) uint64
	source func(lane, b, c uint32) (from uint32, inRange bool) // of a shuffle

	targets    []int32 // of brx.idx
	call       *callSite
	own        operation
	barrier    barrierKind
	aligned    bool
	strong     bool // a volatile, relaxed, acquire or release access
	isVolatile bool
}

// An update is what an atomic does to memory.
type update func(old, b, c uint64) uint64

// barrierKind says what bar does beside counting.
type barrierKind uint8

const (
	barSync barrierKind = iota
	barArrive
	barReduce
)

// A place is the position of an instruction.
type place struct {
	line   int    // in the PTX
	text   string // the instruction
	source source
}

// A source is the .loc in force, or zero.
type source struct {
	file string
	line int
}

// A parameter is a kernel parameter in the layout of its PTX.
type parameter struct{ offset, size uint64 }

// A kernel is an entry, decoded.
type kernel struct {
	name string
	file string // of the PTX, for messages

	// unsupported says why the kernel cannot be launched; what follows is then incomplete.
	unsupported string
	lacks       []Lack // the parts of unsupported, all of them

	params     []parameter
	paramBytes int64
	code       []instr
	start      int32       // of the entry; its functions come first
	functions  []*function // of the module, by their addresses; nil if it cannot call one
	clusters   bool        // it has instructions for clusters
	stack      bool        // it has calls or alloca
	places     []place     // of code

	shadowOnce sync.Once
	rules      []rule        // by pc
	sizes      map[int32]int // bytes of registers

	arrays   []array            // in shared and local memory
	bases    map[int32]arraySet // by register: the arrays whose address it holds
	bounding sync.Once
	bounds   *arrayBounds // or nil

	constants []uint64  // registers firstConst…
	specials  []special // registers behind the constants
	regs      int       // registers of the program, regSink included
	preds     int

	sharedBytes  int64 // static, in bytes
	dynamicAlign int64 // of unsized shared variables; they begin where the static ones end
	localBytes   int64 // of a thread
	maxThreads   uint32
	required     [3]uint32 // .reqntid; zero when absent
	reserves     bool      // it asks where reserved shared memory is

	requiredCluster driver.Dim3 // .reqnctapercluster; zero when absent
	explicitCluster bool

	// What KernelSetAttribute has set.
	dynamicShared      atomic.Int64 // plus 1; 0 while it is not set
	carveout           atomic.Int64 // plus 1
	nonPortableCluster atomic.Bool

	planning sync.Once
	plan     plan
	spare    sync.Pool // registers of blocks that have ended: *[]lanes

	// ordered is set when the order in which blocks reach global atomics can be
	// seen: blocks then run one after another, so that results do not vary.
	ordered bool
}

// firstConst is the register that holds the first constant.
func (k *kernel) firstConst() int { return k.regs }

// firstSpecial is the register that holds the first special register.
func (k *kernel) firstSpecial() int { return k.regs + len(k.constants) }

func (k *kernel) registers() int { return k.firstSpecial() + len(k.specials) }

// isConstant reports whether a register holds a constant.
func (k *kernel) isConstant(register int32) bool {
	return int(register) >= k.firstConst() && int(register) < k.firstSpecial()
}

// isFloat reports whether t is a floating-point type.
func isFloat(t ptx.Type) bool { return t == "f16" || t == "f32" || t == "f64" }

// isSigned reports whether t is a signed integer type.
func isSigned(t ptx.Type) bool { return t[0] == 's' }
