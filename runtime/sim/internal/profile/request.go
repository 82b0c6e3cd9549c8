package profile

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

const (
	sectorBytes = 32
	wordBytes   = 4
	banks       = 32
	lineBytes   = banks * wordBytes // that shared memory hands out in a wavefront
)

// A request is what lanes of a warp access at once, by their offsets behind by.
type request struct {
	at      *driver.InstructionCounts
	pc      int32
	warp    int32
	lanes   uint32
	width   uint64 // bytes of a lane, which are aligned to that
	pattern simd.Pattern
	atomic  bool
	reads   bool

	offsets *simd.Lanes
	by      uint64
	crowd   uint64 // the most lanes at one address; 0 while it is not known
}

// addr is the address of a lane, or its offset in the memory that all lanes access.
func (r *request) addr(lane int) uint64 { return r.offsets[lane&(bytecode.WarpSize-1)] + r.by }

// global counts a request of global memory: the sectors that it touches, and those that its bytes would fill. Bytes that several
// lanes ask for count once.
//
// CUDA C++ Best Practices Guide, Coalesced Access to Global Memory.
func (c *Counts) global(r *request) {
	sectors, ideal := c.sectors(r)
	r.at.GlobalRequests++
	r.at.GlobalSectors += sectors
	r.at.GlobalIdeal += ideal
	c.note(r, driver.GlobalSectors, sectors, ideal)
	if r.atomic {
		c.updates(r)
	}
}

// sectors returns how many sectors r touches, and how many its bytes would fill.
func (c *Counts) sectors(r *request) (touched, ideal uint64) {
	first := r.addr(bits.TrailingZeros32(r.lanes))
	switch r.pattern {
	case simd.Equal:
		return 1, 1
	case simd.Consecutive:
		bytes := r.width * bytecode.WarpSize
		return (first%sectorBytes + bytes + sectorBytes - 1) / sectorBytes, (bytes + sectorBytes - 1) / sectorBytes
	case simd.HalfEqual:
		return runs(first, r.addr(bytecode.WarpSize/2), r.width)
	case simd.HalfConsecutive:
		return runs(first, r.addr(bytecode.WarpSize/2), r.width*bytecode.WarpSize/2)
	}
	sectors, distinct, ascending := uint64(1), uint64(1), true
	last := first
	for e := r.lanes & (r.lanes - 1); e != 0; e &= e - 1 {
		o := r.addr(bits.TrailingZeros32(e))
		if o < last {
			ascending = false
			break
		}
		if o != last {
			distinct++
		}
		if o/sectorBytes != last/sectorBytes {
			sectors++
		}
		last = o
	}
	if !ascending {
		sectors, distinct = 0, 0
		c.sectorSet.reset()
		c.wordSet.reset()
		for e := r.lanes; e != 0; e &= e - 1 {
			o := r.addr(bits.TrailingZeros32(e))
			if c.wordSet.add(o) == 1 {
				distinct++
			}
			if c.sectorSet.add(o/sectorBytes) == 1 {
				sectors++
			}
		}
	}
	return sectors, (distinct*r.width + sectorBytes - 1) / sectorBytes
}

// runs returns how many sectors two runs of bytes touch, and how many they would fill.
func runs(a, b, bytes uint64) (touched, ideal uint64) {
	a, b = min(a, b), max(a, b)
	lastOfA, firstOfB := (a+bytes-1)/sectorBytes, b/sectorBytes
	touched = (b+bytes-1)/sectorBytes - a/sectorBytes + 1
	if firstOfB > lastOfA {
		touched -= firstOfB - lastOfA - 1
	}
	return touched, (min(b-a, bytes) + bytes + sectorBytes - 1) / sectorBytes
}

// shared counts a request of shared memory: the wavefronts that it takes, and those that it takes without bank conflicts.
//
// CUDA C++ Programming Guide, Compute Capability 5.x: Shared Memory: 32 banks of 4 bytes, of which each hands out one word at a time,
// to all lanes that ask for it. Lanes that access 8 bytes are served by half warps, and of 16 bytes by quarters; two neighbouring
// parts at once where their lanes come in pairs that access the same (docs/profiling.md has what was measured).
func (c *Counts) shared(r *request) {
	wavefronts, ideal := c.wavefronts(r)
	r.at.SharedRequests++
	r.at.SharedWavefronts += wavefronts
	r.at.SharedIdeal += ideal
	c.note(r, driver.SharedWavefronts, wavefronts, ideal)
	if r.atomic {
		c.updates(r)
	}
}

// wavefronts returns how many wavefronts r takes, and how many without conflicts.
func (c *Counts) wavefronts(r *request) (taken, ideal uint64) {
	parts := max(1, int(r.width/wordBytes))
	switch {
	case r.pattern == simd.Consecutive:
		return uint64(parts), uint64(parts)
	case r.pattern == simd.Equal && r.reads:
		return uint64((parts + 1) / 2), uint64((parts + 1) / 2)
	case r.pattern == simd.Equal:
		return uint64(parts), uint64(parts)
	case r.pattern == simd.HalfEqual && parts == 1:
		if apart := r.halves(); apart != 0 && apart%banks == 0 {
			return 2, 1
		}
		return 1, 1
	case r.pattern == simd.HalfConsecutive && r.width == wordBytes:
		if apart := r.halves(); apart > banks/2 && apart%banks != banks/2 {
			return 2, 1
		}
		return 1, 1
	case r.lanes == bytecode.Full && r.width == wordBytes:
		if stride, ok := r.stride(); ok {
			return strided(stride / wordBytes), 1
		}
	}
	each := bytecode.WarpSize / parts
	if parts > 1 && r.paired() {
		each *= 2
	}
	for from := 0; from < bytecode.WarpSize; from += each {
		most := c.conflict(r, r.lanes&((1<<each-1)<<from))
		taken += most
		ideal += min(most, 1)
	}
	return taken, ideal
}

// paired reports whether r reads and each lane has a partner, the one beside it or, for all of them, the one beside that, which reads the same or nothing.
func (r *request) paired() bool {
	if !r.reads {
		return false
	}
	for _, apart := range []int{1, 2} {
		all := true
		for e := r.lanes; e != 0 && all; e &= e - 1 {
			l := bits.TrailingZeros32(e)
			all = r.lanes>>(l^apart)&1 == 0 || r.addr(l) == r.addr(l^apart)
		}
		if all {
			return true
		}
	}
	return false
}

// halves is how many words the halves of the warp are apart.
func (r *request) halves() uint64 {
	a, b := r.addr(0)/wordBytes, r.addr(bytecode.WarpSize/2)/wordBytes
	return max(a, b) - min(a, b)
}

// stride returns how far apart all lanes are, if that is one number.
func (r *request) stride() (stride uint64, ok bool) {
	o := r.offsets
	stride = o[1] - o[0]
	differ := uint64(0)
	for l := 2; l < len(o); l++ {
		differ |= (o[l] - o[l-1]) ^ stride
	}
	return stride, differ == 0
}

// strided is the lanes that share a bank where lanes are so many words apart.
func strided(words uint64) uint64 {
	if words == 0 {
		return 1
	}
	return 1 << min(bits.TrailingZeros64(words), 5)
}

// conflict returns the most words that lanes ask one bank for.
func (c *Counts) conflict(r *request, lanes uint32) (most uint64) {
	var words [banks]uint64
	crowd := uint8(0)
	c.wordSet.reset()
	for ; lanes != 0; lanes &= lanes - 1 {
		first := r.addr(bits.TrailingZeros32(lanes)) / wordBytes
		for word := first; word < first+max(1, r.width/wordBytes); word++ {
			n := c.wordSet.add(word)
			if n == 1 {
				words[word%banks]++
				most = max(most, words[word%banks])
			}
			crowd = max(crowd, n)
		}
	}
	if r.width == wordBytes {
		r.crowd = uint64(crowd)
	}
	return most
}

// updates counts an atomic: lanes that update one address do so one after another.
func (c *Counts) updates(r *request) {
	rounds := uint64(1)
	switch {
	case r.pattern == simd.Equal:
		rounds = bytecode.WarpSize
	case r.pattern == simd.Consecutive:
	case r.crowd > 0:
		rounds = r.crowd
	default:
		c.wordSet.reset()
		for e := r.lanes; e != 0; e &= e - 1 {
			rounds = max(rounds, uint64(c.wordSet.add(r.addr(bits.TrailingZeros32(e)))))
		}
	}
	r.at.AtomicRequests++
	r.at.AtomicRounds += rounds
	c.note(r, driver.AtomicRounds, rounds, 1)
}

// local counts a request of local memory. The words of one address of 32 threads lie side by side.
//
// CUDA C++ Programming Guide, Device Memory Accesses: Local Memory.
func (c *Counts) local(r *request) {
	words := max(1, r.width/wordBytes)
	sectors := uint64(0)
	if r.pattern == simd.Equal {
		sectors = words * lineBytes / sectorBytes
	} else {
		c.sectorSet.reset()
		for e := r.lanes; e != 0; e &= e - 1 {
			l := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
			for n := range words {
				if c.sectorSet.add((r.addr(l)/wordBytes+n)*(lineBytes/sectorBytes)+uint64(l)/(sectorBytes/wordBytes)) == 1 {
					sectors++
				}
			}
		}
	}
	r.at.LocalRequests++
	r.at.LocalSectors += sectors
	r.at.LocalBytes += uint64(bits.OnesCount32(r.lanes)) * r.width
}

// note keeps r if it wastes most of what its instruction has asked for.
func (c *Counts) note(r *request, cost driver.Cost, count, ideal uint64) {
	if count <= ideal {
		return
	}
	kept := c.worst[r.pc][cost-1]
	p := driver.ProfiledRequest{Cost: cost, Count: uint32(count), Ideal: uint32(ideal), Block: c.block, Warp: r.warp, Lanes: r.lanes, Width: uint32(r.width)}
	if kept != nil && !p.Precedes(kept) {
		return
	}
	from := r.addr(bits.TrailingZeros32(r.lanes)) &^ memory.OffsetMask
	for e := r.lanes; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e)
		p.Addresses[l] = r.addr(l) - from
	}
	if kept == nil {
		kept = new(driver.ProfiledRequest)
		c.worst[r.pc][cost-1] = kept
	}
	*kept = p
}

// A set is numbers of one request.
type set struct {
	keys  [setSize]uint64
	when  [setSize]uint32 // the request that has put a key there
	times [setSize]uint8
	now   uint32
}

const setSize = 1 << setBits

// setBits leaves at least half of the places of a set empty.
const setBits = 8

// reset makes s empty.
func (s *set) reset() {
	if s.now++; s.now == 0 {
		*s = set{now: 1}
	}
}

// add adds a number, and returns how often it was added. A request has at most 128.
func (s *set) add(key uint64) uint8 {
	n := key * 0x9e3779b97f4a7c15 >> (64 - setBits)
	for ; s.when[n] == s.now; n = (n + 1) % setSize {
		if s.keys[n] == key {
			s.times[n]++
			return s.times[n]
		}
	}
	s.keys[n], s.when[n], s.times[n] = key, s.now, 1
	return 1
}
