package interp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// A programRun is a launch of a random program.
type programRun struct{ grid, x, y, n uint32 }

var programRuns = []programRun{{2, 64, 1, 0}, {1, 36, 2, 3}, {2, 32, 3, 6}}

const (
	programKernels = 4    // in a file
	programWords   = 1024 // in global memory
)

// programVariants are the ways in which nvcc compiles a program; tests that have no time take the first two.
var programVariants = []struct {
	name string
	args []string
}{
	{"75", []string{"-arch=compute_75"}},
	{"75, not optimised", []string{"-arch=compute_75", "-G"}},
	{"90", []string{"-arch=compute_90"}},
	{"90, not optimised", []string{"-arch=compute_90", "-G"}},
	{"100, with lines", []string{"-arch=compute_100", "-lineinfo"}},
	{"86, in parts", []string{"-arch=compute_86", "-rdc=true"}},
	{"80, a little optimised", []string{"-arch=compute_80", "-Xcicc", "-O1"}},
}

// TestPrograms runs random programs (see programMaker) as nvcc compiles them, with and without checks and in other
// orders of warps, and compares what they store with what the same text stores on the host. No check may report
// anything: the programs are right. CUDAGEN_PROGRAMS=1000+200 runs 200 others, from 1000 on, and compiles them in all
// ways.
func TestPrograms(t *testing.T) {
	testenv.Toolkit(t, 13) // for what a program of which nvcc makes another one is not among the first
	first, count, variants := uint64(1), 2, 2
	if which := os.Getenv("CUDAGEN_PROGRAMS"); which != "" {
		from, n, _ := strings.Cut(which, "+")
		var err error
		first, err = strconv.ParseUint(from, 10, 64)
		require.NoError(t, err, "CUDAGEN_PROGRAMS")
		count, err = strconv.Atoi(n)
		require.NoError(t, err, "CUDAGEN_PROGRAMS")
		variants = len(programVariants)
	}
	for seed := first; seed < first+uint64(count); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { testProgram(t, seed, variants) })
	}
}

func testProgram(t *testing.T, seed uint64, variants int) {
	nvcc, cc, dir := testenv.NVCCPath(t), testenv.CCPath(t), t.TempDir()
	headers, err := filepath.Abs(filepath.Join("testdata", "programs"))
	require.NoError(t, err)
	file, exe, ptx := filepath.Join(dir, "program.cu"), filepath.Join(dir, "program"), filepath.Join(dir, "program.ptx")
	source := program(seed, programKernels)
	require.NoError(t, os.WriteFile(file, []byte(source+programMain()), 0o666))
	out, err := exec.Command(cc, "-x", "c++", "-std=gnu++17", "-O1", "-w", "-ffp-contract=off", "-frounding-math", "-fno-strict-aliasing", "-I", headers, "-o", exe,
		file, "-x", "none", "-lstdc++", "-lm").CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command(exe).Output()
	require.NoError(t, err, "on the host")
	want := strings.Fields(string(out))
	require.Len(t, want, programKernels*len(programRuns))
	for _, v := range programVariants[:variants] {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		out, err := exec.CommandContext(ctx, nvcc, append(v.args, "-ptx", "-fmad=false", "-std=c++17", "-w", "-I", headers, "-o", ptx, file)...).CombinedOutput()
		late := ctx.Err() != nil
		cancel()
		if late {
			t.Logf("%s: nvcc takes more than a minute", v.name)
			continue
		}
		require.NoError(t, err, string(out))
		text, err := os.ReadFile(ptx)
		require.NoError(t, err)
		comparePrograms(t, v.name, string(text), want)
	}
	if t.Failed() {
		t.Log(source)
	}
}

// comparePrograms runs the kernels of a PTX file with and without checks. want has a line for each run of each.
func comparePrograms(t *testing.T, name, text string, want []string) {
	for _, c := range []Checks{{}, {Races: true, Arrays: true, Undefined: true, Exited: true, GlobalRaces: true}, {Races: true, Schedule: 5}, {Arrays: true, Undefined: true, plainly: true, Schedule: 9}} {
		m := loadMachine(t, text, c.Undefined)
		for n := range programKernels {
			k := m.lib.Kernels[fmt.Sprint("k", n)]
			require.NotNil(t, k)
			require.Empty(t, k.Unsupported)
			for i, r := range programRuns {
				label := fmt.Sprintf("%s: kernel %d, run %d, races %v, undefined %v, seed %d", name, n, i, c.Races, c.Undefined, c.Schedule)
				got := runProgram(t, m, k, r, c, label)
				assert.True(t, got == want[n*len(programRuns)+i], "%s: differs from the host", label)
				if other := r; n == 0 && i == 0 && !c.Races && !c.Undefined {
					other.n++
					assert.False(t, runProgram(t, m, k, other, c, label) == got, "the control: another argument gives other results")
				}
			}
		}
	}
}

// runProgram runs a kernel and returns what it leaves in memory, as programMain prints it.
func runProgram(t *testing.T, m *machine, k *bytecode.Kernel, r programRun, c Checks, label string) string {
	in := make([]uint32, 256)
	for i, x := 0, uint32(1); i < len(in); i++ {
		in[i] = x
		if i%5 != 0 {
			in[i] = x >> (i & 15)
		}
		x = x*1664525 + 1013904223
	}
	out, global := make([]uint64, 256), make([]uint32, programWords)
	toOut, toGlobal := m.defined(out), m.defined(global)
	workers := 2
	if c.GlobalRaces || raceEnabled {
		workers = 1
	}
	run := Execute(k, &m.mem, config2(r.grid, 1, r.x, r.y), Alone(), arguments(k, toOut, toGlobal, m.defined(in), r.n), new(atomic.Bool), workers, new(atomic.Uint64), c)
	for _, f := range run.Found {
		assert.Fail(t, "a report on a program that is right", "%s: %+v", label, *f)
	}
	if run.Fault != nil {
		assert.Fail(t, "a fault of a program that is right", "%s: %+v", label, run.Fault.Fault)
	}
	m.download(toOut, out)
	m.download(toGlobal, global)
	var b strings.Builder
	for _, w := range out {
		fmt.Fprintf(&b, "%016x", w)
	}
	for _, w := range global {
		fmt.Fprintf(&b, "%08x", w)
	}
	return b.String()
}

// programMain is a main that runs the kernels on the host and prints a line for each run.
func programMain() string {
	var b strings.Builder
	b.WriteString("\n#if !defined(__CUDACC__) && !defined(__CUDA__)\nint main() {\n  static u32 in[256], global[1024];\n  static u64 out[256];\n" +
		"  for (u32 i = 0, x = 1; i < 256; i++) in[i] = i % 5 ? x >> (i & 15) : x, x = x * 1664525 + 1013904223;\n")
	for n := range programKernels {
		for _, r := range programRuns {
			fmt.Fprintf(&b, "  memset(out, 0, sizeof out); memset(global, 0, sizeof global); run(k%d, %d, %d, %d, out, global, in, %d);\n", n, r.grid, r.x, r.y, r.n)
			b.WriteString("  for (u64 v : out) printf(\"%016llx\", v); for (u32 v : global) printf(\"%08x\", v); printf(\"\\n\");\n")
		}
	}
	b.WriteString("}\n#endif\n")
	return b.String()
}
