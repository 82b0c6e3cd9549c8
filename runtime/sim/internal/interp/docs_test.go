package interp

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

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

var updateDocs = flag.Bool("update", false, "rewrite docs/simulator.md")

const docsHead = `# What the simulated device executes

## Instructions

The tables that decode instructions wrote this page: ` + "`go test ./runtime/sim/internal/interp -run TestDocs -update`" + `.
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
| __half, __nv_bfloat16 and their pairs, fp8 conversions | yes, bit for bit |
| device functions, recursion, function pointers, virtual functions, alloca | yes |
| printf, assert, __trap, malloc and free in kernels | yes; the heap has 8 MiB |
| __syncthreads and its _count, _and, _or forms, named barriers, cuda::barrier, mbarrier | yes |
| warp shuffles, votes, matches, reductions, elect | yes |
| atomics of every type and scope, also of halves, vectors and 128 bits | yes |
| cooperative groups: tiles, blocks, grid, clusters; distributed shared memory | yes |
| memcpy_async, cp.async, cp.async.bulk, cp.reduce.async.bulk, st.async, red.async | yes; a copy is done when it is issued |
| tensor cores: wmma, mma, ldmatrix, stmatrix, movmatrix of f16, bf16, tf32, fp8, f64, int8, int4, b1, also sparse (mma.sp) | yes; metadata that the ISA gives no meaning is a fault; the order and precision of sums of f16, bf16, tf32 and fp8 is open in the ISA: here they are computed in double precision and rounded once |
| textures and surfaces: objects of arrays, mipmapped arrays, linear and pitched memory | yes; docs/textures.md says how exact the filters are; no anisotropic filter, no seamless cubes, no texture references |
| tensor memory accelerator: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, multicast | boxes of every rank and type, with every swizzle of a span as long as the box's rows; columns of im2col to shared memory; no interleave, stores of columns or fill with NaN: docs/tensormaps.md |
| wgmma of f16, bf16, tf32, fp8, int8, b1, operands in registers and shared memory, with every swizzle, also sparse (wgmma.mma_async.sp) | yes; metadata must ascend; a product is done when it is issued; sums are as those of mma |
| tensor maps that kernels change: tensormap.replace of address, dimensions and strides, tensormap.cp_fenceproxy | yes |
| f32x2, sums of f32 with f16 and bf16, min and max of three, loads and stores of 32 bytes (sm_100 and later) | yes, in modules for such a target: simtest.Capability gives a test a device that loads them; not compared with a GPU |
| multimem | no: there are no multicast objects on the simulated device, so that no address could be one |
| tcgen05, mma with block scaling and other instructions of sm_100a and later | no: a launch that needs them says so |
| kernels that launch kernels | no |
`

// docsFidelity says where results are an H200's.
const docsFidelity = `
` + "`cudagen sim kernels.ptx`" + ` prints what a file needs that is not here, by kernel and place.

## How exact results are

Where the PTX ISA defines a result, it is here bit for bit. For each instruction in the tables above,
with each of its modifiers and types, ` + "`runtime/sim`" + ` makes a kernel that computes it of edge values;
` + "`go test ./runtime/sim -run OfTheH200`" + ` compares, without a GPU, with the answers of an H200 that
testdata/h200.txt has. Where the ISA leaves a result open, it is the H200's:

| result | here and on an H200 |
|---|---|
| a NaN of f32, f16, bf16 | 7fffffff, 7fff, 7fff; abs and neg of one, too |
| a NaN of f64 | the payload of an operand, quiet: of two NaNs the second's, of fma the third's before the first's |
| a NaN in conversions to and from f64, and in cvt.rna.tf32 | its sign and the high bits of its payload |
| quotient and remainder by zero | all ones |
| testp.normal of zero | true |
| a lane whose source of shfl takes no part | its own value; on the H200 another |
| %warpid | the number of the warp in the block; on the H200 that of a slot |
| which lane elect chooses | the lowest |

A load of global memory, as ` + "`__ldg`" + ` is, reads a .const variable by its generic address. The ISA does not say so;
published kernels that run on GPUs rely on it. No GPU was compared.

Where the H200, or rather ptxas for it, departs from the ISA, so does the simulated device:

| instruction | the ISA | here and on an H200 |
|---|---|---|
| bfe and bfi of 64 bits | position and length modulo 256 | all 32 bits of them count |
| .ftz of results that round up to the least normal number | the number | zero |
| cvt.rm and .rp.ftz.f16.f32 of subnormals | of zero | of the subnormal |
| fns with the count -2^31 | all ones | zero |
| vadd, vsub, vabsdiff with .sat and an unsigned result that is too large | 2^32-1 | its low 32 bits |
| the same and vmin, vmax with .sat of a part of a register, if negative | 0 or the least value | the largest value |
| a scalar video instruction into .h1 of a register | the lower half of the result | its upper half |
| vshl with .sat | of the whole value | of its low 34 bits |
| .min and .max behind vadd and vsub | of the sum | of its low 32 bits, sign-extended |
| vmad of words | as their types say | as signed |

How boxes of tensors and operands of wgmma lie in shared memory is as the ISA and CUTLASS say; ` + "`TestHopper`" + ` compares with
their definitions, and ` + "`TestHopperOnGPU`" + ` compares a GPU with the same. On an H200 all 291
cases were bit for bit as defined, with one exception, which the simulated device follows: a store or reduction of a box writes
behind a row of the tensor, up to a multiple of 16 bytes, as if the tensor had these bytes. Where the H200 ends with an illegal instruction, though the ISA does not say so, the simulated
device does, too: a box that begins at a byte of a row which is not a multiple of 16, a store or reduction
that begins before the tensor, and cp.reduce.async.bulk into shared memory in a launch without clusters.

Approximations (.approx, .full) are within the error that the ISA allows, with the H200's special
values; the tables of its function unit are not public. Sums of mma of f16, bf16, tf32 and fp8 are
computed in double precision and rounded once, in any order equal where they are exact.

## What is refused

PTX that ptxas refuses for sm_90 does not load, with the place of each mistake. ` + "`TestRefusesAsPtxas`" + `
changes one modifier or operand of each kernel above and compares with ptxas. Taken by ptxas but not
here: addc and subc of 16 bits, registers of 128 bits in ld and st of less, isspacep of a 32-bit address, fma.oob (whose NaN is not documented), fma.rz, .rm and .rp of bf16,
rcp.ftz of f64 with a rounding, a .sat that stands twice, vectors and predicates as operands of bf16x2,
special registers as elements of vectors.
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
	for _, r := range bytecode.SpecialRegisters {
		registers = append(registers, r.Name)
	}
	for _, c := range bytecode.Clocks {
		registers = append(registers, c.Name)
	}
	for _, register := range slices.Sorted(slices.Values(registers)) {
		fmt.Fprintf(&page, "- `%s`\n", register)
	}
	page.WriteString("\n## Calls\n\nDevice functions may be called directly, by their address and recursively; the calls of a thread may\ntake 64 KiB of local memory. These functions without a body, of the device's system library, can be called:\n\n")
	for _, f := range bytecode.Builtins {
		fmt.Fprintf(&page, "- `%s`\n", f.Name)
	}
	page.WriteString(docsFeatures)
	page.WriteString(docsFidelity)
	path := filepath.Join("..", "..", "..", "..", "docs", "simulator.md")
	if *updateDocs {
		require.NoError(t, os.WriteFile(path, []byte(page.String()), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, page.String(), string(got), "run: go test ./runtime/sim/internal/interp -run TestDocs -update")
}
