package sim

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// printing is a module as nvcc makes it of
//
//	__global__ void hello(int n) { printf("block %d thread %d: %f %s\n", blockIdx.x, threadIdx.x, threadIdx.x / 2.0, "abc"); }
//
// with what printf returns in block 0 stored at p, and %s for the format's address and for more code.
const printing = ptxHeader + `.extern .func (.param .b32 func_retval0) vprintf (.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 format[30] = {98, 108, 111, 99, 107, 32, 37, 100, 32, 116, 104, 114, 101, 97, 100, 32, 37, 100, 58, 32, 37, 102, 32, 37, 115, 10};
.global .align 1 .b8 abc[4] = {97, 98, 99};
.global .align 1 .b8 open[2] = {97, 98};
.visible .entry hello(.param .u64 p) {
	.local .align 8 .b8 depot[24];
	.reg .b64 %%rd<9>; .reg .b32 %%r<9>; .reg .f64 %%fd<4>; .reg .pred %%p1;
	ld.param.u64 %%rd6, [p];
	mov.u64 %%rd1, depot; cvta.local.u64 %%rd2, %%rd1;
	mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%tid.x;
	st.local.v2.u32 [%%rd1], {%%r1, %%r2};
	cvt.rn.f64.u32 %%fd1, %%r2; mul.f64 %%fd1, %%fd1, 0d3FE0000000000000;
	st.local.f64 [%%rd1+8], %%fd1;
	mov.u64 %%rd3, abc; cvta.global.u64 %%rd3, %%rd3; st.local.u64 [%%rd1+16], %%rd3;
	mov.u64 %%rd4, format; cvta.global.u64 %%rd4, %%rd4;
	%s
	{
	.reg .b32 temp_param_reg;
	.param .b64 param0;
	st.param.b64 [param0+0], %%rd4;
	.param .b64 param1;
	st.param.b64 [param1+0], %%rd2;
	.param .b32 retval0;
	call.uni (retval0), vprintf, (param0, param1);
	ld.param.b32 %%r3, [retval0+0];
	}
	mul.wide.u32 %%rd5, %%r2, 4; add.s64 %%rd6, %%rd6, %%rd5; setp.eq.u32 %%p1, %%r1, 0; @%%p1 st.global.u32 [%%rd6], %%r3;
	%s
	ret;
}
`

// runPrinting runs hello with two blocks of 40 threads, and returns what vprintf returned,
// what was printed, and the fault.
func runPrinting(t *testing.T, before, after string) (results []int32, output string, fault *driver.Fault) {
	t.Helper()
	d, s := opened(t)
	var out bytes.Buffer
	d.(*device).SetOutput(&out)
	_, k := kernelOf(t, d, fmt.Sprintf(printing, before, after), "hello")
	require.Empty(t, d.(*device).Unsupported(k))
	p := alloc(t, d, s, make([]int32, 40))
	block := make([]byte, 8)
	for i := range block {
		block[i] = byte(p >> (8 * i))
	}
	require.Equal(t, driver.Success, d.LaunchKernel(k, config(2, 40, 0), s, block, []uint32{0}))
	d.StreamSynchronize(s)
	if mem, ok := memory.BytesAt(uint64(p), 160); ok {
		for i := range 40 {
			results = append(results, int32(uint32(mem[4*i])|uint32(mem[4*i+1])<<8|uint32(mem[4*i+2])<<16|uint32(mem[4*i+3])<<24))
		}
	}
	fault = d.(*device).Fault()
	require.Equal(t, driver.Success, d.DevicePrimaryCtxRelease(deviceOf(d)))
	return results, out.String(), fault
}

func TestVprintf(t *testing.T) {
	results, output, fault := runPrinting(t, "", "")
	require.Nil(t, fault)
	var want strings.Builder
	for block := range 2 {
		for thread := range 40 {
			fmt.Fprintf(&want, "block %d thread %d: %.6f abc\n", block, thread, float64(thread)/2)
		}
	}
	assert.Equal(t, want.String(), output, "in the order of blocks, and of lanes")
	assert.Equal(t, int32(4), results[39], "the number of arguments")

	results, output, fault = runPrinting(t, "mov.u64 %rd4, 0;", "")
	require.Nil(t, fault)
	assert.Empty(t, output)
	assert.Equal(t, int32(-1), results[0], "no format")

	_, output, _ = runPrinting(t, "setp.ne.u32 %p1, %r2, 33; @%p1 ret;", "")
	assert.Equal(t, "block 0 thread 33: 16.500000 abc\nblock 1 thread 33: 16.500000 abc\n", output, "one lane alone")

	_, output, fault = runPrinting(t, "", "setp.eq.u32 %p1, %r2, 39; @%p1 trap;")
	require.NotNil(t, fault)
	assert.Contains(t, output, "block 0 thread 38: ", "what came before a fault is there")

	for before, want := range map[string]string{
		"mov.u64 %rd4, open; cvta.global.u64 %rd4, %rd4;": "does not end in its memory",
		"mov.u64 %rd4, 64;":       "generic address 0x40 is in no allocation",
		"add.s64 %rd2, %rd2, 64;": "is out of bounds", // beyond local memory
		"mov.u64 %rd3, open; cvta.global.u64 %rd3, %rd3; st.local.u64 [%rd1+16], %rd3;":                "does not end in its memory",
		"mov.u64 %rd3, 0; st.local.u64 [%rd1+16], %rd3; mov.u64 %rd2, 0; cvta.shared.u64 %rd2, %rd2; ": "is out of bounds",
	} {
		_, _, fault := runPrinting(t, before, "")
		if assert.NotNil(t, fault, before) {
			assert.Contains(t, fault.Reason, want, before)
			assert.Equal(t, driver.ErrorIllegalAddress, fault.Result)
			assert.Contains(t, fault.Instruction, "vprintf")
		}
	}
}

// TestPrintedTooMuch: what does not fit into the buffer is not lost in silence.
func TestPrintedTooMuch(t *testing.T) {
	loop := "mov.u32 %r4, 0;\nAGAIN:"
	_, output, fault := runPrinting(t, loop, "sub.s64 %rd6, %rd6, %rd5; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 1000; @%p1 bra AGAIN;")
	require.Nil(t, fault)
	assert.True(t, strings.HasSuffix(output, interp.DroppedNotice))
	assert.Greater(t, len(output), interp.MaxPrinted*9/10)
	assert.LessOrEqual(t, len(output), interp.MaxPrinted+len(interp.DroppedNotice))
}

func TestAssertfail(t *testing.T) {
	_, output, fault := runPrinting(t, "", `setp.ne.u32 %p1, %r2, 35; @%p1 ret;
	{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
	st.param.b64 [a], %rd3; st.param.b64 [b], %rd3; st.param.b32 [c], 17; st.param.b64 [d], %rd3; st.param.b64 [e], 1;
	call.uni __assertfail, (a, b, c, d, e); }`)
	require.NotNil(t, fault)
	assert.Contains(t, output, "block 0 thread 34: ")
	assert.Equal(t, driver.ErrorAssert, fault.Result)
	assert.Equal(t, "assertion `abc` failed in abc (abc:17)", fault.Reason)
	assert.Equal(t, []any{"abc", 17, driver.Dim3{X: 35}, driver.Dim3{}}, []any{fault.Source, fault.Line, fault.Thread, fault.Block})
}
