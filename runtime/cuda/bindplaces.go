package cuda

import (
	"cmp"

	"github.com/cudagen/cudagen/runtime/cuda/internal/image"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// places asks the driver for the parameters of a kernel. Drivers before CUDA 12.4 do not tell;
// then the PTX does. The caller holds an epoch.
//
// CUDA Driver API, Library Management, cuKernelGetParamInfo.
func (l *Library) places(k driver.Kernel, symbol string) (places []image.Param, err error) {
	r := l.dev.inContext(func() driver.Result {
		for len(places) <= libcuda.MaxParams {
			offset, size, r := l.dev.drv.KernelGetParamInfo(k, len(places))
			if r == driver.ErrorInvalidValue { // behind the last one
				return driver.Success
			}
			if r != driver.Success {
				return r
			}
			places = append(places, image.Param{Offset: offset, Size: size})
		}
		return driver.Success
	})
	switch r {
	case driver.Success:
		return places, nil
	case driver.ErrorCallRequiresNewerDriver:
		if places, ok := image.Params(l.image.Name, l.image.Data, symbol); ok {
			return places, nil
		}
		return nil, cmp.Or(l.dev.needs(bindOp+" "+symbol, machineCode), l.dev.failed(&Error{Op: bindOp, Kernel: symbol}, r))
	}
	return nil, l.dev.failed(&Error{Op: "check the parameters of", Kernel: symbol}, r)
}
