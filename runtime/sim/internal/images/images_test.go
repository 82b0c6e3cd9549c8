package images

import (
	"encoding/binary"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// placing has a kernel that adds to a variable whose address the code has, by way of one that holds the address, and gives back what a byte of that says.
const placing = `.version 8.0
.target sm_90
.address_size 64
.global .u32 sum = 5;
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
		lib, refused := Load(bytecode.ImageName, []byte(placing), &d.mem, limits.Capability)
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
		params := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, d.out), n)
		one := driver.Dim3{X: 1, Y: 1, Z: 1}
		run := interp.Execute(k, &d.mem, driver.LaunchConfig{Grid: one, Block: one}, interp.Alone(), params, new(atomic.Bool), 1, new(atomic.Uint64), interp.Checks{Races: n%5 == 0})
		require.Nil(t, run.Fault)
		d.sum += n
		got, ok := memory.BytesAt(d.out, 8)
		require.True(t, ok)
		assert.Equal(t, d.sum+3, binary.LittleEndian.Uint32(got), n)
		assert.Zero(t, binary.LittleEndian.Uint32(got[4:]), "the bytes of an address")
	}
	newer, refused := Load(bytecode.ImageName, []byte(placing), &devices[0].mem, 100)
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

// BenchmarkLoadAgain is how long a module takes to load that the process has loaded before, for each megabyte of PTX.
func BenchmarkLoadAgain(b *testing.B) {
	header, kernel, ok := strings.Cut(placing, ".entry k")
	require.True(b, ok)
	text := []byte(header)
	for n := 0; len(text) < 1e6; n++ {
		text = append(text, ".entry k"+strconv.Itoa(n)+kernel...)
	}
	least := time.Duration(math.MaxInt64)
	load := func() {
		var mem memory.Memory
		began := time.Now()
		_, refused := Load(bytecode.ImageName, text, &mem, limits.Capability)
		least = min(least, time.Since(began))
		require.Nil(b, refused)
		mem.Reset()
	}
	load()
	first := least
	for b.Loop() {
		load()
	}
	b.ReportMetric(first.Seconds()*1e3*1e6/float64(len(text)), "first-ms/MB")
	b.ReportMetric(least.Seconds()*1e3*1e6/float64(len(text)), "ms/MB")
	b.ReportMetric(0, "ns/op")
}
