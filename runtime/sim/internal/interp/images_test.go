package interp

import (
	"encoding/binary"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// placing has a kernel that adds to a variable whose address the code has, by way of one that holds the address, and gives back what a byte of that says.
const placing = ptxHeader + `.global .u32 sum = 5;
.global .u32 other[3] = {1, 2, 3};
.global .u64 where[2] = {other, sum+0};
.global .u8 byte[2] = {0xFF(sum), 0xFF00(sum)};
.entry k(.param .u64 p, .param .u32 n)
{
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %h<3>;
ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];
ld.global.u32 %r2, [sum];
add.u32 %r2, %r2, %r1;
mov.u64 %rd2, where;
ld.global.u64 %rd3, [%rd2+8];
st.global.u32 [%rd3], %r2;
ld.global.u32 %r3, [other+8];
add.u32 %r2, %r2, %r3;
st.global.u32 [%rd1], %r2;
ld.global.u8 %h1, [byte]; cvt.u32.u16 %r4, %h1;
ld.global.u8 %h2, [byte+1]; cvt.u32.u16 %r5, %h2; shl.b32 %r5, %r5, 8; or.b32 %r4, %r4, %r5;
mov.u64 %rd4, sum; cvt.u32.u64 %r6, %rd4; and.b32 %r6, %r6, 0xffff; sub.u32 %r4, %r4, %r6;
st.global.u32 [%rd1+4], %r4;
ret;
}
`

// Two devices that load one text share what it was decoded to, and have variables of their own: also in blocks that a launch
// on the other left.
func TestImagesAreShared(t *testing.T) {
	type device struct {
		mem memory.Memory
		lib *bytecode.Library
		out uint64
		sum uint32
	}
	devices := make([]device, 2)
	for n := range devices {
		d := &devices[n]
		t.Cleanup(d.mem.Reset)
		lib, refused := LoadAs(bytecode.ImageName, []byte(placing), &d.mem, limits.Capability)
		require.Nil(t, refused)
		var ok bool
		d.out, ok = d.mem.Alloc(8, memory.Allocation{})
		require.True(t, ok)
		d.lib, d.sum = lib, 5
	}
	require.Same(t, devices[0].lib.Kernels["k"].Program, devices[1].lib.Kernels["k"].Program)
	assert.NotEqual(t, devices[0].lib.Kernels["k"].Variables, devices[1].lib.Kernels["k"].Variables)
	for n := range uint32(40) {
		d := &devices[n*n%7%2]
		k := d.lib.Kernels["k"]
		run := Execute(k, &d.mem, config(1, 1, 0), Alone(), arguments(k, d.out, n), new(atomic.Bool), 1, new(atomic.Uint64), Checks{Races: n%5 == 0})
		require.Nil(t, run.Fault)
		d.sum += n
		got, ok := memory.BytesAt(d.out, 8)
		require.True(t, ok)
		assert.Equal(t, d.sum+3, binary.LittleEndian.Uint32(got), n)
		assert.Zero(t, binary.LittleEndian.Uint32(got[4:]), "the bytes of an address")
	}
	newer, refused := LoadAs(bytecode.ImageName, []byte(placing), &devices[0].mem, 100)
	require.Nil(t, refused)
	assert.NotSame(t, newer.Kernels["k"].Program, devices[0].lib.Kernels["k"].Program, "the control: a device of another capability")
}

// Beginners at once decode once; what is refused is refused each time; what nobody uses is forgotten.
func TestImagesAreForgotten(t *testing.T) {
	d := images{known: make(map[imageKey]*decodedImage)}
	var group sync.WaitGroup
	got := make([]*bytecode.Image, 8)
	for n := range got {
		group.Go(func() { got[n], _ = d.image("a.ptx", []byte(placing), 90) })
	}
	group.Wait()
	require.NotNil(t, got[0])
	for _, img := range got {
		assert.Same(t, got[0], img)
	}
	for range 2 {
		_, refused := d.image("a.ptx", []byte(strings.Replace(placing, "ret;", "ret", 1)), 90)
		require.NotNil(t, refused)
		assert.Equal(t, driver.ErrorInvalidPTX, refused.Result)
	}
	assert.Len(t, d.known, 1)

	large := placing + strings.Repeat("\n", mostRecent)
	_, refused := d.image("a.ptx", []byte(large), 90)
	require.Nil(t, refused)
	assert.Empty(t, d.recent, "it is too large to be kept, and so are those before it")
	clear(got)
	for range 100 {
		if runtime.GC(); d.count() == 0 {
			return
		}
		runtime.Gosched()
	}
	assert.Zero(t, d.count())
}

func (d *images) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.known)
}

// A block that an earlier launch has left finds what a new one finds: other arguments, grids and special registers, whichever checks there are.
func TestBlocksAreReused(t *testing.T) {
	m := newMachine(t, entry(`mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ctaid.x; mov.u64 %rd5, %gridid; cvt.u32.u64 %r5, %rd5;
mad.lo.u32 %r6, %r3, 100, %r4; mad.lo.u32 %r6, %r1, 10000, %r6;
mov.u32 %r7, %ntid.x; mad.lo.u32 %r8, %r4, %r7, %r2; mul.wide.u32 %rd2, %r8, 8; add.s64 %rd2, %rd1, %rd2;
st.global.u32 [%rd2], %r6; st.global.u32 [%rd2+4], %r5;`))
	k := m.lib.Kernels["k"]
	last := uint32(0)
	for n := range uint32(60) {
		grid, threads := 1+n%3, 1+n%5*20
		out := make([]uint32, 2*grid*threads)
		addr := m.upload(out)
		checks := Checks{Races: n%4 == 1, Undefined: n%4 == 2, Arrays: n%4 == 3}
		run := Execute(k, &m.mem, config(grid, threads, 64*(n%2)), Alone(), arguments(k, addr, n), new(atomic.Bool), int(1+n%2), new(atomic.Uint64), checks)
		require.Nil(t, run.Fault)
		m.download(addr, out)
		for i := range grid * threads {
			require.Equal(t, n*10000+grid*100+i/threads, out[2*i], "launch %d, thread %d", n, i)
			require.Greater(t, out[2*i+1], last, "the number of the grid")
		}
		last = out[1]
	}
	addr := m.upload(make([]uint32, 4096))
	params, stop, ended := arguments(k, addr, uint32(1)), new(atomic.Bool), new(atomic.Uint64)
	launch := func() { Execute(k, &m.mem, config(4, 256, 64), Alone(), params, stop, 2, ended, Checks{}) }
	launch()
	if !raceEnabled { // whose pools lose some of what they are given
		assert.LessOrEqual(t, testing.AllocsPerRun(100, launch), 2.0, "allocations of a launch")
	}
}
