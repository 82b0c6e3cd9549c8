package planner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/images"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
)

// TestUniforms has registers that are the same in all lanes and others that are not.
func TestUniforms(t *testing.T) {
	const body = "mov.u32 %r7, %ntid.x; add.u32 %r3, %r7, 5; add.u32 %r4, %r2, 5; mov.u32 %r5, %laneid; mov.u32 %r6, %warpid; st.global.u32 [%rd1], %r3; st.global.u32 [%rd1], %r4; st.global.u32 [%rd1], %r5; st.global.u32 [%rd1], %r6;"
	var mem memory.Memory
	t.Cleanup(mem.Reset)
	lib, refused := images.Load(bytecode.ImageName, []byte(".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) {\n.reg .b32 %r<8>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; mov.u32 %r2, %tid.x;\n"+body+"\nret; }"), &mem, 0)
	require.Nil(t, refused)
	k := lib.Kernels["k"]
	require.Empty(t, k.Unsupported)
	p := &planner.Planner{K: k.Program, Plan: planner.Planned(k.Program)}
	uniform := p.Uniforms()
	var stored []bool
	for pc := range k.Code {
		if in := &k.Code[pc]; in.Op == bytecode.OpStore {
			stored = append(stored, uniform[in.Vec[0]])
		}
	}
	assert.Equal(t, []bool{true, false, false, false}, stored)
}
