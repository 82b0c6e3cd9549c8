package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
)

func (d *libraryCalls) OccupancyMaxActiveBlocksPerMultiprocessor(handle driver.Kernel, blockThreads int, sharedBytes uint64) (blocks int, r driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	k, r := d.launchable(handle)
	if r != driver.Success {
		return 0, r
	}
	if blockThreads <= 0 {
		return 0, driver.ErrorInvalidValue
	}
	return k.Resident(uint64(blockThreads), sharedBytes), driver.Success
}

// OccupancyMaxPotentialBlockSize returns the largest block of those with which most
// threads are on a multiprocessor at once.
func (d *libraryCalls) OccupancyMaxPotentialBlockSize(handle driver.Kernel, sharedBytes uint64, maxBlockThreads int) (minGridBlocks, blockThreads int, r driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, 0, r
	}
	k, r := d.launchable(handle)
	if r != driver.Success {
		return 0, 0, r
	}
	limit := int(k.MaxThreads)
	if maxBlockThreads < 0 {
		return 0, 0, driver.ErrorInvalidValue
	} else if maxBlockThreads > 0 {
		limit = min(limit, maxBlockThreads)
	}
	most := 0
	for threads := limit; threads > 0; threads = (threads - 1) / bytecode.WarpSize * bytecode.WarpSize {
		if blocks := k.Resident(uint64(threads), sharedBytes); blocks*threads > most {
			most, blockThreads = blocks*threads, threads
			minGridBlocks = blocks * interp.Multiprocessors()
		}
	}
	if most == 0 {
		return 0, 0, driver.ErrorInvalidValue
	}
	return minGridBlocks, blockThreads, driver.Success
}
