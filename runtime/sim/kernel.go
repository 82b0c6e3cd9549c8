package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// accepts reports whether k can be launched so.
//
// CUDA Driver API, Execution Control: cuLaunchKernel; CUDA Programming Guide,
// Compute Capabilities.
func (k *kernel) accepts(cfg driver.LaunchConfig) bool {
	b := cfg.Block
	switch {
	case !limits.Allow(cfg.Grid, b), count(b) > uint64(k.maxThreads):
		return false
	case k.required != [3]uint32{} && k.required != [3]uint32{b.X, b.Y, b.Z}:
		return false
	}
	return int64(cfg.SharedBytes) <= k.maxDynamicShared()
}

// gather copies the parameters, which begin at offsets in block, to where the PTX
// has them. It reports false when block does not hold them.
func (k *kernel) gather(block []byte, offsets []uint32) ([]byte, bool) {
	if len(offsets) != len(k.params) {
		return nil, false
	}
	params := make([]byte, k.paramBytes)
	for n, p := range k.params {
		from := uint64(offsets[n])
		if from+p.size > uint64(len(block)) {
			return nil, false
		}
		copy(params[p.offset:p.offset+p.size], block[from:])
	}
	return params, true
}

// maxDynamicShared is the most dynamic shared memory that k may be launched with, in bytes.
func (k *kernel) maxDynamicShared() int64 {
	if set := k.dynamicShared.Load(); set != 0 {
		return set - 1
	}
	return limits.MaxSharedPerBlock - k.sharedBytes
}

// resident returns how many blocks a multiprocessor holds at once.
func (k *kernel) resident(threads, sharedBytes uint64) int {
	if threads > uint64(k.maxThreads) {
		return 0
	}
	return limits.ResidentBlocks(threads, uint64(k.sharedBytes), sharedBytes)
}
