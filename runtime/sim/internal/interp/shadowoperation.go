package interp

import (
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// operated follows an operation that was executed in the lanes e. What it leaves in registers is
// defined, but for operations that are known here.
func (s *shadow) operated(w *warp, in *bytecode.Instr, e uint32) {
	ws := s.of(w)
	switch o := in.Own.(type) {
	case *matrixProduct:
		s.product(ws, o, e)
	case *mbarrierOp:
		ws.define(o.dst, e)
		if o.test >= 0 {
			ws.setPred(o.test, 0, e)
		}
	case *longAccess:
		s.long(w, ws, o, e)
	case *sparseProduct:
		s.sparse(w, ws, o, e)
	case *quadProduct:
		s.quads(ws, o, e)
	case *asyncCopy:
		ignored := w.pred(o.ignore)
		each(e, func(lane int) *Failure {
			have := min(uint64(uint32(w.regs[o.sourceSize][lane])), o.size)
			if ignored>>lane&1 == 0 {
				s.copied(w, &o.dst, &o.src, lane, 0, have)
			}
			return nil
		})
	case *bulkCopy:
		s.bulk(w, o, e)
	case *tensorCopy:
		s.tensor(w, o, e)
	case *wideAtomic:
		s.wideAtomic(w, ws, o, e)
	case *asyncStore:
		s.asyncStore(w, ws, o, e)
	case *warpgroupProduct:
		s.warpgroup(w, ws, o, e)
	case *matrixMove:
		s.matrix(w, ws, o, e)
	case *matrixTranspose:
		from, moved := ws.regs[o.src], simd.Lanes{}
		for lane := range bytecode.WarpSize {
			for j := range 2 {
				row, col := lane%4*2+j, lane/4
				moved[lane] |= from[row*4+col/2] >> (col % 2 * 16) & 0xffff << (16 * j)
			}
		}
		s.set(ws, o.dst, &moved, e)
	case *matrixAccess:
		s.fragment(w, ws, o, e)
	default:
		if f, ok := o.(*fetch); ok {
			ws.setPred(f.resident, 0, e)
		}
		for _, r := range o.Registers() {
			if int(*r) < s.b.k.Regs {
				ws.define(*r, e)
			}
		}
	}
}

// copied follows a copy of n bytes.
func (s *shadow) copied(w *warp, dst, src *bytecode.Address, lane int, behind, n uint64) {
	if from := s.at(w, src, lane, behind, n, false); from != nil {
		copy(s.at(w, dst, lane, behind, n, true), from)
	}
}

// product follows a product of matrices: an element depends on a row, a column and a summand.
func (s *shadow) product(ws *warpShadow, p *matrixProduct, e uint32) {
	any := false
	for _, list := range [][]int32{p.regA, p.regB, p.regC} {
		for _, r := range list {
			any = any || ws.dirty.Has(r)
		}
	}
	if !any {
		for _, r := range p.regD {
			ws.define(r, e)
		}
		return
	}
	shadowed := &warp{regs: make([]simd.Lanes, len(ws.regs))}
	copy(shadowed.regs, ws.regs)
	size := max(p.M, p.N) * max(p.K, p.N, p.M)
	a, b, c, d := make([]uint64, size), make([]uint64, size), make([]uint64, size), make([]uint64, size)
	gatherMatrix(p.a, shadowed, p.regA, a)
	gatherMatrix(p.b, shadowed, p.regB, b)
	gatherMatrix(p.c, shadowed, p.regC, c)
	p.spread(a, b, c, d)
	scatterMatrix(p.d, shadowed, p.regD, d, e)
	for _, r := range p.regD {
		s.set(ws, r, &shadowed.regs[r], e)
	}
}

// matrix follows ldmatrix and stmatrix.
func (s *shadow) matrix(w *warp, ws *warpShadow, m *matrixMove, e uint32) {
	for n, r := range m.regs {
		var loaded simd.Lanes
		for lane := range bytecode.WarpSize {
			for j := range 2 {
				row, col := lane/4, lane%4*2+j
				if m.transposed {
					row, col = col, row
				}
				if at := s.at(w, &m.at, 8*n+row, uint64(2*col), 2, m.store); m.store && at != nil && e>>lane&1 != 0 {
					WriteWord(at, ws.regs[r][lane]>>(16*j)&0xffff)
				} else if at != nil {
					loaded[lane] |= readWord(at) << (16 * j)
				}
			}
		}
		if !m.store {
			s.set(ws, r, &loaded, e)
		}
	}
}

// fragment follows the loads and stores of wmma.
func (s *shadow) fragment(w *warp, ws *warpShadow, m *matrixAccess, e uint32) {
	per := matrix.PerRegister(m.f.Bits)
	each(e, func(lane int) *Failure {
		for n := 0; m.f.Bits < 8 && n < len(m.regs); n++ {
			var u simd.Lanes
			if at := s.at(w, &m.at, lane, m.wordAt(w, lane, n*per), 4, false); at != nil {
				u[lane] = readWord(at)
			}
			s.set(ws, m.regs[n], &u, 1<<lane)
		}
		if m.f.Bits < 8 {
			return nil
		}
		stride := uint64(uint32(w.regs[m.stride][lane]))
		for n, reg := range m.regs {
			var u simd.Lanes
			for j := range per {
				index := int(m.f.At[lane][(n*per+j)%len(m.f.At[lane])])
				row, col := uint64(index/m.f.Cols), uint64(index%m.f.Cols)
				if m.byColumns {
					row, col = col, row
				}
				at := s.at(w, &m.at, lane, (row*stride+col)*m.size, m.size, m.store)
				if m.store && at != nil {
					WriteWord(at, ws.regs[reg][lane]>>(j*m.f.Bits))
				} else if at != nil {
					u[lane] |= readWord(at) << (j * m.f.Bits)
				}
			}
			if !m.store {
				s.set(ws, reg, &u, 1<<lane)
			}
		}
		return nil
	})
}

// before notes what the instruction at pc is going to do to the shadow in the lanes e of mask.
func (s *shadow) before(w *warp, in *bytecode.Instr, pc int32, mask, e uint32) {
	ws := s.of(w)
	unsure := ws.preds[in.Guard.Index] & mask
	if unsure != 0 {
		if in.Op == bytecode.OpBranch || in.Op >= bytecode.OpBarrier || in.Op == bytecode.OpStore || in.Op == bytecode.OpAtomic || in.Op == bytecode.OpCall {
			s.report(w, ws, in, pc, unsure, "an undefined value decides whether "+s.does(in))
			ws.preds[in.Guard.Index] &^= mask
			unsure = 0
		}
	}
	if e == 0 && unsure == 0 {
		return
	}
	switch in.Op {
	case bytecode.OpLanes, bytecode.OpLanesFloat:
		if ws.dirty.Has(in.A) || ws.dirty.Has(in.B) || ws.dirty.Has(in.C) {
			apply(s.rules[pc], s, w, ws, in, e)
		} else if ws.dirty.Has(in.Dst) {
			ws.define(in.Dst, e)
		}
	case bytecode.OpLoad, bytecode.OpStore, bytecode.OpAtomic:
		if ws.dirty.Has(in.A) {
			if set := ws.undefinedIn(in.A, in.Mask, e); set != 0 {
				s.report(w, ws, in, pc, set, "an undefined value is used as an address")
				ws.define(in.A, set)
			}
		}
	case bytecode.OpTest:
		if ws.dirty.Has(in.A) || ws.dirty.Has(in.B) || ws.preds[in.Pdst]&e != 0 {
			ws.setPred(in.Pdst, s.uncertain(w, ws, in, pc), e)
		}
	case bytecode.OpLoadParam:
		for n := range in.Elems {
			ws.define(in.Vec[n], e)
		}
	case bytecode.OpBranch, bytecode.OpNothing, bytecode.OpInvoke, bytecode.OpReturn, bytecode.OpExit, bytecode.OpTrap, bytecode.OpFence, bytecode.OpWarpBarrier, bytecode.OpShuffle, bytecode.OpVote, bytecode.OpBallot, bytecode.OpMatchAny, bytecode.OpMatchAll, bytecode.OpReduce:
	case bytecode.OpOperation: // see operated
		if m := metadataOf(in.Own); m != nil {
			if set := m.undefinedIn(ws); set != 0 {
				s.report(w, ws, in, pc, set, "an undefined value is the metadata of a sparse matrix")
			}
		}
	default:
		s.other(w, ws, in, pc, e)
	}
	if unsure != 0 && in.Op < bytecode.OpBranch && in.Op != bytecode.OpTest && in.Op != bytecode.OpCompare && in.Op != bytecode.OpLogic {
		s.smear(ws, in.Dst, unsure)
	}
}

// does says what an instruction does.
func (s *shadow) does(in *bytecode.Instr) string {
	switch in.Op {
	case bytecode.OpBranch:
		return "the thread branches"
	case bytecode.OpStore, bytecode.OpAtomic:
		return "the thread writes"
	case bytecode.OpExit, bytecode.OpTrap:
		return "the thread ends"
	}
	return "the thread takes part"
}
