package interp

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// Kernels that use CUDA's libraries, as nvcc compiles them: nothing is reported for those that are right, with all
// checks, and races for those that are wrong.
func TestOrderedByLibraries(t *testing.T) {
	nvcc := testenv.NVCCPath(t)
	ptx := filepath.Join(t.TempDir(), "ordered.ptx")
	out, err := exec.Command(nvcc, "-ptx", "-lineinfo", "-arch=compute_90", "-std=c++17", "-diag-suppress", "20054", "-o", ptx, filepath.Join("testdata", "ordered.cu")).CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(ptx)
	require.NoError(t, err)
	m := newFollowedMachine(t, string(text))
	in := make([]int32, 2048)
	for i := range in {
		in[i] = int32(i*7919) & 0xffff
	}
	var names []string
	for name := range m.lib.Kernels {
		names = append(names, name)
	}
	slices.Sort(names)
	require.Greater(t, len(names), 20)
	workers := 2
	if raceEnabled { // all blocks of some kernels write the same, which no check of kernels reports, but Go's does
		workers = 1
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			k := m.lib.Kernels[name]
			require.Empty(t, k.Unsupported)
			for _, inGlobal := range []bool{false, true} {
				to, ok := m.mem.Alloc(1<<14, memory.Allocation{})
				require.True(t, ok)
				cfg := config(4, 128, 0)
				place, r := PlacementOf(k, cfg, driver.LaunchAttributes{})
				require.Equal(t, driver.Success, r)
				run := Execute(k, &m.mem, cfg, place, arguments(k, to, m.defined(in)), new(atomic.Bool), workers, new(atomic.Uint64),
					Checks{Races: true, Undefined: true, Exited: true, GlobalRaces: inGlobal})
				if strings.HasPrefix(name, "right") {
					assert.Nil(t, run.Fault, "global: %v", inGlobal)
					continue
				}
				if name == "wrongLastBlock" && !inGlobal {
					continue // its race is in global memory
				}
				require.NotNil(t, run.Fault)
				assert.Equal(t, racecheck, run.Fault.Check, run.Fault.Error())
				assert.Contains(t, run.Fault.Error(), "ordered.cu:")
			}
		})
	}
}
