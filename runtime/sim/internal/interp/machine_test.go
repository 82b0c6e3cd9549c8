package interp

import (
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// Entry is a module with one kernel of the parameters p (.u64) and n (.u32).
func entry(body string) string {
	return ptxHeader + ".extern .shared .align 8 .b8 dyn[];\n.entry k(.param .u64 p, .param .u32 n)\n{\n" +
		".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .f32 %f<9>; .reg .b16 %h<9>;\n" +
		"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n" + body + "\nret;\n}\n"
}

// bodyLine is the line of the first line of body in entry's text.
const bodyLine = 9

// outputs runs body with threads threads and returns one word for each, at %rd1.
func outputs(t *testing.T, threads int, body string) []uint32 {
	t.Helper()
	m := newMachine(t, entry("mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd1, %rd2;\n"+body))
	out := make([]uint32, threads)
	addr := m.upload(out)
	_, fault := m.launch("k", config(1, uint32(threads), 512), addr, uint32(threads))
	require.Nil(t, fault)
	m.download(addr, out)
	return out
}

func TestControlFlow(t *testing.T) {
	// Lanes loop as often as their number says and meet again.
	out := outputs(t, 64, `mov.u32 %r3, 0; mov.u32 %r4, 0;
L: setp.ge.u32 %p1, %r3, %r2;
@%p1 bra M;
add.u32 %r4, %r4, %r3; add.u32 %r3, %r3, 1; bra.uni L;
M: activemask.b32 %r5; setp.eq.u32 %p2, %r5, -1; @%p2 add.u32 %r4, %r4, 1000; st.global.u32 [%rd2], %r4;`)
	for i, got := range out {
		assert.Equal(t, uint32(1000+i*(i-1)/2), got, i)
	}
	out = outputs(t, 32, `ts: .branchtargets A, B, C;
rem.u32 %r3, %r2, 3;
brx.idx %r3, ts;
A: mov.u32 %r4, 10; bra Z;
B: mov.u32 %r4, 20; bra Z;
C: mov.u32 %r4, 30;
Z: st.global.u32 [%rd2], %r4;`)
	for i, got := range out {
		assert.Equal(t, uint32(10*(i%3+1)), got, i)
	}
}

// TestSpinBetweenLanes has a lane wait for another of its warp, and a warp for a later one.
func TestSpinBetweenLanes(t *testing.T) {
	out := outputs(t, 64, `mov.u32 %r9, dyn;
setp.eq.u32 %p1, %r2, 63;
@%p1 st.volatile.shared.u32 [%r9], 7;
L: ld.volatile.shared.u32 %r3, [%r9]; setp.ne.u32 %p2, %r3, 7; @%p2 bra L;
st.global.u32 [%rd2], %r3;`)
	for _, got := range out {
		assert.Equal(t, uint32(7), got)
	}
}

func TestWarpFunctions(t *testing.T) {
	out := outputs(t, 32, `setp.lt.u32 %p1, %r2, 5; vote.sync.ballot.b32 %r3, %p1, -1;
shfl.sync.bfly.b32 %r4|%p2, %r2, 1, 31, -1; shfl.sync.up.b32 %r5|%p3, %r2, 2, 0, -1; selp.u32 %r6, 100, 0, %p3;
shfl.sync.idx.b32 %r7, %r2, 3, 0x181f, -1;
redux.sync.add.u32 %r8, %r2, -1; and.b32 %r10, %r2, 3; match.any.sync.b32 %r9, %r10, -1;
vote.sync.all.pred %p4, %p1, -1; selp.u32 %r11, 1, 0, %p4;
add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r6; add.u32 %r3, %r3, %r7; add.u32 %r3, %r3, %r8; add.u32 %r3, %r3, %r9; add.u32 %r3, %r3, %r11;
st.global.u32 [%rd2], %r3;`)
	for i := range uint32(32) {
		up, within := i, uint32(0)
		if i >= 2 {
			up, within = i-2, 100
		}
		want := uint32(31) + (i ^ 1) + up + within + (i&^7 | 3) + 496 + 0x11111111<<(i&3)
		assert.Equal(t, want, out[i], i)
	}
}

func TestSharedMemoryAndBarriers(t *testing.T) {
	out := outputs(t, 128, `.shared .align 4 .b32 s[128];
mov.u32 %r3, s; shl.b32 %r4, %r2, 2; add.u32 %r4, %r3, %r4; st.shared.u32 [%r4], %r2;
bar.sync 0;
mov.u32 %r6, 508; sub.u32 %r6, %r6, %r4; add.u32 %r6, %r6, %r3; add.u32 %r6, %r6, %r3;
cvt.u64.u32 %rd5, %r6; cvta.shared.u64 %rd5, %rd5; ld.u32 %r7, [%rd5];
st.global.u32 [%rd2], %r7;`)
	for i, got := range out {
		assert.Equal(t, uint32(127-i), got)
	}
	// A named barrier of two warps: warp 0 arrives, warp 1 waits for it.
	out = outputs(t, 64, `mov.u32 %r9, dyn;
setp.ge.u32 %p1, %r2, 32; @%p1 bra W;
st.shared.u32 [%r9], 5; bar.arrive 1, 64; bra Z;
W: bar.sync 1, 64; ld.shared.u32 %r3, [%r9]; st.global.u32 [%rd2], %r3;
Z:`)
	assert.Equal(t, uint32(0), out[0])
	assert.Equal(t, uint32(5), out[63])
	// Threads that have exited count as arrived.
	out = outputs(t, 64, `setp.lt.u32 %p1, %r2, 40; @%p1 exit; bar.sync 0; st.global.u32 [%rd2], 1;`)
	assert.Equal(t, []uint32{0, 1}, []uint32{out[39], out[40]})
}

func TestMemorySpaces(t *testing.T) {
	m := newMachine(t, ptxHeader+`
.const .align 4 .u32 table[3] = {7, 8, 9};
.global .align 8 .u64 pointer = generic(target)+4;
.global .align 4 .u32 target[2] = {1, 42};
.global .f32 numbers[2][2] = {{1.5, 0f40000000}, {-3.0}};
.entry k(.param .u64 out, .param .align 8 .b8 s[16]) {
.local .align 8 .b8 frame[16];
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<3>; .reg .b16 %h<4>;
ld.param.u64 %rd1, [out];
ld.const.u32 %r1, [table+8];
ld.global.u64 %rd2, [pointer]; ld.u32 %r2, [%rd2];
ld.param.v2.u32 {%r3, _}, [s+8];
mov.u64 %rd3, frame; cvta.local.u64 %rd4, %rd3; st.local.u32 [%rd3+4], %r1; ld.u32 %r4, [%rd4+4];
ld.global.f32 %f1, [numbers+8]; cvt.rzi.s32.f32 %r5, %f1;
mov.b64 %rd5, s; cvta.param.u64 %rd5, %rd5; ld.u32 %r6, [%rd5+8];
st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
st.global.v2.u32 [%rd1+16], {%r5, %r6};
mov.b32 {%h1, %h2}, %r3; mov.b32 %r7, {%h2, %h1}; st.global.u32 [%rd1+24], %r7;
st.global.u8 [%rd1+28], -1; ld.volatile.global.s8 %r8, [%rd1+28]; st.volatile.global.u16 [%rd1+30], %r8;
ret; }`)
	out := m.upload(make([]uint32, 8))
	_, fault := m.launch("k", config(1, 1, 0), out, [2]uint64{0, 0x0003_0004})
	require.Nil(t, fault)
	got := make([]uint32, 8)
	m.download(out, got)
	assert.Equal(t, []uint32{9, 42, 0x30004, 9, uint32(math.MaxUint32 - 2), 0x30004, 0x40003, 0xffff00ff}, got)
}

// __ldg of a __constant__ variable is a load of global memory. Miners have it.
func TestConstantsAreReadAsGlobalMemory(t *testing.T) {
	m := newMachine(t, ptxHeader+`
.const .align 16 .u32 table[4] = {7, 8, 9, 10};
.entry k(.param .u64 out, .param .u32 writes) {
.reg .b32 %r<10>; .reg .b64 %rd<9>; .reg .pred %p<2>;
ld.param.u64 %rd1, [out]; ld.param.u32 %r9, [writes]; setp.ne.u32 %p1, %r9, 0;
mov.u64 %rd2, table; cvta.const.u64 %rd2, %rd2;
ld.global.nc.u32 %r1, [%rd2+4]; ld.global.nc.v4.u32 {%r2, %r3, %r4, %r5}, [%rd2]; ld.u32 %r6, [%rd2+8];
st.global.v4.u32 [%rd1], {%r1, %r2, %r5, %r6};
@%p1 st.global.u32 [%rd2], 1;
ret; }`)
	out := m.upload(make([]uint32, 4))
	_, fault := m.launch("k", config(1, 32, 0), out, uint32(0))
	require.Nil(t, fault)
	got := make([]uint32, 4)
	m.download(out, got)
	assert.Equal(t, []uint32{8, 7, 10, 9}, got)
	_, fault = m.launch("k", config(1, 32, 0), out, uint32(1))
	require.NotNil(t, fault)
	assert.Contains(t, fault.Reason, "is in a .const variable, which is read-only")
}

func TestAtomics(t *testing.T) {
	m := newMachine(t, entry(`red.global.add.u32 [%rd1], 1; atom.global.max.s32 %r3, [%rd1+4], %r2;
cvt.rn.f32.u32 %f1, %r2; red.global.add.f32 [%rd1+8], %f1; atom.global.inc.u32 %r4, [%rd1+12], 99;
atom.global.add.u64 %rd3, [%rd1+16], 4294967296;
L: atom.global.cas.b32 %r5, [%rd1+24], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra L;
ld.volatile.global.u32 %r6, [%rd1+28]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1+28], %r6;
membar.gl; atom.global.exch.b32 %r7, [%rd1+24], 0;`))
	addr := m.upload(make([]uint32, 8))
	_, fault := m.launch("k", config(8, 64, 0), addr, uint32(0))
	require.Nil(t, fault)
	got := make([]uint32, 8)
	m.download(addr, got)
	assert.Equal(t, []uint32{512, 63, math.Float32bits(8 * 63 * 32), 12, 0, 512, 0, 512}, got)
	assert.True(t, m.lib.Kernels["k"].Ordered)
	assert.False(t, newMachine(t, examplePTX(t)).lib.Kernels["_ZN5stats9histogramEPKhPjij"].Ordered, "its atomics commute and their results are not read")
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name, body string
		code       driver.Result
		line, lane int
		want       string
	}{
		{"out of bounds", "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], 1;",
			driver.ErrorIllegalAddress, 2, 16, "is out of bounds: 4 bytes at offset 64 of 64"},
		{"before the allocation", "ld.global.u32 %r3, [%rd1+-4];", driver.ErrorIllegalAddress, 0, 0, "is in no allocation"},
		{"null", "ld.global.u32 %r3, [0];", driver.ErrorIllegalAddress, 0, 0, "global address 0x0 is in no allocation"},
		{"misaligned", "ld.global.u32 %r3, [%rd1+2];", driver.ErrorMisalignedAddress, 0, 0, "is not aligned to 4 bytes"},
		{"misaligned vector", "ld.global.v2.u32 {%r3, %r4}, [%rd1+4];", driver.ErrorMisalignedAddress, 0, 0, "is not aligned to 8 bytes"},
		{"shared", "st.shared.u32 [%r1], 1;", driver.ErrorIllegalAddress, 0, 0, "shared address 0x40 is out of bounds: 4 bytes at offset 64 of 64"},
		{"local", "ld.local.u32 %r3, [%r2];", driver.ErrorIllegalAddress, 0, 0, "local address 0x0 is out of bounds"},
		{"trap", "setp.eq.u32 %p1, %r2, 5;\n@%p1 trap;", driver.ErrorLaunchFailed, 1, 5, "trap"},
		{"divergent barrier", "setp.eq.u32 %p1, %r2, 5;\n@%p1 bra L;\nbar.sync 0;\nbra M;\nL: bar.sync 0;\nM:", driver.ErrorLaunchFailed, 2, 0, "barrier divergence"},
		{"unreached barrier", "setp.lt.u32 %p1, %r2, 32;\n@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 2, 64;", driver.ErrorLaunchFailed, 1, 0, "deadlock: every thread of the block waits for another"},
		{"missing lanes", "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nbar.sync 0;\nL: bar.warp.sync 3;", driver.ErrorLaunchFailed, 2, 1, "deadlock"},
		{"not a member", "shfl.sync.idx.b32 %r3, %r2, 0, 31, 1;", driver.ErrorLaunchFailed, 0, 1, "not in its own member mask 0x00000001"},
		{"no such barrier", "bar.sync 16;", driver.ErrorLaunchFailed, 0, 0, "barrier 16 does not exist"},
		{"parameter is read-only", "mov.u64 %rd2, p; cvta.param.u64 %rd2, %rd2; st.u32 [%rd2], 1;", driver.ErrorIllegalAddress, 0, 0, "read-only"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t, entry(test.body))
			_, fault := m.launch("k", config(1, 64, 64), m.upload(make([]uint32, 16)), uint32(64))
			require.NotNil(t, fault)
			assert.Equal(t, test.code, fault.Result)
			assert.Equal(t, bodyLine+test.line, fault.PTXLine, fault.Error())
			assert.Equal(t, test.lane, fault.Lane, fault.Error())
			assert.ErrorContains(t, fault, test.want)
			assert.ErrorContains(t, fault, "k: PTX line ")
		})
	}
}

// TestFaultNamesSource uses the example, whose PTX has line information.
func TestFaultNamesSource(t *testing.T) {
	m := newMachine(t, examplePTX(t))
	_, fault := m.launch("saxpy", config(2, 256, 0), int32(300), float32(1), m.upload(floats(300)), m.upload(floats(299)))
	require.NotNil(t, fault)
	assert.Equal(t, "../../../../example/kernels.cu", fault.Source)
	assert.Equal(t, 15, fault.Line)
	assert.Equal(t, driver.Dim3{X: 1}, fault.Block)
	assert.Equal(t, driver.Dim3{X: 43}, fault.Thread)
	assert.Equal(t, 1, fault.Warp)
	assert.Equal(t, 11, fault.Lane)
	assert.NotZero(t, fault.Address)
}

func TestUseAfterFree(t *testing.T) {
	m := newMachine(t, entry("ld.global.u32 %r3, [%rd1];"))
	addr := m.upload([]uint32{1})
	_, fault := m.launch("k", config(1, 1, 0), addr, uint32(0))
	require.Nil(t, fault, "the control: it is readable before")
	require.True(t, m.mem.Free(addr))
	assert.NotEqual(t, addr, m.upload([]uint32{1}))
	_, fault = m.launch("k", config(1, 1, 0), addr, uint32(0))
	require.NotNil(t, fault)
	assert.ErrorContains(t, fault, "is in an allocation that was freed")
}

// TestUnsupported: what the simulated device does not support is an error of the kernel that
// has it. The kernel beside it can be launched.
func TestUnsupported(t *testing.T) {
	tests := []struct{ name, module, body, want string }{
		{"unknown opcode", "", "frobnicate.u32 %r1, %r2;", "instruction frobnicate.u32 (PTX line 9)"},
		{"unknown modifier", "", "\nadd.rnd.f32 %f1, %f1, %f1;", "instruction add.rnd.f32 (PTX line 10)"},
		{"modifier of another type", "", "add.ftz.s32 %r1, %r1, %r1;", "instruction add.ftz.s32 (PTX line 9)"},
		{"modifier twice", "", "add.ftz.ftz.f32 %f1, %f1, %f1;", "instruction add.ftz.ftz.f32 (PTX line 9)"},
		{"each once", "", "bad1;\nbad2;\nbad1;", "instruction bad1 (PTX line 9), instruction bad2 (PTX line 10)"},
		{"what follows is left out", "", "frobnicate.u32 %r1, %undeclared; bra Nowhere; add.s32 %r1;", "instruction frobnicate.u32 (PTX line 9)"},
		{"its line in the source", "", ".loc 1 14 3\nfrobnicate;", "instruction frobnicate at src/kernels.cu:14 (PTX line 10)"},
		{"call", ".func f() { frobnicate; ret; }", "call f;", "instruction frobnicate (PTX line 4)"},
		{"call with parameters", ".extern .func (.param .b32 r) g(.param .b64 a);",
			"{ .param .b64 a; .param .b32 r;\nst.param.b64 [a], %rd1; call.uni (r), g, (a);\nld.param.b32 %r1, [r]; }", "call of g (PTX line 10)"},
		{"arguments of other sizes", ".extern .func vprintf(.param .b64 a, .param .b64 b);", "{ .param .b64 a; .param .b32 b; call vprintf, (a, b); }", "the arguments of call vprintf, (a, b) (PTX line 9)"},
		{"store to a kernel's parameter", "", "st.param.b64 [p], %rd1;", "instruction st.param.b64, which is not of an argument of a call, (PTX line 9)"},
		{"address of a kernel", "", "mov.u64 %rd1, k;", "the address of function k (PTX line 9)"},
		{"special register", "", "mov.u32 %r1, %pm0;", "special register %pm0 (PTX line 9)"},
		{"multimem", "", "multimem.red.relaxed.gpu.global.add.u32 [%rd1], %r1;", "instruction multimem.red.relaxed.gpu.global.add.u32 (there are no multicast objects on the simulated device) (PTX line 9)"},
		{"wide access", "", "ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd1];", "instruction ld.global.v4.u64 of a .target older than sm_100 (PTX line 9)"},
		{"external variable", ".extern .global .u32 x;", "ld.global.u32 %r1, [x];", "variable x of another module (PTX line 9)"},
		{"texture", ".global .texref x;", "mov.u64 %rd1, x;", "variable x of type .texref (PTX line 9)"},
		{"pointers to functions of other modules", ".extern .func f(); .global .u64 x[1] = {f};", "ld.global.u64 %rd1, [x];", "f in the initial value of x (PTX line 9)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := test.module + ` .file 1 "src/kernels.cu" .entry other() { ret; } .extern .shared`
			image := strings.Replace(entry(test.body), ".extern .shared", before, 1)
			m := newMachine(t, image)
			assert.Equal(t, "the simulated device does not support "+test.want, m.lib.Kernels["k"].Unsupported)
			assert.Empty(t, m.lib.Kernels["other"].Unsupported)
			_, fault := m.launch("other", config(1, 1, 0))
			assert.Nil(t, fault)
		})
	}
}

func TestOpcodes(t *testing.T) {
	list := Opcodes()
	assert.Contains(t, list, "fma.rn.ftz?.sat?.f32")
	seen := map[string]bool{}
	for _, pattern := range list {
		assert.False(t, seen[pattern], pattern)
		seen[pattern] = true
	}
}

func TestStop(t *testing.T) {
	for body, at := range map[string]string{
		"L: bra L;":                                "bra L",
		"L: bar.sync 0;\nbra L;":                   "", // either
		"L: bar.warp.sync -1;\nbra L;":             "",
		"setp.eq.u32 %p1, %r2, 9;\nL: @%p1 bra L;": "@%p1 bra L",
	} {
		m := newMachine(t, entry(body))
		k := m.lib.Kernels["k"]
		var fault *Failure
		for pause := 10 * time.Millisecond; fault == nil || fault.PTXLine == 0 && pause < 10*time.Second; pause *= 2 { // until it has begun
			stop := new(atomic.Bool)
			time.AfterFunc(pause, func() { stop.Store(true) })
			_, fault = launch(k, &m.mem, config(1, 64, 0), arguments(k, uint64(0), uint32(0)), stop, 1)
		}
		require.NotNil(t, fault)
		assert.Equal(t, driver.ErrorLaunchTimeout, fault.Result)
		assert.Equal(t, Stopped, fault.Reason)
		assert.GreaterOrEqual(t, fault.PTXLine, bodyLine)
		assert.Contains(t, fault.Instruction, at)
	}
}

// TestAccessesOfForgottenMemory: a kernel is told of memory that was freed, also after it is forgotten.
func TestAccessesOfForgottenMemory(t *testing.T) {
	m := newMachine(t, entry("ld.global.u32 %r3, [%rd1];"))
	kept, freed := m.upload([]uint32{7}), m.upload([]uint32{1})
	require.True(t, m.mem.Free(freed))
	for range memory.Graves {
		addr, ok := m.mem.Alloc(8, memory.Allocation{})
		require.True(t, ok)
		require.True(t, m.mem.Free(addr))
	}
	_, fault := m.launch("k", config(1, 1, 0), freed, uint32(0))
	require.NotNil(t, fault)
	assert.ErrorContains(t, fault, "is in no allocation")
	_, fault = m.launch("k", config(1, 1, 0), kept, uint32(0))
	assert.Nil(t, fault)
}
