package stops

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
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

// Watches reports whether there are watchpoints, of which Access needs to be told.
func (l *Launch) Watches() bool {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	return len(l.d.watches) > 0
}

// Access is told of an access by the instruction that is being executed: width bytes at an address in a space, of shared memory in that of the block
// owner. It writes, or reads, or does both.
func (l *Launch) Access(lane int, space bytecode.Space, addr, width uint64, owner driver.Dim3, reads, writes bool) {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	for _, watch := range l.d.watches {
		if watch.IsRegister || watch.Space != space || addr >= watch.Address+watch.Bytes || watch.Address >= addr+width {
			continue
		}
		if !(reads && watch.Reads) && !(writes && watch.Writes) {
			continue
		}
		if space != bytecode.Global && (watch.Kernel != l.Kernel.Name || watch.Block != owner) {
			continue
		}
		if space == bytecode.Local && (watch.Warp != l.now.warp || watch.Lane != lane) {
			continue
		}
		l.noteAccess(watch, lane, writes)
	}
}

// noteAccess logs an access, or stops the launch behind it. d.mu is held.
func (l *Launch) noteAccess(watch *Watchpoint, lane int, write bool) *Access {
	now := &l.now
	a := &Access{
		Watch: watch.ID, Moment: Moment{l.Number, l.count, true}, Kernel: l.Kernel.Name, Block: now.block,
		Thread: limits.At(uint64(now.warp*bytecode.WarpSize+lane), l.Config.Block), Warp: now.warp, Lane: lane, PC: now.pc, Place: l.Kernel.Places[now.pc], Write: write,
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

// watchRegisters looks whether an instruction has changed a register that a watchpoint is for.
func (l *Launch) watchRegisters() {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	now := &l.now
	for _, watch := range l.d.watches {
		if !watch.IsRegister || watch.Kernel != l.Kernel.Name || watch.Block != now.block || watch.Warp != now.warp {
			continue
		}
		register := now.w.Register(watch.Register)
		if register == nil {
			continue
		}
		value := register[watch.Lane]
		if watch.known && value != watch.value {
			a := l.noteAccess(watch, watch.Lane, true)
			a.Before, a.Now = watch.value, value
		}
		watch.known, watch.value = true, value
	}
}
