package simtest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// puts has kernels that write 7 to an element of x: of a plain parameter, of one in a struct, of an address in
// memory, with a copy, with an atomic.
const puts = `.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 variable[400];
.visible .entry put(.param .u64 x, .param .u64 y, .param .u32 at) {
.reg .b64 %rd<4>; .reg .b32 %r<2>;
ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [at];
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
st.global.u32 [%rd1], 7; ret;
}
.visible .entry putGeneric(.param .u64 x, .param .u64 y, .param .u32 at) {
.reg .b64 %rd<4>; .reg .b32 %r<3>;
ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [at];
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
atom.add.u32 %r2, [%rd1], 7; ret;
}
.visible .entry putAsync(.param .u64 x, .param .u64 y, .param .u32 at) {
.reg .b64 %rd<4>; .reg .b32 %r<2>;
.shared .align 16 .b8 s[16];
ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [at];
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
cp.async.ca.shared.global [s], [%rd1], 4; cp.async.wait_all; ret;
}
.visible .entry putVector(.param .u64 x, .param .u64 y, .param .u32 at) {
.reg .b64 %rd<4>; .reg .b32 %r<2>;
ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [at];
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
st.global.v2.u32 [%rd1], {%r1, %r1}; ret;
}
.visible .entry putThere(.param .u64 x, .param .u64 table, .param .u32 at) {
.reg .b64 %rd<4>; .reg .b32 %r<2>;
ld.param.u64 %rd1, [table]; ld.param.u32 %r1, [at]; ld.global.u64 %rd1, [%rd1];
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
st.global.u32 [%rd1], 7; ret;
}
.visible .entry putIn(.param .align 8 .b8 s[16], .param .u64 y, .param .u32 at) {
.reg .b64 %rd<4>; .reg .b32 %r<2>;
ld.param.u64 %rd1, [s+8]; ld.param.u32 %r1, [at];
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
st.global.u32 [%rd1], 7; ret;
}
`

// Arguments of puts.
type (
	sliceArgs struct {
		X, Y cuda.Slice[uint32] `cuda:"nullable"`
		At   uint32
	}
	plainArgs struct {
		X  cuda.Ptr[uint32]
		Y  cuda.Slice[uint32] `cuda:"nullable"`
		At uint32
	}
	tableArgs struct {
		X, Table cuda.Slice[uint32] `cuda:"nullable"`
		At       uint32
	}
	structArgs struct {
		S struct {
			N uint64
			P cuda.Ptr[uint32]
		}
		Y  cuda.Slice[uint32] `cuda:"nullable"`
		At uint32
	}
)

// A zoned is what a case of TestRedZones has: a buffer x of 1000 elements, another, and a launch.
type zoned struct {
	t    *testing.T
	dev  *cuda.Device
	s    *cuda.Stream
	lib  *cuda.Library
	x, y *cuda.Buffer[uint32]
}

func zonedLaunch[Args any](z zoned, kernel string, owners []cuda.Owner, args Args) {
	z.t.Helper()
	k, err := cuda.Bind[Args](z.lib, kernel)
	require.NoError(z.t, err)
	require.NoError(z.t, k.LaunchArgsWith(z.s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1), Owners: owners}, &args))
}

func (z zoned) call(args sliceArgs) *cuda.BoundCall[sliceArgs] {
	z.t.Helper()
	k, err := cuda.Bind[sliceArgs](z.lib, "put")
	require.NoError(z.t, err)
	call, err := k.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, args)
	require.NoError(z.t, err)
	return call
}

func TestRedZones(t *testing.T) {
	const beyond = " is beyond the slices of the launch: "
	for _, test := range []struct {
		name string
		run  func(z zoned)
		want string
	}{
		{"within", func(z zoned) { zonedLaunch(z, "put", nil, sliceArgs{X: z.x.Slice(100, 200), At: 99}) }, ""},
		{"beyond the end", func(z zoned) { zonedLaunch(z, "put", nil, sliceArgs{X: z.x.Slice(100, 200), At: 100}) },
			beyond + "4 bytes at offset 800 of a buffer of 4000 bytes, of which they cover offsets 400 to 800: "},
		{"beyond the buffer", func(z zoned) { zonedLaunch(z, "put", nil, sliceArgs{X: z.x.Slice(100, 200), At: 900}) }, " is out of bounds: "},
		{"a whole buffer", func(z zoned) { zonedLaunch(z, "put", nil, sliceArgs{X: z.x.All(), At: 999}) }, ""},
		{"the whole buffer beside a part", func(z zoned) {
			zonedLaunch(z, "put", nil, sliceArgs{X: z.x.Slice(0, 100), Y: z.x.All(), At: 150})
		}, ""},
		{"two parts, within the other", func(z zoned) {
			zonedLaunch(z, "put", nil, sliceArgs{X: z.x.Slice(0, 100), Y: z.x.Slice(100, 200), At: 150})
		}, ""},
		{"two parts, between them", func(z zoned) {
			zonedLaunch(z, "put", nil, sliceArgs{X: z.x.Slice(0, 100), Y: z.x.Slice(200, 300), At: 150})
		}, "cover offsets 0 to 400, 800 to 1200"},
		{"a part of a part", func(z zoned) {
			zonedLaunch(z, "put", nil, sliceArgs{X: z.x.Slice(100, 200).Slice(10, 20), At: 10})
		}, "cover offsets 440 to 480"},
		{"nothing of it", func(z zoned) { zonedLaunch(z, "put", nil, sliceArgs{X: z.x.Slice(5, 5), At: 0}) }, "cover nothing"},
		{"half of a vector", func(z zoned) { zonedLaunch(z, "putVector", nil, sliceArgs{X: z.x.Slice(0, 99), At: 98}) }, beyond + "8 bytes at offset 392"},
		{"an atomic at a generic address", func(z zoned) { zonedLaunch(z, "putGeneric", nil, sliceArgs{X: z.x.Slice(0, 100), At: 100}) }, beyond},
		{"an asynchronous copy", func(z zoned) { zonedLaunch(z, "putAsync", nil, sliceArgs{X: z.x.Slice(0, 100), At: 100}) }, beyond},
		{"other elements", func(z zoned) {
			bytes := cuda.Reinterpret[byte](z.x.Slice(0, 100))
			zonedLaunch(z, "put", nil, sliceArgs{X: cuda.Reinterpret[uint32](bytes.Slice(0, 200)), At: 50})
		}, "cover offsets 0 to 200"},
		{"a plain pointer", func(z zoned) { zonedLaunch(z, "put", nil, plainArgs{X: z.x.Slice(0, 100).Ptr(), At: 150}) }, ""},
		{"a plain pointer beside a slice", func(z zoned) {
			zonedLaunch(z, "put", nil, plainArgs{X: z.x.Ptr(), Y: z.x.Slice(0, 100), At: 150})
		}, ""},
		{"a plain pointer to other memory", func(z zoned) {
			zonedLaunch(z, "put", []cuda.Owner{z.y.Owner()}, sliceArgs{X: z.x.Slice(0, 100), Y: z.y.Slice(0, 1), At: 100})
		}, beyond},
		{"a pointer in a struct", func(z zoned) {
			args := structArgs{Y: z.x.Slice(0, 100), At: 150}
			args.S.P = z.x.Ptr()
			zonedLaunch(z, "putIn", nil, args)
		}, ""},
		{"a named owner", func(z zoned) {
			zonedLaunch(z, "put", []cuda.Owner{z.x.Owner()}, sliceArgs{X: z.x.Slice(0, 100), At: 150})
		}, ""},
		{"a named slice", func(z zoned) {
			zonedLaunch(z, "put", []cuda.Owner{z.x.Slice(0, 10).Owner()}, sliceArgs{X: z.x.Slice(0, 100), At: 150})
		}, ""},
		{"an address in memory", func(z zoned) {
			table, err := cuda.Upload(z.s, []uint32{0, 0, uint32(z.x.Ptr().Address()), uint32(z.x.Ptr().Address() >> 32)})
			require.NoError(z.t, err)
			defer table.Close()
			zonedLaunch(z, "putThere", nil, tableArgs{X: z.x.Slice(0, 100), Table: table.Slice(2, 4), At: 150})
			require.NoError(z.t, z.s.Synchronize())
		}, ""},
		{"host memory", func(z zoned) {
			host, err := cuda.AllocHost[uint32](z.dev, 100, cuda.HostConfig{})
			require.NoError(z.t, err)
			defer host.Close()
			zonedLaunch(z, "put", nil, sliceArgs{X: host.Slice(0, 10), At: 9})
			zonedLaunch(z, "put", nil, sliceArgs{X: host.Slice(0, 10), At: 10})
			z.s.Synchronize()
		}, beyond},
		{"a prepared call", func(z zoned) {
			require.NoError(z.t, z.call(sliceArgs{X: z.x.Slice(0, 100), At: 100}).Launch(z.s))
		}, beyond},
		{"a batch, also as a graph", func(z zoned) {
			good, bad := z.call(sliceArgs{X: z.x.Slice(0, 100), At: 5}), z.call(sliceArgs{X: z.x.Slice(0, 100), At: 99})
			batch, err := cuda.NewBatch(good, bad)
			require.NoError(z.t, err)
			for range 8 {
				require.NoError(z.t, batch.Launch(z.s))
			}
			require.NoError(z.t, z.s.Synchronize())
			require.NoError(z.t, bad.Set(sliceArgs{X: z.x.Slice(0, 100), At: 100}))
			batch.Launch(z.s)
		}, beyond},
		{"a captured graph", func(z zoned) {
			graph, err := cuda.Capture(z.s, func(s *cuda.Stream) error {
				return z.call(sliceArgs{X: z.x.Slice(0, 100), At: 100}).Launch(s)
			})
			require.NoError(z.t, err)
			exec, err := graph.Instantiate()
			require.NoError(z.t, err)
			defer exec.Close()
			require.NoError(z.t, exec.Launch(z.s))
			z.s.Synchronize()
		}, beyond},
		{"copies of slices", func(z zoned) {
			require.NoError(z.t, cuda.Copy(z.x.Slice(100, 200), z.y.Slice(0, 100)).Launch(z.s))
			require.NoError(z.t, z.x.Slice(5, 10).Clear(z.s))
			require.NoError(z.t, cuda.Fill(z.x.Slice(5, 10), 3).Launch(z.s))
			got := make([]uint32, 2)
			require.NoError(z.t, z.x.Slice(6, 8).CopyTo(z.s, got))
			assert.Equal(z.t, []uint32{3, 3}, got)
			require.NoError(z.t, z.x.Close())
			assert.ErrorIs(z.t, z.x.Slice(6, 8).CopyTo(z.s, got), cuda.ErrClosed)
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			tb := &recorder{TB: t}
			run := func(options ...Option) *cuda.Fault {
				dev := New(tb, append(options, AllowFault())...)
				s, err := dev.NewStream()
				require.NoError(t, err)
				lib, err := dev.LoadLibrary(image(puts))
				require.NoError(t, err)
				x, err := cuda.Upload(s, make([]uint32, 1000))
				require.NoError(t, err)
				y, err := cuda.Upload(s, make([]uint32, 1000))
				require.NoError(t, err)
				test.run(zoned{t, dev, s, lib, x, y})
				err = s.Synchronize()
				var fault *cuda.Fault
				errors.As(err, &fault)
				dev.Close()
				return fault
			}
			fault := run(RedZones(), StopAtReport())
			if test.want == "" {
				assert.Nil(t, fault)
			} else if assert.NotNil(t, fault) {
				assert.Contains(t, fault.Error(), test.want)
				assert.Regexp(t, `^\w+\.go:\d+$`, fault.AllocatedAt)
			}
			if fault = run(); test.name != "beyond the buffer" { // the control: without the option nobody looks
				assert.Nil(t, fault)
			}
			tb.end()
			assert.Empty(t, tb.errors)
		})
	}
}
