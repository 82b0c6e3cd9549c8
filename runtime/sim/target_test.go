package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

const blackwellHeader = ".version 9.0\n.target sm_100\n.address_size 64\n"

// longKernel copies 32 bytes from one address to another, as words or as longs.
const longKernel = blackwellHeader + `.entry k(.param .u64 from, .param .u64 to) { .reg .b64 %l<9>; .reg .f32 %f<9>; .reg .pred %p;
ld.param.u64 %l1, [from]; ld.param.u64 %l2, [to];
ld.global.nc.L1::no_allocate.L2::evict_first.v8.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%l1];
st.global.L2::evict_last.v8.f32 [%l2], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};
ld.global.v4.b64 {%l5, %l6, %l7, %l8}, [%l2]; st.global.v4.b64 [%l2+32], {%l8, _, %l6, %l5};
ret; }`

// TestBlackwellTargets: older modules do not have these instructions, and older devices do not load the module.
func TestBlackwellTargets(t *testing.T) {
	m := newMachine(t, strings.Replace(longKernel, "sm_100", "sm_90", 1), driver.Checks{})
	assert.Contains(t, m.Unsupported(m.kernel("k")), "of a .target older than sm_100")
	for target, loads := range map[string][]int{
		"sm_75": {90, 100, 120}, "sm_90a": {90}, "sm_100": {100, 103, 120}, "sm_100a": {100}, "sm_100f": {100, 103}, "sm_103": {103, 120}, "sm_120f": {120, 121}, "sm_121a": {121},
	} {
		text := strings.Replace(".version 9.0\n.target TARGET\n.address_size 64\n.entry k() { ret; }", "TARGET", target, 1)
		for _, capability := range driver.SimulatedCapabilities {
			if capability == 110 {
				continue
			}
			d := newDevice(0)
			require.Equal(t, driver.Success, d.Init())
			d.SetChecks(driver.Checks{Capability: capability})
			lib, r := d.LibraryLoadData([]byte(text))
			should := false
			for _, c := range loads {
				should = should || c == capability || c <= capability && !strings.ContainsAny(target[3:], "af")
			}
			if should {
				assert.Equal(t, driver.Success, r, "%s on %d", target, capability)
				d.LibraryUnload(lib)
				continue
			}
			assert.Equal(t, driver.ErrorNoBinaryForGPU, r, "%s on %d", target, capability)
			assert.Contains(t, d.LibraryLog(lib), "simtest.Capability(", "%s on %d", target, capability)
		}
	}
}
