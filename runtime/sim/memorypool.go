package sim

import (
	"maps"
	"sync/atomic"
)

// A pool counts what is allocated from it. What is freed stays reserved up to the
// threshold, as on a device, although the memory itself goes back to Go at once.
type pool struct {
	limit                  uint64 // of used; 0 for none
	threshold              uint64
	used, usedHigh         uint64 // bytes
	reserved, reservedHigh uint64
	allocations            map[uint64]uint64 // device address → bytes

	others atomic.Pointer[map[*memory]bool] // devices with access besides its own
}

// allows reports whether the device with memory m has access.
func (p *pool) allows(m *memory) bool {
	others := p.others.Load()
	return others != nil && (*others)[m]
}

// setAccess gives the device with memory m access, or takes it away. Its owner's mu is held.
func (p *pool) setAccess(m *memory, access bool) {
	others := make(map[*memory]bool)
	if old := p.others.Load(); old != nil {
		maps.Copy(others, *old)
	}
	others[m] = access
	p.others.Store(&others)
}

func newPool() *pool { return &pool{allocations: make(map[uint64]uint64)} }

func (p *pool) add(addr, bytes uint64) {
	p.allocations[addr] = bytes
	p.used += bytes
	p.usedHigh = max(p.usedHigh, p.used)
	p.reserved = max(p.reserved, inPieces(p.used+poolPiece-1))
	p.reservedHigh = max(p.reservedHigh, p.reserved)
}

// trim gives back what is reserved beyond keep and not used.
func (p *pool) trim(keep uint64) {
	p.reserved = max(inPieces(p.used+poolPiece-1), min(p.reserved, inPieces(keep)))
}

// poolPiece is what a pool takes from the device at a time, in bytes: what the H200's does
// (driver 580).
const poolPiece = 32 << 20

// inPieces returns bytes rounded down to whole pieces.
func inPieces(bytes uint64) uint64 { return bytes / poolPiece * poolPiece }

// reaches reports whether kernels that run in m may access memory of peer.
func (m *memory) reaches(peer *memory) bool {
	peers := m.peers.Load()
	return peers != nil && (*peers)[peer]
}
