package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda/internal/element"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Texture is a texture object: elements of an array or of device memory, and how kernels read
// them. T is what a kernel reads: tex2D<float4> reads a Texture[Float4]. A parameter of type
// cudaTextureObject_t becomes a Texture with the directive //cudagen:texture.
//
// A Texture is a small value, as a Slice: copies of it are the same texture. It keeps what it reads
// from open: a Buffer or an Array that is closed meanwhile is freed after the texture. Any
// goroutine may call its methods. The caller of NewTexture must close it. The zero Texture is not
// valid as an argument.
type Texture[T any] struct {
	handle uint64
	owner  *lifetime
}

// An AddressMode says what a texture has beyond its edges.
type AddressMode uint32

// The address modes. AddressWrap and AddressMirror are for normalized coordinates; for others they
// mean AddressClamp.
const (
	AddressWrap   AddressMode = driver.AddressWrap   // the texture again
	AddressClamp  AddressMode = driver.AddressClamp  // the element at the edge
	AddressMirror AddressMode = driver.AddressMirror // the texture mirrored
	AddressBorder AddressMode = driver.AddressBorder // the border's colour
)

// A FilterMode says what a texture has between its elements.
type FilterMode uint32

// The filter modes.
const (
	FilterPoint  FilterMode = driver.FilterPoint  // the element in which the coordinates lie
	FilterLinear FilterMode = driver.FilterLinear // a weighted mean of the elements around
)

// A TextureConfig says how kernels read a texture. The zero value reads elements as they are, by
// coordinates that count elements from 0.
//
// CUDA Driver API, Texture Object Management, CUDA_TEXTURE_DESC.
type TextureConfig struct {
	Filter    FilterMode      // FilterLinear needs elements that are read as floating-point numbers
	Address   AddressMode     // in every dimension
	AddressBy *[3]AddressMode // by dimension, in place of Address; or nil
	Border    [4]float32      // the colour of AddressBorder

	// Normalized coordinates are from 0 to 1 over the whole texture. Textures of mipmapped arrays
	// need them.
	Normalized bool

	// NormalizedFloat reads integers of 8 and 16 bits as floating-point numbers from 0, or -1, to
	// 1: cudaReadModeNormalizedFloat. SRGB then converts colours of 8 bits to linear ones.
	NormalizedFloat bool
	SRGB            bool

	// Of mipmapped arrays: how levels are filtered, what is added to the level of detail, and the
	// range of levels, of which a MaxLevel of 0 stands for the last one.
	MipmapFilter       FilterMode
	MipmapBias         float32
	MinLevel, MaxLevel float32

	MaxAnisotropy  int  // up to 16; 0 for none
	SeamlessCube   bool // filters across the edges of a cube's faces
	ExactTrilinear bool // without the optimization of filters over levels
}

// A TextureSource is what a texture can read: an *Array, a *MipmappedArray, a Slice of device
// memory, or a Box of it with two dimensions.
type TextureSource interface {
	textureSource() (textureSource, error)
}

// A textureSource is what a texture reads.
type textureSource struct {
	resource driver.ResourceDesc
	format   element.Texel
	owner    *lifetime
	levels   int // of a mipmapped array; or 0
	cube     bool
}

func (a *Array[T]) textureSource() (textureSource, error) {
	if a == nil || a.mem == nil {
		return textureSource{owner: noArray}, nil
	}
	return textureSource{driver.ResourceDesc{Type: driver.ArrayResource, Array: a.handle}, a.format, &a.mem.lifetime, 0, a.cfg.Cube}, nil
}

func (m *MipmappedArray[T]) textureSource() (textureSource, error) {
	if m == nil || m.mem == nil {
		return textureSource{owner: noArray}, nil
	}
	return textureSource{driver.ResourceDesc{Type: driver.MipmappedResource, Mipmapped: m.handle}, m.format, &m.mem.lifetime, len(m.levels), m.cfg.Cube}, nil
}

func (s Slice[T]) textureSource() (textureSource, error) {
	format, err := formatOf[T](textureOp, s.owner.deviceOrNil())
	return textureSource{driver.ResourceDesc{
		Type: driver.LinearResource, Device: driver.DevicePtr(s.addr), Format: format.Format, Channels: uint32(format.Channels), Bytes: uint64(s.n) * format.Bytes(),
	}, format, s.owner, 0, false}, err
}

func (b Box[T]) textureSource() (textureSource, error) {
	format, err := formatOf[T](textureOp, b.slice.owner.deviceOrNil())
	if err == nil && (b.array != 0 || b.shape.Depth > 1) {
		err = &Error{Op: textureOp, Detail: "a box that a texture reads has two dimensions, of a slice: use the array itself, or copy to an array", Err: ErrInvalidValue}
	}
	return textureSource{driver.ResourceDesc{
		Type: driver.PitchedResource, Device: driver.DevicePtr(b.slice.addr), Format: format.Format, Channels: uint32(format.Channels),
		Width: uint64(b.shape.Width), Height: uint64(b.shape.Height), PitchBytes: uint64(b.shape.RowStride) * format.Bytes(),
	}, format, b.slice.owner, 0, false}, err
}

const textureOp = "make a texture"

// NewTexture makes a texture of what source has, on its device, that kernels read as elements of
// type T. T has as many numbers as an element of source, of the same type; of integers that are
// read as floating-point numbers, and of vec.Float16, it has float32: vec.Float4 for an Array[vec.UChar4] with
// NormalizedFloat.
//
// The memory of a Slice or a Box begins at a multiple of 512 bytes, as that of a Buffer does, and
// the rows of a Box at multiples of 32 bytes: PitchedShape places them so. A texture of a Slice has
// no filter and no address modes: kernels read it by tex1Dfetch. The contents may change between
// launches, not during one.
//
// CUDA Driver API, Texture Object Management, cuTexObjectCreate.
func NewTexture[T any](source TextureSource, cfg TextureConfig) (Texture[T], error) {
	if source == nil {
		return Texture[T]{}, &Error{Op: textureOp, Detail: "the source is nil: use an array, a slice or a box", Err: ErrInvalidValue}
	}
	from, err := source.textureSource()
	if err != nil {
		return Texture[T]{}, err
	}
	read, err := formatOf[T](textureOp, from.owner.deviceOrNil())
	if err != nil {
		return Texture[T]{}, err
	}
	object, err := newTexture(from, read, cfg)
	if err != nil {
		return Texture[T]{}, err
	}
	return Texture[T]{object.addr, &object.lifetime}, nil
}

// newTexture makes a texture of source that is read as the format read.
func newTexture(source textureSource, read element.Texel, cfg TextureConfig) (*allocation, error) {
	d, err := source.device(textureOp)
	if err != nil {
		return nil, err
	}
	defer d.hold().release()
	switch {
	case d.isClosed():
		return nil, d.closedError(textureOp, "")
	case source.owner.isClosed():
		return nil, d.closedError(textureOp, "the "+source.owner.what)
	}
	if detail := cfg.wrong(source, read); detail != "" {
		return nil, d.invalid(textureOp, detail, ErrInvalidValue)
	}
	if err := d.checkTextureMemory(&source.resource); err != nil {
		return nil, err
	}
	if !source.owner.begin() { // held until the texture is gone
		return nil, d.closedError(textureOp, "the "+source.owner.what)
	}
	return createReader(textureOp, textured, source.owner, func() (driver.TexObject, driver.Result) {
		return d.drv.TexObjectCreate(source.resource, cfg.descriptor(source), driver.ResourceViewDesc{})
	}, d.drv.TexObjectDestroy)
}

// createReader makes the device of owner answer for what f makes and destroy destroys. That refers to what has owner, whose
// use has begun, and ends with it.
func createReader[H ~uint64](op string, kind memoryKind, owner *lifetime, f func() (H, driver.Result), destroy func(H) driver.Result) (*allocation, error) {
	d := owner.dev
	handle, r := create(d, f, destroy)
	if r != driver.Success {
		owner.end()
		return nil, d.fail(op, r)
	}
	return d.ownObject(kind, uint64(handle), 1, func() driver.Result {
		r := destroy(handle)
		if r == driver.Success {
			owner.end()
		}
		return r
	}), nil
}

// device returns the device of what s reads.
func (s *textureSource) device(op string) (*Device, error) {
	switch {
	case s.owner == nil:
		return nil, &Error{Op: op, Detail: noOwnerText, Err: ErrInvalidValue}
	case s.owner.isUnmade():
		return nil, unmade(op, "the "+s.owner.what)
	case s.owner.graphOnly:
		return nil, &Error{Op: op, Detail: "the " + s.owner.what + " exists only in a graph", Err: ErrInvalidValue}
	}
	return s.owner.dev, nil
}

// wrong returns why source cannot be read as the format read in the way that c says, or "".
func (c TextureConfig) wrong(source textureSource, read element.Texel) string {
	f := source.format
	floats := f.IsFloat() || c.NormalizedFloat
	want := f
	if floats {
		want.Format = driver.FormatFloat32
	}
	for _, mode := range c.modes() {
		if mode > AddressBorder {
			return fmt.Sprintf("there is no address mode %d", mode)
		}
	}
	linear := source.resource.Type == driver.LinearResource
	switch {
	case c.Filter > FilterLinear || c.MipmapFilter > FilterLinear:
		return fmt.Sprintf("there are no filter modes %d and %d", c.Filter, c.MipmapFilter)
	case c.NormalizedFloat && !f.IsNarrow():
		return fmt.Sprintf("NormalizedFloat is for integers of 8 and 16 bits, not for %v", f)
	case read != want:
		return fmt.Sprintf("a texture of %v%s is read as %v, not as %v", f, c.conversion(), want, read)
	case c.SRGB && (f.Format != driver.FormatUint8 || !c.NormalizedFloat):
		return fmt.Sprintf("SRGB is for uint8 with NormalizedFloat, not for %v", f)
	case c.Filter == FilterLinear && !floats:
		return fmt.Sprintf("FilterLinear needs floating-point numbers, and the texture is read as %v: set NormalizedFloat, or use FilterPoint", f)
	case source.levels > 0 && c.MipmapFilter == FilterLinear && !floats:
		return fmt.Sprintf("MipmapFilter needs floating-point numbers, and the texture is read as %v", f)
	case source.levels > 0 && !c.Normalized:
		return "a texture of a mipmapped array needs Normalized coordinates"
	case linear && (c.Filter != FilterPoint || c.Normalized || c.modes() != [3]AddressMode{}):
		return "a texture of a slice is read by tex1Dfetch, by the number of the element, without filter and address modes: use an array for the other ways"
	case c.MaxAnisotropy < 0 || c.MaxAnisotropy > 16:
		return fmt.Sprintf("MaxAnisotropy is %d, must be from 0 to 16", c.MaxAnisotropy)
	case c.SeamlessCube && !source.cube:
		return "SeamlessCube is for textures of cubes"
	}
	return ""
}

// conversion says in messages which conversion was asked for.
func (c TextureConfig) conversion() string {
	if c.NormalizedFloat {
		return " with NormalizedFloat"
	}
	return ""
}

// modes returns the address modes by dimension.
func (c TextureConfig) modes() [3]AddressMode {
	if c.AddressBy != nil {
		return *c.AddressBy
	}
	return [3]AddressMode{c.Address, c.Address, c.Address}
}

// descriptor returns what the driver is told.
func (c TextureConfig) descriptor(source textureSource) driver.TextureDesc {
	t := driver.TextureDesc{
		Filter: uint32(c.Filter), MipmapFilter: uint32(c.MipmapFilter), MaxAnisotropy: uint32(c.MaxAnisotropy),
		MipmapBias: c.MipmapBias, MinLevel: c.MinLevel, MaxLevel: c.MaxLevel, Border: c.Border,
	}
	for dim, mode := range c.modes() {
		t.Address[dim] = uint32(mode)
	}
	if source.levels > 0 && c.MaxLevel == 0 {
		t.MaxLevel = float32(source.levels - 1)
	}
	for _, flag := range []struct {
		set  bool
		flag uint32
	}{
		{!source.format.IsFloat() && !c.NormalizedFloat, driver.TextureReadAsInteger}, {c.Normalized, driver.TextureNormalized}, {c.SRGB, driver.TextureSRGB},
		{c.ExactTrilinear, driver.TextureNoTrilinear}, {c.SeamlessCube, driver.TextureSeamlessCube},
	} {
		if flag.set {
			t.Flags |= flag.flag
		}
	}
	return t
}

// checkTextureMemory returns why d cannot read the memory of r through a texture, or nil. The
// caller holds an epoch.
func (d *Device) checkTextureMemory(r *driver.ResourceDesc) error {
	if r.Type != driver.LinearResource && r.Type != driver.PitchedResource {
		return nil
	}
	limit := func(attribute driver.DeviceAttribute) (uint64, error) {
		v, result := d.drv.DeviceGetAttribute(attribute, d.dev)
		if result != driver.Success {
			return 0, d.fail("read the limits of textures", result)
		}
		return uint64(v), nil
	}
	size := uint64(r.Format.Bytes()) * uint64(r.Channels)
	type rule struct {
		name      string
		value     uint64
		attribute driver.DeviceAttribute
		multiple  bool
	}
	rules := []rule{{"address", uint64(r.Device), driver.TextureAlignment, true}}
	if r.Type == driver.LinearResource {
		rules = append(rules, rule{"number of elements", r.Bytes / size, driver.MaxTexture1DLinearWidth, false})
	} else {
		rules = append(rules, rule{"distance in bytes of its rows", r.PitchBytes, driver.TexturePitchAlignment, true},
			rule{"width", r.Width, driver.MaxTexture2DLinearWidth, false}, rule{"height", r.Height, driver.MaxTexture2DLinearHeight, false},
			rule{"distance in bytes of its rows", r.PitchBytes, driver.MaxTexture2DLinearPitch, false})
	}
	if r.Bytes+r.Width == 0 {
		return d.invalid(textureOp, "a texture of no elements", ErrInvalidValue)
	}
	for _, rule := range rules {
		n, err := limit(rule.attribute)
		switch {
		case err != nil:
			return err
		case rule.multiple && n > 0 && rule.value%n != 0:
			return d.invalid(textureOp, fmt.Sprintf("the %s of the memory is %d, must be a multiple of %d: PitchedShape and the beginning of a buffer are", rule.name, rule.value, n), ErrInvalidValue)
		case !rule.multiple && rule.value > n:
			return d.invalid(textureOp, fmt.Sprintf("the %s of the memory is %d, limit %d: use an array", rule.name, rule.value, n), ErrInvalidValue)
		}
	}
	return nil
}

// Owner returns t as the owner of its handle. A kernel that gets the handle inside of a struct
// needs it among the owners of its launch.
func (t Texture[T]) Owner() Owner {
	if t.owner == nil {
		return Owner{noTexture}
	}
	return Owner{t.owner}
}

// Handle returns the CUtexObject of t, a cudaTextureObject_t, for a member of a struct or for
// other libraries; 0 for the zero Texture. It is valid until t is closed.
func (t Texture[T]) Handle() uint64 { return t.handle }

// Param returns what a parameter block has for t. Generated code calls it.
func (t Texture[T]) Param() uint64 { return t.handle }

// Argument returns t as an argument of a prepared call. Code that was generated before NewCall calls it.
func (t Texture[T]) Argument(align uint64) argument {
	return argument{owner: t.Owner().lifetime, addr: t.handle, align: 1}
}

// closeObject closes the object that has l, if there is one.
func (l *lifetime) closeObject(op string) error {
	if l == nil {
		return nil
	}
	return l.object.(*allocation).close(op)
}

// Close destroys the texture when no queued work uses it; it waits for such work. Launches with a
// closed texture fail with ErrClosed. Close may be called more than once.
//
// CUDA Driver API, Texture Object Management, cuTexObjectDestroy.
func (t Texture[T]) Close() error { return t.owner.closeObject("free a texture") }

// A Surface is a surface object: through it kernels read and write elements of an array, whose
// first coordinate they give in bytes. T is what a kernel reads and writes: surf2Dwrite of a uchar4
// writes a Surface[UChar4]. A parameter of type cudaSurfaceObject_t becomes a Surface with the
// directive //cudagen:surface.
//
// A Surface is a small value, as a Slice, and keeps its array open. Any goroutine may call its
// methods. The caller of NewSurface must close it. The zero Surface is not valid as an argument.
type Surface[T any] struct {
	handle uint64
	owner  *lifetime
}

// NewSurface makes a surface of an array that was made with ArrayConfig.Surface, for kernels that
// access elements of type T. T has the size of an element of the array: a uint32 may be written to
// an Array[UChar4]. E follows from the array.
//
// CUDA Driver API, Surface Object Management, cuSurfObjectCreate.
func NewSurface[T, E any](a *Array[E]) (Surface[T], error) {
	const op = "make a surface"
	owner := a.elements().owner
	if owner.isUnmade() {
		return Surface[T]{}, unmade(op, "the array")
	}
	if err := plainData[T](op, owner.dev); err != nil {
		return Surface[T]{}, err
	}
	object, err := newSurface(op, &a.array, owner, sizeOf[T]())
	if err != nil {
		return Surface[T]{}, err
	}
	return Surface[T]{object.addr, &object.lifetime}, nil
}

// newSurface makes a surface of a, whose elements kernels access as size bytes.
func newSurface(op string, a *array, owner *lifetime, size uint64) (*allocation, error) {
	d := owner.dev
	defer d.hold().release()
	switch {
	case d.isClosed():
		return nil, d.closedError(op, "")
	case size != a.format.Bytes():
		return nil, d.invalid(op, fmt.Sprintf("elements of %d bytes in an array of %v, which have %d", size, a.format, a.format.Bytes()), ErrInvalidValue)
	case !a.cfg.Surface:
		return nil, d.invalid(op, "the array was made without ArrayConfig.Surface", ErrInvalidValue)
	case !owner.begin(): // held until the surface is gone
		return nil, d.closedError(op, "the array")
	}
	return createReader(op, surfaced, owner, func() (driver.SurfObject, driver.Result) {
		return d.drv.SurfObjectCreate(driver.ResourceDesc{Type: driver.ArrayResource, Array: a.handle})
	}, d.drv.SurfObjectDestroy)
}

// Owner returns s as the owner of its handle. A kernel that gets the handle inside of a struct
// needs it among the owners of its launch.
func (s Surface[T]) Owner() Owner {
	if s.owner == nil {
		return Owner{noSurface}
	}
	return Owner{s.owner}
}

// Handle returns the CUsurfObject of s, a cudaSurfaceObject_t, for a member of a struct or for
// other libraries; 0 for the zero Surface. It is valid until s is closed.
func (s Surface[T]) Handle() uint64 { return s.handle }

// Param returns what a parameter block has for s. Generated code calls it.
func (s Surface[T]) Param() uint64 { return s.handle }

// Argument returns s as an argument of a prepared call. Code that was generated before NewCall calls it.
func (s Surface[T]) Argument(align uint64) argument {
	return argument{owner: s.Owner().lifetime, addr: s.handle, align: 1}
}

// Close destroys the surface when no queued work uses it; it waits for such work. Launches with a
// closed surface fail with ErrClosed. Close may be called more than once.
//
// CUDA Driver API, Surface Object Management, cuSurfObjectDestroy.
func (s Surface[T]) Close() error { return s.owner.closeObject("free a surface") }
