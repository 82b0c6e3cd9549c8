// Package ptx parses PTX into a syntax tree with positions, changes its version, and links
// several texts into one.
//
// It knows the grammar of the PTX ISA, the sizes of its types, and the version that each
// instruction needs. It does not know what an instruction does (runtime/sim does) or the
// C++ names of kernels (gen/internal/image does).
package ptx

import (
	"go/token"
	"slices"
	"strings"
)

// A Module is one PTX translation unit.
type Module struct {
	Version     Version
	Target      []string // e.g. sm_75, debug
	AddressSize int      // bits: 32 or 64
	Vars        []*Var   // module-scope variables, in source order
	Funcs       []*Func  // entries and device functions, in source order
	Files       []File   // .file directives
	Aliases     []Alias  // .alias directives
	Pragmas     []Pragma // .pragma directives outside of functions, one for each string

	Strings map[string][]byte // of the section .debug_str by their labels, each with the zeros that end its strings
}

// A Pragma is a string of a .pragma directive.
type Pragma struct {
	Pos  token.Position
	Text string // in quotes, as written
}

// An Alias is an .alias directive: another name of a function.
type Alias struct {
	Pos    token.Position
	Name   string
	Target string
}

// A Version is the PTX ISA version of a module.
type Version struct{ Major, Minor int }

// A File is a .file directive.
type File struct {
	Index int
	Name  string
	Pos   token.Position
}

// A Linkage says how other modules see a symbol.
type Linkage string

// The linking directives of the PTX ISA. The zero value means none: module-local.
const (
	Local   Linkage = ""
	Visible Linkage = "visible"
	Extern  Linkage = "extern"
	Weak    Linkage = "weak"
	Common  Linkage = "common"
)

// A Func is an .entry (a kernel) or a .func.
type Func struct {
	Pos     token.Position // of the name
	Name    string
	Entry   bool
	Linkage Linkage
	Results []*Var // .func only
	Params  []*Var // in the .param space
	Attrs   []Attr // performance-tuning directives, in source order
	Body    *Block // nil for a declaration
}

// An Attr is a directive between a function's parameters and its body, such as
// .maxntid 256, 1, 1.
type Attr struct {
	Pos    token.Position
	Name   string  // without the dot: maxntid, reqntid, minnctapersm, noreturn …
	Values []int64 // its integers
}

// A Var declares a variable, a parameter, or (Count > 0) a range of registers.
type Var struct {
	Pos     token.Position // of the name
	Name    string         // without <n>
	Space   string         // reg, sreg, const, global, local, param, shared
	Linkage Linkage
	Type    Type
	Vector  int       // 0, 2, 4 or 8
	Align   int       // bytes; 0 when the source says nothing
	Dims    []int64   // array dimensions; -1 for an unsized one
	Count   int       // registers declared by name<Count>; 0 otherwise
	Ptr     *Ptr      // .ptr attribute of a parameter, or nil
	Init    []Operand // initial values; nested braces are a Vector

	Attributes []string // what .attribute(…) lists: managed, unified
}

// A Ptr is the .ptr attribute of a kernel parameter: what it points at, not how it is laid out.
type Ptr struct {
	Space string // const, global, local, shared; empty for generic
	Align int    // alignment of the pointee in bytes; 0 when absent
}

// A Type is a fundamental type of the PTX ISA, without its dot.
type Type string

// A Block is a sequence of statements in braces, with a scope of its own.
type Block struct {
	Stmts []Stmt
	End   token.Position // of the closing brace
}

// A Stmt is a *Var, *Label, *Instr, *Block or *Directive.
type Stmt interface{ stmt() }

// A Label names the statement after it.
type Label struct {
	Pos  token.Position
	Name string
}

// A Directive is a .loc, .pragma or other directive inside a body. A
// .branchtargets, .calltargets or .callprototype keeps its label in Label.
type Directive struct {
	Pos   token.Position
	Label string
	Name  string // without the dot
	Text  string // the rest, as written
}

// An Instr is one instruction.
type Instr struct {
	Pos   token.Position
	Guard *Guard   // nil when unconditional
	Op    string   // the base opcode: ld, add, setp …
	Mods  []string // what follows it, without dots, in order: global, nc, v4, f32; "::" stays inside: shared::cta
	Args  []Operand
	Text  string // as written, white space collapsed, without the semicolon
}

// Name returns the opcode with its modifiers: add.rn.f32.
func (in *Instr) Name() string { return strings.Join(append([]string{in.Op}, in.Mods...), ".") }

// NameIn returns the parts of the name of the instruction that a text such as Instr.Text has: add, rn, f32.
func NameIn(text string) []string {
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	text = strings.TrimSpace(text)
	if end := strings.IndexAny(text, " \t;"); end >= 0 {
		text = text[:end]
	}
	return strings.Split(text, ".")
}

// IsProduct reports whether an instruction of a name multiplies matrices.
//
// PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions; Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions.
func IsProduct(name []string) bool {
	return name[0] == "mma" || name[0] == "wmma" && slices.Contains(name, "mma") || name[0] == "wgmma" && slices.Contains(name, "mma_async")
}

// A Guard is the predicate in front of an instruction: @p or @!p.
type Guard struct {
	Reg string
	Not bool
}

// An Operand is Reg, Imm, Float, Symbol, Address, Vector, Pair, Not, Neg or List; in an
// initial value also Generic or Mask.
type Operand interface{ operand() }

type (
	// Reg is a register, special registers included: %r1, %tid.x, %p.
	// A name declared in a .reg need not begin with a percent sign.
	Reg struct{ Name string }
	// Imm is an integer constant, in two's complement.
	Imm struct {
		Value    uint64
		Unsigned bool // a U suffix, or too large for int64
	}
	// Float is a floating-point constant by its bits: 0f… has 32, 0d… and decimal have 64.
	Float struct {
		Bits uint64
		Size int // 32 or 64
	}
	// Symbol is the address of a variable, a function or a label.
	Symbol struct {
		Name   string
		Offset int64
	}
	// Address is [Base+Offset]; Base is a Reg, a Symbol or, for an absolute address,
	// nil. Of [a, {b, c}], as textures and tensors are addressed, Base is a List.
	Address struct {
		Base   Operand
		Offset int64
	}
	// Vector is {a, b, …}. An element _ is Symbol{Name: "_"}.
	Vector struct{ Elems []Operand }
	// Pair is a|b: two results, as of setp or shfl.
	Pair struct{ First, Second Operand }
	// Not is !p, a negated predicate.
	Not struct{ Reg Reg }
	// Neg is -r, the opposite of a register, as vmad takes it.
	Neg struct{ Reg Reg }
	// List is (a, b, …): arguments and results of call.
	List struct{ Elems []Operand }
	// Generic is generic(symbol)+offset in an initial value: a generic address.
	Generic struct{ Symbol Symbol }
	// Mask is mask(value) in an initial value: the byte of an address that mask selects.
	Mask struct {
		Mask  uint64
		Value Operand
	}
)

func (*Var) stmt()       {}
func (*Label) stmt()     {}
func (*Directive) stmt() {}
func (*Instr) stmt()     {}
func (*Block) stmt()     {}

func (Reg) operand()     {}
func (Imm) operand()     {}
func (Float) operand()   {}
func (Symbol) operand()  {}
func (Address) operand() {}
func (Vector) operand()  {}
func (Pair) operand()    {}
func (Not) operand()     {}
func (Neg) operand()     {}
func (List) operand()    {}
func (Generic) operand() {}
func (Mask) operand()    {}
