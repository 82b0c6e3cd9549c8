package image

import (
	"debug/elf"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A Variable is a variable in device memory that an image defines.
type Variable struct {
	Symbol  string
	Name    string // qualified C++ name; of an extern "C" variable the symbol
	Space   Space
	Managed bool
	Visible bool // in PTX: other modules may see it
	Size    int64
	Align   int64 // 0 when the image does not say, as cubins

	Pos token.Position // of the symbol
}

// A Space is a state space of variables.
type Space string

// The state spaces of variables that exist independently of a kernel.
//
// PTX ISA, State Spaces.
const (
	Const  Space = "const"
	Global Space = "global"
)

// variables returns the variables that a PTX module defines, and adds those of one name to
// errs.
//
// PTX ISA, Variable Declarations.
func variables(module *ptx.Module, errs *diag.List) (list []Variable) {
	seen := make(map[string]bool)
	for _, v := range module.Vars {
		space := Space(v.Space)
		if space != Const && space != Global || v.Linkage == ptx.Extern {
			continue
		}
		size, ok := v.Size()
		if !ok {
			continue // of an array without a bound, which nothing defines here
		}
		if seen[v.Name] {
			errs.Add(v.Pos, diag.CompilerOutput.Errorf("variable %s is defined twice", v.Name))
		}
		seen[v.Name] = true
		list = append(list, Variable{
			Symbol: v.Name, Name: variableName(v.Name), Space: space, Managed: slices.Contains(v.Attributes, "managed"), Visible: v.Linkage == ptx.Visible,
			Size: size, Align: v.Alignment(), Pos: v.Pos,
		})
	}
	return list
}

// Sections of variables in a cubin, by space.
const (
	constSection  = ".nv.constant3"
	globalSection = ".nv.global" // and .nv.global.init
)

// managedSymbol is the bit of st_other that managed variables have.
const managedSymbol = 0x04

// cubinVariables returns the variables among the symbols of a cubin.
func cubinVariables(name string, file *elf.File, symbols []elf.Symbol) ([]Variable, error) {
	var list []Variable
	for _, symbol := range symbols {
		at := int(symbol.Section)
		if elf.ST_TYPE(symbol.Info) != elf.STT_OBJECT || symbol.Section >= elf.SHN_LORESERVE || at == 0 || at >= len(file.Sections) {
			continue
		}
		v := Variable{
			Symbol: symbol.Name, Name: variableName(symbol.Name), Managed: symbol.Other&managedSymbol != 0,
			Size: int64(symbol.Size), Pos: token.Position{Filename: name},
		}
		section := file.Sections[at]
		switch {
		case section.Name == constSection:
			v.Space = Const
		case section.Name == globalSection || strings.HasPrefix(section.Name, globalSection+"."):
			v.Space = Global
		default:
			continue
		}
		if symbol.Size > section.Size || symbol.Value > section.Size-symbol.Size {
			return nil, diag.CompilerOutput.Errorf("variable %s has %d bytes at %d, but its section %s has %d", v.Symbol, symbol.Size, symbol.Value, section.Name, section.Size)
		}
		list = append(list, v)
	}
	return list, nil
}

// unitNamespace matches what nvcc and NVRTC put around the namespaces of static variables
// and of those in unnamed namespaces: _INTERNAL_TOKEN, where TOKEN stands for the
// translation unit.
var unitNamespace = regexp.MustCompile(`^_INTERNAL_[0-9a-f]{8}_[0-9]+_\w*?::`)

// variableName returns the qualified C++ name of a variable's symbol. A symbol that is not
// mangled is its own name.
//
// Itanium C++ ABI, External Names (a.k.a. Mangling).
func variableName(symbol string) string {
	symbol = withoutUnit(symbol)
	limit := demangle.MaxLength(LongestSymbol)
	ast, err := demangle.ToAST(symbol, limit)
	if err != nil {
		return symbol
	}
	if _, function := ast.(*demangle.Typed); function {
		return symbol
	}
	return ctype.WithoutVersions(unitNamespace.ReplaceAllString(demangle.ASTToString(ast, limit), ""))
}

// Local reports whether a symbol has internal linkage, so that its name depends on the
// compiler and on the name of the file.
func Local(symbol string) bool {
	return strings.Contains(symbol, "_GLOBAL__N_") || strings.Contains(symbol, "_INTERNAL_") || withoutUnit(symbol) != symbol
}

// VariablesNamed returns the variables with a qualified C++ name: one, as a rule, or none.
// That of an extern "C" variable may be another's, too.
func (img *Image) VariablesNamed(qualified string) (list []*Variable) {
	for i := range img.Variables {
		if img.Variables[i].Name == ctype.WithoutVersions(qualified) {
			list = append(list, &img.Variables[i])
		}
	}
	return list
}
