package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// PTX ISA, Data Movement and Conversion Instructions: cp.async.bulk and cp.reduce.async.bulk without
// tensors. As other asynchronous copies, they are done when they are issued.
func bulkForms() []form {
	const hint = ".L2::cache_hint?"
	const done = ".mbarrier::complete_tx::bytes"
	const toCluster = "cp.reduce.async.bulk.shared::cluster.shared::cta" + done
	const toGlobal = "cp.reduce.async.bulk.global.shared::cta.bulk_group" + hint
	return []form{
		{"cp.async.bulk.shared::cluster|shared::cta.global" + done + hint, assembleBulk(shared, global)},
		{"cp.async.bulk.shared::cluster.global" + done + ".multicast::cluster" + hint, assembleBulk(shared, global)},
		{"cp.async.bulk.shared::cluster.shared::cta" + done, assembleBulk(shared, shared)},
		{"cp.async.bulk.global.shared::cta.bulk_group" + hint, assembleBulk(global, shared)},
		{toCluster + ".add.u32|s32|u64", assembleBulk(shared, shared)},
		{toCluster + ".min|max.u32|s32", assembleBulk(shared, shared)},
		{toCluster + ".inc|dec.u32", assembleBulk(shared, shared)},
		{toCluster + ".and|or|xor.b32", assembleBulk(shared, shared)},
		{toGlobal + ".add.u32|s32|u64|f32|f64", assembleBulk(global, shared)},
		{toGlobal + ".add.noftz.f16|bf16", assembleBulk(global, shared)},
		{toGlobal + ".min|max.u32|s32|u64|s64|f16|bf16", assembleBulk(global, shared)},
		{toGlobal + ".inc|dec.u32", assembleBulk(global, shared)},
		{toGlobal + ".and|or|xor.b32|b64", assembleBulk(global, shared)},
	}
}

// A bulkCopy is cp.async.bulk [dst], [src], size{, [mbarrier]} or a reduction of that kind.
type bulkCopy struct {
	dst, src address
	size     int32 // register
	arrival  *arrival
	update   update // of a reduction, else nil
	element  int    // bytes, of a reduction
}

func (c *bulkCopy) registers() []*int32 {
	regs := []*int32{&c.dst.in.a, &c.src.in.a, &c.size}
	if c.arrival != nil {
		regs = append(regs, c.arrival.registers()...)
	}
	return regs
}

func assembleBulk(to, from space) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		in = d.unhinted(in)
		c := &bulkCopy{}
		if in.Mods[0] == "reduce" {
			c.update, c.element = reductionIn(in)
			d.k.ordered = d.k.ordered || to == global
		}
		args := in.Args
		if to == shared {
			args = d.arrives(in, 4, &c.arrival)
		} else if !d.operands(in, 3) {
			return performs(c)
		}
		if len(args) < 3 {
			return performs(c)
		}
		c.dst, c.src, c.size = d.addressIn(in, args[0], to), d.addressIn(in, args[1], from), d.src(args[2], "u32")
		c.src.ordered = to == global
		if to == shared {
			c.arrival.barrier = d.addressIn(in, args[3], shared)
			c.arrival.barrier.ordered = true
		}
		return performs(c)
	}
}

// bulkUnit is what sizes and addresses are multiples of.
const bulkUnit = 16

func (c *bulkCopy) run(b *block, w *warp, _ *instr, pc int32, e uint32) *failure {
	return each(e, func(lane int) *failure {
		size, to, from := uint64(uint32(w.regs[c.size][lane])), c.dst.of(w, lane), c.src.of(w, lane)
		if size%bulkUnit != 0 {
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "a bulk copy of %d bytes, which is not a multiple of %d", size, bulkUnit)
		}
		if c.update != nil && c.arrival != nil && !b.place.clustered { // an H200 was asked
			return b.fault(w, pc, lane, driver.ErrorIllegalInstruction, "a reduction in shared memory in a launch without clusters: launch with a cluster, or use atom.shared")
		}
		for _, addr := range []uint64{to, from} {
			if addr%bulkUnit != 0 {
				return b.accessFault(w, pc, lane, addr, driver.ErrorMisalignedAddress, "the address %#x of a bulk copy is not aligned to %d bytes", addr, bulkUnit)
			}
		}
		if c.arrival == nil {
			if b.races != nil && size > 0 {
				b.races.readBulk(w, pc, lane, b.races.cellOf(b, w, &c.src, lane), size)
			}
			return c.move(b, w, pc, lane, to, from, size)
		}
		return c.arrival.each(b, w, pc, lane, size, func(rank int) *failure {
			return c.move(b, w, pc, lane, b.inBlock(rank, to), from, size)
		})
	})
}

// move copies or reduces size bytes.
func (c *bulkCopy) move(b *block, w *warp, pc int32, lane int, to, from, size uint64) *failure {
	if size == 0 {
		return nil
	}
	kind := writes
	if c.update != nil {
		kind = updates
	}
	src, fault := c.src.span(b, w, pc, lane, from, size, reads)
	if fault != nil {
		return fault
	}
	dst, fault := c.dst.span(b, w, pc, lane, to, size, kind)
	if fault != nil {
		return fault
	}
	if bytes := unsafe.Slice((*byte)(src), size); c.update != nil {
		reduce(dst, bytes, c.element, c.update)
	} else {
		copy(unsafe.Slice((*byte)(dst), size), bytes)
	}
	return nil
}
