package bytecode

import (
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A Kernel is a kernel on a device.
type Kernel struct {
	*Program
	Variables []uint64 // of its module: their addresses

	// What KernelSetAttribute has set.
	dynamicShared      atomic.Int64 // plus 1; 0 while it is not set
	carveout           atomic.Int64 // plus 1
	NonPortableCluster atomic.Bool
}

// A Program is an entry, decoded: what is the same on all devices.
type Program struct {
	Name string
	file string // of the PTX, for messages

	// unsupported says why the kernel cannot be launched; what follows is then incomplete.
	Unsupported string
	Lacks       []lack // the parts of unsupported, all of them

	Params     []parameter
	ParamBytes int64
	Code       []Instr
	Start      int32       // of the entry; its functions come first
	Functions  []*Function // of the module, by their addresses; nil if it cannot call one
	Clusters   bool        // it has instructions for clusters
	Stack      bool        // it has calls or alloca
	Places     []Place     // of code

	timedOnce sync.Once
	timed     Timed

	shadowOnce sync.Once
	rules      []Rule  // by pc
	sizes      []uint8 // of registers, in bytes

	Names *Names // or nil if they are not kept

	Arrays   []Array            // in shared and local memory
	Bases    map[int32]ArraySet // by register: the arrays whose address it holds
	Bounding sync.Once
	Bounds   *ArrayBounds // or nil

	Constants []uint64  // registers FirstConst…
	Placed    []Placed  // those that hold addresses of variables
	Specials  []Special // registers behind the constants
	Regs      int       // registers of the program, RegSink included
	Preds     int

	SharedBytes  int64 // static, in bytes
	dynamicAlign int64 // of unsized shared variables; they begin where the static ones end
	LocalBytes   int64 // of a thread
	MaxThreads   uint32
	required     [3]uint32 // .reqntid; zero when absent
	Reserves     bool      // it asks where reserved shared memory is

	RequiredCluster driver.Dim3 // .reqnctapercluster; zero when absent
	explicitCluster bool

	Planning sync.Once
	Plan     Plan
	Spare    sync.Pool // what has run blocks that have ended

	// ordered is set when the order in which blocks reach global atomics can be
	// seen: blocks then run one after another, so that results do not vary.
	Ordered bool
}

// A Placed is the constant that is the address of a variable, plus a number.
type Placed struct {
	Constant int
	Variable int
	Offset   uint64
}

// A parameter is a kernel parameter in the layout of its PTX.
type parameter struct{ Offset, Size uint64 }

// FirstConst is the register that holds the first constant.
func (k *Program) FirstConst() int { return k.Regs }

// FirstSpecial is the register that holds the first special register.
func (k *Program) FirstSpecial() int { return k.Regs + len(k.Constants) }

func (k *Program) Registers() int { return k.FirstSpecial() + len(k.Specials) }

// AllRegisters returns the registers of k's program.
func (k *Program) AllRegisters() (all []int32) {
	for r := range k.Regs {
		all = append(all, int32(r))
	}
	return all
}

// IsConstant reports whether a register holds a constant.
func (k *Program) IsConstant(register int32) bool {
	return int(register) >= k.FirstConst() && int(register) < k.FirstSpecial()
}

// Accepts reports whether k can be launched so.
//
// CUDA Driver API, Execution Control: cuLaunchKernel; CUDA Programming Guide,
// Compute Capabilities.
func (k *Kernel) Accepts(cfg driver.LaunchConfig) bool {
	b := cfg.Block
	switch {
	case !limits.Allow(cfg.Grid, b), limits.Count(b) > uint64(k.MaxThreads):
		return false
	case k.required != [3]uint32{} && k.required != [3]uint32{b.X, b.Y, b.Z}:
		return false
	}
	return int64(cfg.SharedBytes) <= k.maxDynamicShared()
}

// Gather copies the parameters, which begin at offsets in block, to where the PTX
// has them. It reports false when block does not hold them.
func (k *Program) Gather(block []byte, offsets []uint32) ([]byte, bool) {
	if len(offsets) != len(k.Params) {
		return nil, false
	}
	params := make([]byte, k.ParamBytes)
	for n, p := range k.Params {
		from := uint64(offsets[n])
		if from+p.Size > uint64(len(block)) {
			return nil, false
		}
		copy(params[p.Offset:p.Offset+p.Size], block[from:])
	}
	return params, true
}

// maxDynamicShared is the most dynamic shared memory that k may be launched with, in bytes.
func (k *Kernel) maxDynamicShared() int64 {
	if set := k.dynamicShared.Load(); set != 0 {
		return set - 1
	}
	return limits.MaxSharedPerBlock - k.SharedBytes
}

// Resident returns how many blocks a multiprocessor holds at once.
func (k *Program) Resident(threads, sharedBytes uint64) int {
	if threads > uint64(k.MaxThreads) {
		return 0
	}
	return limits.ResidentBlocks(threads, uint64(k.SharedBytes), sharedBytes)
}

// Parameter returns where parameter index begins and how large it is, or false if there is none.
func (k *Program) Parameter(index int) (offset, size uint64, ok bool) {
	if index < 0 || index >= len(k.Params) {
		return 0, 0, false
	}
	return k.Params[index].Offset, k.Params[index].Size, true
}

// Attribute returns an attribute of k.
//
// CUDA Driver API, CUfunction_attribute.
func (k *Kernel) Attribute(attr driver.FunctionAttribute) (int, driver.Result) {
	switch attr {
	case driver.FuncSharedSizeBytes, driver.FuncLocalSizeBytes, driver.FuncNumRegs, driver.FuncMaxDynamicSharedBytes:
		if k.Unsupported != "" {
			return 0, driver.ErrorNotSupported
		}
	}
	switch attr {
	case driver.FuncMaxThreadsPerBlock:
		return int(k.MaxThreads), driver.Success
	case driver.FuncSharedSizeBytes:
		return int(k.SharedBytes), driver.Success
	case driver.FuncLocalSizeBytes:
		return int(k.LocalBytes), driver.Success
	case driver.FuncNumRegs:
		return k.Regs, driver.Success
	case driver.FuncMaxDynamicSharedBytes:
		return int(k.maxDynamicShared()), driver.Success
	case driver.FuncSharedCarveout:
		return int(k.carveout.Load()) - 1, driver.Success
	case driver.FuncNonPortableCluster:
		if k.NonPortableCluster.Load() {
			return 1, driver.Success
		}
		return 0, driver.Success
	case driver.FuncClusterMustBeSet:
		return int(simd.Bit(k.explicitCluster)), driver.Success
	case driver.FuncRequiredClusterX:
		return int(k.RequiredCluster.X), driver.Success
	case driver.FuncRequiredClusterY:
		return int(k.RequiredCluster.Y), driver.Success
	case driver.FuncRequiredClusterZ:
		return int(k.RequiredCluster.Z), driver.Success
	}
	return 0, driver.ErrorInvalidValue
}

// SetAttribute sets one of those that programs choose.
func (k *Kernel) SetAttribute(attr driver.FunctionAttribute, value int) driver.Result {
	switch {
	case attr == driver.FuncMaxDynamicSharedBytes && value >= 0 && int64(value)+k.SharedBytes <= limits.MaxSharedOptIn:
		k.dynamicShared.Store(int64(value) + 1)
	case attr == driver.FuncSharedCarveout && value >= -1 && value <= 100:
		k.carveout.Store(int64(value) + 1)
	case attr == driver.FuncNonPortableCluster:
		k.NonPortableCluster.Store(value != 0)
	default:
		return driver.ErrorInvalidValue
	}
	return driver.Success
}

// Names are what a debugger finds by the names of a kernel's PTX.
type Names struct {
	Registers []NamedRegister
	Variables []NamedVariable // in shared and local memory
}

// A NamedRegister is a register of a body, or of a block in it: one name may stand for several.
type NamedRegister struct {
	Name     string
	Type     ptx.Type
	Index    int32     // among the predicates, if it is one
	Function *Function // nil in the entry
	Line     int       // of the PTX, where it is named first
}

// A NamedVariable is a variable of a kernel in shared or local memory.
type NamedVariable struct {
	Name     string
	Space    Space
	Address  uint64 // in a frame, if Function is set
	Bytes    uint64 // 0 if its size is a launch's
	Function *Function
}

// placeDynamic gives the variables of dynamic shared memory their address, behind the static ones.
func (n *Names) placeDynamic(k *Program) {
	if n == nil {
		return
	}
	for i := range n.Variables {
		if v := &n.Variables[i]; v.Space == Shared && v.Bytes == 0 {
			v.Address = uint64(k.SharedBytes)
		}
	}
}

// Timed is which registers and predicates of a program have values that follow from %globaltimer: threads that wait
// with such a register have other values all the time, and do nothing else than before.
type Timed struct {
	Any         bool
	Regs, Preds []bool
}
