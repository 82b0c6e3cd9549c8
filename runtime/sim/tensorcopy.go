package sim

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// PTX ISA, Data Movement and Conversion Instructions: cp.async.bulk.tensor,
// cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor, in tiled mode, and loads in im2col mode. As other
// asynchronous copies, they are done when they are issued.
func tensorForms() []form {
	const dims = ".1d|2d|3d|4d|5d"
	const hint = ".L2::cache_hint?"
	const images = ".3d|4d|5d"
	const load = "cp.async.bulk.tensor"
	const done = ".global.tile?.mbarrier::complete_tx::bytes"
	const columns = ".global.im2col.mbarrier::complete_tx::bytes"
	return []form{
		{load + dims + ".shared::cluster|shared::cta" + done + hint, assembleTensorCopy},
		{load + dims + ".shared::cluster" + done + ".multicast::cluster" + hint, assembleTensorCopy},
		{load + dims + ".global.shared::cta.tile?.bulk_group" + hint, assembleTensorCopy},
		{"cp.reduce.async.bulk.tensor" + dims + ".global.shared::cta.add|min|max|inc|dec|and|or|xor.tile?.bulk_group" + hint, assembleTensorCopy},
		{"cp.async.bulk.prefetch.tensor" + dims + ".L2.global.tile?" + hint, assembleTensorPrefetch},
		{load + images + ".shared::cluster|shared::cta" + columns + hint, assembleTensorCopy},
		{load + images + ".shared::cluster" + columns + ".multicast::cluster" + hint, assembleTensorCopy},
		{"cp.async.bulk.prefetch.tensor" + images + ".L2.global.im2col" + hint, assembleTensorPrefetch},
	}
}

// A tensorCopy copies a box of a tensor to shared memory or back, or reduces to a box.
type tensorCopy struct {
	tensor    address
	at        []int32 // registers of the coordinates
	offsets   []int32 // registers of the offsets of im2col
	im2col    bool
	memory    address // in shared memory
	arrival   *arrival
	reduction string // "" for a copy
}

func (c *tensorCopy) registers() []*int32 {
	regs := append(pointersTo(c.at, c.offsets), &c.tensor.in.a, &c.memory.in.a)
	if c.arrival != nil {
		regs = append(regs, c.arrival.registers()...)
	}
	return regs
}

// tensorAt decodes [map, {coordinates}].
func (d *decoder) tensorAt(in *ptx.Instr, op ptx.Operand) (tensor address, at []int32) {
	a, _ := op.(ptx.Address)
	list, _ := a.Base.(ptx.List)
	if len(list.Elems) != 2 {
		d.invalid("%s: the tensor map and the coordinates stand in square brackets", in.Text)
		return tensor, nil
	}
	rank := 1
	for n := range driver.MaxTensorRank {
		if has(in, string(rune('1'+n))+"d") {
			rank = n + 1
		}
	}
	return d.addressIn(in, ptx.Address{Base: list.Elems[0]}, generic), d.vectorOf(in, list.Elems[1], rank, d.src, "s32")
}

func assembleTensorCopy(d *decoder, in *ptx.Instr) instr {
	in = d.unhinted(in)
	c := &tensorCopy{}
	if in.Mods[0] == "reduce" {
		c.reduction = modifierAmong(in, "add", "min", "max", "inc", "dec", "and", "or", "xor")
		d.k.ordered = true
	}
	args := in.Args
	if !has(in, "mbarrier::complete_tx::bytes") {
		if d.operands(in, 2) {
			c.tensor, c.at = d.tensorAt(in, args[0])
			c.memory = d.addressIn(in, args[1], shared)
		}
		return performs(c)
	}
	want := 3
	if c.im2col = has(in, "im2col"); c.im2col {
		want++
	}
	if args = d.arrives(in, want, &c.arrival); len(args) == want {
		c.memory = d.addressIn(in, args[0], shared)
		c.tensor, c.at = d.tensorAt(in, args[1])
		c.arrival.barrier = d.addressIn(in, args[2], shared)
		c.arrival.barrier.ordered = true
		if c.im2col {
			c.offsets = d.vectorOf(in, args[3], len(c.at)-2, d.src, "b16")
		}
	}
	return performs(c)
}

// assembleTensorPrefetch assembles a hint.
func assembleTensorPrefetch(d *decoder, in *ptx.Instr) instr {
	want := 1 + int(bit(has(in, "im2col")))
	if in = d.unhinted(in); d.operands(in, want) {
		_, at := d.tensorAt(in, in.Args[0])
		if want == 2 {
			d.vectorOf(in, in.Args[1], len(at)-2, d.src, "b16")
		}
	}
	return instr{op: opNothing}
}

// Alignments that the ISA asks for.
const (
	tensorMapAlign    = 64
	tensorSharedAlign = 128
)

// box returns the tensor of a lane and the coordinates of the box.
func (c *tensorCopy) box(b *block, w *warp, pc int32, lane int) (m *tensorMap, at []int64, fault *failure) {
	addr := c.tensor.of(w, lane)
	if addr%tensorMapAlign != 0 {
		return nil, nil, b.accessFault(w, pc, lane, addr, driver.ErrorMisalignedAddress, "the tensor map's address %#x is not a multiple of %d", addr, tensorMapAlign)
	}
	p, fault := c.tensor.span(b, w, pc, lane, addr, uint64(unsafe.Sizeof(driver.TensorMap{})), reads)
	if fault != nil {
		return nil, nil, fault
	}
	tensor, ok := tensorMapOf(*(*driver.TensorMap)(p))
	switch {
	case !ok:
		return nil, nil, b.accessFault(w, pc, lane, addr, driver.ErrorLaunchFailed, "there is no tensor map at address %#x: the simulated device takes those that NewTensorMap has made for it", addr)
	case tensor.rank != len(c.at):
		return nil, nil, b.fault(w, pc, lane, driver.ErrorLaunchFailed, "the copy names %d coordinates, and the tensor has %d dimensions", len(c.at), tensor.rank)
	case c.im2col != (tensor.columns != nil):
		return nil, nil, b.fault(w, pc, lane, driver.ErrorLaunchFailed, "the instruction and the tensor map must both be of im2col or both of boxes")
	}
	if to := c.memory.of(w, lane); to%tensorSharedAlign != 0 {
		return nil, nil, b.accessFault(w, pc, lane, to, driver.ErrorMisalignedAddress, "the address of a box in shared memory, %#x, is not a multiple of %d", to, tensorSharedAlign)
	}
	for _, r := range c.at {
		at = append(at, int64(int32(w.regs[r][lane])))
	}
	for n, r := range c.offsets {
		tensor.columns.offset[n] = int64(uint16(w.regs[r][lane]))
	}
	return &tensor, at, c.refused(b, w, pc, lane, &tensor, at)
}

// rowUnit is what the offset in a row of a tensor at which a box begins is a multiple of, and to what an
// H200 stores: the bytes behind a row, up to a multiple of it, are written as if the tensor had them.
const rowUnit = 16 // bytes

// refused is the fault of a box where Hopper GPUs end with an illegal instruction: an H200 was asked.
// CUDA C++ Programming Guide, Tensor Memory Access: stores may not begin before the tensor.
func (c *tensorCopy) refused(b *block, w *warp, pc int32, lane int, m *tensorMap, at []int64) *failure {
	if offset := at[0] * int64(m.strides[0]); offset%rowUnit != 0 {
		return b.fault(w, pc, lane, driver.ErrorIllegalInstruction, "the box begins at byte %d of a row of the tensor, which is not a multiple of %d", offset, rowUnit)
	}
	if m.columns != nil {
		if d := m.outsideBox(at); d > 0 {
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "coordinate %d of the first pixel is %d, and the box of im2col goes from %d to %d there", d, at[d], m.columns.lower[d-1], m.boxEnd(d)-1)
		}
	}
	for d, n := range at {
		if n < 0 && c.arrival == nil {
			return b.fault(w, pc, lane, driver.ErrorIllegalInstruction, "coordinate %d of the box is %d: a store may end behind the tensor, but not begin before it", d, n)
		}
	}
	return nil
}

func (c *tensorCopy) run(b *block, w *warp, _ *instr, pc int32, e uint32) *failure {
	return each(e, func(lane int) *failure {
		m, at, fault := c.box(b, w, pc, lane)
		if fault != nil {
			return fault
		}
		if c.arrival == nil {
			return m.pieces(at, c.memory.of(w, lane), func(p piece) *failure { return c.store(b, w, pc, lane, m, p) })
		}
		return c.arrival.each(b, w, pc, lane, m.boxBytes(), func(rank int) *failure {
			return m.pieces(at, b.inBlock(rank, c.memory.of(w, lane)), func(p piece) *failure { return c.load(b, w, pc, lane, m, p) })
		})
	})
}

// load copies p to shared memory. What lies outside of the tensor is zero.
func (c *tensorCopy) load(b *block, w *warp, pc int32, lane int, m *tensorMap, p piece) *failure {
	to, fault := c.memory.span(b, w, pc, lane, p.shared, p.bytes, writes)
	if fault != nil {
		return fault
	}
	dst := unsafe.Slice((*byte)(to), p.bytes)
	if !p.inside {
		clear(dst)
		return nil
	}
	from, fault := c.tensor.span(b, w, pc, lane, p.global, p.bytes, reads)
	if fault != nil {
		return fault
	}
	copy(dst, unsafe.Slice((*byte)(from), p.bytes))
	return m.narrow(b, w, pc, lane, dst, true)
}

// store copies p to the tensor, or reduces the tensor by it. What lies outside is dropped, but for what an
// H200 stores behind the rows of a tensor; there it is dropped where it is no memory of the tensor's allocation.
func (c *tensorCopy) store(b *block, w *warp, pc int32, lane int, m *tensorMap, p piece) *failure {
	switch {
	case p.behind && !c.hasMemory(b, w, m, &p):
		return nil
	case !p.inside && !p.behind:
		return nil
	}
	from, fault := c.memory.span(b, w, pc, lane, p.shared, p.bytes, reads)
	if fault != nil {
		return fault
	}
	src := append([]byte(nil), unsafe.Slice((*byte)(from), p.bytes)...)
	if fault := m.narrow(b, w, pc, lane, src, false); fault != nil {
		return fault
	}
	kind := writes
	if c.reduction != "" {
		kind = updates
	}
	to, fault := c.tensor.span(b, w, pc, lane, p.global, p.bytes, kind)
	if fault != nil {
		return fault
	}
	if c.reduction == "" {
		copy(unsafe.Slice((*byte)(to), p.bytes), src)
		return nil
	}
	update := reductionOf(c.reduction, m.typ)
	if update == nil {
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "there is no reduction .%s of tensors of this type", c.reduction)
	}
	reduce(to, src, int(m.strides[0]), update)
	return nil
}

// hasMemory cuts p to the elements that are in the allocation of those before, and reports whether there are any.
func (c *tensorCopy) hasMemory(b *block, w *warp, m *tensorMap, p *piece) bool {
	r, what := b.locate(w, c.tensor.in.space, p.global-1, true)
	end := r.from + r.size
	if what != "" || end <= p.global {
		return false
	}
	p.bytes = min(p.bytes, (end-p.global)/m.strides[0]*m.strides[0])
	return p.bytes > 0
}

// narrow makes elements what the type of the tensor has: with subnormal numbers flushed, or of TF32.
// What the ISA leaves open there is a fault: how numbers are rounded to TF32, and what is stored.
func (m *tensorMap) narrow(b *block, w *warp, pc int32, lane int, elements []byte, load bool) *failure {
	flush := m.typ == driver.TensorFloat32FTZ || m.typ == driver.TensorTFloat32FTZ
	tf32 := m.typ == driver.TensorTFloat32 || m.typ == driver.TensorTFloat32FTZ
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

// A piece is a part of a box whose bytes lie together in the tensor and in shared memory.
type piece struct {
	global uint64 // address
	shared uint64 // address
	bytes  uint64
	inside bool // of the tensor
	behind bool // a row of the tensor, up to a multiple of rowUnit
}

// boxBytes is what a copy moves, elements outside of the tensor included.
func (m *tensorMap) boxBytes() uint64 {
	if m.columns != nil {
		return m.strides[0] * m.box[0] * m.box[1]
	}
	n := m.strides[0]
	for d := range m.rank {
		n *= m.count(d)
	}
	return n
}

// count is how many elements of a dimension a copy takes: those between two steps are left out.
func (m *tensorMap) count(dim int) uint64 { return (m.box[dim] + m.step[dim] - 1) / m.step[dim] }

// pieces calls do for each piece of the box at coordinates, which begins in shared memory at to,
// until one fails.
//
// PTX ISA, Tensors: Tiled Mode, Swizzling Modes. Chunks of 16 bytes change places by their address.
func (m *tensorMap) pieces(at []int64, to uint64, do func(p piece) *failure) *failure {
	var index [driver.MaxTensorRank]uint64
	if m.columns != nil {
		return m.pixels(at, to, do)
	}
	for {
		row, inside := m.address, true
		for d := 1; d < m.rank; d++ {
			pos := at[d] + int64(index[d]*m.step[d])
			inside = inside && pos >= 0 && pos < int64(m.dims[d])
			row += uint64(pos) * m.strides[d]
		}
		if fault := m.row(at[0], row, inside, to, do); fault != nil {
			return fault
		}
		to += m.box[0] * m.strides[0]
		d := 1
		for ; d < m.rank; d++ {
			if index[d]++; index[d] < m.count(d) {
				break
			}
			index[d] = 0
		}
		if d >= m.rank {
			return nil
		}
	}
}

// row calls do for the pieces of a row of a box that begins at element first of the tensor's row at an address, if that
// is inside of the tensor, and in shared memory at to.
func (m *tensorMap) row(first int64, row uint64, inside bool, to uint64, do func(p piece) *failure) *failure {
	size := int64(m.strides[0])
	at, width, length := first*size, int64(m.box[0])*size, int64(m.dims[0])*size
	within := func(end int64) int64 { return min(max(end-at, 0), width) }
	bounds := [...]int64{0, within(0), within(length), within((length + rowUnit - 1) &^ (rowUnit - 1)), width}
	if !inside {
		bounds = [...]int64{0, width, width, width, width}
	}
	for n := range len(bounds) - 1 {
		from, end := bounds[n], bounds[n+1]
		p := piece{global: row + uint64(at+from), shared: to + uint64(from), bytes: uint64(end - from), inside: n == 1, behind: n == 2}
		if fault := p.swizzled(m.swizzle, do); fault != nil {
			return fault
		}
	}
	return nil
}

// chunkBytes is what a swizzle moves as a whole.
const chunkBytes = 16

// swizzled calls do for the parts of p that a swizzle leaves together.
func (p piece) swizzled(swizzle uint, do func(p piece) *failure) *failure {
	if p.bytes == 0 {
		return nil
	}
	if swizzle == 0 {
		return do(p)
	}
	for p.bytes > 0 {
		part := p
		part.bytes = min(p.bytes, chunkBytes-p.shared%chunkBytes)
		part.shared = swizzledAddress(p.shared, swizzle)
		if fault := do(part); fault != nil {
			return fault
		}
		p.shared, p.global, p.bytes = p.shared+part.bytes, p.global+part.bytes, p.bytes-part.bytes
	}
	return nil
}

// swizzledAddress is where a swizzle puts the byte at addr: bits 4 and on are combined with bits 7 and
// on, one of them for a span of 32 bytes, two for 64 and three for 128.
func swizzledAddress(addr uint64, swizzle uint) uint64 {
	return addr ^ addr>>7&(1<<swizzle-1)<<4
}

// An arrival is where a copy to shared memory arrives, and the barrier that hears of it: in the block
// that the addresses name or, of a multicast, at the same places of each block of the cluster that a
// mask names.
type arrival struct {
	barrier address
	mask    int32 // register, or -1
}

func (a *arrival) registers() []*int32 {
	if a.mask < 0 {
		return []*int32{&a.barrier.in.a}
	}
	return []*int32{&a.barrier.in.a, &a.mask}
}

// arrives returns the operands of in without the mask of a multicast, which goes to a. There
// are want of them, or it is an error.
func (d *decoder) arrives(in *ptx.Instr, want int, a **arrival) []ptx.Operand {
	*a = &arrival{mask: -1}
	args := in.Args
	if has(in, "multicast::cluster") {
		d.k.clusters = true
		if !d.operands(in, want+1) {
			return nil
		}
		(*a).mask = d.src(args[want], "b16")
		return args[:want]
	}
	if !d.operands(in, want) {
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
	return addr | uint64(rank+1)<<peerShift
}

// each calls do for each block where the copy of a lane arrives, and tells the barrier there of bytes.
func (a *arrival) each(b *block, w *warp, pc int32, lane int, bytes uint64, do func(rank int) *failure) *failure {
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
		if fault := a.complete(b, w, pc, lane, bytes, b.inBlock(rank, a.barrier.of(w, lane))); fault != nil {
			return fault
		}
	}
	return nil
}

// complete tells the barrier at addr of bytes.
func (a *arrival) complete(b *block, w *warp, pc int32, lane int, bytes, addr uint64) *failure {
	p, fault := a.barrier.span(b, w, pc, lane, addr, mbarrierBytes, writes)
	switch {
	case fault != nil:
		return fault
	case addr%8 != 0:
		return b.accessFault(w, pc, lane, addr, driver.ErrorMisalignedAddress, "shared address %#x is not aligned to 8 bytes", addr)
	case !(*mbarrierState)(p).initialised():
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "there is no initialised mbarrier at shared address %#x", addr)
	}
	if b.races != nil {
		b.races.deliver(w, pc, lane, p)
	}
	b.completeBytes(p, bytes)
	return nil
}
