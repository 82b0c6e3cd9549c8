package sim

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
)

// An operation is an instruction that has its own way to be executed: on matrices, barriers in
// memory, asynchronous copies.
type operation interface {
	// registers returns where the operation names registers, to be numbered at the end.
	registers() []*int32
	// run executes the operation in the lanes e. It returns wait if lanes are missing,
	// and yield if other threads should run.
	run(b *block, w *warp, in *instr, pc int32, e uint32) *failure
}

// performs makes the instruction that executes o.
func performs(o operation) instr { return instr{op: opOperation, own: o} }

// together reports whether all lanes of w that have not exited are in e, as .aligned
// instructions want it.
func (w *warp) together(e uint32) bool { return e == w.live }

// pointersTo returns where *p of each of lists is.
func pointersTo(lists ...[]int32) (regs []*int32) {
	for _, list := range lists {
		for n := range list {
			regs = append(regs, &list[n])
		}
	}
	return regs
}

// An address is the operand [register+offset] of an operation.
type address struct {
	in      instr // of which space, mask, a and offset count
	ordered bool  // the operation itself says in which order its accesses to shared memory are
}

// address decodes an address in a state space.
func (d *decoder) addressIn(in *ptx.Instr, op ptx.Operand, s space) address {
	named := *in
	named.Mods = []string{s.String()}
	if s == generic {
		named.Mods = nil
	}
	return address{in: d.access(&named, op, "b8", 1)}
}

// bytes returns width bytes at the address of a lane and offset bytes behind it.
func (a *address) bytes(b *block, w *warp, pc int32, lane int, behind, width uint64, write bool) (unsafe.Pointer, *failure) {
	addr := w.regs[a.in.a][lane]&a.in.mask + a.in.offset + behind
	r, fault := b.region(w, &a.in, pc, lane, addr, width, write)
	if fault != nil {
		return nil, fault
	}
	p := unsafe.Add(r.base, addr-r.from+uint64(lane)*r.stride)
	if b.observer != nil {
		b.observer.touch(w, a, pc, lane, addr, r, p, width, write)
	}
	return p, nil
}

// of returns the address of a lane.
func (a *address) of(w *warp, lane int) uint64 { return w.regs[a.in.a][lane]&a.in.mask + a.in.offset }

// span returns n bytes at addr, in the space of a, for an operation that goes on from a to other
// addresses. They need not be aligned.
func (a *address) span(b *block, w *warp, pc int32, lane int, addr, n uint64, kind accessKind) (unsafe.Pointer, *failure) {
	r, what := b.locate(w, a.in.space, addr, kind != reads)
	if what == "" && (addr < r.from || r.size < n || addr-r.from > r.size-n) {
		what = "is out of bounds"
	}
	if what != "" {
		return nil, b.outside(w, pc, lane, a.in.space, addr, n, r, what)
	}
	p := unsafe.Add(r.base, addr-r.from+uint64(lane)*r.stride)
	if b.observer != nil && kind != updates {
		b.observer.touch(w, a, pc, lane, addr, r, p, n, kind == writes)
	}
	return p, nil
}

// each calls do for each lane of e, the lowest first, until one fails.
func each(e uint32, do func(lane int) *failure) *failure {
	for ; e != 0; e &= e - 1 {
		if fault := do(bits.TrailingZeros32(e)); fault != nil {
			return fault
		}
	}
	return nil
}

// registersOf returns the registers of a vector operand, or a single one.
func (d *decoder) registersOf(in *ptx.Instr, op ptx.Operand, want int, one func(op ptx.Operand, t ptx.Type) int32, t ptx.Type) []int32 {
	if _, ok := op.(ptx.Vector); !ok && want == 1 {
		return []int32{one(op, t)}
	}
	return d.vectorOf(in, op, want, one, t)
}

// vectorOf returns the registers of a vector operand.
func (d *decoder) vectorOf(in *ptx.Instr, op ptx.Operand, want int, one func(op ptx.Operand, t ptx.Type) int32, t ptx.Type) []int32 {
	v, ok := op.(ptx.Vector)
	if !ok || len(v.Elems) != want {
		d.invalid("%s: an operand is not a vector of %d registers", in.Text, want)
		return make([]int32, want)
	}
	var regs []int32
	for _, elem := range v.Elems {
		regs = append(regs, one(elem, t))
	}
	return regs
}
