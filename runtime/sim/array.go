package sim

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Limits of arrays, textures and surfaces: those of compute capability 9.0 (CUDA C++ Programming
// Guide, Compute Capabilities).
const (
	textureAlignment      = 512
	texturePitchAlignment = 32
	maxArray1D            = 131072
	maxArray2DWidth       = 131072
	maxArray2DHeight      = 65536
	maxArray3D            = 16384
	maxArrayLayered       = 32768
	maxArrayLayers        = 2048
	maxCubeLayers         = 2046
	maxMipmapped          = 32768
	maxLinearElements     = 1 << 28
	maxPitchedWidth       = 131072
	maxPitchedHeight      = 65000
	maxPitchBytes         = 2097120
)

var textureLimits = map[driver.DeviceAttribute]int{
	driver.TextureAlignment: textureAlignment, driver.TexturePitchAlignment: texturePitchAlignment,
	driver.MaxTexture1DWidth: maxArray1D, driver.MaxTexture2DWidth: maxArray2DWidth, driver.MaxTexture2DHeight: maxArray2DHeight,
	driver.MaxTexture3DWidth: maxArray3D, driver.MaxTexture3DHeight: maxArray3D, driver.MaxTexture3DDepth: maxArray3D,
	driver.MaxTexture2DLayeredWidth: maxArrayLayered, driver.MaxTexture2DLayeredHeight: maxArrayLayered, driver.MaxTexture2DLayers: maxArrayLayers,
	driver.MaxTexture1DLayeredWidth: maxArrayLayered, driver.MaxTexture1DLayers: maxArrayLayers,
	driver.MaxTexture2DGatherWidth: maxArrayLayered, driver.MaxTexture2DGatherHeight: maxArrayLayered,
	driver.MaxTextureCubeWidth: maxArrayLayered, driver.MaxTextureCubeLayeredWidth: maxArrayLayered, driver.MaxTextureCubeLayers: maxCubeLayers,
	driver.MaxSurface1DWidth: maxArrayLayered, driver.MaxSurface2DWidth: maxArray2DWidth, driver.MaxSurface2DHeight: maxArray2DHeight,
	driver.MaxSurface3DWidth: maxArray3D, driver.MaxSurface3DHeight: maxArray3D, driver.MaxSurface3DDepth: maxArray3D,
	driver.MaxSurface1DLayeredWidth: maxArrayLayered, driver.MaxSurface1DLayers: maxArrayLayers,
	driver.MaxSurface2DLayeredWidth: maxArrayLayered, driver.MaxSurface2DLayeredHeight: maxArrayLayered, driver.MaxSurface2DLayers: maxArrayLayers,
	driver.MaxSurfaceCubeWidth: maxArrayLayered, driver.MaxSurfaceCubeLayeredWidth: maxArrayLayered, driver.MaxSurfaceCubeLayers: maxCubeLayers,
	driver.MaxTexture1DLinearWidth: maxLinearElements, driver.MaxTexture2DLinearWidth: maxPitchedWidth, driver.MaxTexture2DLinearHeight: maxPitchedHeight,
	driver.MaxTexture2DLinearPitch: maxPitchBytes, driver.MaxTexture2DMipmapWidth: maxMipmapped, driver.MaxTexture2DMipmapHeight: maxMipmapped,
	driver.MaxTexture1DMipmapWidth: maxMipmapped / 2,
}

// An array is a CUDA array. Its elements lie in rows without gaps, which programs cannot see.
type array struct {
	elements
	geometry
	image
	flags uint32
	part  bool // a level of a mipmapped array
}

// An image is elements in memory.
type image struct {
	addr                 uint64 // of the first element
	width, height, depth int64  // at least 1; depth counts planes, layers, or faces
	pitch, plane         uint64 // bytes from row to row and from plane to plane
}

// size returns the bytes from the first element to behind the last.
func (m *image) size(element uint64) uint64 {
	return uint64(m.depth-1)*m.plane + uint64(m.height-1)*m.pitch + uint64(m.width)*element
}

// A geometry is the shape of a texture, as instructions name it.
type geometry string

const (
	geometry1D    geometry = "1d"
	geometry2D    geometry = "2d"
	geometry3D    geometry = "3d"
	geometryA1D   geometry = "a1d"
	geometryA2D   geometry = "a2d"
	geometryCube  geometry = "cube"
	geometryACube geometry = "acube"
)

// dims is the number of coordinates that filtering has.
func (g geometry) dims() int {
	switch g {
	case geometry1D, geometryA1D:
		return 1
	case geometry3D:
		return 3
	}
	return 2
}

// layered reports whether an instruction names a layer.
func (g geometry) layered() bool {
	return g == geometryA1D || g == geometryA2D || g == geometryACube
}

// geometryOf returns the shape of an array, or "" if there is none of that description.
//
// CUDA Driver API, cuArray3DCreate.
func geometryOf(a driver.ArrayDesc) geometry {
	const known = driver.ArrayLayered | driver.ArraySurface | driver.ArrayCube | driver.ArrayGather
	layered, cube := a.Flags&driver.ArrayLayered != 0, a.Flags&driver.ArrayCube != 0
	within := func(v, limit uint64) bool { return 0 < v && v <= limit }
	switch {
	case a.Flags&^known != 0 || a.Flags&driver.ArrayGather != 0 && (layered || cube || a.Depth != 0 || a.Height == 0 || max(a.Width, a.Height) > maxArrayLayered):
		return ""
	case cube:
		faces := a.Depth == 6
		if layered {
			faces = a.Depth > 0 && a.Depth%6 == 0 && a.Depth <= maxCubeLayers
		}
		if !faces || a.Width != a.Height || !within(a.Width, maxArrayLayered) {
			return ""
		}
		if layered {
			return geometryACube
		}
		return geometryCube
	case layered && a.Height == 0 && within(a.Width, maxArrayLayered) && within(a.Depth, maxArrayLayers):
		return geometryA1D
	case layered && within(a.Height, maxArrayLayered) && within(a.Width, maxArrayLayered) && within(a.Depth, maxArrayLayers):
		return geometryA2D
	case layered:
		return ""
	case a.Height == 0 && a.Depth == 0 && within(a.Width, maxArray1D):
		return geometry1D
	case a.Depth == 0 && within(a.Width, maxArray2DWidth) && within(a.Height, maxArray2DHeight):
		return geometry2D
	case within(a.Width, maxArray3D) && within(a.Height, maxArray3D) && within(a.Depth, maxArray3D):
		return geometry3D
	}
	return ""
}

// newArray describes an array without memory, or returns why there is none.
func newArray(desc driver.ArrayDesc) (*array, driver.Result) {
	a := &array{elements: elements{desc.Format, int(desc.Channels)}, geometry: geometryOf(desc), flags: desc.Flags}
	size := a.elements.bytes()
	if a.geometry == "" || size == 0 {
		return nil, driver.ErrorInvalidValue
	}
	a.width, a.height, a.depth = int64(desc.Width), int64(max(desc.Height, 1)), int64(max(desc.Depth, 1))
	a.pitch = uint64(a.width) * size
	hi, plane := bits.Mul64(a.pitch, uint64(a.height))
	over, all := bits.Mul64(plane, uint64(a.depth))
	a.plane = plane
	if hi != 0 || over != 0 || all > totalMemory {
		return nil, driver.ErrorOutOfMemory
	}
	return a, driver.Success
}

// level returns the description of a level of the mipmapped array whose first level is a: each
// dimension but the number of layers or faces is halved.
func (a *array) level(n int) *array {
	l := *a
	l.part = true
	l.width, l.height = max(a.width>>n, 1), max(a.height>>n, 1)
	if a.geometry == geometry3D {
		l.depth = max(a.depth>>n, 1)
	}
	l.pitch = uint64(l.width) * a.elements.bytes()
	l.plane = l.pitch * uint64(l.height)
	return &l
}

// allocate gives a its memory.
func (a *array) allocate(mem *memory) bool {
	addr, ok := mem.alloc(a.plane*uint64(a.depth), allocation{module: true})
	a.addr = addr
	return ok
}

// side returns where c copies at m, an array: as memory with rows and planes.
func (a *array) side(c *driver.Copy3D, m driver.Memory3D) (driver.Memory3D, bool) {
	size := a.elements.bytes()
	fits := func(at, n, limit uint64) bool { return at <= limit && n <= limit-at }
	if m.XBytes%size != 0 || c.WidthBytes%size != 0 || !fits(m.XBytes, c.WidthBytes, a.pitch) ||
		!fits(m.Y, c.Height, uint64(a.height)) || !fits(m.Z, c.Depth, uint64(a.depth)) {
		return m, false
	}
	return driver.Memory3D{Device: driver.DevicePtr(a.addr + m.Z*a.plane + m.Y*a.pitch + m.XBytes), PitchBytes: a.pitch, Height: uint64(a.height)}, true
}

// A mipmapped is a mipmapped array.
type mipmapped struct {
	levels  []*array
	handles []driver.Array // of the levels, by cuMipmappedArrayGetLevel; 0 until then
}

// A textureTable is the arrays of a device; its mu guards it. Textures and surfaces are where
// kernels look for them, in memory.
type textureTable struct {
	arrays    map[driver.Array]*array
	mipmapped map[driver.MipmappedArray]*mipmapped
}

func (d *device) Array3DCreate(desc driver.ArrayDesc) (driver.Array, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	a, r := newArray(desc)
	if r != driver.Success {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !a.allocate(d.mem) {
		return 0, driver.ErrorOutOfMemory
	}
	created := driver.Array(handle())
	set(&d.textures.arrays, created, a)
	return created, driver.Success
}

// ArrayDestroy does not wait: kernels that still use the array are stopped by an error.
func (d *device) ArrayDestroy(h driver.Array) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.textures.arrays[h]
	if a == nil || a.part {
		return driver.ErrorInvalidHandle
	}
	delete(d.textures.arrays, h)
	d.mem.free(a.addr)
	return driver.Success
}

func (d *device) MipmappedArrayCreate(desc driver.ArrayDesc, levels uint32) (driver.MipmappedArray, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	base, r := newArray(desc)
	if r != driver.Success {
		return 0, r
	}
	if levels == 0 || max(base.width, base.height) > maxMipmapped {
		return 0, driver.ErrorInvalidValue
	}
	largest := max(base.width, base.height)
	if base.geometry == geometry3D {
		largest = max(largest, base.depth)
	}
	levels = min(levels, uint32(bits.Len64(uint64(largest)))) // as the driver clamps it
	d.mu.Lock()
	defer d.mu.Unlock()
	m := &mipmapped{handles: make([]driver.Array, levels)}
	for n := range int(levels) {
		l := base.level(n)
		if !l.allocate(d.mem) {
			m.free(d.mem)
			return 0, driver.ErrorOutOfMemory
		}
		m.levels = append(m.levels, l)
	}
	created := driver.MipmappedArray(handle())
	set(&d.textures.mipmapped, created, m)
	return created, driver.Success
}

func (m *mipmapped) free(mem *memory) {
	for _, l := range m.levels {
		mem.free(l.addr)
	}
}

func (d *device) MipmappedArrayGetLevel(h driver.MipmappedArray, level uint32) (driver.Array, driver.Result) {
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

func (d *device) MipmappedArrayDestroy(h driver.MipmappedArray) driver.Result {
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
