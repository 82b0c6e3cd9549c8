package interp

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// PTX ISA, Data Movement and Conversion Instructions: cp.async.bulk and cp.reduce.async.bulk without
// tensors. As other asynchronous copies, they are done when they are issued.
func bulkForms() []bytecode.Form {
	const hint = ".L2::cache_hint?"
	const done = ".mbarrier::complete_tx::bytes"
	const toCluster = "cp.reduce.async.bulk.shared::cluster.shared::cta" + done
	const toGlobal = "cp.reduce.async.bulk.global.shared::cta.bulk_group" + hint
	return []bytecode.Form{
		{Pattern: "cp.async.bulk.shared::cluster|shared::cta.global" + done + hint, Assemble: assembleBulk(bytecode.Shared, bytecode.Global)},
		{Pattern: "cp.async.bulk.shared::cluster.global" + done + ".multicast::cluster" + hint, Assemble: assembleBulk(bytecode.Shared, bytecode.Global)},
		{Pattern: "cp.async.bulk.shared::cluster.shared::cta" + done, Assemble: assembleBulk(bytecode.Shared, bytecode.Shared)},
		{Pattern: "cp.async.bulk.global.shared::cta.bulk_group" + hint, Assemble: assembleBulk(bytecode.Global, bytecode.Shared)},
		{Pattern: toCluster + ".add.u32|s32|u64", Assemble: assembleBulk(bytecode.Shared, bytecode.Shared)},
		{Pattern: toCluster + ".min|max.u32|s32", Assemble: assembleBulk(bytecode.Shared, bytecode.Shared)},
		{Pattern: toCluster + ".inc|dec.u32", Assemble: assembleBulk(bytecode.Shared, bytecode.Shared)},
		{Pattern: toCluster + ".and|or|xor.b32", Assemble: assembleBulk(bytecode.Shared, bytecode.Shared)},
		{Pattern: toGlobal + ".add.u32|s32|u64|f32|f64", Assemble: assembleBulk(bytecode.Global, bytecode.Shared)},
		{Pattern: toGlobal + ".add.noftz.f16|bf16", Assemble: assembleBulk(bytecode.Global, bytecode.Shared)},
		{Pattern: toGlobal + ".min|max.u32|s32|u64|s64|f16|bf16", Assemble: assembleBulk(bytecode.Global, bytecode.Shared)},
		{Pattern: toGlobal + ".inc|dec.u32", Assemble: assembleBulk(bytecode.Global, bytecode.Shared)},
		{Pattern: toGlobal + ".and|or|xor.b32|b64", Assemble: assembleBulk(bytecode.Global, bytecode.Shared)},
	}
}

// A bulkCopy is cp.async.bulk [dst], [src], size{, [mbarrier]} or a reduction of that kind.
type bulkCopy struct {
	dst, src bytecode.Address
	size     int32 // register
	arrival  *arrival
	update   bytecode.Update // of a reduction, else nil
	element  int             // bytes, of a reduction
}

func (*bulkCopy) Moves() (data []int32, stores bool) { return nil, false }

func (c *bulkCopy) Registers() []*int32 {
	regs := []*int32{&c.dst.In.A, &c.src.In.A, &c.size}
	if c.arrival != nil {
		regs = append(regs, c.arrival.Registers()...)
	}
	return regs
}

func assembleBulk(to, from bytecode.Space) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		in = d.Unhinted(in)
		c := &bulkCopy{}
		if in.Mods[0] == "reduce" {
			c.update, c.element = reductionIn(in)
			d.K.Ordered = d.K.Ordered || to == bytecode.Global
		}
		args := in.Args
		if to == bytecode.Shared {
			args = arrives(d, in, 4, &c.arrival)
		} else if !d.Operands(in, 3) {
			return bytecode.Performs(c)
		}
		if len(args) < 3 {
			return bytecode.Performs(c)
		}
		c.dst, c.src, c.size = d.AddressIn(in, args[0], to), d.AddressIn(in, args[1], from), d.Src(args[2], "u32")
		c.src.Ordered = to == bytecode.Global
		if to == bytecode.Shared {
			c.arrival.barrier = d.AddressIn(in, args[3], bytecode.Shared)
			c.arrival.barrier.Ordered = true
		}
		return bytecode.Performs(c)
	}
}

// bulkUnit is what sizes and addresses are multiples of.
const bulkUnit = 16

func (c *bulkCopy) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	return each(e, func(lane int) *Failure {
		size, to, from := uint64(uint32(w.regs[c.size][lane])), w.addressOf(&c.dst, lane), w.addressOf(&c.src, lane)
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
		return c.arrival.each(b, w, pc, lane, size, func(rank int) *Failure {
			return c.move(b, w, pc, lane, b.inBlock(rank, to), from, size)
		})
	})
}

// move copies or reduces size bytes.
func (c *bulkCopy) move(b *block, w *warp, pc int32, lane int, to, from, size uint64) *Failure {
	if size == 0 {
		return nil
	}
	kind := writes
	if c.update != nil {
		kind = updates
	}
	src, fault := b.span(&c.src, w, pc, lane, from, size, reads)
	if fault != nil {
		return fault
	}
	dst, fault := b.span(&c.dst, w, pc, lane, to, size, kind)
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
