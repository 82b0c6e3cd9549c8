// Package texture knows how CUDA arrays lie in memory, and what textures and surfaces read of it, bit
// by bit as an H200 does. It has no memory of its own and knows no instructions.
package texture

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

// Limits are the attributes of a device that say what of these it takes.
var Limits = map[driver.DeviceAttribute]int{
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

// An Array is a CUDA array. Its elements lie in rows without gaps, which programs cannot see.
type Array struct {
	elements
	Geometry
	Image
	Flags uint32
	Part  bool // a level of a mipmapped array
}

// An Image is elements in memory.
type Image struct {
	Addr                 uint64 // of the first element
	Width, Height, Depth int64  // at least 1; depth counts planes, layers, or faces
	Pitch, Plane         uint64 // bytes from row to row and from plane to plane
}

// size returns the bytes from the first element to behind the last.
func (m *Image) size(element uint64) uint64 {
	return uint64(m.Depth-1)*m.Plane + uint64(m.Height-1)*m.Pitch + uint64(m.Width)*element
}

// A Geometry is the shape of a texture, as instructions name it.
type Geometry string

// The geometries. Those with an A have layers.
const (
	Geometry1D    Geometry = "1d"
	Geometry2D    Geometry = "2d"
	Geometry3D    Geometry = "3d"
	GeometryA1D   Geometry = "a1d"
	GeometryA2D   Geometry = "a2d"
	GeometryCube  Geometry = "cube"
	GeometryACube Geometry = "acube"
)

// Dims is the number of coordinates that filtering has.
func (g Geometry) Dims() int {
	switch g {
	case Geometry1D, GeometryA1D:
		return 1
	case Geometry3D:
		return 3
	}
	return 2
}

// Layered reports whether an instruction names a layer.
func (g Geometry) Layered() bool {
	return g == GeometryA1D || g == GeometryA2D || g == GeometryACube
}

// geometryOf returns the shape of an array, or "" if there is none of that description.
//
// CUDA Driver API, cuArray3DCreate.
func geometryOf(a driver.ArrayDesc) Geometry {
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
			return GeometryACube
		}
		return GeometryCube
	case layered && a.Height == 0 && within(a.Width, maxArrayLayered) && within(a.Depth, maxArrayLayers):
		return GeometryA1D
	case layered && within(a.Height, maxArrayLayered) && within(a.Width, maxArrayLayered) && within(a.Depth, maxArrayLayers):
		return GeometryA2D
	case layered:
		return ""
	case a.Height == 0 && a.Depth == 0 && within(a.Width, maxArray1D):
		return Geometry1D
	case a.Depth == 0 && within(a.Width, maxArray2DWidth) && within(a.Height, maxArray2DHeight):
		return Geometry2D
	case within(a.Width, maxArray3D) && within(a.Height, maxArray3D) && within(a.Depth, maxArray3D):
		return Geometry3D
	}
	return ""
}

// NewArray describes an array without memory, of at most limit bytes, or returns why there is none.
func NewArray(desc driver.ArrayDesc, limit uint64) (*Array, driver.Result) {
	a := &Array{elements: elements{desc.Format, int(desc.Channels)}, Geometry: geometryOf(desc), Flags: desc.Flags}
	size := a.elements.bytes()
	if a.Geometry == "" || size == 0 {
		return nil, driver.ErrorInvalidValue
	}
	a.Width, a.Height, a.Depth = int64(desc.Width), int64(max(desc.Height, 1)), int64(max(desc.Depth, 1))
	a.Pitch = uint64(a.Width) * size
	hi, plane := bits.Mul64(a.Pitch, uint64(a.Height))
	over, all := bits.Mul64(plane, uint64(a.Depth))
	a.Plane = plane
	if hi != 0 || over != 0 || all > limit {
		return nil, driver.ErrorOutOfMemory
	}
	return a, driver.Success
}

// MostLevels is how many levels a mipmapped array has at most whose first is a, or 0 if a is too large for one.
func (a *Array) MostLevels() uint32 {
	largest := max(a.Width, a.Height)
	if largest > maxMipmapped {
		return 0
	}
	if a.Geometry == Geometry3D {
		largest = max(largest, a.Depth)
	}
	return uint32(bits.Len64(uint64(largest)))
}

// Level returns the description of a level of the mipmapped array whose first level is a: each
// dimension but the number of layers or faces is halved.
func (a *Array) Level(n int) *Array {
	l := *a
	l.Part = true
	l.Width, l.Height = max(a.Width>>n, 1), max(a.Height>>n, 1)
	if a.Geometry == Geometry3D {
		l.Depth = max(a.Depth>>n, 1)
	}
	l.Pitch = uint64(l.Width) * a.elements.bytes()
	l.Plane = l.Pitch * uint64(l.Height)
	return &l
}

// TotalBytes is the size of all elements.
func (a *Array) TotalBytes() uint64 { return a.Plane * uint64(a.Depth) }

// Side returns where c copies at m, an array: as memory with rows and planes.
func (a *Array) Side(c *driver.Copy3D, m driver.Memory3D) (driver.Memory3D, bool) {
	size := a.elements.bytes()
	fits := func(at, n, limit uint64) bool { return at <= limit && n <= limit-at }
	if m.XBytes%size != 0 || c.WidthBytes%size != 0 || !fits(m.XBytes, c.WidthBytes, a.Pitch) ||
		!fits(m.Y, c.Height, uint64(a.Height)) || !fits(m.Z, c.Depth, uint64(a.Depth)) {
		return m, false
	}
	return driver.Memory3D{Device: driver.DevicePtr(a.Addr + m.Z*a.Plane + m.Y*a.Pitch + m.XBytes), PitchBytes: a.Pitch, Height: uint64(a.Height)}, true
}
