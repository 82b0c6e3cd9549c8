package bytecode_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// TestInlinedLines: the place of an instruction from a header of the toolkit is where the user's
// code calls it; the user's own inlined functions keep their lines.
func TestInlinedLines(t *testing.T) {
	var mem memory.Memory
	t.Cleanup(mem.Reset)
	lib, refused := load(`.version 7.2
.target sm_75
.address_size 64
.visible .entry k() {
	.reg .b32 %r<9>;
	.loc	1 84 3
	mov.u32 %r1, 1;
	.loc	2 708 1, function_name $L__info_string0, inlined_at 1 84 3
	mov.u32 %r2, 2;
	.loc	3 12 1, function_name $L__info_string1, inlined_at 2 708 1
	mov.u32 %r3, 3;
	.loc	1 72 31, function_name $L__info_string2, inlined_at 1 84 3
	mov.u32 %r4, 4;
	.loc	4 9 1, function_name $L__info_string2, inlined_at 1 72 31
	mov.u32 %r5, 5;
	.loc	2 709 1
	mov.u32 %r6, 6;
	.loc	9 1 1
	mov.u32 %r7, 7;
	ret;
}
	.file	1 "src/kernels.cu"
	.file	2 "cuda/include/sm_30_intrinsics.hpp"
	.file	3 "/usr/local/cuda-13.0/include/crt/math_functions.hpp"
	.file	4 "include/mine.cuh"
	.section	.debug_str
	{
$L__info_string0:
.b8 95,0
$L__info_string1:
.b8 95,0
$L__info_string2:
.b8 95,90,49
.b8 102,118,0
	}
`, &mem)
	require.Nil(t, refused)
	var got []bytecode.Source
	for _, p := range lib.Kernels["k"].Places[:7] {
		got = append(got, p.Source)
	}
	assert.Equal(t, []bytecode.Source{{File: "src/kernels.cu", Line: 84}, {File: "src/kernels.cu", Line: 84}, {File: "src/kernels.cu", Line: 84}, {File: "src/kernels.cu", Line: 72}, {File: "include/mine.cuh", Line: 9}, {File: "cuda/include/sm_30_intrinsics.hpp", Line: 709}, {File: "cuda/include/sm_30_intrinsics.hpp", Line: 709}}, got)

	within := func(pc int) *bytecode.Inlined { return lib.Kernels["k"].Places[pc].Within }
	call := &bytecode.Inlined{Function: "_Z1fv", At: bytecode.Source{File: "src/kernels.cu", Line: 84}}
	assert.Nil(t, within(0))
	assert.Nil(t, within(2), "the toolkit's own functions are none of the user's")
	assert.Equal(t, call, within(3))
	assert.Equal(t, &bytecode.Inlined{Function: "_Z1fv", At: bytecode.Source{File: "src/kernels.cu", Line: 72}, Within: call}, within(4))
	assert.Nil(t, within(5))

	k := lib.Kernels["k"].Program
	assert.Equal(t, "src/kernels.cu:84", k.Where(2))
	assert.Equal(t, "src/kernels.cu:72 (inlined at src/kernels.cu:84)", k.Where(3))
	assert.Equal(t, "include/mine.cuh:9 (inlined at src/kernels.cu:72, at src/kernels.cu:84)", k.Where(4))
	assert.True(t, k.SameLine(0, 2))
	assert.False(t, k.SameLine(3, 4))
	assert.Equal(t, []int32{0, 0, 0, 3, 4, 5, 5}, k.FirstOfLines()[:7])
	k.Places[4].Source = k.Places[3].Source
	assert.False(t, k.SameLine(3, 4), "it is inlined at another place")
}
