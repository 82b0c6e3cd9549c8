package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/texture"
)

// allocate gives a its memory.
func allocate(mem *memory.Memory, a *texture.Array) bool {
	addr, ok := mem.Alloc(a.TotalBytes(), memory.Allocation{Module: true})
	a.Addr = addr
	return ok
}

// A mipmapped is a mipmapped array.
type mipmapped struct {
	levels  []*texture.Array
	handles []driver.Array // of the levels, by cuMipmappedArrayGetLevel; 0 until then
}

// textureCalls is the calls about arrays, texture and surface objects, and tensor maps.
type textureCalls struct{ *primaryContext }

// A textureTable is the arrays of a device; its mu guards it. Textures and surfaces are where
// kernels look for them, in memory.
type textureTable struct {
	arrays    map[driver.Array]*texture.Array
	mipmapped map[driver.MipmappedArray]*mipmapped
}

func (d *textureCalls) Array3DCreate(desc driver.ArrayDesc) (driver.Array, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	a, r := texture.NewArray(desc, limits.TotalMemory)
	if r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !allocate(d.mem, a) {
		return 0, driver.ErrorOutOfMemory
	}
	created := driver.Array(handle())
	set(&d.textures.arrays, created, a)
	return created, driver.Success
}

// ArrayDestroy does not wait: kernels that still use the array are stopped by an error.
func (d *textureCalls) ArrayDestroy(h driver.Array) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.textures.arrays[h]
	if a == nil || a.Part {
		return driver.ErrorInvalidHandle
	}
	delete(d.textures.arrays, h)
	d.mem.Free(a.Addr)
	return driver.Success
}

func (d *textureCalls) MipmappedArrayCreate(desc driver.ArrayDesc, levels uint32) (driver.MipmappedArray, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	base, r := texture.NewArray(desc, limits.TotalMemory)
	if r != driver.Success {
		return 0, r
	}
	if levels == 0 || base.MostLevels() == 0 {
		return 0, driver.ErrorInvalidValue
	}
	levels = min(levels, base.MostLevels()) // as the driver clamps it
	d.mu.Lock()
	defer d.mu.Unlock()
	m := &mipmapped{handles: make([]driver.Array, levels)}
	for n := range int(levels) {
		l := base.Level(n)
		if !allocate(d.mem, l) {
			m.free(d.mem)
			return 0, driver.ErrorOutOfMemory
		}
		m.levels = append(m.levels, l)
	}
	created := driver.MipmappedArray(handle())
	set(&d.textures.mipmapped, created, m)
	return created, driver.Success
}

func (m *mipmapped) free(mem *memory.Memory) {
	for _, l := range m.levels {
		mem.Free(l.Addr)
	}
}

func (d *textureCalls) MipmappedArrayGetLevel(h driver.MipmappedArray, level uint32) (driver.Array, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.textures.mipmapped[h]
	switch {
	case m == nil:
		return 0, driver.ErrorInvalidHandle
	case int64(level) >= int64(len(m.levels)):
		return 0, driver.ErrorInvalidValue
	case m.handles[level] == 0:
		m.handles[level] = driver.Array(handle())
		set(&d.textures.arrays, m.handles[level], m.levels[level])
	}
	return m.handles[level], driver.Success
}

func (d *textureCalls) MipmappedArrayDestroy(h driver.MipmappedArray) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.textures.mipmapped[h]
	if m == nil {
		return driver.ErrorInvalidHandle
	}
	delete(d.textures.mipmapped, h)
	for _, level := range m.handles {
		delete(d.textures.arrays, level)
	}
	m.free(d.mem)
	return driver.Success
}
