package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
}

// Each bug is found, on the line that has it.
func TestBugsAreFound(t *testing.T) {
	require.Len(t, found, len(bugs))
	for _, b := range bugs {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			_, err := b.on(simtest.New(t, simtest.AllowFault()), false)
			var fault *cuda.Fault
			require.True(t, errors.As(err, &fault), "%v", err)
			want := found[b.name]
			reported := slices.ContainsFunc(append(fault.Others, fault), func(f *cuda.Fault) bool {
				return strings.Contains(f.Reason, want.reason) && f.File == b.name+".cu" && f.Line == want.line
			})
			assert.True(t, reported, "want %v: %v, %v", want, fault, fault.Others)
		})
	}
}

// Control: nothing is found in the kernels without the bugs, whatever the order of blocks and warps.
func TestMendedKernelsPass(t *testing.T) {
	for _, b := range bugs {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			simtest.Sweep(t, 5, func(t *testing.T, dev *cuda.Device) {
				_, err := b.on(dev, true)
				require.NoError(t, err)
			})
		})
	}
}

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(nil, &out))
	assert.Equal(t, len(bugs), strings.Count(out.String(), "\n"))
	assert.ErrorContains(t, run([]string{"-case", "nothing"}, io.Discard), "no case")
}
