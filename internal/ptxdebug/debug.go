package ptxdebug

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/cudagen/cudagen/internal/diag"
)

// ErrNone says that a PTX text has no debug information about functions.
var ErrNone = errors.New("there is no debug information in the PTX")

// Info is what the debug information of a PTX text says.
type Info struct {
	Functions []*Function
	Globals   []*Variable
	Enums     []*Type
	Shared    map[string]*Variable // in shared memory, by their symbols, in whichever function they are

	symbols []string
}

// A Function is a kernel or device function that has code.
type Function struct {
	Scope
	Name   string // in the source
	Symbol string
}

// A Scope is a function or a block in it: the instructions at lines of the PTX from Low up to High, without that.
type Scope struct {
	Low, High uint64
	Variables []*Variable // parameters first
	Inner     []*Scope
}

// Declares reports whether v is a variable of s or of a block in it.
func (s *Scope) Declares(v *Variable) bool {
	return slices.Contains(s.Variables, v) || slices.ContainsFunc(s.Inner, func(inner *Scope) bool { return inner.Declares(v) })
}

// A Variable is one of the source.
type Variable struct {
	Name      string
	Symbol    string // of one outside of functions, or in shared memory
	Type      *Type
	Parameter bool
	Line      int // of the declaration

	space string
	expr  []byte
	lists []listed
}

// listed is where a variable lies in a part of the code.
type listed struct {
	low, high uint64
	expr      []byte
}

// A Location is where the value of a variable lies: in a register, or in memory behind a symbol.
type Location struct {
	Register string // such as %r5
	Pointed  bool   // it lies at Offset behind the generic address that the register holds
	Symbol   string
	Offset   int64
	Space    string // as PTX calls it, of the symbol
}

// spaces are the values of DW_AT_address_class, as nvcc writes them.
//
// cuda-gdb, DWARF extensions: enum ptxStorageKind.
var spaces = map[int64]string{4: "const", 5: "global", 6: "local", 7: "param", 8: "shared"}

// attrMIPSLinkageName is what compilers write before DWARF 4 has linkage names.
const attrMIPSLinkageName = dwarf.Attr(0x2007)

// The nth symbol has the address firstSymbol + n<<symbolBits. Lines are lower.
const (
	firstSymbol = 1 << 48
	symbolBits  = 32
)

// A reader makes functions and variables of entries.
type reader struct {
	data    *dwarf.Data
	loc     []byte
	numbers map[string]uint64
	info    *Info

	entries  map[dwarf.Offset]*dwarf.Entry
	children map[dwarf.Offset][]*dwarf.Entry
	types    map[dwarf.Offset]*Type
	depth    int
}

// Read reads the debug information of a PTX text. name is for messages. The error is ErrNone, wrapped, if there is none.
//
// DWARF Debugging Information Format, version 2; PTX ISA, Debugging Directives.
func Read(name string, text []byte) (*Info, error) {
	r := &reader{numbers: make(map[string]uint64), info: &Info{Shared: make(map[string]*Variable)},
		entries: make(map[dwarf.Offset]*dwarf.Entry), children: make(map[dwarf.Offset][]*dwarf.Entry), types: make(map[dwarf.Offset]*Type)}
	sections, err := Sections(name, text, r.symbol)
	if err != nil {
		return nil, err
	}
	if len(sections[".debug_info"]) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNone)
	}
	if r.data, err = dwarf.New(sections[".debug_abbrev"], nil, nil, sections[".debug_info"], nil, nil, nil, sections[".debug_str"]); err == nil {
		r.loc = sections[".debug_loc"]
		err = r.read()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: debug information: %w", name, err)
	}
	if len(r.info.Functions) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNone)
	}
	return r.info, nil
}

// symbol returns the address that stands for a symbol.
func (r *reader) symbol(name string) uint64 {
	if _, known := r.numbers[name]; !known {
		r.numbers[name] = firstSymbol + uint64(len(r.info.symbols))<<symbolBits
		r.info.symbols = append(r.info.symbols, name)
	}
	return r.numbers[name]
}

// maxDepth limits how deep entries nest.
const maxDepth = 500

// An opened entry is one whose children are being read.
type opened struct {
	entry *dwarf.Entry
	in    *Scope // the function or block, or nil
}

// A described variable is an entry, and the scope that it is in.
type described = opened

// read reads all entries. Types are read last: an entry may have one that stands behind it.
func (r *reader) read() error {
	entries := r.data.Reader()
	var open []opened
	var variables []described
	var enums []dwarf.Offset
	for {
		e, err := entries.Next()
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		if e.Tag == 0 {
			open = open[:max(0, len(open)-1)]
			continue
		}
		r.entries[e.Offset] = e
		var in *Scope
		if len(open) > 0 {
			parent := open[len(open)-1]
			in = parent.in
			r.children[parent.entry.Offset] = append(r.children[parent.entry.Offset], e)
		}
		inner := in
		switch e.Tag {
		case dwarf.TagSubprogram:
			inner = r.function(e)
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			if inner = scopeOf(e); in != nil {
				in.Inner = append(in.Inner, inner)
			}
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			variables = append(variables, described{e, in})
		case dwarf.TagEnumerationType:
			enums = append(enums, e.Offset)
		}
		if e.Children {
			if open = append(open, opened{e, inner}); len(open) > maxDepth {
				return diag.CompilerOutput.New("its entries are nested too deep")
			}
		}
	}
	for _, v := range variables {
		if err := r.variable(v.entry, v.in); err != nil {
			return err
		}
	}
	for _, offset := range enums {
		t, err := r.typeAt(offset)
		if err != nil {
			return err
		}
		r.info.Enums = append(r.info.Enums, t)
	}
	return nil
}

// scopeOf returns the code of an entry.
func scopeOf(e *dwarf.Entry) *Scope {
	low, _ := e.Val(dwarf.AttrLowpc).(uint64)
	high, _ := e.Val(dwarf.AttrHighpc).(uint64)
	return &Scope{Low: low, High: high}
}

// function adds a function, if it has code, and returns its scope.
func (r *reader) function(e *dwarf.Entry) *Scope {
	f := &Function{Scope: *scopeOf(e), Name: text(e, dwarf.AttrName), Symbol: symbolOf(e)}
	if f.High > f.Low {
		r.info.Functions = append(r.info.Functions, f)
	}
	return &f.Scope
}

func text(e *dwarf.Entry, attr dwarf.Attr) string {
	s, _ := e.Val(attr).(string)
	return s
}

// sourceName returns a name as C++ writes it. nvcc mangles those of enumerations, enumerators and unnamed classes.
func sourceName(name string) string {
	if !strings.HasPrefix(name, "_Z") {
		return name
	}
	return demangle.Filter(name)
}

// symbolOf returns the symbol of a function or variable: of one that is not mangled, its name.
func symbolOf(e *dwarf.Entry) string {
	for _, attr := range []dwarf.Attr{dwarf.AttrLinkageName, attrMIPSLinkageName, dwarf.AttrName} {
		if s := text(e, attr); s != "" {
			return s
		}
	}
	return ""
}

// variable adds a variable to the scope that it is in, or to those outside of functions.
func (r *reader) variable(e *dwarf.Entry, in *Scope) error {
	described := e
	if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok && r.entries[origin] != nil {
		described = r.entries[origin]
	}
	v := &Variable{Name: text(described, dwarf.AttrName), Symbol: symbolOf(described), Parameter: e.Tag == dwarf.TagFormalParameter}
	line, _ := described.Val(dwarf.AttrDeclLine).(int64)
	v.Line = int(line)
	class, _ := e.Val(dwarf.AttrAddrClass).(int64)
	v.space = spaces[class]
	switch location := e.Val(dwarf.AttrLocation).(type) {
	case []byte:
		v.expr = location
	case int64:
		v.lists = r.list(location)
	default:
		return nil
	}
	if v.Name == "" {
		return nil
	}
	var err error
	if v.Type, err = r.typeOf(described); err != nil {
		return fmt.Errorf("variable %s: %w", v.Name, err)
	}
	if at, err := r.info.Location(v, 0); err == nil && at.Space == "shared" {
		r.info.Shared[at.Symbol] = v
	}
	if in == nil {
		r.info.Globals = append(r.info.Globals, v)
	} else {
		in.Variables = append(in.Variables, v)
	}
	return nil
}
