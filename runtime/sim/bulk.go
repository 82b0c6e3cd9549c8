package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// PTX ISA, Data Movement and Conversion Instructions: cp.async.bulk without tensors. As other
// asynchronous copies, it is done when it is issued.
func bulkForms() []form {
	return []form{
		{"cp.async.bulk.shared::cluster|shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint?", assembleBulk(shared, global)},
		{"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", assembleBulk(shared, shared)},
		{"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint?", assembleBulk(global, shared)},
	}
}

// A bulkCopy is cp.async.bulk [dst], [src], size{, [mbarrier]}.
type bulkCopy struct {
	dst, src address
	size     int32 // register
	barrier  *address
}

func (c *bulkCopy) registers() []*int32 {
	regs := []*int32{&c.dst.in.a, &c.src.in.a, &c.size}
	if c.barrier != nil {
		regs = append(regs, &c.barrier.in.a)
	}
	return regs
}

func assembleBulk(to, from space) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		in = d.unhinted(in)
		c := &bulkCopy{}
		want := 3
		if to == shared {
			want = 4
			d.k.mbarriers = true
		}
		if !d.operands(in, want) {
			return performs(c)
		}
		c.dst, c.src, c.size = d.addressIn(in, in.Args[0], to), d.addressIn(in, in.Args[1], from), d.src(in.Args[2], "u32")
		if to == shared {
			barrier := d.addressIn(in, in.Args[3], shared)
			c.barrier = &barrier
		}
		return performs(c)
	}
}

// bulkUnit is what sizes and addresses are multiples of.
const bulkUnit = 16

func (c *bulkCopy) run(b *block, w *warp, _ *instr, pc int32, e uint32) *failure {
	return each(e, func(lane int) *failure {
		size := uint64(uint32(w.regs[c.size][lane]))
		if size%bulkUnit != 0 {
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "a bulk copy of %d bytes, which is not a multiple of %d", size, bulkUnit)
		}
		for at := uint64(0); at < size; at += bulkUnit {
			from, fault := c.src.bytes(b, w, pc, lane, at, bulkUnit, false)
			if fault != nil {
				return fault
			}
			to, fault := c.dst.bytes(b, w, pc, lane, at, bulkUnit, true)
			if fault != nil {
				return fault
			}
			*(*[bulkUnit]byte)(to) = *(*[bulkUnit]byte)(from)
		}
		if c.barrier == nil {
			return nil
		}
		p, fault := c.barrier.bytes(b, w, pc, lane, 0, uint64(unsafe.Sizeof(mbarrierState(0))), true)
		if fault == nil {
			completeBytes(p, size)
		}
		return fault
	})
}
