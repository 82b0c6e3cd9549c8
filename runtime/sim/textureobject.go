package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/texture"
)

// TexObjectCreate makes no textures with a view of another format, none that is seamless, and none
// with a border's colour of which it is not known how a GPU reads it.
func (d *textureCalls) TexObjectCreate(of driver.ResourceDesc, read driver.TextureDesc, view driver.ResourceViewDesc) (driver.TexObject, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	t, r := d.textureOfResource(of)
	if r != driver.Success {
		return 0, r
	}
	t.Read = read
	switch {
	case !t.Sound():
		return 0, driver.ErrorInvalidValue
	case !t.Simulated() || view.Format != 0:
		return 0, driver.ErrorNotSupported
	}
	created := handle()
	d.mem.Textures.Store(uint64(created), t)
	return driver.TexObject(created), driver.Success
}

// textureOfResource returns a texture of a resource, without what says how it is read.
func (d *textureCalls) textureOfResource(of driver.ResourceDesc) (*texture.Texture, driver.Result) {
	switch of.Type {
	case driver.ArrayResource:
		d.mu.Lock()
		defer d.mu.Unlock()
		a := d.textures.arrays[of.Array]
		if a == nil {
			return nil, driver.ErrorInvalidHandle
		}
		return texture.OfArray(a), driver.Success
	case driver.MipmappedResource:
		d.mu.Lock()
		defer d.mu.Unlock()
		m := d.textures.mipmapped[of.Mipmapped]
		if m == nil {
			return nil, driver.ErrorInvalidHandle
		}
		return texture.OfLevels(m.levels), driver.Success
	}
	t, ok := texture.OfMemory(of)
	if !ok {
		return nil, driver.ErrorInvalidValue
	}
	if _, ok := t.Open(memory.BytesAt); !ok {
		return nil, driver.ErrorInvalidValue
	}
	return t, driver.Success
}

func (d *textureCalls) TexObjectDestroy(t driver.TexObject) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	if _, known := d.mem.Textures.LoadAndDelete(uint64(t)); !known {
		return driver.ErrorInvalidHandle
	}
	return driver.Success
}

func (d *textureCalls) SurfObjectCreate(of driver.ResourceDesc) (driver.SurfObject, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.textures.arrays[of.Array]
	switch {
	case of.Type != driver.ArrayResource:
		return 0, driver.ErrorInvalidValue
	case a == nil:
		return 0, driver.ErrorInvalidHandle
	case a.Flags&driver.ArraySurface == 0:
		return 0, driver.ErrorInvalidValue
	}
	created := handle()
	d.mem.Surfaces.Store(uint64(created), texture.SurfaceOf(a))
	return driver.SurfObject(created), driver.Success
}

func (d *textureCalls) SurfObjectDestroy(s driver.SurfObject) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	if _, known := d.mem.Surfaces.LoadAndDelete(uint64(s)); !known {
		return driver.ErrorInvalidHandle
	}
	return driver.Success
}

// forgetTextures drops what a context has of arrays, textures and surfaces; the memory is the
// context's anyway. d.mu is held.
func (d *primaryContext) forgetTextures() {
	d.textures = textureTable{}
	d.mem.Textures.Clear()
	d.mem.Surfaces.Clear()
}
