package interp

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/texture"
)

// textureHandle and surfaceHandle are those of the objects of arrayMachine.
const textureHandle, surfaceHandle = 1 << 40, 1<<40 + 1

// arrayMachine has kernel k, which runs body and stores %r10 … %r13, and an array that is a texture and a surface. Its
// elements count from 100 on.
func arrayMachine(t *testing.T, desc driver.ArrayDesc, read driver.TextureDesc, body string) (*machine, uint64) {
	t.Helper()
	m := newMachine(t, entry(fmt.Sprintf(`mov.u64 %%rd5, %d; mov.u64 %%rd6, %d; mul.wide.u32 %%rd2, %%r2, 16; add.s64 %%rd2, %%rd1, %%rd2;
mov.b32 %%r10, 0; mov.b32 %%r11, 0; mov.b32 %%r12, 0; mov.b32 %%r13, 0;
%s
st.global.v4.b32 [%%rd2], {%%r10, %%r11, %%r12, %%r13};`, textureHandle, surfaceHandle, body)))
	desc.Channels = max(desc.Channels, 1)
	if desc.Format == 0 {
		desc.Format = driver.FormatFloat32
	}
	a, r := texture.NewArray(desc, 1<<20)
	require.Equal(t, driver.Success, r)
	values := make([]float32, a.TotalBytes()/4)
	for n := range values {
		values[n] = float32(100 + n)
	}
	a.Addr = m.upload(values)
	tex := texture.OfArray(a)
	tex.Read = read
	m.mem.Textures.Store(uint64(textureHandle), tex)
	m.mem.Surfaces.Store(uint64(surfaceHandle), texture.SurfaceOf(a))
	return m, a.Addr
}

// TestTextures: what an instruction reads of an array of 4 × 3, or of two layers of it, with each thread at its own column.
func TestTextures(t *testing.T) {
	two, layered, gather := driver.ArrayDesc{Width: 4, Height: 3}, driver.ArrayDesc{Width: 4, Height: 3, Depth: 2, Flags: driver.ArrayLayered}, driver.ArrayDesc{Width: 4, Height: 3, Flags: driver.ArrayGather}
	linear := driver.TextureDesc{Filter: driver.FilterLinear, Address: [3]uint32{driver.AddressClamp, driver.AddressClamp, driver.AddressClamp}}
	border := driver.TextureDesc{Address: [3]uint32{driver.AddressBorder, driver.AddressBorder, driver.AddressBorder}}
	const column = "cvt.rn.f32.u32 %f1, %r2; mov.f32 %f2, 0f3FC00000; "
	for _, test := range []struct {
		name  string
		desc  driver.ArrayDesc
		read  driver.TextureDesc
		body  string
		lanes [4]float32 // of the first value
		wrong string
	}{
		{"integers", two, border, "mov.u32 %r3, 1; tex.2d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%rd5, {%r2, %r3}];", [4]float32{104, 105, 106, 107}, ""},
		{"integers outside", two, border, "mov.u32 %r3, 3; tex.2d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%rd5, {%r2, %r3}];", [4]float32{}, "integer coordinates outside of an array"},
		{"integers in front", two, border, "mov.s32 %r3, -1; tex.2d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%rd5, {%r2, %r3}];", [4]float32{}, "integer coordinates outside of an array"},
		{"nearest", two, border, column + "tex.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%f1, %f2}];", [4]float32{104, 105, 106, 107}, ""},
		{"border", two, border, column + "add.f32 %f1, %f1, 0fBF800000; tex.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%f1, %f2}];", [4]float32{0, 104, 105, 106}, ""},
		{"linear", two, linear, column + "tex.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%f1, %f2}];", [4]float32{104, 104.5, 105.5, 106.5}, ""},
		{"level", two, border, column + "mov.f32 %f3, 0f00000000; tex.level.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%f1, %f2}], %f3;", [4]float32{104, 105, 106, 107}, ""},
		{"derivatives", two, border, column + "mov.f32 %f3, 0f00000000; tex.grad.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%f1, %f2}], {%f3, %f3}, {%f3, %f3};", [4]float32{104, 105, 106, 107}, ""},
		{"layer", layered, border, column + "mov.u32 %r3, 1; tex.a2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%r3, %f1, %f2, %f2}];", [4]float32{116, 117, 118, 119}, ""},
		{"last layer", layered, border, column + "mov.u32 %r3, 7; tex.a2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%r3, %f1, %f2, %f2}];", [4]float32{116, 117, 118, 119}, ""},
		{"gather", gather, border, column + "add.f32 %f1, %f1, 0f3F000000; mov.f32 %f2, 0f3F800000; tld4.r.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%f1, %f2}];", [4]float32{104, 105, 106, 107}, ""},
		{"gather of another array", two, border, column + "tld4.r.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%f1, %f2}];", [4]float32{}, "tex2Dgather needs an array that was made for it"},
		{"another shape", two, border, "tex.1d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%rd5, {%r2}];", [4]float32{}, "an instruction for .1d reads a texture that is .2d"},
		{"no texture", two, border, "tex.2d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%rd6, {%r2, %r2}];", [4]float32{}, "is not a texture object of this device"},
		{"normalized", two, driver.TextureDesc{Flags: driver.TextureNormalized}, "tex.2d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%rd5, {%r2, %r2}];", [4]float32{}, "integer coordinates of a texture whose coordinates are normalized"},
		{"anisotropic", two, driver.TextureDesc{MaxAnisotropy: 2}, column + "tex.grad.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%f1, %f2}], {%f1, %f1}, {%f1, %f1};", [4]float32{}, "does not filter anisotropically"},
		{"width", two, border, "txq.width.b32 %r3, [%rd5]; suq.height.b32 %r4, [%rd6]; txq.num_mipmap_levels.b32 %r5, [%rd5]; mad.lo.u32 %r3, %r3, 10, %r4; mad.lo.u32 %r3, %r3, 10, %r5; cvt.rn.f32.u32 %f1, %r3; mov.b32 %r10, %f1;", [4]float32{431, 431, 431, 431}, ""},
		{"layers", layered, border, "txq.array_size.b32 %r3, [%rd5]; cvt.rn.f32.u32 %f1, %r3; mov.b32 %r10, %f1;", [4]float32{2, 2, 2, 2}, ""},
		{"depth of layers", layered, border, "txq.depth.b32 %r3, [%rd5];", [4]float32{}, "does not know the depth of an object that is .a2d"},
		{"layers of none", two, border, "suq.array_size.b32 %r3, [%rd6];", [4]float32{}, "does not know the array_size of an object that is .2d"},
		{"height of a row", driver.ArrayDesc{Width: 4}, border, "txq.height.b32 %r3, [%rd5];", [4]float32{}, "does not know the height of an object that is .1d"},
		{"a query of no surface", two, border, "suq.width.b32 %r3, [%rd5];", [4]float32{}, "is not a surface object"},
		{"a query of no texture", two, border, "txq.width.b32 %r3, [%rd6];", [4]float32{}, "is not a texture object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, _ := arrayMachine(t, test.desc, test.read, test.body)
			require.Empty(t, m.lib.Kernels["k"].Unsupported)
			out := make([]uint32, 16)
			addr := m.upload(out)
			_, fault := m.launch("k", config(1, 4, 0), addr, uint32(0))
			if test.wrong != "" {
				require.NotNil(t, fault)
				assert.Contains(t, fault.Reason, test.wrong)
				return
			}
			require.Nil(t, fault)
			m.download(addr, out)
			for lane, want := range test.lanes {
				assert.Equal(t, want, math.Float32frombits(out[4*lane]), lane)
			}
		})
	}
}

// TestGatheredChannels: a gather reads one channel of four elements, in the order of the ISA.
//
// PTX ISA, Texture Instructions: tld4.
func TestGatheredChannels(t *testing.T) {
	for n, channel := range []string{"r", "g"} {
		m, _ := arrayMachine(t, driver.ArrayDesc{Width: 4, Height: 3, Channels: 2, Flags: driver.ArrayGather}, driver.TextureDesc{},
			"mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f3F800000; tld4."+channel+".2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%rd5, {%f1, %f2}];")
		out := make([]float32, 4)
		addr := m.upload(out)
		_, fault := m.launch("k", config(1, 1, 0), addr, uint32(0))
		require.Nil(t, fault)
		m.download(addr, out)
		of := func(x, y int) float32 { return float32(100 + 2*(4*y+x) + n) }
		assert.Equal(t, []float32{of(1, 1), of(2, 1), of(2, 0), of(1, 0)}, out, channel)
	}
}

// TestSurfaces: loads, stores and reductions at bytes of a row, and what each mode does outside.
func TestSurfaces(t *testing.T) {
	two, layered := driver.ArrayDesc{Width: 4, Height: 3}, driver.ArrayDesc{Width: 4, Height: 3, Depth: 2, Flags: driver.ArrayLayered}
	const at = "shl.b32 %r4, %r2, 2; mov.u32 %r3, 1; "
	for _, test := range []struct {
		name  string
		desc  driver.ArrayDesc
		body  string
		lanes [4]float32
		wrong string
	}{
		{"load", two, at + "suld.b.2d.b32.trap {%r10}, [%rd6, {%r4, %r3}];", [4]float32{104, 105, 106, 107}, ""},
		{"pairs", two, "and.b32 %r4, %r2, 1; shl.b32 %r4, %r4, 3; mov.u32 %r3, 1; suld.b.2d.v2.b32.trap {%r11, %r10}, [%rd6, {%r4, %r3}];", [4]float32{105, 107, 105, 107}, ""},
		{"layer", layered, at + "suld.b.a2d.b32.trap {%r10}, [%rd6, {%r3, %r4, %r3, %r3}];", [4]float32{116, 117, 118, 119}, ""},
		{"store", two, at + "mov.b32 %r5, 0f40000000; sust.b.2d.b32.trap [%rd6, {%r4, %r3}], {%r5}; suld.b.2d.b32.trap {%r10}, [%rd6, {%r4, %r3}];", [4]float32{2, 2, 2, 2}, ""},
		{"reduction", two, at + "mov.u32 %r5, 1; sured.b.add.2d.u32.trap [%rd6, {%r4, %r3}], %r5; suld.b.2d.b32.trap {%r10}, [%rd6, {%r4, %r3}];",
			[4]float32{math.Nextafter32(104, 200), math.Nextafter32(105, 200), math.Nextafter32(106, 200), math.Nextafter32(107, 200)}, ""},
		{"clamp", two, at + "add.s32 %r4, %r4, -4; mov.u32 %r3, 9; suld.b.2d.b32.clamp {%r10}, [%rd6, {%r4, %r3}];", [4]float32{108, 108, 109, 110}, ""},
		{"clamp behind", two, at + "add.s32 %r4, %r4, 8; suld.b.2d.b32.clamp {%r10}, [%rd6, {%r4, %r3}];", [4]float32{106, 107, 107, 107}, ""},
		{"zero", two, at + "add.s32 %r4, %r4, -4; suld.b.2d.b32.zero {%r10}, [%rd6, {%r4, %r3}];", [4]float32{0, 104, 105, 106}, ""},
		{"zero writes nothing", two, at + "mov.u32 %r5, 7; add.s32 %r6, %r3, 2; sust.b.2d.b32.zero [%rd6, {%r4, %r6}], {%r5}; suld.b.2d.b32.trap {%r10}, [%rd6, {%r4, %r3}];", [4]float32{104, 105, 106, 107}, ""},
		{"no row", two, at + "mov.u32 %r3, 3; suld.b.2d.b32.trap {%r10}, [%rd6, {%r4, %r3}];", [4]float32{}, "the surface has no row 3: the last one is 2"},
		{"no layer", layered, at + "mov.u32 %r5, 2; suld.b.a2d.b32.trap {%r10}, [%rd6, {%r5, %r4, %r3, %r3}];", [4]float32{}, "the surface has no plane or layer 2: the last one is 1"},
		{"no byte", two, at + "add.s32 %r4, %r4, 4; suld.b.2d.b32.trap {%r10}, [%rd6, {%r4, %r3}];", [4]float32{}, "the surface has no 4 bytes at byte 16 of a row: its rows have 16 bytes"},
		{"misaligned", two, at + "add.s32 %r4, %r4, 2; suld.b.2d.b32.trap {%r10}, [%rd6, {%r4, %r3}];", [4]float32{}, "which 4 does not divide"},
		{"another shape", two, at + "suld.b.1d.b32.trap {%r10}, [%rd6, {%r4}];", [4]float32{}, "an instruction for .1d accesses a surface that is .2d"},
		{"no surface", two, at + "suld.b.2d.b32.trap {%r10}, [%rd5, {%r4, %r3}];", [4]float32{}, "is not a surface object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, _ := arrayMachine(t, test.desc, driver.TextureDesc{}, test.body)
			require.Empty(t, m.lib.Kernels["k"].Unsupported)
			out := make([]uint32, 16)
			addr := m.upload(out)
			_, fault := m.launch("k", config(1, 4, 0), addr, uint32(0))
			if test.wrong != "" {
				require.NotNil(t, fault)
				assert.Contains(t, fault.Reason, test.wrong)
				return
			}
			require.Nil(t, fault)
			m.download(addr, out)
			for lane, want := range test.lanes {
				assert.Equal(t, want, math.Float32frombits(out[4*lane]), lane)
			}
		})
	}
}

// TestFreedArray: an object of memory that was freed is told from none.
func TestFreedArray(t *testing.T) {
	for body, want := range map[string]string{
		"tex.2d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%rd5, {%r2, %r2}];": "the memory of the texture object was freed",
		"suld.b.2d.b32.trap {%r10}, [%rd6, {%r2, %r2}];":                  "the memory of the surface object was freed",
	} {
		m, addr := arrayMachine(t, driver.ArrayDesc{Width: 4, Height: 3}, driver.TextureDesc{}, body)
		require.True(t, m.mem.Free(addr))
		_, fault := m.launch("k", config(1, 1, 0), m.upload(make([]uint32, 4)), uint32(0))
		require.NotNil(t, fault)
		assert.Contains(t, fault.Reason, want)
	}
}
