//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"bytes"
	"math"
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// The methods are the entry points of their names. When a call fails, what it would
// have returned beside the Result is zero: the driver writes nothing then.

// Init initializes the driver: about 0.1 s the first time.
func (d *Driver) Init() driver.Result { return d.callPlain(driver.Init, 0) }

// DriverGetVersion works before Init.
func (d *Driver) DriverGetVersion() (int, driver.Result) {
	version, r := d.callOut(driver.DriverGetVersion, 0, 0, 0)
	return int(int32(version)), r
}

func (d *Driver) DeviceGetCount() (int, driver.Result) {
	count, r := d.callOut(driver.DeviceGetCount, 0, 0, 0)
	return int(int32(count)), r
}

func (d *Driver) DeviceGet(ordinal int) (driver.Device, driver.Result) {
	dev, r := d.callOut(driver.DeviceGet, uintptr(ordinal), 0, 0)
	return driver.Device(int32(dev)), r
}

func (d *Driver) DeviceGetName(dev driver.Device) (string, driver.Result) {
	f := newFrame()
	defer f.free()
	name := make([]byte, 256)
	r := d.call(driver.DeviceGetName, f, f.address(0, unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(dev))
	return cString(name), r
}

func (d *Driver) DeviceGetUuid(dev driver.Device) ([16]byte, driver.Result) {
	f := newFrame()
	defer f.free()
	r := d.call(driver.DeviceGetUuid, f, f.outAddress(0), uintptr(dev))
	return *(*[16]byte)(unsafe.Pointer(&f.out)), r
}

func (d *Driver) DeviceGetAttribute(attr driver.DeviceAttribute, dev driver.Device) (int, driver.Result) {
	value, r := d.callOut(driver.DeviceGetAttribute, uintptr(attr), uintptr(dev), 0)
	return int(int32(value)), r
}

func (d *Driver) DeviceTotalMem(dev driver.Device) (uint64, driver.Result) {
	return d.callOut(driver.DeviceTotalMem, uintptr(dev), 0, 0)
}

func (d *Driver) DevicePrimaryCtxRetain(dev driver.Device) (driver.Context, driver.Result) {
	ctx, r := d.callOut(driver.DevicePrimaryCtxRetain, uintptr(dev), 0, 0)
	return driver.Context(ctx), r
}

func (d *Driver) DevicePrimaryCtxRelease(dev driver.Device) driver.Result {
	return d.callPlain(driver.DevicePrimaryCtxRelease, uintptr(dev))
}

func (d *Driver) CtxPushCurrent(ctx driver.Context) driver.Result {
	return d.callPlain(driver.CtxPushCurrent, uintptr(ctx))
}

func (d *Driver) CtxPopCurrent() (driver.Context, driver.Result) {
	ctx, r := d.callOut(driver.CtxPopCurrent, 0, 0, 0)
	return driver.Context(ctx), r
}

func (d *Driver) CtxSynchronize() driver.Result { return d.callPlain(driver.CtxSynchronize) }

// LibraryLoadData copies image once, to end it with the NUL that PTX text needs.
func (d *Driver) LibraryLoadData(image []byte) (driver.Library, driver.Result) {
	log, err := newJITLog()
	if err != nil {
		return 0, driver.ErrorOutOfMemory
	}
	f := newFrame()
	defer f.free()
	ended := append(bytes.Clone(image), 0)
	r := d.call(driver.LibraryLoadData, f,
		f.outAddress(0), f.address(0, unsafe.Pointer(&ended[0])),
		log.optionsAddress(), log.valuesAddress(), log.count(),
		0, 0, 0)
	lib := driver.Library(f.out[0])
	if r != driver.Success {
		d.logs.refused(log)
		return 0, r
	}
	d.logs.loaded(lib, log)
	return lib, r
}

// LibraryUnload also ends what LibraryLog has to say about lib.
func (d *Driver) LibraryUnload(lib driver.Library) driver.Result {
	r := d.callPlain(driver.LibraryUnload, uintptr(lib))
	if r == driver.Success {
		d.logs.unloaded(lib)
	}
	return r
}

// LibraryGetKernel finds no kernel under a name with a NUL in it.
func (d *Driver) LibraryGetKernel(lib driver.Library, name string) (driver.Kernel, driver.Result) {
	if strings.Contains(name, "\x00") {
		return 0, driver.ErrorNotFound
	}
	f := newFrame()
	defer f.free()
	ended := append([]byte(name), 0)
	r := d.call(driver.LibraryGetKernel, f, f.outAddress(0), uintptr(lib), f.address(0, unsafe.Pointer(&ended[0])))
	return driver.Kernel(f.out[0]), r
}

func (d *Driver) LibraryLog(lib driver.Library) string { return d.logs.text(lib) }

func (d *Driver) KernelGetParamInfo(k driver.Kernel, index int) (offset, size uint64, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.KernelGetParamInfo, f, uintptr(k), uintptr(index), f.outAddress(0), f.outAddress(1))
	return f.out[0], f.out[1], r
}

func (d *Driver) KernelGetAttribute(attr driver.FunctionAttribute, k driver.Kernel, dev driver.Device) (int, driver.Result) {
	f := newFrame()
	defer f.free()
	r := d.call(driver.KernelGetAttribute, f, f.outAddress(0), uintptr(attr), uintptr(k), uintptr(dev))
	return int(int32(f.out[0])), r
}

func (d *Driver) StreamCreate(flags uint32) (driver.Stream, driver.Result) {
	s, r := d.callOut(driver.StreamCreate, uintptr(flags), 0, 0)
	return driver.Stream(s), r
}

func (d *Driver) StreamDestroy(s driver.Stream) driver.Result {
	return d.callPlain(driver.StreamDestroy, uintptr(s))
}

func (d *Driver) StreamSynchronize(s driver.Stream) driver.Result {
	return d.callPlain(driver.StreamSynchronize, uintptr(s))
}

func (d *Driver) StreamQuery(s driver.Stream) driver.Result {
	return d.callPlain(driver.StreamQuery, uintptr(s))
}

func (d *Driver) MemAllocAsync(bytes uint64, s driver.Stream) (driver.DevicePtr, driver.Result) {
	p, r := d.callOut(driver.MemAllocAsync, uintptr(bytes), uintptr(s), 0)
	return driver.DevicePtr(p), r
}

func (d *Driver) MemFreeAsync(p driver.DevicePtr, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemFreeAsync, uintptr(p), uintptr(s))
}

func (d *Driver) MemcpyHtoDAsync(dst driver.DevicePtr, src unsafe.Pointer, bytes uint64, s driver.Stream) driver.Result {
	return d.callAt(driver.MemcpyHtoDAsync, [6]uintptr{uintptr(dst), 0, uintptr(bytes), uintptr(s)}, nil, src)
}

func (d *Driver) MemcpyDtoHAsync(dst unsafe.Pointer, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	return d.callAt(driver.MemcpyDtoHAsync, [6]uintptr{0, uintptr(src), uintptr(bytes), uintptr(s)}, dst, nil)
}

func (d *Driver) MemcpyDtoDAsync(dst, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (d *Driver) MemsetD8Async(dst driver.DevicePtr, value uint8, count uint64, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemsetD8Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
}

// LaunchKernel is Launch with the parameter block in the heap. An offset outside of
// params is driver.ErrorInvalidValue.
func (d *Driver) LaunchKernel(k driver.Kernel, cfg driver.LaunchConfig, s driver.Stream, params []byte, offsets []uint32) driver.Result {
	return d.launchBlock(d.entry(driver.LaunchKernel), k, cfg, nil, s, params, offsets)
}

// LaunchKernelEx is LaunchKernel with attributes.
func (d *Driver) LaunchKernelEx(k driver.Kernel, cfg driver.LaunchConfig, a driver.LaunchAttributes, s driver.Stream, params []byte, offsets []uint32) driver.Result {
	fn := d.entry(driver.LaunchKernelEx)
	if fn == 0 {
		return driver.ErrorCallRequiresNewerDriver
	}
	attributes := Attributes(a)
	return d.launchBlock(fn, k, cfg, &attributes, s, params, offsets)
}

// launchBlock launches by the entry point at fn, which suits attributes.
func (d *Driver) launchBlock(fn uintptr, k driver.Kernel, cfg driver.LaunchConfig, attributes *AttributeList, s driver.Stream, params []byte, offsets []uint32) driver.Result {
	for _, offset := range offsets {
		if uint64(offset) >= uint64(len(params)) {
			return driver.ErrorInvalidValue
		}
	}
	if uint64(len(offsets)) > math.MaxUint32 || uint64(len(params)) > math.MaxUint32 {
		return driver.ErrorInvalidValue
	}
	return launchOn(fn, &LaunchRecord{
		Target:     &Target{Kernel: k, Offsets: unsafe.SliceData(offsets), Count: uint32(len(offsets)), ParamBytes: uint32(len(params))},
		Stream:     s,
		Params:     unsafe.Pointer(unsafe.SliceData(params)),
		Attributes: attributes,
		Config: &LaunchConfig{
			GridX: cfg.Grid.X, GridY: cfg.Grid.Y, GridZ: cfg.Grid.Z,
			BlockX: cfg.Block.X, BlockY: cfg.Block.Y, BlockZ: cfg.Block.Z,
			SharedBytes: cfg.SharedBytes,
		},
	})
}

func (d *Driver) KernelSetAttribute(attr driver.FunctionAttribute, value int, k driver.Kernel, dev driver.Device) driver.Result {
	return d.callPlain(driver.KernelSetAttribute, uintptr(attr), uintptr(value), uintptr(k), uintptr(dev))
}

// OccupancyMaxActiveBlocksPerMultiprocessor gives the driver a CUkernel where its
// signature has a CUfunction, as the manual allows.
func (d *Driver) OccupancyMaxActiveBlocksPerMultiprocessor(k driver.Kernel, blockThreads int, sharedBytes uint64) (int, driver.Result) {
	f := newFrame()
	defer f.free()
	r := d.call(driver.OccupancyMaxActiveBlocksPerMultiprocessor, f, f.outAddress(0), uintptr(k), uintptr(blockThreads), uintptr(sharedBytes))
	return int(int32(f.out[0])), r
}

func (d *Driver) OccupancyMaxPotentialBlockSize(k driver.Kernel, sharedBytes uint64, maxBlockThreads int) (minGridBlocks, blockThreads int, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.OccupancyMaxPotentialBlockSize, f, f.outAddress(0), f.outAddress(1), uintptr(k), 0, uintptr(sharedBytes), uintptr(maxBlockThreads))
	return int(int32(f.out[0])), int(int32(f.out[1])), r
}

// cString returns the text in b up to the first NUL, or all of it.
func cString(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}
