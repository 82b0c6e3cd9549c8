package cuda

import (
	"cmp"
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// places asks the driver for the parameters of a kernel. Drivers before CUDA 12.4 do not tell;
// then the PTX does. The caller holds an epoch.
//
// CUDA Driver API, Library Management, cuKernelGetParamInfo.
func (l *Library) places(k driver.Kernel, symbol string) (places []place, err error) {
	r := l.dev.inContext(func() driver.Result {
		for len(places) <= libcuda.MaxParams {
			offset, size, r := l.dev.drv.KernelGetParamInfo(k, len(places))
			if r == driver.ErrorInvalidValue { // behind the last one
				return driver.Success
			}
			if r != driver.Success {
				return r
			}
			places = append(places, place{offset, size})
		}
		return driver.Success
	})
	switch r {
	case driver.Success:
		return places, nil
	case driver.ErrorCallRequiresNewerDriver:
		if places, ok := placesInPTX(l.image, symbol); ok {
			return places, nil
		}
		return nil, cmp.Or(l.dev.needs(bindOp+" "+symbol, machineCode), l.dev.failed(&Error{Op: bindOp, Kernel: symbol}, r))
	}
	return nil, l.dev.failed(&Error{Op: "check the parameters of", Kernel: symbol}, r)
}

// placesInPTX returns the parameters of a kernel by the text of an image, if that is PTX.
func placesInPTX(image Image, symbol string) (places []place, ok bool) {
	m, err := ptx.Parse(image.Name, []byte(image.Data))
	if err != nil {
		return nil, false
	}
	i := slices.IndexFunc(m.Funcs, func(f *ptx.Func) bool { return f.Entry && f.Name == symbol })
	if i < 0 {
		return nil, false
	}
	offsets, _, ok := ptx.Offsets(m.Funcs[i].Params)
	for n, offset := range offsets {
		size, _ := m.Funcs[i].Params[n].Size()
		places = append(places, place{uint64(offset), uint64(size)})
	}
	return places, ok
}
