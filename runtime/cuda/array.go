package cuda

import (
	"context"
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/element"
	"github.com/cudagen/cudagen/runtime/cuda/internal/extent"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// An Array is elements of type T on a device in a layout of the device's own, from which textures
// read quickly in every direction. Kernels read it through a Texture and write it through a
// Surface; programs copy from and to it.
//
// T is one, two or four numbers of one type: vec.Float4, vec.UChar4, float32, vec.Float16, [2]int16.
//
// Any goroutine may call any method. The caller must order accesses to the contents, as those of
// a Buffer. The caller of NewArray must close it; a level of a MipmappedArray is closed with it.
type Array[T any] struct{ array }

// An array is an Array, whatever its elements.
type array struct {
	mem    *allocation
	handle driver.Array
	cfg    ArrayConfig
	format element.Texel
	shape  Shape // of its elements, without zeros: planes, layers or faces are its Depth
	level  bool  // of a mipmapped array
}

// An ArrayConfig says what shape an array has. With Width alone it has one dimension, with Height
// two and with Depth three.
type ArrayConfig struct {
	Width, Height, Depth int // elements

	// Layers makes it an array of so many layers, each of which has one or two dimensions: then
	// Depth is 0. Cube makes each layer six faces; without Layers it is one cube. A face is as
	// high as it is wide.
	Layers int
	Cube   bool

	Surface bool // kernels may write it: NewSurface needs it
	Gather  bool // kernels may use tex2Dgather; it has two dimensions
}

// kind names what the array is, for errors.
func (c ArrayConfig) kind() string {
	switch {
	case c.Cube && c.Layers > 0:
		return "an array of cubes"
	case c.Cube:
		return "a cube"
	case c.Layers > 0:
		return "a layered array"
	case c.Depth > 0:
		return "a three-dimensional array"
	case c.Height > 0:
		return "a two-dimensional array"
	}
	return "a one-dimensional array"
}

// descriptor returns what the driver is told.
func (c ArrayConfig) descriptor(f element.Texel) driver.ArrayDesc {
	d := driver.ArrayDesc{Width: uint64(c.Width), Height: uint64(c.Height), Depth: uint64(c.planes()), Format: f.Format, Channels: uint32(f.Channels)}
	if c.Layers > 0 {
		d.Flags |= driver.ArrayLayered
	}
	if c.Cube {
		d.Flags |= driver.ArrayCube
	}
	if c.Surface {
		d.Flags |= driver.ArraySurface
	}
	if c.Gather {
		d.Flags |= driver.ArrayGather
	}
	return d
}

// planes counts planes, layers or faces; 0 stands for none of them.
func (c ArrayConfig) planes() int {
	switch {
	case c.Cube:
		return 6 * max(c.Layers, 1)
	case c.Layers > 0:
		return c.Layers
	}
	return c.Depth
}

// shape returns the elements of the array.
func (c ArrayConfig) shape() Shape {
	s := Shape{Width: c.Width, Height: max(c.Height, 1), Depth: max(c.planes(), 1)}
	s.RowStride, s.PlaneRows = s.Width, s.Height
	return s
}

// dimension is a dimension with a limit of the device.
type dimension struct {
	name  string
	value int
	limit driver.DeviceAttribute
}

// dimensions lists the dimensions of the array with the limits for textures.
func (c ArrayConfig) dimensions() []dimension {
	switch {
	case c.Cube && c.Layers > 0:
		return []dimension{{"width", c.Width, driver.MaxTextureCubeLayeredWidth}, {"number of faces", c.planes(), driver.MaxTextureCubeLayers}}
	case c.Cube:
		return []dimension{{"width", c.Width, driver.MaxTextureCubeWidth}}
	case c.Layers > 0 && c.Height > 0:
		return []dimension{{"width", c.Width, driver.MaxTexture2DLayeredWidth}, {"height", c.Height, driver.MaxTexture2DLayeredHeight}, {"number of layers", c.Layers, driver.MaxTexture2DLayers}}
	case c.Layers > 0:
		return []dimension{{"width", c.Width, driver.MaxTexture1DLayeredWidth}, {"number of layers", c.Layers, driver.MaxTexture1DLayers}}
	case c.Depth > 0:
		return []dimension{{"width", c.Width, driver.MaxTexture3DWidth}, {"height", c.Height, driver.MaxTexture3DHeight}, {"depth", c.Depth, driver.MaxTexture3DDepth}}
	case c.Gather:
		return []dimension{{"width", c.Width, driver.MaxTexture2DGatherWidth}, {"height", c.Height, driver.MaxTexture2DGatherHeight}}
	case c.Height > 0:
		return []dimension{{"width", c.Width, driver.MaxTexture2DWidth}, {"height", c.Height, driver.MaxTexture2DHeight}}
	}
	return []dimension{{"width", c.Width, driver.MaxTexture1DWidth}}
}

// surfaceDimensions lists the dimensions of the array with the limits for surfaces.
func (c ArrayConfig) surfaceDimensions() []dimension {
	switch {
	case c.Cube && c.Layers > 0:
		return []dimension{{"width", c.Width, driver.MaxSurfaceCubeLayeredWidth}, {"number of faces", c.planes(), driver.MaxSurfaceCubeLayers}}
	case c.Cube:
		return []dimension{{"width", c.Width, driver.MaxSurfaceCubeWidth}}
	case c.Layers > 0 && c.Height > 0:
		return []dimension{{"width", c.Width, driver.MaxSurface2DLayeredWidth}, {"height", c.Height, driver.MaxSurface2DLayeredHeight}, {"number of layers", c.Layers, driver.MaxSurface2DLayers}}
	case c.Layers > 0:
		return []dimension{{"width", c.Width, driver.MaxSurface1DLayeredWidth}, {"number of layers", c.Layers, driver.MaxSurface1DLayers}}
	case c.Depth > 0:
		return []dimension{{"width", c.Width, driver.MaxSurface3DWidth}, {"height", c.Height, driver.MaxSurface3DHeight}, {"depth", c.Depth, driver.MaxSurface3DDepth}}
	case c.Height > 0:
		return []dimension{{"width", c.Width, driver.MaxSurface2DWidth}, {"height", c.Height, driver.MaxSurface2DHeight}}
	}
	return []dimension{{"width", c.Width, driver.MaxSurface1DWidth}}
}

// wrong returns why no device has such an array, or "".
func (c ArrayConfig) wrong() string {
	switch {
	case c.Width < 1:
		return fmt.Sprintf("the width is %d, must be at least 1", c.Width)
	case c.Height < 0 || c.Depth < 0 || c.Layers < 0:
		return fmt.Sprintf("height, depth and layers are %d, %d and %d, must not be negative", c.Height, c.Depth, c.Layers)
	case c.Depth > 0 && (c.Layers > 0 || c.Cube):
		return "an array of layers or faces has no Depth: Layers counts them"
	case c.Depth > 0 && c.Height == 0:
		return "an array with a Depth has a Height, too"
	case c.Cube && c.Width != c.Height:
		return fmt.Sprintf("the faces of a cube are as high as they are wide, not %d×%d", c.Width, c.Height)
	case c.Gather && (c.Height == 0 || c.planes() > 0):
		return "tex2Dgather is for arrays of two dimensions: " + c.kind() + " cannot have Gather"
	}
	return ""
}

// exceeded returns which of the dimensions exceeds its limit on d, or "".
func (d *Device) exceeded(what string, dimensions []dimension) (string, error) {
	for _, dim := range dimensions {
		limit, r := d.drv.DeviceGetAttribute(dim.limit, d.dev)
		if r != driver.Success {
			return "", d.fail("read the limits of textures", r)
		}
		if dim.value > limit {
			return fmt.Sprintf("the %s of %s is %d, limit %d", dim.name, what, dim.value, limit), nil
		}
	}
	return "", nil
}

// checkArray returns why d cannot have such an array, or nil. The caller holds an epoch.
func (d *Device) checkArray(op string, cfg ArrayConfig) error {
	if wrong := cfg.wrong(); wrong != "" {
		return d.invalid(op, wrong, ErrInvalidValue)
	}
	dimensions := cfg.dimensions()
	if cfg.Surface {
		dimensions = append(dimensions, cfg.surfaceDimensions()...)
	}
	detail, err := d.exceeded(cfg.kind(), dimensions)
	if detail != "" {
		err = d.invalid(op, detail, ErrInvalidValue)
	}
	return err
}

// NewArray makes an array on d. Its contents are undefined.
//
// CUDA Driver API, Memory Management, cuArray3DCreate.
func NewArray[T any](d *Device, cfg ArrayConfig) (*Array[T], error) {
	const op = "make an array"
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	format, err := formatOf[T](op, d)
	if err != nil {
		return nil, err
	}
	if err := d.checkArray(op, cfg); err != nil {
		return nil, err
	}
	var handle driver.Array
	try := func() (r driver.Result) {
		handle, r = create(d, func() (driver.Array, driver.Result) { return d.drv.Array3DCreate(cfg.descriptor(format)) }, d.drv.ArrayDestroy)
		return r
	}
	if r := d.again(try(), try); r != driver.Success {
		return nil, d.exhausted(fmt.Sprintf("%s of %d bytes", op, cfg.bytes(format)), r)
	}
	destroy := func() driver.Result { return d.drv.ArrayDestroy(handle) }
	return &Array[T]{array{mem: d.ownObject(arrayed, uint64(handle), cfg.bytes(format), destroy), handle: handle, cfg: cfg, format: format, shape: cfg.shape()}}, nil
}

// bytes returns how much memory the elements take.
func (c ArrayConfig) bytes(f element.Texel) uint64 {
	s := c.shape()
	return uint64(s.Width) * uint64(s.Height) * uint64(s.Depth) * f.Bytes()
}

// ownObject makes d answer for an object that is destroyed by destroy, when no work uses it any
// more.
func (d *Device) ownObject(kind memoryKind, handle, bytes uint64, destroy func() driver.Result) *allocation {
	a := &allocation{lifetime: lifetime{addr: handle, dev: d}, bytes: bytes, kind: kind}
	a.memory = &memory{destroy: destroy}
	return account(a)
}

// Config returns what the array was made with.
func (a *Array[T]) Config() ArrayConfig {
	if a == nil {
		return ArrayConfig{}
	}
	return a.cfg
}

// Len returns the number of elements, of all planes, layers or faces.
func (a *Array[T]) Len() int {
	if a == nil || a.mem == nil {
		return 0
	}
	return a.shape.Width * a.shape.Height * a.shape.Depth
}

// Owner returns a as the owner of its memory.
func (a *Array[T]) Owner() Owner { return Owner{a.elements().owner} }

// elements returns what copies take for the elements' slice: its owner and length.
func (a *Array[T]) elements() Slice[T] {
	if a == nil || a.mem == nil {
		return Slice[T]{owner: noArray}
	}
	return Slice[T]{n: a.Len(), owner: &a.mem.lifetime}
}

// All returns the whole array as a box, for CopyBox.
func (a *Array[T]) All() Box[T] {
	if a == nil || a.mem == nil {
		return Box[T]{slice: Slice[T]{owner: noArray}}
	}
	return Box[T]{slice: a.elements(), shape: a.shape, array: a.handle}
}

// Box returns the elements of width, height and depth of shape that begin at x, y and z, for
// CopyBox; z and Depth count planes, layers or faces. The strides of shape are not used. Like
// slicing, it panics if the array does not have these elements.
func (a *Array[T]) Box(x, y, z int, shape Shape) Box[T] {
	if shape.Height == 0 {
		shape.Height = 1
	}
	if shape.Depth == 0 {
		shape.Depth = 1
	}
	var whole Shape
	if a != nil {
		whole = a.shape
	}
	for _, dim := range [3][3]int{{x, shape.Width, whole.Width}, {y, shape.Height, whole.Height}, {z, shape.Depth, whole.Depth}} {
		if at, n, limit := dim[0], dim[1], dim[2]; at < 0 || n < 0 || at > limit || n > limit-at {
			panic(fmt.Sprintf("cuda: %d×%d×%d elements at (%d,%d,%d) out of range of an array of %d×%d×%d", shape.Width, shape.Height, shape.Depth, x, y, z, whole.Width, whole.Height, whole.Depth))
		}
	}
	shape.RowStride, shape.PlaneRows = shape.Width, shape.Height
	return Box[T]{slice: a.elements(), shape: shape, array: a.handle, at: [3]int{x, y, z}}
}

// Close frees the array when no texture or surface holds it and no queued work uses it; it waits
// for such work. Copies of a closed array fail with ErrClosed. Close of a level of a
// MipmappedArray does nothing. Close may be called more than once.
//
// CUDA Driver API, Memory Management, cuArrayDestroy.
func (a *Array[T]) Close() error {
	if a == nil || a.level {
		return nil
	}
	return a.mem.close("free an array")
}

// formatOf returns the format of T as the element of an array. Types that have none are an error of op on d, which may
// be nil.
func formatOf[T any](op string, d *Device) (element.Texel, error) {
	f := element.TexelOf(reflect.TypeFor[T]())
	if f == (element.Texel{}) {
		return f, d.badType(op, fmt.Sprintf("%v cannot be an element of an array or texture: use one, two or four numbers of one type with 8, 16 or 32 bits, such as vec.Float4, vec.UChar4 or float32", reflect.TypeFor[T]()))
	}
	return f, nil
}

// A MipmappedArray is an array in several sizes: each level has half the width, height and depth
// of the level before, rounded down, and at least 1. A texture of it takes the level that the
// kernel names, or that suits the distances which the kernel names.
//
// Any goroutine may call its methods. The caller of NewMipmappedArray must close it.
type MipmappedArray[T any] struct{ mipmapped }

// A mipmapped is a MipmappedArray, whatever its elements.
type mipmapped struct {
	mem    *allocation
	handle driver.MipmappedArray
	cfg    ArrayConfig
	format element.Texel
	levels []driver.Array
}

// NewMipmappedArray makes an array of levels levels on d, of which the first has the shape that
// cfg says. 0 stands for as many as there can be: down to a level of one element. The contents are
// undefined.
//
// CUDA Driver API, Memory Management, cuMipmappedArrayCreate.
func NewMipmappedArray[T any](d *Device, cfg ArrayConfig, levels int) (*MipmappedArray[T], error) {
	const op = "make a mipmapped array"
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	format, err := formatOf[T](op, d)
	if err != nil {
		return nil, err
	}
	if err := d.checkArray(op, cfg); err != nil {
		return nil, err
	}
	most := bits.Len(uint(max(cfg.Width, cfg.Height, cfg.Depth)))
	if levels < 0 || levels > most {
		return nil, d.invalid(op, fmt.Sprintf("%d levels, must be from 1 to %d, or 0 for all", levels, most), ErrInvalidValue)
	}
	if levels == 0 {
		levels = most
	}
	dimensions := []dimension{{"width", cfg.Width, driver.MaxTexture1DMipmapWidth}}
	if cfg.Height > 0 {
		dimensions = []dimension{{"width", cfg.Width, driver.MaxTexture2DMipmapWidth}, {"height", cfg.Height, driver.MaxTexture2DMipmapHeight}}
	}
	if detail, err := d.exceeded("a mipmapped array", dimensions); detail != "" || err != nil {
		if err == nil {
			err = d.invalid(op, detail, ErrInvalidValue)
		}
		return nil, err
	}
	m := &MipmappedArray[T]{mipmapped{cfg: cfg, format: format, levels: make([]driver.Array, levels)}}
	try := func() driver.Result {
		return d.inContext(func() (r driver.Result) {
			m.handle, r = d.drv.MipmappedArrayCreate(cfg.descriptor(format), uint32(levels))
			return r
		})
	}
	r := d.again(try(), try)
	if r == driver.Success {
		r = d.inContext(func() (r driver.Result) {
			for n := 0; n < levels && r == driver.Success; n++ {
				m.levels[n], r = d.drv.MipmappedArrayGetLevel(m.handle, uint32(n))
			}
			return r
		})
	}
	destroy := func() driver.Result { return d.drv.MipmappedArrayDestroy(m.handle) }
	if r != driver.Success {
		if m.handle != 0 {
			d.given(d.inContext(destroy))
		}
		return nil, d.exhausted(op, r)
	}
	bytes := uint64(0)
	for n := range levels {
		bytes += m.level(n).bytes(format)
	}
	handle := m.handle
	m.mem = d.ownObject(arrayed, uint64(handle), bytes, func() driver.Result { return d.drv.MipmappedArrayDestroy(handle) })
	return m, nil
}

// level returns the shape of level n.
func (m *mipmapped) level(n int) ArrayConfig {
	cfg := m.cfg
	for _, size := range []*int{&cfg.Width, &cfg.Height, &cfg.Depth} {
		if *size > 0 {
			*size = max(*size>>n, 1)
		}
	}
	return cfg
}

// Levels returns the number of levels.
func (m *MipmappedArray[T]) Levels() int {
	if m == nil {
		return 0
	}
	return len(m.levels)
}

// Level returns level n, the first of which has the number 0, as an array for copies, surfaces and
// textures. It is closed with m. Like an index, it panics unless 0 ≤ n < m.Levels().
func (m *MipmappedArray[T]) Level(n int) *Array[T] {
	if n < 0 || n >= m.Levels() {
		panic(fmt.Sprintf("cuda: level %d out of range of a mipmapped array with %d", n, m.Levels()))
	}
	cfg := m.level(n)
	return &Array[T]{array{mem: m.mem, handle: m.levels[n], cfg: cfg, format: m.format, shape: cfg.shape(), level: true}}
}

// Owner returns m as the owner of its memory.
func (m *MipmappedArray[T]) Owner() Owner {
	if m == nil || m.mem == nil {
		return Owner{noArray}
	}
	return Owner{&m.mem.lifetime}
}

// Close frees the levels. The rules of Array.Close apply.
//
// CUDA Driver API, Memory Management, cuMipmappedArrayDestroy.
func (m *MipmappedArray[T]) Close() error {
	if m == nil {
		return nil
	}
	return m.mem.close("free a mipmapped array")
}

// CopyTo copies all elements to host, which must have a.Len() of them: row by row, and plane by
// plane, layer by layer or face by face. It runs in the order of s and is complete when it
// returns. The rules of Slice.CopyTo apply. CopyBox copies without waiting, and parts of arrays.
//
// CUDA Driver API, Memory Management, cuMemcpy3DAsync.
func (a *Array[T]) CopyTo(s *Stream, host []T) error {
	return a.CopyToContext(context.Background(), s, host)
}

// CopyFrom copies host, which must have a.Len() elements, to a. The rules of CopyTo apply.
//
// CUDA Driver API, Memory Management, cuMemcpy3DAsync.
func (a *Array[T]) CopyFrom(s *Stream, host []T) error {
	return a.CopyFromContext(context.Background(), s, host)
}

// CopyToContext is CopyTo until ctx is done. The rules of Slice.CopyToContext apply.
func (a *Array[T]) CopyToContext(ctx context.Context, s *Stream, host []T) error {
	return a.copyGo(ctx, s, host, toGo)
}

// CopyFromContext is CopyFrom until ctx is done. The rules of Slice.CopyFromContext apply.
func (a *Array[T]) CopyFromContext(ctx context.Context, s *Stream, host []T) error {
	return a.copyGo(ctx, s, host, fromGo)
}

// copyGo copies between a and host, in the direction that op says.
func (a *Array[T]) copyGo(ctx context.Context, s *Stream, host []T, op string) error {
	epoch := s.hold()
	elements := a.elements()
	handle, err := elements.use(s, op)
	if err != nil {
		return err
	}
	if len(host) != elements.n {
		elements.owner.end()
		destination, n := elements.n, len(host)
		if op == toGo {
			destination, n = n, destination
		}
		return s.dev.invalid(op, fmt.Sprintf("the array has %s, the host slice %d: make them equally long", extent.Counted(elements.n, "element"), len(host)), unequal(destination, n))
	}
	box := a.All()
	c := goCopy{op: op, toGo: op == toGo, host: unsafe.Pointer(unsafe.SliceData(host)), bytes: uint64(elements.n) * sizeOf[T](), owner: elements.owner, box: &arrayCopy{box.memory(), box.extent()}}
	return c.run(ctx, s, handle, epoch)
}

// An arrayCopy is where a goCopy copies in an array: all of the host's memory without gaps.
type arrayCopy struct {
	array  driver.Memory3D
	extent [3]uint64 // bytes, rows and planes
}

// queue queues the copy, from or to host.
func (c *arrayCopy) queue(d *Device, stream driver.Stream, host unsafe.Pointer, toGo bool) driver.Result {
	memory := driver.Memory3D{Host: host, PitchBytes: c.extent[0], Height: c.extent[1]}
	copied := driver.Copy3D{Dst: c.array, Src: memory, WidthBytes: c.extent[0], Height: c.extent[1], Depth: c.extent[2]}
	if toGo {
		copied.Dst, copied.Src = memory, c.array
	}
	return d.inContext(func() driver.Result { return d.drv.Memcpy3DAsync(copied, stream) })
}
