package profile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/profiled"
)

// inlining is a kernel that reads rows of 4096 bytes in a function that was inlined, and calls one that was not.
const inlining = `.version 8.0
.target sm_75
.address_size 64
.func _Z6calledv() {
	.loc 1 30 3
	membar.cta;
	ret;
}
.visible .entry _Z4rowsPf(.param .u64 p) {
	.reg .b32 %r<3>; .reg .b64 %rd<5>; .reg .f32 %f<2>; .reg .pred %p1;
	.shared .align 4 .b8 tile[8192];
	.loc 1 10 3
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	.loc 1 20 5, function_name $L__info_string0, inlined_at 1 10 3
	mul.wide.u32 %rd2, %r1, 4096;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.f32 %f1, [%rd3];
	.loc 1 11 3
	mov.u32 %r2, tile;
	mad.lo.u32 %r2, %r1, 128, %r2;
	st.shared.f32 [%r2], %f1;
	.loc 1 12 3
	setp.ge.u32 %p1, %r1, 4;
	@%p1 bra DONE;
	.loc 1 13 3
	red.global.add.u32 [%rd1], 1;
	red.global.add.u32 [%rd1], 1;
DONE:
	.loc 1 14 3
	call _Z6calledv;
	bar.sync 0;
	ret;
}
	.file 1 "src/rows.cu"
	.section .debug_str
	{
$L__info_string0:
.b8 95,90,52,114,101,97
.b8 100,80,102,105,0
	}
`

// profiledRun runs a kernel of PTX with one block of 32 threads on a megabyte of zeros, and returns its profile.
func profiledRun(t *testing.T, ptx, symbol string, launches int, cfg Config) *Profile {
	t.Helper()
	p, err := Start(cfg)
	require.NoError(t, err)
	defer p.Stop()
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	lib, err := dev.LoadLibrary(cuda.NewImage("rows.ptx", ptx))
	require.NoError(t, err)
	k, err := lib.Kernel(cuda.Spec{Name: "rows", Symbol: symbol, Params: []cuda.ParamSpec{{Name: "p", Size: 8, Align: 8}}})
	require.NoError(t, err)
	x, err := cuda.Upload(s, make([]float32, 1<<18))
	require.NoError(t, err)
	for range launches {
		at := x.All().Address()
		require.NoError(t, cuda.Generated.Launch(k, s, &cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}, false, unsafe.Pointer(&at), x.All().Owner()))
	}
	require.NoError(t, s.Synchronize())
	return p
}

// parsed writes a profile and reads it as pprof does.
func parsed(t *testing.T, p *Profile) *profile.Profile {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, p.Write(&b))
	got, err := profile.Parse(&b)
	require.NoError(t, err)
	return got
}

// valuesOf returns the values of a type by where samples are: functions and lines, innermost first.
func valuesOf(t *testing.T, p *profile.Profile, name string) map[string]int64 {
	t.Helper()
	index := -1
	for n, v := range p.SampleType {
		if v.Type == name {
			index = n
		}
	}
	require.GreaterOrEqual(t, index, 0, name)
	values := make(map[string]int64)
	for _, s := range p.Sample {
		var at []string
		for _, line := range s.Location[0].Line {
			at = append(at, line.Function.Name+" "+line.Function.Filename+":"+itoa(line.Line))
		}
		if s.Value[index] != 0 {
			values[strings.Join(at, " < ")] += s.Value[index]
		}
	}
	return values
}

func itoa(n int64) string { return strings.ReplaceAll(grouped(uint64(n)), ",", "") }

// A sample is a line, with the function that was inlined there and the kernel around it.
func TestWrite(t *testing.T) {
	p := parsed(t, profiledRun(t, inlining, "_Z4rowsPf", 2, Config{}))
	const kernel = "rows src/rows.cu"
	assert.Equal(t, map[string]int64{kernel + ":10": 4, "read src/rows.cu:20 < " + kernel + ":10": 6, kernel + ":11": 6, kernel + ":12": 4, kernel + ":13": 4, kernel + ":14": 6, "called src/rows.cu:30 < rows :0": 4},
		valuesOf(t, p, "warp_instructions"))
	assert.Equal(t, map[string]int64{kernel + ":13": 2 * 2 * 28}, valuesOf(t, p, "idle_threads"))
	assert.Equal(t, map[string]int64{"read src/rows.cu:20 < " + kernel + ":10": 2 * 32, kernel + ":13": 4}, valuesOf(t, p, "global_sectors"))
	assert.Equal(t, map[string]int64{"read src/rows.cu:20 < " + kernel + ":10": 2 * 28}, valuesOf(t, p, "global_sectors_wasted"))
	assert.Equal(t, map[string]int64{kernel + ":11": 2 * 31}, valuesOf(t, p, "bank_conflicts"))
	assert.Equal(t, map[string]int64{kernel + ":13": 2 * 2 * 4}, valuesOf(t, p, "atomic_rounds"))
	assert.Equal(t, []string{"rows<<<1, 32>>>"}, p.Sample[0].Label["launch"])
	assert.Empty(t, p.Comments)
	assert.Equal(t, "_Z4readPfi", symbolOf(p, "read"))
}

func symbolOf(p *profile.Profile, name string) string {
	for _, f := range p.Function {
		if f.Name == name {
			return f.SystemName
		}
	}
	return ""
}

// A kernel without line information has its instructions, says so, and names no line.
func TestWithoutLines(t *testing.T) {
	var lines []string
	for _, line := range strings.Split(inlining, "\n") {
		if !strings.Contains(line, ".loc") {
			lines = append(lines, line)
		}
	}
	p := profiledRun(t, strings.Join(lines, "\n"), "_Z4rowsPf", 1, Config{})
	written := parsed(t, p)
	require.Len(t, written.Comments, 1)
	assert.Equal(t, "rows"+noLines, written.Comments[0])
	sectors := valuesOf(t, written, "global_sectors_wasted")
	assert.Equal(t, map[string]int64{"PTX line 15: ld.global.f32 %f1, [%rd3] :0 < rows :0": 28}, sectors)
	for _, f := range written.Function {
		assert.Empty(t, f.Filename)
	}
	var text strings.Builder
	require.NoError(t, p.WriteReport(&text))
	assert.Contains(t, text.String(), "  rows has no line information: its instructions of PTX stand for lines. Compile it with -lineinfo, as cudagen does")
	assert.Contains(t, text.String(), "  PTX line 15 (ld.global.f32 %f1, [%rd3]): 32 sectors where 4 would do, in 1 request: consecutive threads read rows 4,096 bytes apart")
}

// The report says what is wrong, where, and why, the worst first.
func TestReport(t *testing.T) {
	var text strings.Builder
	require.NoError(t, profiledRun(t, inlining, "_Z4rowsPf", 1, Config{}).WriteReport(&text))
	assert.Equal(t, `rows<<<1, 32>>>: 1 launch of 1 block
  instructions   17 of warps, in 28.7 of 32 threads
  global memory  34 sectors of 32 bytes, where 6 would do (17 %)
  shared memory  32 wavefronts, of them 31 by bank conflicts
  atomics        2 of warps, in 8 rounds
  barriers       warps arrive 1 time, and never wait for slower ones
  occupancy      39 %: 25 blocks of 1 warp on a multiprocessor of compute capability 9.0, limited by shared memory; fewer above 72 registers a thread (nvcc -Xptxas -v prints them)
  grid           1 block, and an H100 or H200 has 132 multiprocessors: the others are idle
  src/rows.cu:11: 32 wavefronts where 1 would do, in 1 request: consecutive threads write words 128 bytes apart, so that 32 of 32 lie in one bank: pad the rows by a word, to 33 words
  src/rows.cu:20 (read, inlined at src/rows.cu:10): 32 sectors where 4 would do, in 1 request: consecutive threads read rows 4,096 bytes apart: let consecutive threads access consecutive addresses, or turn the tile in shared memory
  src/rows.cu:13: 4 rounds where 1 would do, in each of 2 requests: all 4 threads of a warp that come here update one address: sum up in the warp first (shuffles, __reduce_add_sync), or in shared memory
  src/rows.cu:13: 4.0 of 32 threads on average, in 2 instructions of warps: threads of a warp go different ways here, or the block has warps that are not full
`, text.String())
}

// One launch, and one kernel, can be chosen; a report of nothing says what there was.
func TestChoice(t *testing.T) {
	text := func(p *Profile) string {
		var b strings.Builder
		require.NoError(t, p.WriteReport(&b))
		return b.String()
	}
	for _, kernel := range []string{"", "rows", "_Z4rowsPf"} {
		assert.Equal(t, uint64(1), profiledRun(t, inlining, "_Z4rowsPf", 5, Config{Kernel: kernel, Launch: 3}).Launches(), kernel)
	}
	assert.Equal(t, uint64(5), profiledRun(t, inlining, "_Z4rowsPf", 5, Config{}).Launches())
	p := profiledRun(t, inlining, "_Z4rowsPf", 5, Config{Kernel: "row"})
	assert.Zero(t, p.Launches())
	assert.Equal(t, "none of the launches was counted: no kernel is called row; there were\n  rows: 5 launches\n", text(p))
	assert.Equal(t, "no kernel was launched on a simulated device while the profile ran\n", text(New(Config{})))
	_, err := Start(Config{Launch: -1})
	assert.EqualError(t, err, "profile: launch -1: launches are counted from 1 on, and 0 stands for all")
}

// There is one profile at a time, and none after Stop.
func TestStart(t *testing.T) {
	p, err := Start(Config{})
	require.NoError(t, err)
	_, err = Start(Config{})
	assert.EqualError(t, err, "profile: there is one already: stop it first")
	p.Stop()
	assert.Nil(t, driver.TheProfiler())
	p.Stop()
	driver.SetProfiler(profiled.New(profiled.Filter{}))
	defer driver.SetProfiler(nil)
	_, err = Start(Config{})
	assert.EqualError(t, err, "profile: there is one already, which CUDAGEN_PROFILE asked for: unset that")
	p.Stop()
	assert.NotNil(t, driver.TheProfiler(), "it is not the profile that was stopped")
}

// A launch that fails has counted what ran, and the report says so.
func TestFailed(t *testing.T) {
	p, err := Start(Config{})
	require.NoError(t, err)
	defer p.Stop()
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	lib, err := dev.LoadLibrary(cuda.NewImage("k.ptx", ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n.loc 1 5 1\nmembar.cta;\ntrap;\n}\n.file 1 \"k.cu\"\n"))
	require.NoError(t, err)
	k, err := lib.Kernel(cuda.Spec{Name: "k", Symbol: "k"})
	require.NoError(t, err)
	require.NoError(t, cuda.Generated.Launch(k, s, &cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}, false, nil))
	require.Error(t, s.Synchronize())
	var text strings.Builder
	require.NoError(t, p.WriteReport(&text))
	assert.Contains(t, text.String(), "  failed         1 launch ended early, and counted what ran until then: trap\n")
}

// The picture is XML, calls itself an estimate, and shows each kernel.
func TestWriteRoofline(t *testing.T) {
	p := profiledRun(t, inlining, "_Z4rowsPf", 1, Config{})
	for _, g := range GPUs() {
		var svg bytes.Buffer
		require.NoError(t, p.WriteRoofline(&svg, strings.ToLower(g.Name)))
		assert.Contains(t, svg.String(), "What an "+g.Name+" allows: an estimate, without caches")
		assert.Contains(t, svg.String(), ">rows</text>")
		assert.Contains(t, svg.String(), "1.062 KiB of global memory, where 192 bytes would do")
		for d := xml.NewDecoder(&svg); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
	}
	assert.EqualError(t, p.WriteRoofline(io.Discard, "Voodoo 2"), `profile: there are no figures of a GPU "Voodoo 2": want one of H200, H100, A100, L4, RTX 4090`)
	var empty bytes.Buffer
	require.NoError(t, New(Config{}).WriteRoofline(&empty, "L4"))
	assert.Contains(t, empty.String(), "no kernel accesses global memory")
}

func TestOperations(t *testing.T) {
	for text, want := range map[string]struct {
		n      uint64
		of     pipe
		byWarp bool
	}{
		"fma.rn.f32 %f1, %f2, %f3, %f4;":                          {2, fp32, false},
		"@%p1 add.ftz.f32 %f1, %f2, %f3;":                         {1, fp32, false},
		"mul.f64 %fd1, %fd2, %fd3;":                               {1, fp64, false},
		"fma.rn.f16x2 %r1, %r2, %r3, %r4;":                        {4, fp16, false},
		"add.s32 %r1, %r2, %r3;":                                  {},
		"mad.lo.s32 %r1, %r2, %r3, %r4;":                          {},
		"cvt.rn.f32.s32 %f1, %r1;":                                {},
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}": {2 * 16 * 8 * 16, tensor, true},
		"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}":   {2 * 16 * 16 * 16, tensor, true},
		"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}":        {},
		"wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {}":  {2 * 16 * 128 * 16, tensor, true},
		"wgmma.fence.sync.aligned;":                               {},
	} {
		n, of, byWarp := operations(text)
		assert.Equal(t, want.n, n, text)
		assert.Equal(t, want.of, of, text)
		assert.Equal(t, want.byWarp, byWarp, text)
	}
}

// Occupancy is that of CUDA's occupancy calculator for compute capability 9.0.
func TestOccupancy(t *testing.T) {
	for _, test := range []struct {
		threads, shared uint32
		static          int64
		want            string
	}{
		{256, 0, 0, "100 %: 8 blocks of 8 warps on a multiprocessor of compute capability 9.0, limited by threads; fewer above 32 registers a thread (nvcc -Xptxas -v prints them)"},
		{32, 0, 0, "50 %: 32 blocks of 1 warp on a multiprocessor of compute capability 9.0, limited by the blocks that a multiprocessor takes; fewer above 64 registers a thread (nvcc -Xptxas -v prints them)"},
		{64, 0, 0, "100 %: 32 blocks of 2 warps on a multiprocessor of compute capability 9.0, limited by the blocks that a multiprocessor takes and threads; fewer above 32 registers a thread (nvcc -Xptxas -v prints them)"},
		{128, 0, 99 << 10, "12 %: 2 blocks of 4 warps on a multiprocessor of compute capability 9.0, limited by shared memory"},
		{1000, 8 << 10, 0, "100 %: 2 blocks of 32 warps on a multiprocessor of compute capability 9.0, limited by threads; fewer above 32 registers a thread (nvcc -Xptxas -v prints them)"},
	} {
		g := &profiled.Group{Kernel: &driver.ProfiledKernel{SharedBytes: test.static}, Block: driver.Dim3{X: test.threads, Y: 1, Z: 1}, SharedBytes: test.shared}
		assert.Equal(t, test.want, occupancyOf(g, nil).String())
	}
}

// Reasons are said of how addresses lie.
func TestReasons(t *testing.T) {
	request := func(cost driver.Cost, width uint32, address func(l uint64) uint64) *driver.ProfiledRequest {
		r := &driver.ProfiledRequest{Cost: cost, Lanes: ^uint32(0), Width: width, Count: 9}
		for l := range r.Addresses {
			r.Addresses[l] = address(uint64(l))
		}
		return r
	}
	gaps := request(driver.GlobalSectors, 4, func(l uint64) uint64 { return 4 * l })
	gaps.Lanes = 0xff00ffcf
	for _, test := range []struct {
		r    *driver.ProfiledRequest
		want string
	}{
		{request(driver.GlobalSectors, 4, func(l uint64) uint64 { return 4 + 4*l }), "consecutive threads read side by side, but begin at byte 4 of a sector"},
		{request(driver.GlobalSectors, 4, func(l uint64) uint64 { return 16 * l }), "consecutive threads read 4 of every 16 bytes"},
		{request(driver.GlobalSectors, 4, func(l uint64) uint64 { return 4000 - 4*l }), "consecutive threads read side by side"},
		{request(driver.GlobalSectors, 4, func(l uint64) uint64 { return 8192 * l }), "consecutive threads read rows 8,192 bytes apart"},
		{request(driver.GlobalSectors, 4, func(l uint64) uint64 { return l * l * 40 }), "the threads of a warp read 32 places that lie apart"},
		{request(driver.GlobalSectors, 4, func(l uint64) uint64 { return l % 8 * 2048 }), "consecutive threads read rows 2,048 bytes apart"},
		{request(driver.SharedWavefronts, 4, func(l uint64) uint64 { return 128 * l }), "consecutive threads read words 128 bytes apart, so that 32 of 32 lie in one bank: pad the rows by a word, to 33 words"},
		{request(driver.SharedWavefronts, 4, func(l uint64) uint64 { return 8 * l }), "consecutive threads read words 8 bytes apart, so that 2 of 32 lie in one bank: let consecutive threads access consecutive words"},
		{request(driver.SharedWavefronts, 8, func(l uint64) uint64 { return l * l * 8 }), "the threads of a warp read 32 places of 8 bytes, and those that are served at once share banks"},
		{request(driver.SharedWavefronts, 4, func(l uint64) uint64 { return l * l * 4 }), "the threads of a warp read 32 words, up to 9 of them in one bank"},
		{gaps, "consecutive threads read side by side, but others between them take no part, and leave sectors half empty"},
		{request(driver.AtomicRounds, 4, func(l uint64) uint64 { return l / 8 }), "8 of 32 threads of a warp update one address"},
		{request(driver.AtomicRounds, 4, func(uint64) uint64 { return 8 }), "all 32 threads of a warp that come here update one address"},
	} {
		assert.Contains(t, reason(test.r, "read"), test.want)
	}
}

// ptxas tells how many registers there are, and what is spilled; the occupancy is then exact.
func TestAssemble(t *testing.T) {
	p := profiledRun(t, inlining, "_Z4rowsPf", 1, Config{})
	report := func() string {
		var text strings.Builder
		require.NoError(t, p.WriteReport(&text))
		return text.String()
	}
	assert.NotContains(t, report(), "registers  ")
	require.NoError(t, p.Assemble(func(string, string) (string, error) { return "", nil }), "an old ptxas")
	assert.NotContains(t, report(), "registers  ")
	asked := 0
	require.NoError(t, p.Assemble(func(ptx, arch string) (string, error) {
		asked++
		assert.Equal(t, inlining, ptx)
		assert.Equal(t, "sm_90", arch)
		return `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5otherv' for 'sm_90'
ptxas info    : Function properties for _Z5otherv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers
ptxas info    : Compiling entry function '_Z4rowsPf' for 'sm_90'
ptxas info    : Function properties for _Z6calledv
    0 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Function properties for _Z4rowsPf
    48 bytes stack frame, 1048 bytes spill stores, 96 bytes spill loads
ptxas info    : Used 128 registers, used 1 barriers
`, nil
	}))
	assert.Equal(t, 1, asked)
	assert.Contains(t, report(), "  registers      128 a thread, by ptxas for sm_90, which spills: 1,048 bytes are stored to local memory, and 96 bytes loaded\n")
	assert.Contains(t, report(), "  occupancy      25 %: 16 blocks of 1 warp on a multiprocessor of compute capability 9.0, limited by registers\n")
	err := p.Assemble(func(string, string) (string, error) { return "", io.ErrUnexpectedEOF })
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// Registers are handed out as CUDA's occupancy calculator does it for compute capability 9.0.
func TestByRegisters(t *testing.T) {
	for _, test := range []struct{ registers, warps, want int }{{32, 8, 8}, {33, 8, 6}, {64, 8, 4}, {255, 8, 1}, {40, 32, 1}, {72, 1, 28}, {96, 6, 3}} {
		assert.Equal(t, test.want, byRegisters(test.registers, test.warps), test)
	}
}

func TestArchOf(t *testing.T) {
	for target, want := range map[string]string{"sm_75": "sm_90", "sm_90": "sm_90", "sm_90a": "sm_90a", "sm_100": "sm_100", "sm_120f": "sm_120f", "": "sm_90"} {
		assert.Equal(t, want, archOf(".version 8.0\n.target "+target+", debug\n"))
	}
}

// Configurations of one kernel have names of their own in the picture, and dots that lie upon others are smaller.
func TestRooflineOfOneKernel(t *testing.T) {
	group := func(grid int) string {
		return fmt.Sprintf(`{"Kernel":{"Symbol":"k","Target":75,"Instructions":[{"Text":"ld.global.f32 %%f1, [%%rd1];","PTXLine":7}]},"Name":"k","Grid":{"X":%d,"Y":1,"Z":1},"Block":{"X":256,"Y":1,"Z":1},"Launches":1,
"Counts":[{"Warps":100,"Threads":3200,"Executed":3200,"GlobalRequests":100,"GlobalSectors":400,"GlobalIdeal":400}],"Worst":[[null,null,null]]}`, grid)
	}
	picture := func(grids ...int) string {
		var groups []string
		for _, grid := range grids {
			groups = append(groups, group(grid))
		}
		p := New(Config{})
		require.NoError(t, p.Read(strings.NewReader(`{"Version":1,"Groups":[`+strings.Join(groups, ",")+`]}`)))
		var svg strings.Builder
		require.NoError(t, p.WriteRoofline(&svg, "H200"))
		return svg.String()
	}
	two := picture(9, 16)
	assert.Contains(t, two, "k&lt;&lt;&lt;9, 256&gt;&gt;&gt;")
	assert.Contains(t, two, "k&lt;&lt;&lt;16, 256&gt;&gt;&gt;")
	assert.Contains(t, two, `r="4"`)
	one := picture(9)
	assert.NotContains(t, one, "&lt;&lt;&lt;")
	assert.NotContains(t, one, `r="4"`)
	many := []int{}
	for grid := range maxKernels + 2 {
		many = append(many, grid+1)
	}
	assert.NotContains(t, picture(many[:maxKernels]...), "no room")
	assert.Contains(t, picture(many...), "and 2 more, of which there is no room here")
}
