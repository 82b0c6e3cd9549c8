package interp

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// TestRedZones: an access of an allocation beyond what the slices of a launch cover is found, unless the kernel may have
// another address of it.
func TestRedZones(t *testing.T) {
	// %rd3 is an address of 256 bytes for each thread, 8 bytes apart.
	const each = "mul.wide.u32 %rd2, %r2, 8; add.s64 %rd3, %rd1, %rd2; "
	type slice struct{ from, bytes uint64 }
	for _, test := range []struct {
		name    string
		slices  []slice
		whole   bool
		refer   bool // an address of the allocation is in another one
		body    string
		threads uint32
		want    string
	}{
		{"all of the slice", []slice{{0, 64}}, false, false, each + "st.global.u64 [%rd3], 1;", 8, ""},
		{"behind it", []slice{{0, 64}}, false, false, each + "st.global.u64 [%rd3], 1;", 9, "is beyond the slices of the launch: 8 bytes at offset 64 of a buffer of 256 bytes, of which they cover offsets 0 to 64"},
		{"one byte behind it", []slice{{0, 60}}, false, false, each + "ld.global.u64 %rd4, [%rd3];", 8, "8 bytes at offset 56 of a buffer"},
		{"in front of it", []slice{{8, 64}}, false, false, each + "ld.u64 %rd4, [%rd3];", 1, "at offset 0 of a buffer of 256 bytes, of which they cover offsets 8 to 72"},
		{"between two", []slice{{32, 32}, {0, 16}}, false, false, each + "st.global.u64 [%rd3], 1;", 4, "at offset 16 of a buffer of 256 bytes, of which they cover offsets 0 to 16, 32 to 64"},
		{"two that touch", []slice{{40, 24}, {0, 40}}, false, false, each + "st.global.v2.u64 [%rd1+32], {%rd3, %rd3};", 1, ""},
		{"two, one in the other", []slice{{0, 64}, {8, 8}}, false, false, each + "st.global.u64 [%rd3], 1;", 8, ""},
		{"an empty slice", []slice{{0, 0}}, false, false, each + "st.global.u64 [%rd3], 1;", 1, "of which they cover nothing"},
		{"an atomic operation", []slice{{0, 8}}, false, false, "red.global.add.u32 [%rd1+8], 1;", 1, "4 bytes at offset 8"},
		{"all of it is covered", []slice{{0, 128}, {128, 128}}, false, false, each + "st.global.u64 [%rd3], 1;", 32, ""},
		{"an owner of all", []slice{{0, 64}}, true, false, each + "st.global.u64 [%rd3], 1;", 9, ""},
		{"an address in memory", []slice{{0, 64}}, false, true, each + "st.global.u64 [%rd3], 1;", 9, ""},
		{"no slices", nil, false, false, each + "st.global.u64 [%rd3], 1;", 9, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t, entry(test.body))
			addr := m.upload(make([]uint64, 32))
			m.upload([]uint32{7, 0, 0, 0}) // neither is an address
			if test.refer {
				m.upload([]uint32{7, uint32(addr), uint32(addr >> 32), 0}) // across two words
			}
			cfg := config(1, test.threads, 0)
			cfg.Covers = new(driver.Covers)
			for _, s := range test.slices {
				cfg.Covers.Slices = append(cfg.Covers.Slices, driver.Cover{Param: 0, Addr: driver.DevicePtr(addr + s.from), Bytes: s.bytes})
			}
			if test.whole {
				cfg.Covers.Whole = []driver.DevicePtr{driver.DevicePtr(addr)}
			}
			k := m.lib.Kernels["k"]
			run := Execute(k, &m.mem, cfg, Alone(), arguments(k, addr, uint32(0)), new(atomic.Bool), 1, new(atomic.Uint64), Checks{RedZones: true})
			if test.want == "" {
				assert.Nil(t, run.Fault)
				return
			}
			require.NotNil(t, run.Fault)
			assert.Contains(t, run.Fault.Reason, test.want)
			assert.Equal(t, driver.ErrorIllegalAddress, run.Fault.Result)
			control := Execute(k, &m.mem, cfg, Alone(), arguments(k, addr, uint32(0)), new(atomic.Bool), 1, new(atomic.Uint64), Checks{})
			assert.Nil(t, control.Fault, "without the check")
		})
	}
}

// TestPlainPointerOpensTheRedZone: a kernel that is given the address beside a slice may use all of the allocation.
func TestPlainPointerOpensTheRedZone(t *testing.T) {
	m := newMachine(t, ptxHeader+".entry k(.param .u64 p, .param .align 8 .b8 s[16]) { .reg .b64 %rd<3>; ld.param.u64 %rd1, [p]; st.global.u64 [%rd1+64], 1; ret; }")
	addr, k := m.upload(make([]uint64, 32)), m.lib.Kernels["k"]
	cfg := config(1, 1, 0)
	cfg.Covers = &driver.Covers{Slices: []driver.Cover{{Param: 0, Addr: driver.DevicePtr(addr), Bytes: 64}}}
	for _, test := range []struct {
		s     [2]uint64
		finds bool
	}{{[2]uint64{}, true}, {[2]uint64{addr, 0}, false}, {[2]uint64{0, addr + 8}, false}, {[2]uint64{addr << 32, addr >> 32}, false}} {
		run := Execute(k, &m.mem, cfg, Alone(), arguments(k, addr, test.s), new(atomic.Bool), 1, new(atomic.Uint64), Checks{RedZones: true})
		assert.Equal(t, test.finds, run.Fault != nil, "%#x", test.s)
	}
}
