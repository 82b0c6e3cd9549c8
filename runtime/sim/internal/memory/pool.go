package memory

import (
	"maps"
	"sync/atomic"
)

// A Pool counts what is allocated from it. What is freed stays reserved up to the
// threshold, as on a device, although the memory itself goes back to Go at once.
type Pool struct {
	Limit                  uint64 // of used; 0 for none
	Threshold              uint64
	Used, UsedHigh         uint64 // bytes
	Reserved, ReservedHigh uint64
	Allocations            map[uint64]uint64 // device address → bytes

	others atomic.Pointer[map[*Memory]bool] // devices with access besides its own
}

// allows reports whether the device with memory m has access.
func (p *Pool) allows(m *Memory) bool {
	others := p.others.Load()
	return others != nil && (*others)[m]
}

// SetAccess gives the device with memory m access, or takes it away. Its owner's mu is held.
func (p *Pool) SetAccess(m *Memory, access bool) {
	others := make(map[*Memory]bool)
	if old := p.others.Load(); old != nil {
		maps.Copy(others, *old)
	}
	others[m] = access
	p.others.Store(&others)
}

func NewPool() *Pool { return &Pool{Allocations: make(map[uint64]uint64)} }

func (p *Pool) Add(addr, bytes uint64) {
	p.Allocations[addr] = bytes
	p.Used += bytes
	p.UsedHigh = max(p.UsedHigh, p.Used)
	p.Reserved = max(p.Reserved, inPieces(p.Used+poolPiece-1))
	p.ReservedHigh = max(p.ReservedHigh, p.Reserved)
}

// Trim gives back what is reserved beyond keep and not used.
func (p *Pool) Trim(keep uint64) {
	p.Reserved = max(inPieces(p.Used+poolPiece-1), min(p.Reserved, inPieces(keep)))
}

// poolPiece is what a pool takes from the device at a time, in bytes: what the H200's does
// (driver 580).
const poolPiece = 32 << 20

// inPieces returns bytes rounded down to whole pieces.
func inPieces(bytes uint64) uint64 { return bytes / poolPiece * poolPiece }
