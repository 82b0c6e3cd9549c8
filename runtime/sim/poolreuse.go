package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/queue"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// Memory that was freed is used again before its free has run. Allocations on the same stream come behind the free anyway;
// those on another stream wait for it, which is done only if there is no other room. The addresses differ all the same, so that
// a use after the free is found.
//
// CUDA Driver API, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES.

// A freedMemory is an allocation from a pool, whose free has yet to run.
type freedMemory struct {
	addr uint64
	pool *memory.Pool
	on   driver.Stream
	left uint64 // bytes that no other allocation has
	ran  *queue.Mark
}

// A loan is bytes of freed memory for a new allocation.
type loan struct {
	from  *freedMemory
	bytes uint64
}

// loans returns the freed memory that an allocation of bytes from p on a stream uses: all of one stream, as an H200 has it (driver
// 580), and never together with memory that is free. Which freed memory lies side by side there is not known here. ok is false if
// there is no room. d.mu is held.
func (d *primaryContext) loans(p *memory.Pool, bytes uint64, on driver.Stream) (list []loan, ok bool) {
	if p.Used+bytes > p.Reserved {
		for _, f := range d.freed {
			if f.pool == p && f.on == on && f.left >= bytes {
				return []loan{{f, bytes}}, true
			}
		}
	}
	if d.hasRoom(p, bytes) {
		return nil, true
	}
	if list = d.freedOn(p, bytes, on); list != nil {
		return list, true
	}
	for _, f := range d.freed {
		if list = d.freedOn(p, bytes, f.on); list != nil {
			return list, true
		}
	}
	return nil, false
}

// freedOn returns bytes of memory of p that was freed on a stream, or nil if there are fewer. d.mu is held.
func (d *primaryContext) freedOn(p *memory.Pool, bytes uint64, on driver.Stream) (list []loan) {
	for _, f := range d.freed {
		if f.pool == p && f.on == on && f.left > 0 {
			n := min(f.left, bytes)
			list = append(list, loan{f, n})
			if bytes -= n; bytes == 0 {
				return list
			}
		}
	}
	return nil
}

// leaving returns how many bytes of p were freed, wait for that, and are not lent. d.mu is held.
func (d *primaryContext) leaving(p *memory.Pool) (bytes uint64) {
	for _, f := range d.freed {
		if f.pool == p {
			bytes += f.left
		}
	}
	return bytes
}

// borrow gives list to a new allocation on a stream, which comes behind what others may do with it. It returns memory of it, if the
// first has as much. d.mu is held.
func (d *primaryContext) borrow(p *memory.Pool, bytes uint64, list []loan, on driver.Stream) (data []uint64) {
	stream := d.streams[on]
	for _, l := range list {
		l.from.left -= l.bytes
		p.Used -= l.bytes
		p.Allocations[l.from.addr] -= l.bytes
		if words := lend(d.mem, l.from.addr, l.bytes); l.bytes == bytes {
			data = words
		}
		if l.from.on != on {
			stream.Enqueue(l.from.ran.Wait)
		}
	}
	if data != nil {
		stream.Enqueue(func() { simd.Spoil(data) })
	}
	return data
}

// lend lets a new allocation have n bytes of the one that begins at addr and was freed. It returns their memory, unless others have
// some of it.
func lend(m *memory.Memory, addr, n uint64) (data []uint64) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	a := m.Own(addr)
	if a.Lent == 0 {
		data = a.Data[:(n+7)/8]
	}
	a.Lent += n
	m.Used -= n
	return data
}

// noteFree notes that the allocation at addr is going to be freed on a stream. d.mu is held.
func (d *primaryContext) noteFree(addr uint64, on driver.Stream) *freedMemory {
	f := &freedMemory{addr: addr, on: on, ran: queue.NewMark()}
	for _, p := range d.pools {
		if bytes, ok := p.Allocations[addr]; ok {
			f.pool, f.left = p, bytes
		}
	}
	d.freed = append(d.freed, f)
	return f
}

// forgetFree notes that f was freed. d.mu is held.
func (d *primaryContext) forgetFree(f *freedMemory) {
	for n, other := range d.freed {
		if other == f {
			d.freed = append(d.freed[:n:n], d.freed[n+1:]...)
			break
		}
	}
	if f.pool != nil {
		f.pool.Used -= f.pool.Allocations[f.addr]
		delete(f.pool.Allocations, f.addr)
	}
}

// trimPools does what the driver does to its pools when a caller waits for work.
func (d *primaryContext) trimPools() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.pools {
		p.Trim(p.Threshold)
	}
}

// hasRoom reports whether bytes can be allocated from p: within its limit, and beside what other
// pools keep reserved. d.mu is held.
func (d *primaryContext) hasRoom(p *memory.Pool, bytes uint64) bool {
	used := p.Used + bytes
	if bytes > limits.TotalMemory || p.Limit > 0 && used > p.Limit {
		return false
	}
	if used <= p.Reserved {
		return true
	}
	idle := uint64(0) // reserved and not used
	for _, other := range d.pools {
		if other != p {
			idle += other.Reserved - min(other.Reserved, other.Used)
		}
	}
	return d.mem.InUse()+bytes+idle <= limits.TotalMemory
}
