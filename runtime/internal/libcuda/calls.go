//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"bytes"
	"math"
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// The methods are the entry points of their names; those that are nothing but a call are
// generated. When a call fails, what it would have returned beside the Result is zero: the
// driver writes nothing then.

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
		uintptr(unsafe.Pointer(&log.options)), uintptr(unsafe.Pointer(&log.values)), uintptr(len(log.options)),
		0, 0, 0)
	lib := driver.Library(f.out[0])
	if r != driver.Success {
		return d.logs.refused(log), r
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

// DeviceGetByPCIBusId finds no device under a name with a NUL in it.
func (d *Driver) DeviceGetByPCIBusId(id string) (driver.Device, driver.Result) {
	if strings.Contains(id, "\x00") {
		return 0, driver.ErrorInvalidDevice
	}
	f := newFrame()
	defer f.free()
	ended := append([]byte(id), 0)
	r := d.call(driver.DeviceGetByPCIBusId, f, f.outAddress(0), f.address(0, unsafe.Pointer(&ended[0])))
	return driver.Device(int32(f.out[0])), r
}

func (d *Driver) DeviceGetPCIBusId(dev driver.Device) (string, driver.Result) {
	f := newFrame()
	defer f.free()
	id := make([]byte, 32)
	r := d.call(driver.DeviceGetPCIBusId, f, f.address(0, unsafe.Pointer(&id[0])), uintptr(len(id)), uintptr(dev))
	return cString(id), r
}

// LibraryGetGlobal finds no variable under a name with a NUL in it.
func (d *Driver) LibraryGetGlobal(lib driver.Library, name string) (driver.DevicePtr, uint64, driver.Result) {
	return d.variable(driver.LibraryGetGlobal, lib, name)
}

// LibraryGetManaged finds no variable under a name with a NUL in it.
func (d *Driver) LibraryGetManaged(lib driver.Library, name string) (driver.DevicePtr, uint64, driver.Result) {
	return d.variable(driver.LibraryGetManaged, lib, name)
}

func (d *Driver) variable(e driver.EntryPoint, lib driver.Library, name string) (p driver.DevicePtr, bytes uint64, r driver.Result) {
	if strings.Contains(name, "\x00") {
		return 0, 0, driver.ErrorNotFound
	}
	f := newFrame()
	defer f.free()
	ended := append([]byte(name), 0)
	r = d.call(e, f, f.outAddress(0), f.outAddress(1), uintptr(lib), f.address(0, unsafe.Pointer(&ended[0])))
	return driver.DevicePtr(f.out[0]), f.out[1], r
}

// LaunchKernel is Launch with the parameter block in the heap. An offset outside of
// params is driver.ErrorInvalidValue.
func (d *Driver) LaunchKernel(k driver.Kernel, cfg driver.LaunchConfig, s driver.Stream, params []byte, offsets []uint32) driver.Result {
	return d.launchBlock(d.address(driver.LaunchKernel), k, cfg, nil, s, params, offsets)
}

// LaunchKernelEx is LaunchKernel with attributes.
func (d *Driver) LaunchKernelEx(k driver.Kernel, cfg driver.LaunchConfig, a driver.LaunchAttributes, s driver.Stream, params []byte, offsets []uint32) driver.Result {
	fn := d.address(driver.LaunchKernelEx)
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

// cString returns the text in b up to the first NUL, or all of it.
func cString(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}
