package interp

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// A Watchpoint is for accesses to bytes of memory, or for changes of a register.
type Watchpoint struct {
	ID            int
	Space         bytecode.Space // Global, Shared or Local
	Address       uint64
	Bytes         uint64
	Reads, Writes bool
	Logs          bool // accesses are noted, and stop nothing

	// Whose memory or register it is, unless that is global memory.
	Kernel string
	Block  driver.Dim3
	Warp   int // of local memory and registers
	Lane   int

	IsRegister bool
	Register   int32
	known      bool
	value      uint64
}

// access notes the accesses of the lanes of set that a watch is for.
func (l *Launch) access(b *block, w *warp, in *bytecode.Instr, pc int32, set uint32, kind accessKind) {
	if !l.watched() {
		return
	}
	for m := set; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		l.touch(b, w, in.Space, pc, lane, w.regs[in.A][lane]&in.Mask+in.Offset, in.Width(), kind)
	}
}

func (l *Launch) watched() bool {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	return len(l.d.watches) > 0
}

// touch notes an access if a watch is for it.
func (l *Launch) touch(b *block, w *warp, space bytecode.Space, pc int32, lane int, addr, width uint64, kind accessKind) {
	space, addr, owner := b.absolute(space, addr)
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	for _, watch := range l.d.watches {
		if watch.IsRegister || watch.Space != space || addr >= watch.Address+watch.Bytes || watch.Address >= addr+width {
			continue
		}
		if kind == reads && !watch.Reads || kind == writes && !watch.Writes {
			continue
		}
		if space != bytecode.Global && (watch.Kernel != l.Kernel.Name || watch.Block != owner.index) {
			continue
		}
		if space == bytecode.Local && (watch.Warp != w.number() || watch.Lane != lane) {
			continue
		}
		l.noteAccess(b, w, watch, pc, lane, kind != reads)
	}
}

// absolute returns the space that an address is in, and the address there. Of shared memory it returns whose it is.
func (b *block) absolute(space bytecode.Space, addr uint64) (bytecode.Space, uint64, *block) {
	if space == bytecode.Generic {
		switch addr >> memory.OffsetBits {
		case memory.SharedWindow:
			space = bytecode.Shared
		case memory.LocalWindow:
			space = bytecode.Local
		case memory.ParamWindow:
			space = bytecode.Param
		}
		if space != bytecode.Generic {
			addr &= memory.OffsetMask
		}
	}
	switch space {
	case bytecode.Shared:
		if addr&peerMask == 0 {
			return space, addr, b
		}
		if peer, ok := b.peer(addr); ok {
			return space, addr &^ peerMask, peer
		}
	case bytecode.Generic, bytecode.Constant:
		space = bytecode.Global
	}
	return space, addr, b
}

// noteAccess logs an access, or stops the launch behind it. d.mu is held.
func (l *Launch) noteAccess(b *block, w *warp, watch *Watchpoint, pc int32, lane int, write bool) *Access {
	a := &Access{
		Watch: watch.ID, Moment: Moment{l.Number, l.count, true}, Kernel: l.Kernel.Name, Block: b.index, Thread: b.thread(w.first + lane),
		Warp: w.number(), Lane: lane, PC: pc, Place: l.Kernel.Places[pc], Write: write,
	}
	if watch.Logs {
		if target := l.d.target; target.Launch != l.Number || l.count < target.Count || target.After && l.count == target.Count {
			l.d.written = a
		}
		return a
	}
	s := l.stopHere()
	s.Reason, s.Lane, s.Access = AtData, lane, a
	l.hit = &s
	return a
}

// watchRegisters looks whether an instruction has changed a register that a watch is for.
func (l *Launch) watchRegisters() {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	for _, watch := range l.d.watches {
		b, w := l.now.b, l.now.w
		if !watch.IsRegister || watch.Kernel != l.Kernel.Name || watch.Block != b.index || watch.Warp != w.number() || int(watch.Register) >= len(w.regs) {
			continue
		}
		value := w.regs[watch.Register][watch.Lane]
		if watch.known && value != watch.value {
			a := l.noteAccess(b, w, watch, l.now.pc, watch.Lane, true)
			a.Before, a.Now = watch.value, value
		}
		watch.known, watch.value = true, value
	}
}
