package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

func (d *device) KernelGetParamInfo(handle driver.Kernel, index int) (offset, size uint64, r driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, 0, r
	}
	k, r := d.kernel(handle)
	if r != driver.Success {
		return 0, 0, r
	}
	if index < 0 || index >= len(k.params) {
		return 0, 0, driver.ErrorInvalidValue
	}
	return k.params[index].offset, k.params[index].size, driver.Success
}

func (d *device) KernelGetAttribute(attr driver.FunctionAttribute, handle driver.Kernel, dev driver.Device) (int, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return 0, r
	}
	k, r := d.kernel(handle)
	if r != driver.Success {
		return 0, r
	}
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
	case driver.FuncConstSizeBytes:
		return k.lib.constantBytes(), driver.Success
	case driver.FuncLocalSizeBytes:
		return int(k.localBytes), driver.Success
	case driver.FuncNumRegs:
		return k.regs, driver.Success
	case driver.FuncPTXVersion:
		return k.lib.target, driver.Success
	case driver.FuncBinaryVersion:
		return k.lib.capability, driver.Success
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
		return int(bit(k.explicitCluster)), driver.Success
	case driver.FuncRequiredClusterX:
		return int(k.requiredCluster.X), driver.Success
	case driver.FuncRequiredClusterY:
		return int(k.requiredCluster.Y), driver.Success
	case driver.FuncRequiredClusterZ:
		return int(k.requiredCluster.Z), driver.Success
	}
	return 0, driver.ErrorInvalidValue
}

// CUDA Driver API, CUfunction_attribute.
func (d *device) KernelSetAttribute(attr driver.FunctionAttribute, value int, handle driver.Kernel, dev driver.Device) driver.Result {
	if r := d.check(dev); r != driver.Success {
		return r
	}
	k, r := d.launchable(handle)
	if r != driver.Success {
		return r
	}
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
