package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

// A columnsTest is a part of the matrix that a convolution multiplies by its filter: a row for each pixel of the
// output, the width first, and of one tap of the filter a column for each channel.
type columnsTest struct {
	name                        string
	typ                         driver.TensorType
	channels                    int
	image                       []int // width, height, depth
	images                      int
	pad, stride, dilation, taps []int
	first, pixels               int // rows
	channel, channelsAtOnce     int
	tap                         []int
	swizzle                     int
}

var columnsTests = []columnsTest{
	{"3d", driver.TensorFloat32, 8, []int{11}, 3, []int{1}, []int{1}, []int{1}, []int{3}, 0, 16, 0, 8, []int{0}, 0},
	{"4d, a tap further on", driver.TensorFloat16, 16, []int{7, 5}, 2, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{3, 3}, 4, 40, 0, 16, []int{2, 1}, 0},
	{"4d, steps", driver.TensorFloat32, 8, []int{9, 8}, 2, []int{1, 2}, []int{2, 3}, []int{1, 1}, []int{3, 5}, 3, 20, 4, 4, []int{1, 4}, 0},
	{"4d, dilated, beyond the last image", driver.TensorUint8, 32, []int{10, 6}, 2, []int{2, 1}, []int{1, 1}, []int{2, 1}, []int{3, 3}, 90, 64, 16, 32, []int{2, 2}, 0},
	{"4d, a swizzle of 32 bytes", driver.TensorFloat16, 16, []int{7, 5}, 2, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{3, 3}, 9, 33, 0, 16, []int{0, 2}, 1},
	{"4d, a swizzle of 128 bytes", driver.TensorFloat16, 64, []int{6, 4}, 2, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{3, 3}, 0, 48, 0, 64, []int{1, 1}, 3},
	{"5d", driver.TensorInt32, 4, []int{5, 4, 3}, 2, []int{1, 1, 1}, []int{1, 2, 1}, []int{1, 1, 1}, []int{3, 3, 3}, 5, 50, 0, 4, []int{1, 2, 0}, 0},
}

func (c columnsTest) size() int { return int(tensormap.ElementBytes(c.typ)) }

// outputs is how many pixels the output has in a dimension.
func (c columnsTest) outputs(dim int) int {
	return (c.image[dim]+2*c.pad[dim]-(c.taps[dim]-1)*c.dilation[dim]-1)/c.stride[dim] + 1
}

// output splits a row into a pixel of the output and an image.
func (c columnsTest) output(row int) (pixel []int, image int) {
	for dim := range c.image {
		pixel = append(pixel, row%c.outputs(dim))
		row /= c.outputs(dim)
	}
	return pixel, row
}

func (c columnsTest) desc() driver.TensorMapDesc {
	d := driver.TensorMapDesc{Type: c.typ, Rank: len(c.image) + 2, Swizzle: uint32(c.swizzle), Channels: uint32(c.channelsAtOnce), Pixels: uint32(c.pixels)}
	d.Dims[0], d.ElementStrides[0] = uint64(c.channels), 1
	stride := c.channels * c.size()
	for n, size := range append(append([]int(nil), c.image...), c.images) {
		d.Dims[n+1], d.Strides[n], d.ElementStrides[n+1] = uint64(size), uint64(stride), 1
		stride *= size
	}
	for n := range c.image { // as CUTLASS's convolutions have them
		d.LowerCorner[n], d.UpperCorner[n] = int32(-c.pad[n]), int32(c.pad[n]-(c.taps[n]-1)*c.dilation[n])
		d.ElementStrides[n+1] = uint32(c.stride[n])
	}
	return d
}

// element returns where in the tensor an element of a row lies, or -1.
func (c columnsTest) element(row, channel int) int {
	pixel, image := c.output(row)
	at, stride, inside := c.channel+channel, c.channels, c.channel+channel < c.channels && image < c.images
	for dim, n := range pixel {
		n = n*c.stride[dim] - c.pad[dim] + c.tap[dim]*c.dilation[dim]
		inside = inside && n >= 0 && n < c.image[dim]
		at += n * stride
		stride *= c.image[dim]
	}
	if !inside {
		return -1
	}
	return (at + image*stride) * c.size()
}

// columnsCases load columns.
func columnsCases() (cases []hopperCase) {
	for _, c := range columnsTests {
		bytes := c.pixels * c.channelsAtOnce * c.size()
		shared := (bytes + 127) / 128 * 128
		in := c.channels * c.size() * c.images
		for _, n := range c.image {
			in *= n
		}
		h := hopperCase{name: "tensor/im2col/" + c.name, tensor: c.desc(), in: bytePattern(in, 0x33), out: make([]byte, shared), threads: 64}
		for range shared {
			h.want = append(h.want, 0xab)
		}
		for row := range c.pixels {
			for channel := range c.channelsAtOnce {
				offset := (row*c.channelsAtOnce + channel) * c.size()
				line, chunk := offset/128, offset%128/16
				chunk ^= line % 8 & []int{0, 1, 3, 7}[c.swizzle]
				from := c.element(c.first+row, channel)
				for n := range c.size() {
					to := &h.want[line*128+chunk*16+offset%16+n]
					if *to = 0; from >= 0 {
						*to = h.in[from+n]
					}
				}
			}
		}
		pixel, image := c.output(c.first)
		at, offsets, sets := itoa(c.channel), "", ""
		for dim, n := range pixel {
			at += ", " + itoa(n*c.stride[dim]-c.pad[dim])
			sets += fmt.Sprintf("mov.b16 %%h%d, %d; ", dim+2, c.tap[dim]*c.dilation[dim])
			offsets += fmt.Sprintf(", %%h%d", dim+2)
		}
		h.ptx = hopperEntry("", shared, strings.NewReplacer("BYTES", itoa(shared), "COUNT", itoa(bytes), "RANK", itoa(len(c.image)+2), "AT", at+", "+itoa(image), "SETS", sets, "OFFSETS", offsets[2:]).Replace(hopperFill+hopperBarrier+`SETS @!%p1 bra WAIT;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], COUNT;
cp.async.bulk.tensor.RANKd.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r2], [%l3, {AT}], [%r3], {OFFSETS};
WAIT:
`+hopperWait+hopperPut))
		cases = append(cases, h)
	}
	return cases
}

// TestColumnsFaults: what a copy in im2col mode must not do is a fault.
func TestColumnsFaults(t *testing.T) {
	d := newDevice(0)
	require.Equal(t, driver.Success, d.Init())
	c := columnsTests[1]
	run := func(body string) string {
		m := newMachine(t, hopperEntry("", 2048, hopperBarrier+"@!%p1 bra END; mov.b16 %h1, 0;\n"+body+"\nEND:"), driver.Checks{})
		desc := c.desc()
		desc.Address = driver.DevicePtr(m.upload(make([]byte, 7*5*2*16*2)))
		encoded, r := d.TensorMapEncodeIm2col(desc)
		require.Equal(t, driver.Success, r)
		fault := m.launch("k", config(1, 32, 0), encoded, uint64(0), uint64(0))
		if fault == nil {
			return ""
		}
		return fault.Reason
	}
	const load = "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r2], [%l3, {0, -1, 0, 0}], [%r3], {%h1, %h1};"
	assert.Empty(t, run(load))
	assert.Contains(t, run(strings.ReplaceAll(load, "-1", "-2")), "coordinate 1 of the first pixel is -2, and the box of im2col goes from -1 to 5 there")
	assert.Contains(t, run(strings.ReplaceAll(load, "-1, 0", "-1, 4")), "coordinate 2 of the first pixel is 4, and the box of im2col goes from -1 to 3 there")
	assert.Contains(t, run("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%l3, {0, 0, 0, 0}], [%r3];"), "must both be of im2col or both of boxes")
	assert.Contains(t, run("mov.u32 %r5, 0; M: cvt.u64.u32 %l5, %r5; add.s64 %l5, %l3, %l5; ld.b64 %l6, [%l5]; add.u32 %r6, %r2, %r5; st.shared.b64 [%r6], %l6; add.u32 %r5, %r5, 8; setp.lt.u32 %p2, %r5, 128; @%p2 bra M; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 0, 1;"), "this one is of im2col")
	assert.Empty(t, run("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%l3, {0, -1, 0, 0}], {%h1, %h1};"))
}
