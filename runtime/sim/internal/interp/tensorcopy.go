package interp

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/mbarrier"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

// PTX ISA, Data Movement and Conversion Instructions: cp.async.bulk.tensor,
// cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor, in tiled mode, and loads in im2col mode. As other
// asynchronous copies, they are done when they are issued.
func tensorForms() []bytecode.Form {
	const dims = ".1d|2d|3d|4d|5d"
	const hint = ".L2::cache_hint?"
	const images = ".3d|4d|5d"
	const load = "cp.async.bulk.tensor"
	const done = ".global.tile?.mbarrier::complete_tx::bytes"
	const columns = ".global.im2col.mbarrier::complete_tx::bytes"
	return []bytecode.Form{
		{Pattern: load + dims + ".shared::cluster|shared::cta" + done + hint, Assemble: assembleTensorCopy},
		{Pattern: load + dims + ".shared::cluster" + done + ".multicast::cluster" + hint, Assemble: assembleTensorCopy},
		{Pattern: load + dims + ".global.shared::cta.tile?.bulk_group" + hint, Assemble: assembleTensorCopy},
		{Pattern: "cp.reduce.async.bulk.tensor" + dims + ".global.shared::cta.add|min|max|inc|dec|and|or|xor.tile?.bulk_group" + hint, Assemble: assembleTensorCopy},
		{Pattern: "cp.async.bulk.prefetch.tensor" + dims + ".L2.global.tile?" + hint, Assemble: assembleTensorPrefetch},
		{Pattern: load + images + ".shared::cluster|shared::cta" + columns + hint, Assemble: assembleTensorCopy},
		{Pattern: load + images + ".shared::cluster" + columns + ".multicast::cluster" + hint, Assemble: assembleTensorCopy},
		{Pattern: "cp.async.bulk.prefetch.tensor" + images + ".L2.global.im2col" + hint, Assemble: assembleTensorPrefetch},
	}
}

// A tensorCopy copies a box of a tensor to shared memory or back, or reduces to a box.
type tensorCopy struct {
	tensor    bytecode.Address
	at        []int32 // registers of the coordinates
	offsets   []int32 // registers of the offsets of im2col
	im2col    bool
	memory    bytecode.Address // in shared memory
	arrival   *arrival
	reduction string // "" for a copy
}

func (*tensorCopy) Moves() (data []int32, stores bool) { return nil, false }

func (c *tensorCopy) Registers() []*int32 {
	regs := append(bytecode.PointersTo(c.at, c.offsets), &c.tensor.In.A, &c.memory.In.A)
	if c.arrival != nil {
		regs = append(regs, c.arrival.Registers()...)
	}
	return regs
}

// tensorAt decodes [map, {coordinates}].
func tensorAt(d *bytecode.Decoder, in *ptx.Instr, op ptx.Operand) (tensor bytecode.Address, at []int32) {
	a, _ := op.(ptx.Address)
	list, _ := a.Base.(ptx.List)
	if len(list.Elems) != 2 {
		d.Invalid("%s: the tensor map and the coordinates stand in square brackets", in.Text)
		return tensor, nil
	}
	rank := 1
	for n := range driver.MaxTensorRank {
		if bytecode.Has(in, string(rune('1'+n))+"d") {
			rank = n + 1
		}
	}
	return d.AddressIn(in, ptx.Address{Base: list.Elems[0]}, bytecode.Generic), d.VectorOf(in, list.Elems[1], rank, d.Src, "s32")
}

func assembleTensorCopy(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	in = d.Unhinted(in)
	c := &tensorCopy{}
	if in.Mods[0] == "reduce" {
		c.reduction = modifierAmong(in, "add", "min", "max", "inc", "dec", "and", "or", "xor")
		d.K.Ordered = true
	}
	args := in.Args
	if !bytecode.Has(in, "mbarrier::complete_tx::bytes") {
		if d.Operands(in, 2) {
			c.tensor, c.at = tensorAt(d, in, args[0])
			c.memory = d.AddressIn(in, args[1], bytecode.Shared)
		}
		return bytecode.Performs(c)
	}
	want := 3
	if c.im2col = bytecode.Has(in, "im2col"); c.im2col {
		want++
	}
	if args = arrives(d, in, want, &c.arrival); len(args) == want {
		c.memory = d.AddressIn(in, args[0], bytecode.Shared)
		c.tensor, c.at = tensorAt(d, in, args[1])
		c.arrival.barrier = d.AddressIn(in, args[2], bytecode.Shared)
		c.arrival.barrier.Ordered = true
		if c.im2col {
			c.offsets = d.VectorOf(in, args[3], len(c.at)-2, d.Src, "b16")
		}
	}
	return bytecode.Performs(c)
}

// assembleTensorPrefetch assembles a hint.
func assembleTensorPrefetch(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	want := 1 + int(simd.Bit(bytecode.Has(in, "im2col")))
	if in = d.Unhinted(in); d.Operands(in, want) {
		_, at := tensorAt(d, in, in.Args[0])
		if want == 2 {
			d.VectorOf(in, in.Args[1], len(at)-2, d.Src, "b16")
		}
	}
	return bytecode.Instr{Op: bytecode.OpNothing}
}

// Alignments that the ISA asks for.
const (
	tensorMapAlign    = 64
	tensorSharedAlign = 128
)

// box returns the tensor of a lane and the coordinates of the box.
func (c *tensorCopy) box(b *block, w *warp, pc int32, lane int) (m *tensormap.Map, at []int64, fault *Failure) {
	addr := w.addressOf(&c.tensor, lane)
	if addr%tensorMapAlign != 0 {
		return nil, nil, b.accessFault(w, pc, lane, addr, driver.ErrorMisalignedAddress, "the tensor map's address %#x is not a multiple of %d", addr, tensorMapAlign)
	}
	p, fault := b.span(&c.tensor, w, pc, lane, addr, uint64(unsafe.Sizeof(driver.TensorMap{})), reads)
	if fault != nil {
		return nil, nil, fault
	}
	tensor, ok := tensormap.Decode(*(*driver.TensorMap)(p))
	switch {
	case !ok:
		return nil, nil, b.accessFault(w, pc, lane, addr, driver.ErrorLaunchFailed, "there is no tensor map at address %#x: the simulated device takes those that NewTensorMap has made for it", addr)
	case tensor.Rank != len(c.at):
		return nil, nil, b.fault(w, pc, lane, driver.ErrorLaunchFailed, "the copy names %d coordinates, and the tensor has %d dimensions", len(c.at), tensor.Rank)
	case c.im2col != tensor.IsIm2col():
		return nil, nil, b.fault(w, pc, lane, driver.ErrorLaunchFailed, "the instruction and the tensor map must both be of im2col or both of boxes")
	}
	if to := w.addressOf(&c.memory, lane); to%tensorSharedAlign != 0 {
		return nil, nil, b.accessFault(w, pc, lane, to, driver.ErrorMisalignedAddress, "the address of a box in shared memory, %#x, is not a multiple of %d", to, tensorSharedAlign)
	}
	for _, r := range c.at {
		at = append(at, int64(int32(w.regs[r][lane])))
	}
	for n, r := range c.offsets {
		tensor.SetOffset(n, uint16(w.regs[r][lane]))
	}
	return &tensor, at, c.refused(b, w, pc, lane, &tensor, at)
}

// refused is the fault of a box where Hopper GPUs end with an illegal instruction: an H200 was asked.
// CUDA C++ Programming Guide, Tensor Memory Access: stores may not begin before the tensor.
func (c *tensorCopy) refused(b *block, w *warp, pc int32, lane int, m *tensormap.Map, at []int64) *Failure {
	if offset := at[0] * int64(m.ElementBytes()); offset%tensormap.RowUnit != 0 {
		return b.fault(w, pc, lane, driver.ErrorIllegalInstruction, "the box begins at byte %d of a row of the tensor, which is not a multiple of %d", offset, tensormap.RowUnit)
	}
	if d, first, last := m.OutsideBox(at); d > 0 {
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "coordinate %d of the first pixel is %d, and the box of im2col goes from %d to %d there", d, at[d], first, last)
	}
	for d, n := range at {
		if n < 0 && c.arrival == nil {
			return b.fault(w, pc, lane, driver.ErrorIllegalInstruction, "coordinate %d of the box is %d: a store may end behind the tensor, but not begin before it", d, n)
		}
	}
	return nil
}

func (c *tensorCopy) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	return each(e, func(lane int) *Failure {
		m, at, fault := c.box(b, w, pc, lane)
		if fault != nil {
			return fault
		}
		if c.arrival == nil {
			for p := range m.Pieces(at, w.addressOf(&c.memory, lane)) {
				if fault := c.store(b, w, pc, lane, m, p); fault != nil {
					return fault
				}
			}
			return nil
		}
		return c.arrival.each(b, w, pc, lane, m.BoxBytes(), func(rank int) *Failure {
			for p := range m.Pieces(at, b.inBlock(rank, w.addressOf(&c.memory, lane))) {
				if fault := c.load(b, w, pc, lane, m, p); fault != nil {
					return fault
				}
			}
			return nil
		})
	})
}

// load copies p to shared memory. What lies outside of the tensor is zero.
func (c *tensorCopy) load(b *block, w *warp, pc int32, lane int, m *tensormap.Map, p tensormap.Piece) *Failure {
	to, fault := b.span(&c.memory, w, pc, lane, p.Shared, p.Bytes, writes)
	if fault != nil {
		return fault
	}
	dst := unsafe.Slice((*byte)(to), p.Bytes)
	if !p.Inside {
		clear(dst)
		return nil
	}
	from, fault := b.span(&c.tensor, w, pc, lane, p.Global, p.Bytes, reads)
	if fault != nil {
		return fault
	}
	copy(dst, unsafe.Slice((*byte)(from), p.Bytes))
	return narrowElements(m, b, w, pc, lane, dst, true)
}

// store copies p to the tensor, or reduces the tensor by it. What lies outside is dropped, but for what an
// H200 stores behind the rows of a tensor; there it is dropped where it is no memory of the tensor's allocation.
func (c *tensorCopy) store(b *block, w *warp, pc int32, lane int, m *tensormap.Map, p tensormap.Piece) *Failure {
	switch {
	case p.Behind && !c.hasMemory(b, w, m, &p):
		return nil
	case !p.Inside && !p.Behind:
		return nil
	}
	from, fault := b.span(&c.memory, w, pc, lane, p.Shared, p.Bytes, reads)
	if fault != nil {
		return fault
	}
	src := append([]byte(nil), unsafe.Slice((*byte)(from), p.Bytes)...)
	if fault := narrowElements(m, b, w, pc, lane, src, false); fault != nil {
		return fault
	}
	kind := writes
	if c.reduction != "" {
		kind = updates
	}
	to, fault := b.span(&c.tensor, w, pc, lane, p.Global, p.Bytes, kind)
	if fault != nil {
		return fault
	}
	if c.reduction == "" {
		copy(unsafe.Slice((*byte)(to), p.Bytes), src)
		return nil
	}
	update := reductionOf(c.reduction, m.Type)
	if update == nil {
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "there is no reduction .%s of tensors of this type", c.reduction)
	}
	reduce(to, src, int(m.ElementBytes()), update)
	return nil
}

// hasMemory cuts p to the elements that are in the allocation of those before, and reports whether there are any.
func (c *tensorCopy) hasMemory(b *block, w *warp, m *tensormap.Map, p *tensormap.Piece) bool {
	r, what := b.locate(w, c.tensor.In.Space, p.Global-1, true)
	end := r.from + r.size
	if what != "" || end <= p.Global {
		return false
	}
	p.Bytes = min(p.Bytes, (end-p.Global)/m.ElementBytes()*m.ElementBytes())
	return p.Bytes > 0
}

// narrowElements makes elements what the type of the tensor has: with subnormal numbers flushed, or of TF32.
// What the ISA leaves open there is a fault: how numbers are rounded to TF32, and what is stored.
func narrowElements(m *tensormap.Map, b *block, w *warp, pc int32, lane int, elements []byte, load bool) *Failure {
	flush := m.Type == driver.TensorFloat32FTZ || m.Type == driver.TensorTFloat32FTZ
	tf32 := m.Type == driver.TensorTFloat32 || m.Type == driver.TensorTFloat32FTZ
	for at := 0; (flush || tf32) && at < len(elements); at += 4 {
		element := (*uint32)(unsafe.Pointer(&elements[at]))
		if flush && *element&0x7f800000 == 0 && *element&0x7fffff != 0 {
			if !load {
				return b.fault(w, pc, lane, driver.ErrorNotSupported, "the simulated device does not store subnormal numbers, %#x, to tensors that flush them", *element)
			}
			*element &= 1 << 31
		}
		if tf32 && *element&0x1fff != 0 {
			return b.fault(w, pc, lane, driver.ErrorNotSupported, "the element %#x of a tensor of TF32 has more than 10 bits of mantissa: the simulated device does not know how it is rounded; round it before", *element)
		}
	}
	return nil
}

// An arrival is where a copy to shared memory arrives, and the barrier that hears of it: in the block
// that the addresses name or, of a multicast, at the same places of each block of the cluster that a
// mask names.
type arrival struct {
	barrier bytecode.Address
	mask    int32 // register, or -1
}

func (a *arrival) Registers() []*int32 {
	if a.mask < 0 {
		return []*int32{&a.barrier.In.A}
	}
	return []*int32{&a.barrier.In.A, &a.mask}
}

// arrives returns the operands of in without the mask of a multicast, which goes to a. There
// are want of them, or it is an error.
func arrives(d *bytecode.Decoder, in *ptx.Instr, want int, a **arrival) []ptx.Operand {
	*a = &arrival{mask: -1}
	args := in.Args
	if bytecode.Has(in, "multicast::cluster") {
		d.K.Clusters = true
		if !d.Operands(in, want+1) {
			return nil
		}
		(*a).mask = d.Src(args[want], "b16")
		return args[:want]
	}
	if !d.Operands(in, want) {
		return nil
	}
	return args
}

// asNamed is the rank of the block that an address itself names.
const asNamed = -1

// ranks returns the blocks of the cluster where the copy of a lane arrives.
func (a *arrival) ranks(w *warp, lane int) (ranks []int) {
	if a == nil || a.mask < 0 {
		return []int{asNamed}
	}
	for mask := uint32(uint16(w.regs[a.mask][lane])); mask != 0; mask &= mask - 1 {
		ranks = append(ranks, bits.TrailingZeros32(mask))
	}
	return ranks
}

// inBlock makes a shared address that of the same place in the block of a rank.
func (b *block) inBlock(rank int, addr uint64) uint64 {
	if rank == asNamed {
		return addr
	}
	if addr &^= peerMask; b.cluster == nil || b.cluster.blocks[rank] == b {
		return addr
	}
	return addr | uint64(rank+1)<<memory.PeerShift
}

// each calls do for each block where the copy of a lane arrives, and tells the barrier there of bytes.
func (a *arrival) each(b *block, w *warp, pc int32, lane int, bytes uint64, do func(rank int) *Failure) *Failure {
	blocks := 1
	if b.cluster != nil {
		blocks = len(b.cluster.blocks)
	}
	for _, rank := range a.ranks(w, lane) {
		if rank >= blocks {
			return b.fault(w, pc, lane, driver.ErrorIllegalAddress, "a multicast to block %d of a cluster of %d", rank, blocks)
		}
		if b.races != nil {
			b.races.collect()
		}
		if fault := do(rank); fault != nil {
			return fault
		}
		if fault := a.complete(b, w, pc, lane, bytes, b.inBlock(rank, w.addressOf(&a.barrier, lane))); fault != nil {
			return fault
		}
	}
	return nil
}

// complete tells the barrier at addr of bytes.
func (a *arrival) complete(b *block, w *warp, pc int32, lane int, bytes, addr uint64) *Failure {
	p, fault := b.span(&a.barrier, w, pc, lane, addr, mbarrier.Bytes, writes)
	switch {
	case fault != nil:
		return fault
	case addr%8 != 0:
		return b.accessFault(w, pc, lane, addr, driver.ErrorMisalignedAddress, "shared address %#x is not aligned to 8 bytes", addr)
	case !isBarrier(*(*mbarrier.State)(p)):
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "there is no initialised mbarrier at shared address %#x", addr)
	}
	if b.races != nil {
		b.races.deliver(w, pc, lane, p)
	}
	b.completeBytes(p, bytes)
	return nil
}
