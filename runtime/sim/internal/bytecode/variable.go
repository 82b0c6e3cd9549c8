package bytecode

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// A variable is one of a module, in device memory.
type variable struct {
	decl        *ptx.Var
	space       Space
	image       []byte // its initial bytes
	relocations []relocation

	unsupported string // why it is not as the module declares it, or empty
}

// A placedVariable is a variable on a device.
type placedVariable struct {
	*variable
	address uint64
}

// declare collects the module's variables and returns what its names mean. A variable that is not
// supported is an error of the kernels that use it.
func (img *Image) declare(m *ptx.Module, errs *Problems) (globals map[string]Symbol) {
	globals = make(map[string]Symbol)
	constants := int64(0)
	for _, v := range m.Vars {
		invalid := func(format string, args ...any) {
			errs.add(problem{pos: v.Pos, text: fmt.Sprintf(format, args...), invalid: true})
		}
		if _, twice := globals[v.Name]; twice {
			invalid("%s is declared twice", v.Name)
			continue
		}
		size, sized := v.Size()
		switch {
		case v.Space == "shared" && (sized || v.Linkage == ptx.Extern):
			globals[v.Name] = Symbol{Space: Shared, unbound: v}
		case v.Space != "global" && v.Space != "const":
			globals[v.Name] = Symbol{unsupported: fmt.Sprintf("variable %s in .%s", v.Name, v.Space)}
		case v.Linkage == ptx.Extern:
			globals[v.Name] = Symbol{unsupported: fmt.Sprintf("variable %s of another module", v.Name)}
		case !sized || v.Type == "texref" || v.Type == "samplerref" || v.Type == "surfref":
			globals[v.Name] = Symbol{unsupported: fmt.Sprintf("variable %s of type .%s", v.Name, v.Type)}
		default:
			s := Global
			if v.Space == "const" {
				s = Constant
				constants += size
			}
			img.variables = append(img.variables, &variable{decl: v, space: s, image: make([]byte, size)})
			globals[v.Name] = Symbol{Space: s, number: len(img.variables)}
		}
		if constants > limits.MaxConstantBytes {
			invalid(".const variables exceed %d bytes", limits.MaxConstantBytes)
			constants = 0
		}
	}
	declareFunctions(m, globals)
	for _, v := range img.variables {
		n := &initializer{v.decl, v, globals, &Problems{}}
		n.fill(v.image, v.decl.Init, v.decl.Dims)
		errs.addInvalid(n.errs)
		if v.unsupported = n.errs.unsupported(); v.unsupported != "" {
			sym := globals[v.decl.Name]
			sym.unsupported = n.errs.List[0].text
			globals[v.decl.Name] = sym
		}
	}
	return globals
}

// declareFunctions adds the functions of m to globals. The address of a kernel, or of a function
// of another module, cannot be used.
func declareFunctions(m *ptx.Module, globals map[string]Symbol) {
	defined := 0
	for _, f := range m.Funcs {
		known, isKnown := globals[f.Name]
		if isKnown && known.function != functionDeclared {
			continue
		}
		sym := Symbol{Space: code, function: functionDeclared, unsupported: "the address of function " + f.Name}
		if f.Body != nil {
			sym.function = functionDefined
		}
		if f.Body != nil && !f.Entry {
			sym.unsupported, sym.address = "", functionAddress(defined)
			defined++
		}
		globals[f.Name] = sym
	}
	for _, alias := range m.Aliases {
		if sym, known := globals[alias.Target]; known && sym.function == functionDefined {
			globals[alias.Name] = sym
		}
	}
}

// initialize gives v its initial value, in which the addresses of variables are.
func (v *placedVariable) initialize(variables []uint64) {
	dst, ok := memory.BytesAt(v.address, uint64(len(v.image)))
	if !ok {
		return
	}
	copy(dst, v.image)
	for n := range v.relocations {
		v.relocations[n].relocate(dst, variables)
	}
}

// initialize gives all variables of lib their initial values.
func (lib *Library) initialize() {
	for n := range lib.variables {
		lib.variables[n].initialize(lib.addresses)
	}
}

// Place gives lib's variables memory and their initial values again.
func (lib *Library) Place(mem *memory.Memory) {
	for _, address := range lib.addresses {
		mem.Renew(address)
	}
	lib.initialize()
}

func (lib *Library) Release(mem *memory.Memory) {
	for _, address := range lib.addresses {
		mem.Release(address)
	}
}

func (lib *Library) ConstantBytes() (n int) {
	for _, v := range lib.variables {
		if v.decl.Space == "const" {
			n += len(v.image)
		}
	}
	return n
}

// Variable returns where a variable is, its size, and why it is not as the module declares it, or false
// if there is none of that name. With managed, others than managed ones do not count.
func (lib *Library) Variable(name string, managed bool) (address, size uint64, unsupported string, ok bool) {
	for _, v := range lib.variables {
		if v.decl.Name == name && (!managed || slices.Contains(v.decl.Attributes, "managed")) {
			return v.address, uint64(len(v.image)), v.unsupported, true
		}
	}
	return 0, 0, "", false
}

// A NamedGlobal is a variable of a library in global or constant memory.
type NamedGlobal struct {
	Name    string
	Space   Space
	Address uint64
	Bytes   uint64
}

// Globals returns the variables of lib in global and constant memory.
func (lib *Library) Globals() (list []NamedGlobal) {
	for _, v := range lib.variables {
		space := Global
		if v.decl.Space == "const" {
			space = Constant
		}
		list = append(list, NamedGlobal{v.decl.Name, space, v.address, uint64(len(v.image))})
	}
	return list
}
