package sim

import (
	"encoding/binary"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// copyCalls is the calls about copies and fills of memory.
type copyCalls struct{ *primaryContext }

func (d *copyCalls) MemsetD8Async(dst driver.DevicePtr, value uint8, count uint64, s driver.Stream) driver.Result {
	if _, r, done := d.captureNode(s, func() driver.NodeParams { return d.fillNode(dst, uint32(value), 1, count) }); done {
		return r
	}
	return d.transfer(s, count, func(mem [][]byte) {
		for n := range mem[0] {
			mem[0][n] = value
		}
		memory.Define(uint64(dst), count)
	}, dst)
}

func (d *copyCalls) MemsetD16Async(dst driver.DevicePtr, value uint16, count uint64, s driver.Stream) driver.Result {
	if _, r, done := d.captureNode(s, func() driver.NodeParams { return d.fillNode(dst, uint32(value), 2, count) }); done {
		return r
	}
	if dst%2 != 0 || count > limits.TotalMemory {
		return driver.ErrorInvalidValue
	}
	return d.transfer(s, 2*count, func(mem [][]byte) {
		for n := uint64(0); n < count; n++ {
			binary.LittleEndian.PutUint16(mem[0][2*n:], value)
		}
		memory.Define(uint64(dst), 2*count)
	}, dst)
}

func (d *copyCalls) MemsetD32Async(dst driver.DevicePtr, value uint32, count uint64, s driver.Stream) driver.Result {
	if _, r, done := d.captureNode(s, func() driver.NodeParams { return d.fillNode(dst, value, 4, count) }); done {
		return r
	}
	if dst%4 != 0 || count > limits.TotalMemory {
		return driver.ErrorInvalidValue
	}
	return d.transfer(s, 4*count, func(mem [][]byte) {
		for n := uint64(0); n < count; n++ {
			binary.LittleEndian.PutUint32(mem[0][4*n:], value)
		}
		memory.Define(uint64(dst), 4*count)
	}, dst)
}

// MemcpyPeerAsync copies between any two devices.
func (d *copyCalls) MemcpyPeerAsync(dst driver.DevicePtr, dstCtx driver.Context, src driver.DevicePtr, srcCtx driver.Context, bytes uint64, s driver.Stream) driver.Result {
	to, from := d.contextOf(dstCtx), d.contextOf(srcCtx)
	if to == nil || from == nil {
		return driver.ErrorInvalidContext
	}
	for _, end := range []struct {
		addr driver.DevicePtr
		of   *primaryContext
	}{{dst, to}, {src, from}} {
		if a := memory.AllocationOf(uint64(end.addr) >> memory.OffsetBits); bytes > 0 && a != nil && a.Owner != end.of.mem {
			return driver.ErrorInvalidValue
		}
	}
	return d.MemcpyDtoDAsync(dst, src, bytes, s)
}

// Memcpy3DAsync finds the memory when it is called; it must still be there when it runs.
func (d *copyCalls) Memcpy3DAsync(c driver.Copy3D, s driver.Stream) driver.Result {
	if c.WidthBytes == 0 || c.Height == 0 || c.Depth == 0 {
		_, r := d.stream(s)
		return r
	}
	if _, r, done := d.captureNode(s, func() driver.NodeParams {
		return driver.NodeParams{Type: driver.MemcpyNodeType, Ctx: d.primary(), Copy: c}
	}); done {
		return r
	}
	ok := d.placed(&c)
	if ok {
		_, _, ok = sides(c)
	}
	if !ok {
		if _, r := d.stream(s); r != driver.Success {
			return r
		}
		return driver.ErrorInvalidValue
	}
	return d.do(s, func() { d.runCopy(c) })
}

// placed replaces the arrays of c by the memory that they have. It reports false if c does not
// lie in them.
func (d *copyCalls) placed(c *driver.Copy3D) bool {
	for _, m := range []*driver.Memory3D{&c.Src, &c.Dst} {
		if m.Array == 0 {
			continue
		}
		d.mu.Lock()
		a := d.textures.arrays[m.Array]
		d.mu.Unlock()
		if a == nil {
			return false
		}
		at, ok := a.Side(c, *m)
		if !ok {
			return false
		}
		*m = at
	}
	return true
}

// sides returns the memory that c copies from and to, if it is all there.
func sides(c driver.Copy3D) (src, dst []byte, ok bool) {
	find := func(m driver.Memory3D) ([]byte, bool) {
		n, ok := extent(c, m)
		if !ok {
			return nil, false
		}
		if m.Host != nil {
			return unsafe.Slice((*byte)(m.Host), n), true
		}
		return memory.BytesAt(uint64(m.Device), n)
	}
	src, ok = find(c.Src)
	if !ok {
		return nil, nil, false
	}
	dst, ok = find(c.Dst)
	return src, dst, ok
}

func (d *primaryContext) runCopy(c driver.Copy3D) {
	src, dst, ok := sides(c)
	if !ok {
		d.fail(freed())
		return
	}
	for z := range c.Depth {
		for y := range c.Height {
			from := (z*c.Src.Height + y) * c.Src.PitchBytes
			to := (z*c.Dst.Height + y) * c.Dst.PitchBytes
			copy(dst[to:to+c.WidthBytes], src[from:from+c.WidthBytes])
			d.copiedRow(c, from, to)
		}
	}
}

// copiedRow follows which bytes of a row that was copied are undefined.
func (d *primaryContext) copiedRow(c driver.Copy3D, from, to uint64) {
	switch src, dst := c.Src.Device+driver.DevicePtr(from), c.Dst.Device+driver.DevicePtr(to); {
	case c.Dst.Host != nil && c.Src.Host != nil:
	case c.Dst.Host != nil:
		d.hostReads(src, c.WidthBytes)
	case c.Src.Host != nil:
		memory.Define(uint64(dst), c.WidthBytes)
	default:
		memory.CopyShadow(uint64(dst), uint64(src), c.WidthBytes)
	}
}

// freed is the fault of a copy.
func freed() *driver.Fault {
	return &driver.Fault{Result: driver.ErrorIllegalAddress, Reason: "memory of a copy was freed before the copy ran"}
}

// hostReads reports it if the host reads undefined bytes.
func (d *primaryContext) hostReads(src driver.DevicePtr, n uint64) {
	if f := readByHost(uint64(src), n); f != nil {
		d.report(f)
	}
}

// transfer enqueues f on n bytes of device memory at each of addrs. They must exist
// when it is called, and still when it runs.
func (d *primaryContext) transfer(handle driver.Stream, n uint64, f func(mem [][]byte), addrs ...driver.DevicePtr) driver.Result {
	if n == 0 {
		_, r := d.stream(handle)
		return r
	}
	find := func() (mem [][]byte, ok bool) {
		for _, addr := range addrs {
			m, ok := memory.BytesAt(uint64(addr), n)
			if !ok {
				return nil, false
			}
			mem = append(mem, m)
		}
		return mem, true
	}
	if _, ok := find(); !ok {
		if _, r := d.stream(handle); r != driver.Success {
			return r
		}
		return driver.ErrorInvalidValue
	}
	return d.do(handle, func() {
		mem, ok := find()
		if !ok {
			d.fail(freed())
			return
		}
		f(mem)
	})
}

func (d *copyCalls) MemcpyHtoDAsync(dst driver.DevicePtr, src unsafe.Pointer, bytes uint64, s driver.Stream) driver.Result {
	if src == nil && bytes > 0 {
		return driver.ErrorInvalidValue
	}
	if _, r, done := d.captureNode(s, func() driver.NodeParams { return d.lineNode(side(nil, dst), side(src, 0), bytes) }); done {
		return r
	}
	return d.transfer(s, bytes, func(mem [][]byte) {
		copy(mem[0], unsafe.Slice((*byte)(src), bytes))
		memory.Define(uint64(dst), bytes)
	}, dst)
}

func (d *copyCalls) MemcpyDtoHAsync(dst unsafe.Pointer, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	if dst == nil && bytes > 0 {
		return driver.ErrorInvalidValue
	}
	if _, r, done := d.captureNode(s, func() driver.NodeParams { return d.lineNode(side(dst, 0), side(nil, src), bytes) }); done {
		return r
	}
	return d.transfer(s, bytes, func(mem [][]byte) {
		copy(unsafe.Slice((*byte)(dst), bytes), mem[0])
		d.hostReads(src, bytes)
	}, src)
}

func (d *copyCalls) MemcpyDtoDAsync(dst, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	if _, r, done := d.captureNode(s, func() driver.NodeParams { return d.lineNode(side(nil, dst), side(nil, src), bytes) }); done {
		return r
	}
	return d.transfer(s, bytes, func(mem [][]byte) {
		copy(mem[0], mem[1])
		memory.CopyShadow(uint64(dst), uint64(src), bytes)
	}, dst, src)
}
