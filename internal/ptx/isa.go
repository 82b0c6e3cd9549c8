package ptx

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// LeastVersion is what MinVersion returns for a module that needs nothing newer: the PTX
// ISA of CUDA 10.0. No driver that has cuLibraryLoadData is that old.
var LeastVersion = Version{6, 3}

// Less reports whether v is older than w.
func (v Version) Less(w Version) bool {
	return v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor
}

// String returns the version as a .version directive has it: 9.0.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// ParseVersion returns the version that text states: 7.8.
func ParseVersion(text string) (v Version, ok bool) {
	major, minor, ok := strings.Cut(text, ".")
	x, errX := strconv.Atoi(major)
	y, errY := strconv.Atoi(minor)
	return Version{Major: x, Minor: y}, ok && errX == nil && errY == nil && x > 0 && y >= 0
}

// An Unknown is something in a module that needs an unknown version of the PTX ISA.
type Unknown struct {
	Pos  token.Position
	What string // "instruction add.f8", "target sm_130", "special register %x" …
}

// MinVersion returns the lowest version of the PTX ISA that has everything that m uses,
// but at least LeastVersion.
//
// If unknown is not empty, the result is not valid: an instruction that the tables lack
// may need any version. Keep the module's version then.
//
// PTX ISA: the PTX ISA Notes of each instruction and directive.
func MinVersion(m *Module) (least Version, unknown []Unknown) {
	v := &versioner{least: LeastVersion}
	for _, target := range m.Target {
		v.need(targets, target, token.Position{}, "target")
	}
	for _, p := range m.Pragmas {
		v.need(pragmas, p.Text, p.Pos, "pragma")
	}
	registers := v.variables(m.Vars, nil)
	for _, f := range m.Funcs {
		v.function(f, registers)
	}
	return v.least, v.unknown
}

// A versioner collects what a module needs.
type versioner struct {
	least   Version
	unknown []Unknown
}

func (v *versioner) atLeast(version Version) {
	if v.least.Less(version) {
		v.least = version
	}
}

// need looks name up in a table of versions.
func (v *versioner) need(table map[string]Version, name string, pos token.Position, what string) {
	version, ok := table[name]
	if !ok {
		v.unknown = append(v.unknown, Unknown{pos, what + " " + name})
		return
	}
	v.atLeast(version)
}

// The largest block of parameters in bytes before version 8.1.
//
// PTX ISA, Parameter State Space: Kernel Function Parameters.
const maxParamsBefore81 = 4352

func (v *versioner) function(f *Func, registers []*Var) {
	if _, bytes, ok := Offsets(f.Params); f.Entry && (!ok || bytes > maxParamsBefore81) {
		v.atLeast(Version{8, 1})
	}
	for _, attr := range f.Attrs {
		v.need(attributes, attr.Name, attr.Pos, "directive")
	}
	registers = v.variables(f.Params, registers)
	registers = v.variables(f.Results, registers)
	if f.Body != nil {
		v.block(f.Body, registers)
	}
}

// variables looks at declarations, and returns registers with those that they add.
func (v *versioner) variables(vars, registers []*Var) []*Var {
	registers = slices.Clip(registers)
	for _, d := range vars {
		v.need(variableTypes, string(d.Type), d.Pos, "type")
		for _, attribute := range d.Attributes {
			v.need(variableAttributes, attribute, d.Pos, "attribute")
		}
		if slices.ContainsFunc(d.Init, masked) {
			v.atLeast(Version{7, 1})
		}
		if d.Vector == 8 {
			v.unknown = append(v.unknown, Unknown{d.Pos, "vector of 8"})
		}
		if d.Space == "reg" || d.Space == "param" {
			registers = append(registers, d)
		}
	}
	return registers
}

// masked reports whether an initial value has the operator mask.
func masked(value Operand) bool {
	switch value := value.(type) {
	case Mask:
		return true
	case Vector:
		return slices.ContainsFunc(value.Elems, masked)
	}
	return false
}

func (v *versioner) block(b *Block, registers []*Var) {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *Var:
			registers = v.variables([]*Var{stmt}, registers)
		case *Block:
			v.block(stmt, registers)
		case *Directive:
			v.directive(stmt)
		case *Instr:
			v.instruction(stmt, registers)
		}
	}
}

func (v *versioner) directive(d *Directive) {
	switch d.Name {
	case "pragma":
		v.need(pragmas, d.Text, d.Pos, "pragma")
	case "loc":
		if strings.Contains(d.Text, "inlined_at") || strings.Contains(d.Text, "function_name") {
			v.atLeast(Version{7, 2})
		}
	case "callprototype":
		if strings.Contains(d.Text, ".noreturn") {
			v.atLeast(Version{6, 4})
		}
	}
}

// versionTable returns isaTable by instruction.
var versionTable = sync.OnceValue(func() *FormTable[Version] {
	table := new(FormTable[Version])
	for line := range strings.Lines(strings.TrimSpace(isaTable)) {
		var version Version
		var form string
		if _, err := fmt.Sscanf(line, "%d.%d %s", &version.Major, &version.Minor, &form); err != nil {
			panic("ptx: isaTable: " + line)
		}
		table.Add(ParseForm(form), version)
	}
	return table
})

func (v *versioner) instruction(in *Instr, registers []*Var) {
	if version, ok := versionTable().Find(in); ok {
		v.atLeast(version)
	} else {
		v.unknown = append(v.unknown, Unknown{in.Pos, "instruction " + in.Name()})
	}
	for _, operand := range in.Args {
		v.operand(operand, in.Pos, registers)
	}
}

func (v *versioner) operand(operand Operand, pos token.Position, registers []*Var) {
	all := func(operands ...Operand) {
		for _, o := range operands {
			v.operand(o, pos, registers)
		}
	}
	switch o := operand.(type) {
	case Reg:
		base, _, _ := strings.Cut(o.Name, ".")
		if !declared(base, registers) {
			v.need(specialRegisters, base, pos, "special register")
		}
	case Address:
		all(o.Base)
	case Vector:
		all(o.Elems...)
	case List:
		all(o.Elems...)
	case Pair:
		all(o.First, o.Second)
	}
}

// declared reports whether one of registers is called name: %r7 is one of %r<10>.
func declared(name string, registers []*Var) bool {
	for _, r := range slices.Backward(registers) {
		if r.Count == 0 && r.Name == name || r.Count > 0 && strings.HasPrefix(name, r.Name) && strings.Trim(name[len(r.Name):], "0123456789") == "" {
			return true
		}
	}
	return false
}
