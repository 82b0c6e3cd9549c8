package sim

import "github.com/cudagen/cudagen/runtime/internal/driver"

func (d *libraryCalls) KernelGetParamInfo(handle driver.Kernel, index int) (offset, size uint64, r driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, 0, r
	}
	k, r := d.kernel(handle)
	if r != driver.Success {
		return 0, 0, r
	}
	offset, size, ok := k.Parameter(index)
	if !ok {
		return 0, 0, driver.ErrorInvalidValue
	}
	return offset, size, driver.Success
}

func (d *libraryCalls) KernelGetAttribute(attr driver.FunctionAttribute, handle driver.Kernel, dev driver.Device) (int, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return 0, r
	}
	k, r := d.kernel(handle)
	if r != driver.Success {
		return 0, r
	}
	switch attr {
	case driver.FuncConstSizeBytes:
		return k.lib.ConstantBytes(), driver.Success
	case driver.FuncPTXVersion:
		return k.lib.Target, driver.Success
	case driver.FuncBinaryVersion:
		return k.lib.Capability, driver.Success
	}
	return k.Attribute(attr)
}

func (d *libraryCalls) KernelSetAttribute(attr driver.FunctionAttribute, value int, handle driver.Kernel, dev driver.Device) driver.Result {
	if r := d.check(dev); r != driver.Success {
		return r
	}
	k, r := d.launchable(handle)
	if r != driver.Success {
		return r
	}
	return k.SetAttribute(attr, value)
}
