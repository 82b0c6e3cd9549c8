package sim

import "github.com/cudagen/cudagen/runtime/internal/driver"

// Memory that was freed on a stream is used again by allocations on that stream, before the work in
// front of the free has run, as the driver does it: what uses the new allocation comes behind what used
// the old one. The addresses differ all the same, so that a use after the free is found.

// reuse returns the address of bytes that are being freed on the stream, if there are so many in one
// allocation from p. d.mu is held.
func (d *device) reuse(p *pool, bytes uint64, on driver.Stream) (addr uint64, ok bool) {
	freed := d.freed[on]
	for n, old := range freed {
		if p.allocations[old] != bytes {
			continue
		}
		words, addr, ok := d.mem.handOn(old, p)
		if !ok {
			continue
		}
		d.freed[on] = append(freed[:n:n], freed[n+1:]...)
		delete(p.allocations, old)
		p.allocations[addr] = bytes
		d.streams[on].Enqueue(func() { spoil(words) })
		return addr, true
	}
	return 0, false
}

// forgetFreed notes that the allocation at addr is freed. d.mu is held.
func (d *device) forgetFreed(addr uint64, on driver.Stream) {
	for n, old := range d.freed[on] {
		if old == addr {
			d.freed[on] = append(d.freed[on][:n:n], d.freed[on][n+1:]...)
			return
		}
	}
}
