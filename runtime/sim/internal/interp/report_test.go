package interp

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// runLines runs body, as raced has it, in blocks of 64 threads.
func runLines(t *testing.T, body string, blocks uint32, workers int, checks Checks) *Run {
	t.Helper()
	m := newMachine(t, strings.Replace(racedPTX(body), ".visible", ".file 1 \"k.cu\"\n.visible", 1))
	k := m.lib.Kernels["k"]
	require.NotNil(t, k)
	require.Empty(t, k.Unsupported)
	return Execute(k, &m.mem, config(blocks, 64, 0), Alone(), arguments(k, m.upload(make([]uint32, 4096))), new(atomic.Bool), workers, new(atomic.Uint64), checks)
}

// Of several accesses that race with one, the report names the pair that no lockstep and no atomic can excuse, where they were.
func TestConvincingRaces(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       []string // of each report
	}{
		{"a value that both warps write, and one reads",
			".loc 1 5 0\n st.shared.u32 [s], 7;\n.loc 1 6 0\n@!%p3 ld.shared.u32 %r6, [s];",
			[]string{"reads shared address 0x0, which thread (31,0,0) wrote at k.cu:5, with no barrier between: put __syncthreads() between"}},
		{"neighbours first, then the other warp",
			"mov.u32 %r7, 0;\nL: st.shared.u32 [%r2], %r1;\n.loc 1 8 0\n ld.shared.u32 %r6, [%r4];\n mov.u32 %r4, %r3; add.u32 %r7, %r7, 1; setp.lt.u32 %p4, %r7, 2;\n @%p4 bra L;",
			[]string{"which thread (0,0,0) read at k.cu:8, with no barrier between"}},
		{"lanes that have read on other lines",
			"shr.u32 %r6, %r1, 4; setp.eq.u32 %p4, %r6, 1;\n.loc 1 5 0\n@%p1 ld.shared.u32 %r7, [s];\n.loc 1 6 0\n@%p4 ld.shared.u32 %r7, [s];\n.loc 1 7 0\n@%p1 st.shared.u32 [s], %r1;",
			[]string{"writes shared address 0x0, which thread (16,0,0) of the same warp read at k.cu:6"}},
		{"a lane that has not met the one that writes",
			"setp.lt.u32 %p4, %r1, 3; setp.gt.and.u32 %p5, %r1, 0, %p4; setp.lt.u32 %p6, %r1, 2;\n.loc 1 5 0\n@%p5 ld.shared.u32 %r7, [s];\n@%p6 bar.warp.sync 3;\n.loc 1 7 0\n@%p1 st.shared.u32 [s], %r1;",
			[]string{"writes shared address 0x0, which thread (2,0,0) of the same warp read at k.cu:5"}},
		{"reads of the line itself and of another",
			".loc 1 5 0\n@%p3 ld.shared.u32 %r7, [s];\n.loc 1 6 0\n ld.shared.u32 %r8, [s+4];\n setp.eq.u32 %p4, %r1, 3; @%p4 ld.shared.u32 %r8, [s];\n.loc 1 5 0\n@%p2 st.shared.u32 [s], 3;",
			[]string{"which thread (3,0,0) read at k.cu:6, with no barrier between: put __syncthreads() between"}},
		{"a line that reads and writes",
			".loc 1 5 0\n ld.shared.u32 %r7, [s]; add.u32 %r7, %r7, %r1; st.shared.u32 [s], %r7;",
			[]string{"which thread (31,0,0) wrote at k.cu:5, with no barrier between: let one thread do that, use an atomic, or put __syncthreads() between turns of a loop"}},
		{"a line within a warp, and another between warps",
			".loc 1 5 0\n st.shared.u32 [%r2], %r1;\n.loc 1 6 0\n ld.shared.u32 %r6, [%r4];\n.loc 1 7 0\n ld.shared.u32 %r6, [%r3];",
			[]string{"which thread (0,0,0) read at k.cu:7, with no barrier", "of the same warp wrote at k.cu:5"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := runLines(t, test.body, 1, 1, Checks{Races: true})
			require.NotNil(t, run.Fault)
			all := append([]*driver.Fault{&run.Fault.Fault}, run.Found...)
			var reasons []string
			for _, f := range all {
				reasons = append(reasons, f.Reason)
			}
			require.Len(t, all, len(test.want), "%q", reasons)
			for n, want := range test.want {
				assert.Contains(t, reasons[n], want)
			}
		})
	}
}

// In global memory the pair is of two blocks before one of two warps, and that before one within a warp. Reads of many lanes of one warp leave room
// for others.
func TestConvincingGlobalRaces(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"all blocks", ".loc 1 5 0\n ld.global.u32 %r6, [%rd1];\n.loc 1 6 0\n@%p2 st.global.u32 [%rd1], %r1;", "of block ("},
		{"all blocks, all threads", ".loc 1 5 0\n st.global.u32 [%rd1], %r1;", "of block ("},
		{"one block", "mov.u32 %r6, %ctaid.x; setp.ne.u32 %p4, %r6, 0; @%p4 exit;\n.loc 1 5 0\n ld.global.u32 %r6, [%rd1];\n@%p2 st.volatile.global.u32 [%rd1+64], 1;\n" +
			"L: mov.u32 %r7, 1; @%p1 ld.volatile.global.u32 %r7, [%rd1+64]; setp.eq.u32 %p5, %r7, 0; @%p5 bra L;\n.loc 1 6 0\n@%p1 st.global.u32 [%rd1], 5;", "writes global address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := runLines(t, test.body, 3, 1, Checks{GlobalRaces: true})
			require.NotNil(t, run.Fault)
			assert.Contains(t, run.Fault.Reason, test.want)
			assert.NotContains(t, run.Fault.Reason, "same warp")
		})
	}
}

// Reports do not depend on which worker runs which blocks, also if a block fails while others run, and of many places the first are reported.
func TestReportsOfWorkers(t *testing.T) {
	many := ""
	for n := range maxPlaces + 30 {
		many += fmt.Sprintf(".loc 1 %d 0\n st.shared.u32 [s], %%r1;\n", 100+n)
	}
	sometimes := "mov.u32 %r10, %ctaid.x; rem.u32 %r11, %r10, 11; setp.eq.u32 %p4, %r11, 10;\n@!%p4 bra N;\n.loc 1 9 0\n st.shared.u32 [s+4], %r1;\nN: st.shared.u32 [%r2], %r1; ld.shared.u32 %r6, [%r4];\n" +
		"setp.eq.u32 %p5, %r11, 3; @!%p5 bra M;\n.loc 1 12 0\n ld.shared.u32 %r6, [%r3];\nM: ld.shared.u32 %r7, [s+128]; setp.eq.u32 %p6, %r7, 9; @%p6 add.u32 %r7, %r7, 1;\n" +
		"setp.gt.u32 %p4, %r10, 40; @!%p4 bra K;\n.loc 1 20 0\n st.shared.u32 [s+8], %r1;\nK:"
	for name, body := range map[string]string{
		"some blocks":    sometimes,
		"a block fails":  sometimes + "setp.lt.u32 %p4, %r10, 40; @%p4 ret; mov.u64 %rd2, 8; st.global.u32 [%rd2], %r1;",
		"the last fails": sometimes + "setp.lt.u32 %p4, %r10, 199; @%p4 ret; mov.u64 %rd2, 8; st.global.u32 [%rd2], %r1;",
		"many places":    many,
	} {
		t.Run(name, func(t *testing.T) {
			var want []driver.Fault
			blocks := uint32(200)
			if name == "many places" {
				blocks = 4
			}
			for round := range 12 {
				run := runLines(t, body, blocks, max(1, round), Checks{Races: true, Undefined: true})
				require.NotNil(t, run.Fault)
				got := []driver.Fault{run.Fault.Fault}
				for _, f := range run.Found {
					got = append(got, *f)
				}
				for n := range got { // machines have addresses of their own
					got[n].Address = 0
				}
				if want == nil {
					want = got
				}
				require.Equal(t, want, got)
			}
			if name == "many places" {
				assert.Len(t, want, maxPlaces)
			} else {
				assert.GreaterOrEqual(t, len(want), 2)
			}
		})
	}
}

// A write races with one that the last write of another warp, of the same value, lies upon.
func TestRacesBehindEqualWrites(t *testing.T) {
	for barrier, want := range map[string]bool{"@%p2 barrier.sync 1, 64;": true, "barrier.sync 1, 96;": false} {
		m := newMachine(t, entry(`mov.u32 %r9, dyn; shr.u32 %r3, %r2, 5; and.b32 %r4, %r2, 31; setp.lt.u32 %p1, %r3, 2; setp.ge.u32 %p2, %r3, 1; setp.eq.u32 %p3, %r2, 64;
@%p1 st.shared.u32 [%r9], 7;
`+barrier+`
@%p3 st.shared.u32 [%r9], 9;`))
		k := m.lib.Kernels["k"]
		run := Execute(k, &m.mem, config(1, 96, 64), Alone(), arguments(k, m.upload(make([]uint32, 32)), uint32(0)), new(atomic.Bool), 1, new(atomic.Uint64), Checks{Races: true})
		assert.Equal(t, want, run.Fault != nil, "%s: %v", barrier, run.Fault)
	}
}

// Reports of one PTX line come in the order of their places.
func TestReportsOfOneLine(t *testing.T) {
	first := ""
	for n := range 60 {
		m := newFollowedMachine(t, entry(`setp.eq.u32 %p1, %r3, 1; setp.eq.u32 %p2, %r4, 2; @%p1 bra A; A: add.u32 %r5, %r2, 1; @%p2 bra B; B:`))
		k := m.lib.Kernels["k"]
		run := Execute(k, &m.mem, config(1, 32, 0), Alone(), arguments(k, m.upload(make([]uint32, 32)), uint32(0)), new(atomic.Bool), 1, new(atomic.Uint64), Checks{Undefined: true})
		require.NotNil(t, run.Fault)
		require.Len(t, run.Found, 1)
		if n == 0 {
			first = run.Fault.Instruction
		}
		require.Equal(t, first, run.Fault.Instruction)
	}
}
