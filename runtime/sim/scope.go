package sim

import (
	"slices"
	"strconv"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A register is a declared register that an instruction names.
type register struct {
	index int32
	typ   ptx.Type
}

// A scope holds what a block declares.
type scope struct {
	single map[string]*ptx.Var // .reg by name
	ranges map[string]*ptx.Var // .reg of a range, by what the names of its registers begin with
	regs   map[string]register
	vars   map[string]symbol
	labels map[string]*int32 // where they point; filled when the label is met
	lists  map[string]string // .branchtargets
}

// push begins a scope.
func (d *decoder) push() *scope {
	s := &scope{single: map[string]*ptx.Var{}, ranges: map[string]*ptx.Var{}, regs: map[string]register{}, vars: map[string]symbol{}, labels: map[string]*int32{}, lists: map[string]string{}}
	d.scopes = append(d.scopes, s)
	return s
}

// variable declares v, a variable inside a body.
func (d *decoder) variable(s *scope, v *ptx.Var) {
	d.pos = v.Pos
	if _, twice := s.vars[v.Name]; twice {
		d.invalid("%s is declared twice", v.Name)
	}
	size, sized := v.Size()
	switch {
	case v.Space == "reg":
		if v.Vector > 0 || v.Type.Size() > 8 && v.Type != b128 || len(v.Dims) > 0 {
			d.unsupported("register %s of type .v%d .%s", v.Name, v.Vector, v.Type)
		}
		if d.isParameter(v.Name) {
			d.invalid("register %s has the name of a parameter", v.Name)
		}
		d.declare(s, v)
	case !sized || size > 1<<30:
		d.invalid("%s has no size, or too large a one", v.Name)
	case v.Space == "shared":
		sym := symbol{space: shared, address: allot(&d.k.sharedBytes, size, v.Alignment())}
		sym.arrays = d.k.addArray(array{name: v.Name, space: shared, from: sym.address, bytes: uint64(size), opaque: size == 0})
		s.vars[v.Name] = sym
	case v.Space == "local", v.Space == "param":
		sym := symbol{space: local, address: allot(d.frameBytes, size, v.Alignment()), callParam: v.Space == "param", framed: d.fn != nil, size: size}
		sym.arrays = d.k.addArray(array{name: v.Name, space: local, from: sym.address, bytes: uint64(size), frame: d.fn, opaque: sym.callParam || size == 0})
		s.vars[v.Name] = sym
	default:
		d.unsupported("variable %s in .%s inside a body", v.Name, v.Space)
	}
	if len(v.Init) > 0 {
		d.unsupported("initial values of %s in .%s", v.Name, v.Space)
	}
}

// isParameter reports whether name is a parameter of the function or entry.
func (d *decoder) isParameter(name string) bool {
	v, ok := d.scopes[0].vars[name]
	return ok && (v.space == param || v.callParam)
}

// allot takes size bytes at an aligned offset behind *end.
func allot(end *int64, size, align int64) uint64 {
	offset := roundUp(*end, align)
	*end = offset + size
	return uint64(offset)
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// declare adds a .reg to s.
func (d *decoder) declare(s *scope, v *ptx.Var) {
	into := s.single
	if v.Count > 0 {
		into = s.ranges
	}
	if into[v.Name] != nil {
		d.invalid("%s is declared twice", v.Name)
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

// lookup finds the register name in the scopes and gives it an index when it is
// first used.
func (d *decoder) lookup(name string) (register, bool) {
	for _, s := range slices.Backward(d.scopes) {
		if r, ok := s.regs[name]; ok {
			return r, true
		}
		v := s.declaration(name)
		if v == nil {
			continue
		}
		r := register{typ: v.Type}
		if v.Type == "pred" {
			r.index = int32(d.k.preds)
			d.k.preds++
		} else {
			r.index = int32(d.k.regs)
			d.k.regs++
			d.k.setSize(r.index, min(v.Type.Size(), 8))
			if v.Type == b128 {
				d.k.setSize(int32(d.k.regs), 8)
				d.k.regs++
			}
		}
		s.regs[name] = r
		return r, true
	}
	return register{}, false
}

// label returns where the label called name will point.
func (d *decoder) label(name string) *int32 {
	for _, s := range slices.Backward(d.scopes) {
		if target, ok := s.labels[name]; ok {
			return target
		}
	}
	d.invalid("label %s is not declared", name)
	return new(int32)
}
