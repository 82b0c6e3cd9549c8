package interp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// A fault in a function of the toolkit that was inlined, also into another, is on the line of the user
// that calls it; one in an inlined function of the user is on that function's.
func TestInlinedFaults(t *testing.T) {
	for body, want := range map[string]bytecode.Source{
		".loc 2 397 9, function_name $x, inlined_at 1 10 3\ntrap;":                                                   {File: "src/kernels.cu", Line: 10},
		".loc 2 50 9, function_name $x, inlined_at 1 11 3\n.loc 2 397 9, function_name $x, inlined_at 2 50 9\ntrap;": {File: "src/kernels.cu", Line: 11},
		".loc 3 5 1, function_name $x, inlined_at 1 12 3\ntrap;":                                                     {File: "src/helper.cuh", Line: 5},
		".loc 1 9 1\ntrap;": {File: "src/kernels.cu", Line: 9},
		".loc 2 9 1\ntrap;": {File: "cuda/include/sm_30_intrinsics.hpp", Line: 9},
		".loc 2 9 1, function_name $x, inlined_at 9 1 1\ntrap;": {File: "cuda/include/sm_30_intrinsics.hpp", Line: 9},
	} {
		m := newMachine(t, ".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"src/kernels.cu\"\n.file 2 \"cuda/include/sm_30_intrinsics.hpp\"\n.file 3 \"src/helper.cuh\"\n.visible .entry k() {\n"+body+"\n}")
		_, fault := m.launch("k", config(1, 1, 0))
		require.NotNil(t, fault)
		assert.Equal(t, want, bytecode.Source{File: fault.Source, Line: fault.Line}, body)
	}
}
