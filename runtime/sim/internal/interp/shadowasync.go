package interp

import (
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

// bulk follows bulk copies. A reduction leaves defined what was so and is reduced by defined bytes.
func (s *shadow) bulk(w *warp, c *bulkCopy, e uint32) {
	each(e, func(lane int) *Failure {
		size := uint64(uint32(w.regs[c.size][lane]))
		for _, rank := range c.arrival.ranks(w, lane) {
			s.moved(w, lane, &c.dst, s.b.inBlock(rank, w.addressOf(&c.dst, lane)), &c.src, w.addressOf(&c.src, lane), size, c.update != nil)
		}
		return nil
	})
}

// tensor follows copies of boxes of tensors.
func (s *shadow) tensor(w *warp, c *tensorCopy, e uint32) {
	each(e, func(lane int) *Failure {
		m, at, fault := c.box(s.b, w, 0, lane)
		if fault != nil {
			return nil
		}
		for _, rank := range c.arrival.ranks(w, lane) {
			for p := range m.Pieces(at, s.b.inBlock(rank, w.addressOf(&c.memory, lane))) {
				if p.Inside && c.arrival != nil {
					s.moved(w, lane, &c.memory, p.Shared, &c.tensor, p.Global, p.Bytes, false)
				} else if p.Inside {
					s.moved(w, lane, &c.tensor, p.Global, &c.memory, p.Shared, p.Bytes, c.reduction != "")
				}
			}
		}
		return nil
	})
}

// moved gives n bytes at to the undefined bits of those at from, or adds them.
func (s *shadow) moved(w *warp, lane int, dst *bytecode.Address, to uint64, src *bytecode.Address, from, n uint64, add bool) {
	undefined := s.spanOf(w, src, lane, from, n, false)
	if undefined == nil {
		return // what was written is defined by now
	}
	into := s.spanOf(w, dst, lane, to, n, true)
	for i := range into {
		if add {
			into[i] |= undefined[i]
		} else {
			into[i] = undefined[i]
		}
	}
}

// asyncStore follows st.async and red.async.
func (s *shadow) asyncStore(w *warp, ws *warpShadow, o *asyncStore, e uint32) {
	each(e, func(lane int) *Failure {
		for n, r := range o.values {
			undefined := ws.regs[r][lane] & (^uint64(0) >> (64 - 8*o.size))
			if into := s.at(w, &o.dst, lane, uint64(n)*o.size, o.size, undefined != 0); into != nil {
				if o.update != nil {
					undefined |= readWord(into)
				}
				WriteWord(into, undefined)
			}
		}
		return nil
	})
}

// warpgroup follows wgmma: an element depends on a row, a column and a summand.
func (s *shadow) warpgroup(w *warp, ws *warpShadow, p *warpgroupProduct, e uint32) {
	left, right := make([]uint64, p.M*p.K), make([]uint64, p.columns*p.N)
	any := false
	undefined := func(m *sharedMatrix, from, rows, columns int, set func(row, k int, value uint64)) {
		for c := range m.Chunks(matrix.DescriptorOf(w.regs[m.at.In.A][0]), from, rows, columns) {
			if bits := s.spanOf(w, &m.at, 0, c.Addr, tensormap.ChunkBytes, false); bits != nil {
				m.Unpack(bits, c, func(row, k int, value uint64) {
					any = any || value != 0
					set(row, k, value)
				})
			}
		}
	}
	if p.matrixA != nil {
		undefined(p.matrixA, w.number()%warpgroupWarps*warpRows, p.M, p.K, func(row, k int, value uint64) { left[row*p.K+k] = value })
	} else {
		gatherMatrix(p.a, &warp{regs: ws.regs}, p.regA, left)
	}
	undefined(p.matrixB, 0, p.N, p.columns, func(col, k int, value uint64) { right[k*p.N+col] = value })
	for _, list := range [][]int32{p.regA, p.regD} {
		for _, r := range list {
			any = any || ws.dirty.Has(r)
		}
	}
	if !any && (p.sparsity == nil || !ws.dirty.Has(p.sparsity.meta)) {
		return
	}
	start, result := make([]uint64, p.M*p.N), make([]uint64, p.M*p.N)
	if w.pred(p.accumulates)&1 != 0 {
		gatherMatrix(p.c, &warp{regs: ws.regs}, p.regC, start)
	}
	if p.sparsity == nil {
		p.spread(left, right, start, result)
	} else if rows, fault := p.sparsity.columnsOf(s.b, w, 0); fault == nil {
		p.eachRow(rows, left, right, start, result, (*matrixProduct).spread)
		for i, vague := range p.sparsity.vague(ws) {
			spoilRow(result[i*p.N:(i+1)*p.N], vague, p.d.Bits)
		}
	}
	shadowed := &warp{regs: make([]simd.Lanes, len(ws.regs))}
	scatterMatrix(p.d, shadowed, p.regD, result, e)
	for _, r := range p.regD {
		s.set(ws, r, &shadowed.regs[r], e)
	}
}

// spread makes an element of a product undefined that depends on undefined bits.
func (p *matrixProduct) spread(a, b, c, d []uint64) {
	for i := range p.M {
		for j := range p.N {
			or := c[i*p.N+j]
			for k := range p.K {
				or |= a[i*p.K+k] | b[k*p.N+j]
			}
			d[i*p.N+j] = -uint64(simd.Bit(or != 0)) & (^uint64(0) >> (64 - p.d.Bits))
		}
	}
}

// wideAtomic follows atomics of 128 bits, as update does others.
func (s *shadow) wideAtomic(w *warp, ws *warpShadow, o *wideAtomic, e uint32) {
	each(e, func(lane int) *Failure {
		for n := range o.dst {
			given := ws.regs[o.b[n]][lane]
			if o.compares {
				given |= ws.regs[o.c[n]][lane]
			}
			memory := s.at(w, &o.at, lane, uint64(8*n), 8, given != 0)
			var old simd.Lanes
			if memory != nil {
				old[lane] = readWord(memory)
				if o.compares {
					given |= old[lane]
				}
				WriteWord(memory, given)
			}
			s.set(ws, o.dst[n], &old, 1<<lane)
		}
		return nil
	})
}
