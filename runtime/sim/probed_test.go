package sim

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
)

// unprobed are the instructions without a probe, by the beginnings of their patterns, and why.
var unprobed = map[string]string{
	"alloca": "an address, which differs", "stacksave": "an address, which differs", "stackrestore": "an address, which differs",
	"bra": "every kernel of the tests has it", "brx": "tests of branches", "call": "tests of calls", "ret": "every kernel has it", "exit": "no value", "trap": "no value", "brkpt": "no value",
	"wmma":  "its fragments are open in the ISA: tests of matrices",
	"fence": "no value", "membar": "no value", "bar.": "its order is no value; bar.red has probes", "barrier.": "its order is no value; bar.red has probes",
	"mbarrier": "tests of barriers in memory", "cp.async": "tests of asynchronous copies", "cp.reduce": "TestHopper", "wgmma": "TestHopper", "mma.sp": "TestHopper", "tensormap": "TestHopper", "st.async": "TestHopper", "red.async": "TestHopper", "mapa": "tests of clusters", "getctarank": "tests of clusters",
	"prefetch": "no value", "applypriority": "no value", "discard": "no value", "createpolicy.range": "only for hints", "createpolicy.cvt": "only for hints", "setmaxnreg": "no value",
	"pmevent": "no value", "nanosleep": "no value", "griddepcontrol": "no value", "istypep": "no texture", "tex": "tests of textures in runtime/cuda", "tld4": "tests of textures in runtime/cuda", "txq": "tests of textures in runtime/cuda", "su": "tests of textures in runtime/cuda",
	"st.param": "tests of calls", "cvta": "an address, which differs",
}

// TestEveryFormIsProbed: the decoder's table has no instruction without a probe, but those listed.
func TestEveryFormIsProbed(t *testing.T) {
	var table ptx.FormTable[string]
	for _, pattern := range interp.Opcodes() {
		table.Add(ptx.ParseForm(pattern), pattern)
	}
	found, used := map[string]bool{}, map[string]bool{}
	for _, p := range probes() {
		for part := range strings.SplitSeq(p.body, ";") {
			fields := strings.Fields(part)
			if len(fields) > 0 && strings.HasPrefix(fields[0], "@") {
				fields = fields[1:]
			}
			if len(fields) == 0 {
				continue
			}
			words := strings.Split(fields[0], ".")
			in := &ptx.Instr{Op: words[0], Mods: words[1:]}
			pattern, ok := table.Find(in)
			if !ok {
				pattern, _, _ = table.FindReordered(in)
			}
			found[pattern] = true
		}
	}
	newer := append(patternsOf(arithmetic.BlackwellForms()), patternsOf(interp.LongForms())...) // than the GPU that was asked: TestBlackwell
	missing := func() (list []string) {
		for _, pattern := range interp.Opcodes() {
			excused := slices.ContainsFunc(mapKeys(unprobed), func(head string) bool {
				ok := strings.HasPrefix(pattern, head)
				used[head] = used[head] || ok
				return ok
			})
			if !found[pattern] && !excused && !slices.Contains(newer, pattern) {
				list = append(list, pattern)
			}
		}
		return list
	}
	assert.Empty(t, missing())
	for head := range unprobed {
		assert.True(t, used[head], "no instruction begins with %s", head)
	}
	t.Run("control", func(t *testing.T) {
		delete(found, "brev.b32")
		assert.Equal(t, []string{"brev.b32"}, missing())
	})
}

func mapKeys(m map[string]string) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	return keys
}
