package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// found is what a report of each bug says, and the line that it names.
var found = map[string]struct {
	line   int
	reason string
}{
	"offbyone":         {9, "is out of bounds: 4 bytes at offset 400 of 400"},
	"missingbarrier":   {10, "race: writes shared address 0x80, which thread (31,0,0) read at missingbarrier.cu:11"},
	"lostupdate":       {12, "race: "},
	"accumulator":      {12, "undefined"},
	"divergentbarrier": {13, "32 of 64 threads, this one first, have exited before the barrier"},
	"wrongmask":        {10, "the lane is not in its own member mask 0xffff0000"},
	"useafterfree":     {13, "is in an allocation that was freed"},
	"doublefree":       {14, "which was freed, allocated at doublefree.cu:9, freed at doublefree.cu:13"},
	"deadlock":         {13, "no progress: every thread waits for another"},
	"stackoverflow":    {6, "stack overflow"},

	"undefinedbranch": {15, "an undefined value decides whether the thread branches"},
	"undefinedindex":  {40, "an undefined value is used as an address"},
	"undefinedresult": {0, "the host reads 200 undefined bytes of 400, the first at offset 4"},
	"warpsynchronous": {91, "race: reads shared address 0x40, which thread (16,0,0) of the same warp wrote at further.cu:89"},
	"volatilewarp":    {130, "race: reads shared address 0x40, which thread (16,0,0) of the same warp wrote at further.cu:128"},
	"globalrace":      {165, "which thread (0,0,0) of block (0,0,0) wrote at further.cu:165"},
	"asynccopy":       {192, "to which thread (0,0,0) copies at further.cu:190, and does not know that the copy is done"},
	"barriercounts":   {222, "barrier 1 counts 96 threads here but 64 at"},
	"misaligned":      {247, "is not aligned to 8 bytes"},
	"sharedbounds":    {274, "is out of bounds: 4 bytes at offset 262144 of 256"},
	"localbounds":     {304, "is out of bounds: 4 bytes at offset 4194304 of 16"},
	"faraway":         {330, "is out of bounds: 4 bytes at offset 68719476736 of 400"},
	"nullpointer":     {353, "is in no allocation"},
	"freeinside":      {380, "which malloc did not return in a kernel, allocated at further.cu:377"},
	"heapbounds":      {410, "is out of bounds: 4 bytes at offset 16 of 16, allocated at further.cu:409"},
	"barrierobject":   {443, "there is no initialised mbarrier at this address"},
}

// Each bug is found, on the line that has it.
func TestBugsAreFound(t *testing.T) {
	testenv.Need(t, testenv.Long)
	require.Len(t, found, len(all()))
	for _, b := range all() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			_, err := b.on(simtest.New(t, simtest.StopAtReport(), simtest.AllowFault(), simtest.GlobalRaces()), false)
			var fault *cuda.Fault
			require.True(t, errors.As(err, &fault), "%v", err)
			want, file := found[b.name], b.name+".cu"
			if slices.ContainsFunc(further, func(f bug) bool { return f.name == b.name }) {
				file = "further.cu"
			}
			if want.line == 0 { // what nobody has written has no place
				file = ""
			}
			reported := slices.ContainsFunc(append(fault.Others, fault), func(f *cuda.Fault) bool {
				return strings.Contains(f.Reason, want.reason) && f.File == file && f.Line == want.line
			})
			assert.True(t, reported, "want %v: %v, %v", want, fault, fault.Others)
		})
	}
}

// Control: nothing is found in the kernels without the bugs, whatever the order of blocks and warps.
func TestMendedKernelsPass(t *testing.T) {
	for _, b := range all() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			simtest.Sweep(t, 5, func(t *testing.T, dev *cuda.Device) {
				_, err := b.on(dev, true)
				require.NoError(t, err)
			}, simtest.GlobalRaces())
		})
	}
}

// asProgram makes the test binary the program.
const asProgram = "BUGS_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A program that CUDAGEN_SIM_CHECKS has checked prints each report once, goes on, and ends with an error of Close; with stop, with one of the
// first call behind the kernel. Without the variable, and without the bug, it prints nothing.
func TestChecksOfPrograms(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	const race = "race: writes shared address 0x80, which thread (31,0,0) read at missingbarrier.cu:11, with no barrier between: put __syncthreads() between [block (0,0,0)"
	for _, test := range []struct {
		name, checks string
		args         []string
		want         []string // on standard error; empty if the program ends well
		results      bool
	}{
		{"not asked", "", []string{"-case", "missingbarrier"}, nil, true},
		{"all", "all", []string{"-case", "missingbarrier"}, []string{"cuda: racecheck on device 0 (cudagen simulated device): missingBarrier: PTX line ", race,
			"bugs: cuda: close on device 0 (cudagen simulated device): the checks of CUDAGEN_SIM_CHECKS have found something at 2 places, the first: missingBarrier: "}, true},
		{"without the bug", "all", []string{"-case", "missingbarrier", "-mended"}, nil, true},
		{"another check", "arrays,exited", []string{"-case", "missingbarrier"}, nil, true},
		{"one of them", "exited,races", []string{"-case", "missingbarrier"}, []string{race}, true},
		{"stop", "all,stop", []string{"-case", "missingbarrier"}, []string{"cuda: racecheck on ", race, "bugs: cuda: ", "CUDA_ERROR_LAUNCH_FAILED"}, false},
		{"the host reads", "undefined", []string{"-case", "accumulator"}, []string{"cuda: initcheck on ", "the host reads 400 undefined bytes of 400", "allocated at ", "have found this: "}, true},
		{"blocks in global memory", "globalraces", []string{"-case", "globalrace"}, []string{"race: ", " of block (0,0,0) ", "have found "}, true},
		{"a fault", "all", []string{"-case", "offbyone"}, []string{"bugs: cuda: ", "is out of bounds", "allocated at "}, false},
		{"an unknown word", "races,all,rices", []string{"-case", "missingbarrier"}, []string{"bugs: cuda: CUDAGEN_SIM_CHECKS=races,all,rices: there is no check \"rices\": want all, or some of races,globalraces,arrays,undefined,exited,redzones, and stop"}, false},
		{"only stop", "stop", []string{"-case", "missingbarrier"}, []string{"bugs: cuda: CUDAGEN_SIM_CHECKS=stop: that checks nothing: add all, or some of races"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out, errors strings.Builder
			cmd := exec.Command(exe, test.args...)
			cmd.Env = append(os.Environ(), asProgram+"=1", "CUDAGEN_DEVICE=sim", "CUDAGEN_SIM_CHECKS="+test.checks)
			cmd.Stdout, cmd.Stderr = &out, &errors
			err := cmd.Run()
			assert.Equal(t, test.want == nil, err == nil, "%v: %s", err, errors.String())
			if test.want == nil {
				assert.Empty(t, errors.String())
			}
			for _, want := range test.want {
				assert.Contains(t, errors.String(), want)
			}
			assert.Equal(t, test.results, strings.Contains(out.String(), " …\n"), out.String())
			if test.results && test.want != nil {
				assert.LessOrEqual(t, strings.Count(errors.String(), race), 2, "as it is found, and by Close")
			}
		})
	}
}

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(nil, &out))
	assert.Equal(t, len(all()), strings.Count(out.String(), "\n"))
	assert.ErrorContains(t, run([]string{"-case", "nothing"}, io.Discard), "no case")
}

// TestMissingBarrier is what docs/debugging.md debugs: the race is found in the order in which blocks and warps run first.
func TestMissingBarrier(t *testing.T) {
	i := slices.IndexFunc(bugs, func(b bug) bool { return b.name == "missingbarrier" })
	_, err := bugs[i].on(simtest.New(t, simtest.AllowFault(), simtest.StopAtReport()), false)
	assert.ErrorContains(t, err, found["missingbarrier"].reason)
}
