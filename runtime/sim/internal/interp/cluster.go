package interp

import (
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A cluster is blocks that reach each other's shared memory and meet at a barrier of their own.
//
// PTX ISA, Cluster of Cooperative Thread Arrays; barrier.cluster.
type cluster struct {
	blocks  []*block // by their rank
	arrived uint32   // threads that wait or will wait for the phase to end
	phase   uint32
}

func (c *cluster) reset() { c.arrived, c.phase = 0, 0 }

// rank is the number of the block in its cluster.
func (b *block) rank() uint32 {
	in, size := limits.Remainder(b.index, b.place.cluster), b.place.cluster
	return in.X + size.X*(in.Y+size.Y*in.Z)
}

// complete ends the phase if all threads of the cluster that have not exited have arrived.
func (c *cluster) complete() {
	live := uint32(0)
	for _, b := range c.blocks {
		live += b.live
	}
	if c.arrived == 0 || c.arrived < live {
		return
	}
	c.arrived = 0
	c.phase++
	if r := c.blocks[0].races; r != nil {
		r.completeCluster()
	}
	if g := c.blocks[0].globalRaces; g != nil {
		g.clusterBarrier(c.blocks)
	}
	for _, b := range c.blocks {
		for n := range b.warps {
			b.warps[n].wake(atCluster)
		}
	}
}

// clusterForms: PTX ISA, barrier.cluster; Data Movement and Conversion Instructions: mapa,
// getctarank.
func clusterForms() []bytecode.Form {
	return []bytecode.Form{
		{Pattern: "barrier.cluster.arrive.release|relaxed?.aligned?", Assemble: clusterOp(bytecode.OpClusterArrive)},
		{Pattern: "barrier.cluster.wait.acquire?.aligned?", Assemble: clusterOp(bytecode.OpClusterWait)},
		{Pattern: "mapa.shared::cluster?.u32|u64", Assemble: assembleMapa},
		{Pattern: "getctarank.shared::cluster?.u32|u64", Assemble: assembleGetctarank},
	}
}

func clusterOp(op bytecode.Opcode) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		d.K.Clusters = true
		d.Operands(in, 0)
		return bytecode.Instr{Op: op, Strong: !bytecode.Has(in, "relaxed")}
	}
}

// assembleMapa decodes mapa d, a, b: the address in block b of the cluster of what a is the
// address of here.
func assembleMapa(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	d.K.Clusters = true
	t := bytecode.LastType(in)
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: mapa}
	if !d.Operands(in, 3) {
		return i
	}
	i.Dst, i.B = d.Dst(in.Args[0], t), d.Src(in.Args[2], "u32")
	if sym, ok := in.Args[1].(ptx.Symbol); ok {
		i.A = arithmetic.AddressOf(d, sym, t)
	} else {
		i.A = d.Src(in.Args[1], t)
	}
	return i
}

// peerMask has the bits of a shared address that number a block of the cluster.
const peerMask = 0xff << memory.PeerShift

func mapa(d, a, b, _ *simd.Lanes) {
	for l := range d {
		d[l] = a[l]&^peerMask | (b[l]+1)<<memory.PeerShift&peerMask
	}
}

// assembleGetctarank decodes getctarank d, a: the rank of the block in whose shared memory a lies.
func assembleGetctarank(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	d.K.Clusters = true
	own, _ := bytecode.SpecialNamed("%cluster_ctarank")
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: getctarank}
	if d.Operands(in, 2) {
		i.Dst, i.A, i.B = d.Dst(in.Args[0], "u32"), d.Src(in.Args[1], bytecode.LastType(in)), d.Special(own)
	}
	return i
}

func getctarank(d, a, b, _ *simd.Lanes) {
	for l := range d {
		if peer := a[l] & peerMask >> memory.PeerShift; peer != 0 {
			d[l] = peer - 1
		} else {
			d[l] = b[l]
		}
	}
}

// peer returns the shared memory of the block of the cluster that addr names, or false.
func (b *block) peer(addr uint64) (*block, bool) {
	n := int(addr & peerMask >> memory.PeerShift)
	if n == 0 {
		return b, true
	}
	if b.cluster == nil || n > len(b.cluster.blocks) {
		return nil, false
	}
	return b.cluster.blocks[n-1], true
}

// arriveCluster executes barrier.cluster.arrive in the lanes e.
func (b *block) arriveCluster(w *warp, in *bytecode.Instr, e uint32) {
	if b.races != nil {
		b.races.arriveCluster(w, e, !in.Strong)
	}
	for m := e; m != 0; m &= m - 1 {
		w.phases[bits.TrailingZeros32(m)] = b.cluster.phase
	}
	b.cluster.arrived += uint32(bits.OnesCount32(e))
	b.cluster.complete()
}

// waitCluster lets the lanes of e whose phase has ended go on, and the others wait.
func (b *block) waitCluster(w *warp, pc int32, e uint32) {
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if w.phases[l] == b.cluster.phase {
			w.push(group{pc: pc, mask: 1 << l, state: atCluster})
		} else {
			if b.races != nil {
				b.races.waitCluster(w, 1<<l)
			}
			w.push(group{pc: pc + 1, mask: 1 << l})
		}
	}
}
