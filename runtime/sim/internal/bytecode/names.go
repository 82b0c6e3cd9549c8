package bytecode

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

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

// A NamedGlobal is a variable of a library in global or constant memory.
type NamedGlobal struct {
	Name    string
	Space   Space
	Address uint64
	Bytes   uint64
}

// LoadNamed is Load for a debugger: kernels have their Names.
func LoadNamed(name string, image []byte, mem *memory.Memory, capability int, forms *Forms) (*Library, *Refusal) {
	return load(name, image, mem, capability, forms, true)
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

// noteRegister adds a register to the names of the kernel, if they are kept.
func (d *Decoder) noteRegister(name string, r register) {
	if n := d.K.Names; n != nil {
		n.Registers = append(n.Registers, NamedRegister{name, r.Typ, r.index, d.Fn, d.pos.Line})
	}
}

// noteVariable adds a variable to the names of the kernel, if they are kept.
func (d *Decoder) noteVariable(name string, s Symbol, bytes int64) {
	if n := d.K.Names; n != nil {
		v := NamedVariable{Name: name, Space: s.Space, Address: s.address, Bytes: uint64(bytes)}
		if s.framed {
			v.Function = d.Fn
		}
		n.Variables = append(n.Variables, v)
	}
}

// placeDynamic gives the variables of dynamic shared memory their address, behind the static ones.
func (n *Names) placeDynamic(k *Kernel) {
	if n == nil {
		return
	}
	for i := range n.Variables {
		if v := &n.Variables[i]; v.Space == Shared && v.Bytes == 0 {
			v.Address = uint64(k.SharedBytes)
		}
	}
}

// FunctionOf returns the function that the instruction at pc is of, or nil for the kernel's own.
func (k *Kernel) FunctionOf(pc int32) (f *Function) {
	if pc >= k.Start {
		return nil
	}
	for _, g := range k.Functions {
		if g != nil && g.Start <= pc && (f == nil || g.Start > f.Start) {
			f = g
		}
	}
	return f
}
