package profile

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A move is what a lane accesses in an operation.
type move struct {
	space bytecode.Space
	lane  int32
	addr  uint64
	width uint64
	write bool
}

// Move says that an operation at pc accesses width bytes at addr for a lane.
func (c *Counts) Move(space bytecode.Space, pc int32, warp, lane int, addr, width uint64, write bool) {
	if len(c.moves) > 0 && (c.moved != pc || c.mover != int32(warp)) {
		c.settle()
	}
	if space == bytecode.Generic {
		space = spaceOf(addr)
	}
	c.moved, c.mover = pc, int32(warp)
	c.moves = append(c.moves, move{space, int32(lane), addr, width, write})
}

// Update counts an atomic of the lanes e of a warp that is an operation. addrs are their addresses.
func (c *Counts) Update(in *bytecode.Instr, pc int32, warp int, e uint32, addrs *simd.Lanes) {
	c.settle()
	c.access(in, &c.at[pc], pc, warp, e, addrs)
}

// settle counts the operation whose accesses were told.
func (c *Counts) settle() {
	if len(c.moves) == 0 {
		return
	}
	moves, name := c.moves, ptx.NameIn(c.kernel.Places[c.moved].Text)
	c.moves = c.moves[:0]
	if ptx.IsProduct(name) { // wgmma reads shared memory by descriptors, and waits for no bank
		return
	}
	at := &c.at[c.moved]
	slices.SortStableFunc(moves, func(a, b move) int {
		return cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.addr, b.addr))
	})
	for from := 0; from < len(moves); {
		to := from + 1
		for to < len(moves) && moves[to].space == moves[from].space {
			to++
		}
		switch part := moves[from:to]; {
		case part[0].space == bytecode.Global:
			sectors, bytes := union(part)
			at.GlobalRequests++
			at.GlobalSectors += sectors
			ideal := (bytes + sectorBytes - 1) / sectorBytes
			at.GlobalIdeal += ideal
			if r, ok := c.requestOf(at, part); ok && isByWarp(name) {
				c.note(&r, driver.GlobalSectors, sectors, ideal)
			}
		case part[0].space == bytecode.Shared && isByWarp(name):
			c.moveShared(at, part)
		}
		from = to
	}
}

// union returns how many sectors moves touch, which are in the order of their addresses, and their bytes.
func union(moves []move) (sectors, bytes uint64) {
	end, endSector := uint64(0), uint64(0) // of what was seen
	for _, m := range moves {
		last := m.addr + m.width
		if from := max(m.addr, end); from < last {
			bytes += last - from
			end = last
		}
		lastSector := (last + sectorBytes - 1) / sectorBytes
		if from := max(m.addr/sectorBytes, endSector); from < lastSector {
			sectors += lastSector - from
			endSector = lastSector
		}
	}
	return sectors, bytes
}

// requestOf returns moves as a request as of ld. ok is false if a lane has several, or they are not alike.
func (c *Counts) requestOf(at *driver.InstructionCounts, moves []move) (r request, ok bool) {
	r = request{at: at, pc: c.moved, warp: c.mover, width: moves[0].width, pattern: simd.Anywhere, offsets: &c.offset}
	for _, m := range moves {
		if r.lanes>>m.lane&1 != 0 || m.width != r.width {
			return r, false
		}
		r.lanes |= 1 << m.lane
		c.offset[m.lane] = m.addr
	}
	return r, bits.OnesCount64(r.width) == 1 && r.width <= 16
}

// moveShared counts what lanes access at once. One access of each lane is a request as of ld. A fragment of a matrix, of which lanes have
// several parts, is taken as one request of all its words: an estimate.
func (c *Counts) moveShared(at *driver.InstructionCounts, moves []move) {
	if r, ok := c.requestOf(at, moves); ok {
		c.shared(&r)
		return
	}
	words := make(map[uint64]bool)
	var most uint64
	var of [banks]uint64
	for _, m := range moves {
		for word := m.addr / wordBytes; word < (m.addr+m.width+wordBytes-1)/wordBytes; word++ {
			if !words[word] {
				words[word] = true
				of[word%banks]++
				most = max(most, of[word%banks])
			}
		}
	}
	ideal := uint64(len(words)+banks-1) / banks
	at.SharedRequests++
	at.SharedWavefronts += most
	at.SharedIdeal += ideal
}

// isByWarp reports whether the lanes of a warp access memory together in an operation, as in ld: not in those that the copy
// engine, barriers or one thread do.
func isByWarp(name []string) bool {
	switch name[0] {
	case "ldmatrix", "stmatrix", "wmma", "ld", "st", "atom", "red":
		return true
	case "cp":
		return len(name) > 2 && name[1] == "async" && name[2] != "bulk" && name[2] != "mbarrier"
	}
	return false
}
