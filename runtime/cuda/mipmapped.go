package cuda

import (
	"fmt"
	"math/bits"

	"github.com/cudagen/cudagen/runtime/cuda/internal/element"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

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
