package interp

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// What an earlier access did, besides "wrote" and "read".
const (
	copyWrites = "copies to"
	copyReads  = "copies from"

	productReads = "multiplies"
)

// race reports the race between a and an access before, of lane l of warp v at other.
func (r *races) race(a *access, lane int, cell uint64, v, l int, other int32, did string, together bool) {
	r.block(a.warp).report(placeOf{racecheck, a.pc, other}, func() *Failure { return r.describe(a, lane, cell, v, l, other, did, together) })
}

// describe describes the race between a and an access before, of lane l of warp v at other.
func (r *races) describe(a *access, lane int, cell uint64, v, l int, other int32, did string, together bool) *Failure {
	b, w, pc := r.block(a.warp), a.w, a.pc
	does := [...]string{"reads", "writes", "updates"}[a.kind]
	if a.column >= r.warps {
		does = "a copy writes"
	}
	at := cell % r.bytes
	memory, mend := "shared", "put __syncthreads() between"
	if rank := int(cell / r.bytes); r.blocks[rank] != b {
		memory, mend = fmt.Sprintf("block (%d,%d,%d)'s shared", r.blocks[rank].index.X, r.blocks[rank].index.Y, r.blocks[rank].index.Z), "put cluster.sync() between"
	}
	from := r.block(v)
	thread := from.thread(v%len(from.warps)*bytecode.WarpSize + l)
	who, where := fmt.Sprintf("thread (%d,%d,%d)", thread.X, thread.Y, thread.Z), b.k.Where(other)
	if from != b {
		who, mend = who+fmt.Sprintf(" of block (%d,%d,%d)", from.index.X, from.index.Y, from.index.Z), "put cluster.sync() between"
	}
	report := func(format string, args ...any) *Failure {
		return b.accessFault(w, pc, lane, at, driver.ErrorLaunchFailed, "race: "+format, args...)
	}
	switch {
	case together:
		return report("%s writes another value to %s address %#x in the same instruction: let one thread write, or use an atomic", who, memory, at)
	case did == copyWrites:
		return report("%s %s address %#x, to which %s copies at %s, and does not know that the copy is done: wait for the copy (its group or mbarrier), and let other threads know by a barrier behind the wait", does, memory, at, who, where)
	case did == copyReads:
		return report("%s %s address %#x, from which %s still copies at %s: wait for the copy's group before", does, memory, at, who, where)
	case did == productReads:
		return report("%s %s address %#x, which wgmma of warp %d still reads at %s: commit its group and wait for it (wgmma.wait_group) before, and let other threads know by a barrier behind the wait", does, memory, at, v%len(from.warps), where)
	case v == a.warp:
		return report("%s %s address %#x, which %s of the same warp %s at %s, with nothing between that orders them: put __syncwarp() or __syncthreads() between", does, memory, at, who, did, where)
	}
	return report("%s %s address %#x, which %s %s at %s, with no barrier between: %s", does, memory, at, who, did, where, mend)
}
