package debugwire

// Calls of the program.
const (
	CallHello   = "hello"   // Hello: the first
	CallImage   = "image"   // Image → Replacement: an image is about to be loaded
	CallLoaded  = "loaded"  // Loaded: an image was loaded, and no kernel of it runs yet
	CallBegan   = "began"   // Launch: one is about to begin
	CallStopped = "stopped" // Stop → Resume: a launch waits
	CallEnded   = "ended"   // Launch
)

// Calls of the debugger.
const (
	CallBreakpoints = "breakpoints" // Breakpoints
	CallWatch       = "watch"       // []Watchpoint
	CallTarget      = "target"      // Moment
	CallPause       = "pause"
	CallWarps       = "warps"     // → []Warp
	CallFrames      = "frames"    // Place → []Frame
	CallRegister    = "register"  // Register → []uint64, of all lanes
	CallRead        = "read"      // Memory → []byte
	CallAbsolute    = "absolute"  // Memory → Memory, with the space in which the address is
	CallTrace       = "trace"     // Trace
	CallEarlier     = "earlier"   // → Earlier
	CallLastWrite   = "lastWrite" // → Access, or null
)

// A Dim3 is a size or an index in three dimensions.
type Dim3 struct{ X, Y, Z uint32 }

// Hello is what a program says first.
type Hello struct {
	Undefined uint64            // a register that nothing was written to
	Windows   map[string]uint64 // what generic addresses begin with, by space; those of global memory are as they are
}

// An Image is one that a program loads.
type Image struct{ Text []byte }

// A Replacement is what is loaded instead.
type Replacement struct {
	Text []byte // empty for the image itself
}

// Loaded is an image as it was loaded.
type Loaded struct {
	Image   uint64 // its number
	Text    []byte
	Refused string // why the replacement was not loaded
	Kernels []Kernel
	Globals []Variable
}

// A Kernel is one of an image, decoded.
type Kernel struct {
	Name      string
	Start     int32
	Functions []Function // that it can call
	Files     []string
	Places    []Place // by program counter
	Registers []RegisterName
	Variables []Variable
	Params    []Param
}

// A Function is a device function in the code of a kernel.
type Function struct {
	Name  string
	Start int32
}

// A Place is where an instruction is from.
type Place struct {
	PTX  int `json:"p"`           // line
	File int `json:"f,omitempty"` // index in Files, plus 1
	Line int `json:"l,omitempty"`
}

// A RegisterName is a register's.
type RegisterName struct {
	Name     string
	Type     string
	Index    int32
	Function string // empty for the kernel
	Line     int    // of the PTX, where it is named first
}

// A Variable is one in memory.
type Variable struct {
	Name     string
	Source   string // its name in C++
	Space    string
	Address  uint64 // in a frame, if Function is not empty
	Bytes    uint64 // 0 if a launch decides
	Function string
}

// A Param is a kernel's parameter.
type Param struct{ Offset, Size uint64 }

// A Launch is one that runs.
type Launch struct {
	Number      uint64 // from 1
	Image       uint64
	Kernel      string
	Grid, Block Dim3
	SharedBytes uint32
	Params      []byte
}

// A Moment is an instruction of a warp, as it is executed: the countth of a launch.
type Moment struct {
	Launch, Count uint64
	After         bool
}

// A Stop is a launch that waits.
type Stop struct {
	Launch  uint64
	Reason  string
	Moment  Moment
	At      Lane
	PC      int32
	Mask    uint32 // of the lanes that stand there
	Active  uint32 // of those that execute it
	Text    string
	Access  *Access
	Stepped bool // a step ends here, too, whatever the reason is
	Ended   bool // of a step: the warp or lane has ended
}

// A Lane is one of a warp.
type Lane struct {
	Block Dim3
	Warp  int
	Lane  int
}

// A Resume says how a launch goes on.
type Resume struct {
	Step   string // "", "instruction", "into", "over", "out" or "keep", which goes on with the step before
	ByWarp bool
	Of     Lane
}

// Breakpoints are those of an image, by the program counters of each kernel.
type Breakpoints struct {
	Image   uint64
	Kernels map[string][]int32
}

// A Watchpoint is for accesses to memory or changes of a register.
type Watchpoint struct {
	ID            int
	Space         string
	Address       uint64
	Bytes         uint64
	Reads, Writes bool
	Logs          bool
	Kernel        string
	Of            Lane
	IsRegister    bool
	Register      int32
}

// An Access is one that a watchpoint is for.
type Access struct {
	Watch       int
	Moment      Moment
	Kernel      string
	At          Lane
	Thread      Dim3
	PC          int32
	PTXLine     int
	Instruction string
	File        string
	Line        int
	Write       bool
	Before, Now uint64
}

// A Warp is where the lanes of a warp stand.
type Warp struct {
	Block  Dim3
	Warp   int
	Live   uint32
	Groups []Group
}

// A Group is lanes that stand at one instruction.
type Group struct {
	PC    int32
	Mask  uint32
	Waits string
}

// A Frame is a call under way.
type Frame struct {
	PC       int32
	Function string // empty for the kernel
	Base     uint64
}

// A Register asks for one.
type Register struct {
	Of        Lane
	Index     int32
	Predicate bool
	Frame     int
}

// Memory asks for bytes.
type Memory struct {
	Of      Lane
	Space   string
	Address uint64
	Bytes   uint64
}

// A Trace asks for moments before the target.
type Trace struct {
	Launch uint64
	Of     Lane
	ByWarp bool
}

// Earlier is the counts of moments before the target, or 0.
type Earlier struct{ Instruction, Line uint64 }
