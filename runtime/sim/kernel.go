package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
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

// parameter returns where parameter index begins and how large it is, or false if there is none.
func (k *kernel) parameter(index int) (offset, size uint64, ok bool) {
	if index < 0 || index >= len(k.params) {
		return 0, 0, false
	}
	return k.params[index].offset, k.params[index].size, true
}

// attribute returns an attribute of k.
//
// CUDA Driver API, CUfunction_attribute.
func (k *kernel) attribute(attr driver.FunctionAttribute) (int, driver.Result) {
	switch attr {
	case driver.FuncSharedSizeBytes, driver.FuncLocalSizeBytes, driver.FuncNumRegs, driver.FuncMaxDynamicSharedBytes:
		if k.unsupported != "" {
			return 0, driver.ErrorNotSupported
		}
	}
	switch attr {
	case driver.FuncMaxThreadsPerBlock:
		return int(k.maxThreads), driver.Success
	case driver.FuncSharedSizeBytes:
		return int(k.sharedBytes), driver.Success
	case driver.FuncLocalSizeBytes:
		return int(k.localBytes), driver.Success
	case driver.FuncNumRegs:
		return k.regs, driver.Success
	case driver.FuncMaxDynamicSharedBytes:
		return int(k.maxDynamicShared()), driver.Success
	case driver.FuncSharedCarveout:
		return int(k.carveout.Load()) - 1, driver.Success
	case driver.FuncNonPortableCluster:
		if k.nonPortableCluster.Load() {
			return 1, driver.Success
		}
		return 0, driver.Success
	case driver.FuncClusterMustBeSet:
		return int(simd.Bit(k.explicitCluster)), driver.Success
	case driver.FuncRequiredClusterX:
		return int(k.requiredCluster.X), driver.Success
	case driver.FuncRequiredClusterY:
		return int(k.requiredCluster.Y), driver.Success
	case driver.FuncRequiredClusterZ:
		return int(k.requiredCluster.Z), driver.Success
	}
	return 0, driver.ErrorInvalidValue
}

// setAttribute sets one of those that programs choose.
func (k *kernel) setAttribute(attr driver.FunctionAttribute, value int) driver.Result {
	switch {
	case attr == driver.FuncMaxDynamicSharedBytes && value >= 0 && int64(value)+k.sharedBytes <= limits.MaxSharedOptIn:
		k.dynamicShared.Store(int64(value) + 1)
	case attr == driver.FuncSharedCarveout && value >= -1 && value <= 100:
		k.carveout.Store(int64(value) + 1)
	case attr == driver.FuncNonPortableCluster:
		k.nonPortableCluster.Store(value != 0)
	default:
		return driver.ErrorInvalidValue
	}
	return driver.Success
}
