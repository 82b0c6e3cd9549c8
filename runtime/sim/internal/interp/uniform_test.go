package interp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
)

// TestUniforms has registers that are the same in all lanes and others that are not.
func TestUniforms(t *testing.T) {
	m := newMachine(t, entry("mov.u32 %r7, %ntid.x; add.u32 %r3, %r7, 5; add.u32 %r4, %r2, 5; mov.u32 %r5, %laneid; mov.u32 %r6, %warpid; st.global.u32 [%rd1], %r3; st.global.u32 [%rd1], %r4; st.global.u32 [%rd1], %r5; st.global.u32 [%rd1], %r6;"))
	k := m.lib.Kernels["k"]
	require.Empty(t, k.Unsupported)
	p := &planner.Planner{K: k, Plan: planner.Planned(k)}
	uniform := p.Uniforms()
	var stored []bool
	for pc := range k.Code {
		if in := &k.Code[pc]; in.Op == bytecode.OpStore {
			stored = append(stored, uniform[in.Vec[0]])
		}
	}
	assert.Equal(t, []bool{true, false, false, false}, stored)
}
