package bytecode

import (
	"slices"
	"strconv"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A register is a declared register that an instruction names.
type register struct {
	index int32
	Typ   ptx.Type
}

// A scope holds what a block declares.
type scope struct {
	single map[string]*ptx.Var // .reg by name
	ranges map[string]*ptx.Var // .reg of a range, by what the names of its registers begin with
	regs   map[string]register
	vars   map[string]Symbol
	labels map[string]*int32 // where they point; filled when the label is met
	Lists  map[string]string // .branchtargets
}

// Push begins a scope.
func (d *Decoder) Push() *scope {
	s := &scope{single: map[string]*ptx.Var{}, ranges: map[string]*ptx.Var{}, regs: map[string]register{}, vars: map[string]Symbol{}, labels: map[string]*int32{}, Lists: map[string]string{}}
	d.Scopes = append(d.Scopes, s)
	return s
}

// variable declares v, a variable inside a body.
func (d *Decoder) variable(s *scope, v *ptx.Var) {
	d.pos = v.Pos
	if _, twice := s.vars[v.Name]; twice {
		d.Invalid("%s is declared twice", v.Name)
	}
	size, sized := v.Size()
	switch {
	case v.Space == "reg":
		if v.Vector > 0 || v.Type.Size() > 8 && v.Type != B128 || len(v.Dims) > 0 {
			d.Unsupported("register %s of type .v%d .%s", v.Name, v.Vector, v.Type)
		}
		if d.isParameter(v.Name) {
			d.Invalid("register %s has the name of a parameter", v.Name)
		}
		d.Declare(s, v)
	case !sized || size > 1<<30:
		d.Invalid("%s has no size, or too large a one", v.Name)
	case v.Space == "shared":
		sym := Symbol{Space: Shared, address: allot(&d.K.SharedBytes, size, v.Alignment())}
		sym.arrays = d.K.AddArray(Array{Name: v.Name, Space: Shared, From: sym.address, Bytes: uint64(size), opaque: size == 0})
		s.vars[v.Name] = sym
		d.noteVariable(v.Name, sym, size)
	case v.Space == "local", v.Space == "param":
		sym := Symbol{Space: Local, address: allot(d.frameBytes, size, v.Alignment()), callParam: v.Space == "param", framed: d.Fn != nil, size: size}
		sym.arrays = d.K.AddArray(Array{Name: v.Name, Space: Local, From: sym.address, Bytes: uint64(size), Frame: d.Fn, opaque: sym.callParam || size == 0})
		s.vars[v.Name] = sym
		d.noteVariable(v.Name, sym, size)
	default:
		d.Unsupported("variable %s in .%s inside a body", v.Name, v.Space)
	}
	if len(v.Init) > 0 {
		d.Unsupported("initial values of %s in .%s", v.Name, v.Space)
	}
}

// isParameter reports whether name is a parameter of the function or entry.
func (d *Decoder) isParameter(name string) bool {
	v, ok := d.Scopes[0].vars[name]
	return ok && (v.Space == Param || v.callParam)
}

// allot takes size bytes at an aligned offset behind *end.
func allot(end *int64, size, align int64) uint64 {
	offset := RoundUp(*end, align)
	*end = offset + size
	return uint64(offset)
}

func RoundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// Declare adds a .reg to s.
func (d *Decoder) Declare(s *scope, v *ptx.Var) {
	into := s.single
	if v.Count > 0 {
		into = s.ranges
	}
	if into[v.Name] != nil {
		d.Invalid("%s is declared twice", v.Name)
		return
	}
	into[v.Name] = v
}

// declaration returns the .reg that declares the register name, alone or as one of a range, or nil.
func (s *scope) declaration(name string) *ptx.Var {
	if v := s.single[name]; v != nil {
		return v
	}
	for tail := len(name) - 1; tail > 0 && len(name)-tail <= maxDigits && name[tail] >= '0' && name[tail] <= '9'; tail-- {
		v := s.ranges[name[:tail]]
		if v == nil || name[tail] == '0' && tail+1 < len(name) {
			continue
		}
		if n, err := strconv.ParseUint(name[tail:], 10, 31); err == nil && int(n) < v.Count {
			return v
		}
	}
	return nil
}

// maxDigits is how many digits the number of a register in a range has at most.
const maxDigits = 10

// Lookup finds the register name in the scopes and gives it an index when it is
// first used.
func (d *Decoder) Lookup(name string) (register, bool) {
	for _, s := range slices.Backward(d.Scopes) {
		if r, ok := s.regs[name]; ok {
			return r, true
		}
		v := s.declaration(name)
		if v == nil {
			continue
		}
		r := register{Typ: v.Type}
		if v.Type == "pred" {
			r.index = int32(d.K.Preds)
			d.K.Preds++
		} else {
			r.index = int32(d.K.Regs)
			d.K.Regs++
			d.K.setSize(r.index, min(v.Type.Size(), 8))
			if v.Type == B128 {
				d.K.setSize(int32(d.K.Regs), 8)
				d.K.Regs++
			}
		}
		s.regs[name] = r
		d.noteRegister(name, r)
		return r, true
	}
	return register{}, false
}

// Label returns where the label called name will point.
func (d *Decoder) Label(name string) *int32 {
	for _, s := range slices.Backward(d.Scopes) {
		if target, ok := s.labels[name]; ok {
			return target
		}
	}
	d.Invalid("label %s is not declared", name)
	return new(int32)
}
