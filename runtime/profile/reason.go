package profile

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// An arrangement is how the addresses of a request lie.
type arrangement struct {
	lanes    int
	stride   int64 // from each thread to the next, of most of them
	regular  int   // pairs of neighbours that are so far apart
	pairs    int
	distinct int
	crowd    int // the most threads at one address
}

// arrange finds out how the addresses of a request lie.
func arrange(r *driver.ProfiledRequest) (a arrangement) {
	strides, addresses := make(map[int64]int), make(map[uint64]int)
	last, previous := uint64(0), -1
	for l := range r.Addresses {
		if r.Lanes>>l&1 == 0 {
			continue
		}
		addr := r.Addresses[l]
		if a.lanes > 0 && l == previous+1 {
			a.pairs++
			s := int64(addr - last)
			if strides[s]++; strides[s] > a.regular {
				a.regular, a.stride = strides[s], s
			}
		}
		addresses[addr]++
		a.crowd = max(a.crowd, addresses[addr])
		a.lanes++
		last, previous = addr, l
	}
	a.distinct = len(addresses)
	return a
}

// isRegular reports whether nearly all neighbours are as far apart: a row of a tile ends within a warp.
func (a arrangement) isRegular() bool { return a.pairs > 0 && a.regular*8 >= a.pairs*7 }

// sectorBytes is the size of a sector, wordBytes that of what a bank of shared memory holds, and lineBytes that of all banks.
const (
	sectorBytes = 32
	wordBytes   = 4
	lineBytes   = 32 * wordBytes
)

// reason says why a request wastes, and what to do. does is what threads do: reads, writes or updates.
func reason(r *driver.ProfiledRequest, does string) string {
	a := arrange(r)
	switch r.Cost {
	case driver.GlobalSectors:
		return a.scattered(r, does)
	case driver.SharedWavefronts:
		return a.conflicting(r, does)
	}
	if a.crowd == a.lanes {
		return fmt.Sprintf("all %d threads of a warp that come here update one address: sum up in the warp first (shuffles, __reduce_add_sync), or in shared memory", a.lanes)
	}
	return fmt.Sprintf("%d of %d threads of a warp update one address: spread them, or sum up in the warp or in shared memory first", a.crowd, a.lanes)
}

// scattered says why a request touches more sectors than it need.
func (a arrangement) scattered(r *driver.ProfiledRequest, does string) string {
	apart, width := magnitude(a.stride), uint64(r.Width)
	switch {
	case a.isRegular() && apart == width && a.pairs < a.lanes-1:
		return fmt.Sprintf("consecutive threads %s side by side, but others between them take no part, and leave sectors half empty: let threads of whole warps take part", does)
	case a.isRegular() && apart == width:
		return fmt.Sprintf("consecutive threads %s side by side, but %s", does, misaligned(a.rows(r)))
	case a.isRegular() && apart == 0:
		return fmt.Sprintf("threads %s few addresses, which lie in several sectors", does)
	case a.isRegular() && apart <= sectorBytes:
		return fmt.Sprintf("consecutive threads %s %d of every %s: lay the parts of structs out in arrays of their own, or let each thread access all of them at once", does, width, counted(apart, "byte", "bytes"))
	case a.isRegular():
		return fmt.Sprintf("consecutive threads %s rows %s apart: let consecutive threads access consecutive addresses, or turn the tile in shared memory", does, counted(apart, "byte", "bytes"))
	}
	return fmt.Sprintf("the threads of a warp %s %d places that lie apart: sort the indices, or let neighbours access neighbours", does, a.distinct)
}

// rows returns the lowest address of each row: neighbours in it are as far apart as most.
func (a arrangement) rows(r *driver.ProfiledRequest) (lowest []uint64) {
	last := uint64(0)
	for l, addr := range r.Addresses {
		if r.Lanes>>l&1 == 0 {
			continue
		}
		if n := len(lowest); n > 0 && int64(addr-last) == a.stride {
			lowest[n-1] = min(lowest[n-1], addr)
		} else {
			lowest = append(lowest, addr)
		}
		last = addr
	}
	return lowest
}

// misaligned says why rows touch more sectors than they fill. The first may have begun in the warp before.
func misaligned(rows []uint64) string {
	if len(rows) == 1 {
		return fmt.Sprintf("begin at byte %d of a sector: begin rows at a multiple of %d bytes", rows[0]%sectorBytes, sectorBytes)
	}
	for _, row := range rows[1:] {
		if row%sectorBytes != 0 {
			return fmt.Sprintf("a row begins at byte %d of a sector: begin rows at a multiple of %d bytes", row%sectorBytes, sectorBytes)
		}
	}
	return "rows end within a sector: let the threads of a row fill whole sectors"
}

// conflicting says why a request takes more wavefronts than it need. Rows are padded by what a thread accesses: that leaves it aligned.
func (a arrangement) conflicting(r *driver.ProfiledRequest, does string) string {
	apart, unit := magnitude(a.stride), max(uint64(r.Width), wordBytes)
	switch irregular := !a.isRegular() || apart%unit != 0 || apart == 0; {
	case irregular && unit > wordBytes: // a warp is served in parts
		return fmt.Sprintf("the threads of a warp %s %d places of %d bytes, and those that are served at once share banks: choose an order in which they lie in different banks", does, a.distinct, unit)
	case irregular:
		return fmt.Sprintf("the threads of a warp %s %d words, up to %d of them in one bank: choose an order in which they lie in different banks", does, a.distinct, r.Count)
	}
	words, atOnce := unit/wordBytes, lineBytes/unit // of a thread, and the threads that are served at once
	units := apart / unit
	share := min(units&-units, atOnce)
	text, pad := fmt.Sprintf("consecutive threads %s words %s apart", does, counted(apart, "byte", "bytes")), "a word"
	conflict := fmt.Sprintf(", so that %d of %d lie in one bank", share, atOnce)
	if words > 1 {
		text, pad = fmt.Sprintf("consecutive threads %s %d bytes each, %s apart", does, unit, counted(apart, "byte", "bytes")), fmt.Sprintf("%d words", words)
		conflict = fmt.Sprintf(", so that %d of %d served at once share banks", share, atOnce)
	}
	switch {
	case share == 1:
		return text + ", of which some share a bank where a row ends: pad the rows"
	case apart < lineBytes:
		return text + conflict + ": let consecutive threads access consecutive words"
	}
	return text + conflict + fmt.Sprintf(": pad the rows by %s, to %d words", pad, apart/wordBytes+words)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

// counted is a number with the word for one or for several.
func counted(n uint64, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + several
}

// grouped writes a number with commas.
func grouped(n uint64) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
