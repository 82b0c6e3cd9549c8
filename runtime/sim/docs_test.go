package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateDocs = flag.Bool("update", false, "rewrite docs/simulator.md")

const docsHead = `# What the simulated device executes

## Instructions

The tables that decode instructions wrote this page: ` + "`go test ./runtime/sim -run TestDocs -update`" + `.
In a pattern ` + "`a|b`" + ` is a choice and ` + "`x?`" + ` may be left out; a modifier, type or operand
that is not here is an error when its kernel is launched, with its line in the source; the
other kernels of the file run. The modifiers of ld, st, atom and red may stand in any order, as
ptxas takes them. The package comment of ` + "`runtime/sim`" + `
says how exact the results are.

`

// docsFeatures is the table for people who write CUDA C++.
const docsFeatures = `
## By CUDA feature

| in CUDA C++ | on the simulated device |
|---|---|
| __half, __nv_bfloat16 and their pairs, fp8 conversions | yes, bit for bit, NaNs canonical |
| device functions, recursion, function pointers, virtual functions, alloca | yes |
| printf, assert, __trap, malloc and free in kernels | yes; the heap has 8 MiB |
| __syncthreads and its _count, _and, _or forms, named barriers, cuda::barrier, mbarrier | yes |
| warp shuffles, votes, matches, reductions, elect | yes |
| atomics of every type and scope, also of halves | yes, but not of vectors or 128 bits |
| cooperative groups: tiles, blocks, grid, clusters; distributed shared memory | yes |
| memcpy_async, cp.async, cp.async.bulk | yes; a copy is done when it is issued |
| tensor cores: wmma, mma, ldmatrix, stmatrix, movmatrix of f16, bf16, tf32, fp8, f64, int8, int4, b1 | yes, but not sparse or f16 m8n8k4; the order and precision of sums of f16, bf16, tf32 and fp8 is open in the ISA: here they are computed in double precision and rounded once |
| textures and surfaces: objects of arrays, mipmapped arrays, linear and pitched memory | yes; docs/textures.md says how exact the filters are; no anisotropic filter, no seamless cubes, no texture references |
| tensor memory accelerator (cp.async.bulk.tensor), wgmma, multicast, instructions of sm_100 | no: a launch that needs them says so |
| kernels that launch kernels | no |
`

// TestDocs holds docs/simulator.md to the table of opcodes.
func TestDocs(t *testing.T) {
	var page strings.Builder
	page.WriteString(docsHead)
	for _, opcode := range Opcodes() {
		fmt.Fprintf(&page, "- `%s`\n", opcode)
	}
	page.WriteString("\n## Special registers\n\nClocks count the thread instructions of the block; `%globaltimer` is the machine's time.\n\n")
	var registers []string
	for _, r := range specialRegisters {
		registers = append(registers, r.name)
	}
	for _, c := range clocks {
		registers = append(registers, c.name)
	}
	for _, register := range slices.Sorted(slices.Values(registers)) {
		fmt.Fprintf(&page, "- `%s`\n", register)
	}
	page.WriteString("\n## Calls\n\nDevice functions may be called directly, by their address and recursively; the calls of a thread may\ntake 64 KiB of local memory. These functions without a body, of the device's system library, can be called:\n\n")
	for _, f := range builtins {
		fmt.Fprintf(&page, "- `%s`\n", f.name)
	}
	page.WriteString(docsFeatures)
	path := filepath.Join("..", "..", "docs", "simulator.md")
	if *updateDocs {
		require.NoError(t, os.WriteFile(path, []byte(page.String()), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, page.String(), string(got), "run: go test ./runtime/sim -run TestDocs -update")
}
