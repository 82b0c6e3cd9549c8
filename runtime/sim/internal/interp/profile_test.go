package interp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// profiled launches k with checks, and returns what it cost.
func profiled(t testing.TB, m *machine, k *bytecode.Kernel, cfg driver.LaunchConfig, params []byte, workers int, checks Checks) ([]driver.InstructionCounts, []driver.WorstRequests, *Run) {
	checks.Profile = true
	run := Execute(k, &m.mem, cfg, Alone(), params, new(atomic.Bool), workers, new(atomic.Uint64), checks)
	require.NotNil(t, run.Profile)
	counts, worst := run.Profile.Profile()
	return counts, worst, run
}

// What a launch costs does not depend on the way in which it is executed, on the workers, on their order and on other checks; and it is
// what it executes.
func TestProfilesAreAlike(t *testing.T) {
	kernels := append(contests(1), contest{"tiled", config2(8, 8, 16, 16), func(m *machine) []any {
		matrix := make([]float32, 128*128)
		return []any{m.defined(matrix), m.defined(matrix), m.defined(matrix)}
	}, nil, nil})
	for _, c := range kernels {
		t.Run(c.kernel, func(t *testing.T) {
			source := speedPTX(t)
			if c.loop == nil {
				source = tiled
			}
			var want []driver.InstructionCounts
			var wasted []driver.WorstRequests
			for n, way := range []struct {
				workers int
				checks  Checks
			}{{1, Checks{plainly: true}}, {1, Checks{}}, {4, Checks{}}, {2, Checks{Schedule: 77}}, {2, Checks{Coverage: true}}, {1, Checks{Races: true, Arrays: true, Undefined: true}}} {
				m := loadMachine(t, source, way.checks.Undefined)
				k := m.lib.Kernels[c.kernel]
				params := arguments(k, c.args(m)...)
				for id := range m.mem.Living {
					memory.Define(id<<memory.OffsetBits, memory.AllocationOf(id).Size)
				}
				counts, worst, run := profiled(t, m, k, c.cfg, params, way.workers, way.checks)
				require.Nil(t, run.Fault)
				if n == 0 {
					want, wasted = counts, worst
					threads := uint64(0)
					for pc, at := range counts {
						threads += at.Threads
						assert.LessOrEqual(t, at.Executed, at.Threads, k.Places[pc].Text)
						assert.LessOrEqual(t, at.Threads, 32*at.Warps, k.Places[pc].Text)
					}
					assert.Equal(t, run.Executed.Load(), threads)
					continue
				}
				for pc := range want {
					assert.Equal(t, want[pc], counts[pc], "%+v: %s", way, k.Places[pc].Text)
					assert.Equal(t, wasted[pc], worst[pc], "%+v: %s", way, k.Places[pc].Text)
				}
			}
		})
	}
}

// A transposition has the conflicts and sectors that one counts by hand.
func TestProfileOfATransposition(t *testing.T) {
	const transpose = `.version 8.0
.target sm_75
.address_size 64
.visible .entry transpose(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
	.reg .b32 %%r<20>; .reg .b64 %%rd<9>; .reg .f32 %%f<3>;
	.shared .align 4 .b8 tile[4224];
	ld.param.u64 %%rd1, [pin]; ld.param.u64 %%rd2, [pout]; ld.param.u32 %%r1, [pn];
	mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ctaid.y; mov.u32 %%r4, %%tid.x; mov.u32 %%r5, %%tid.y;
	mad.lo.u32 %%r6, %%r3, 32, %%r5; mad.lo.u32 %%r7, %%r6, %%r1, %%r4; mad.lo.u32 %%r7, %%r2, 32, %%r7;
	mul.wide.u32 %%rd3, %%r7, 4; add.u64 %%rd4, %%rd1, %%rd3;
	ld.global.f32 %%f1, [%%rd4];
	mov.u32 %%r8, tile; mad.lo.u32 %%r9, %%r5, %[1]d, %%r8; mad.lo.u32 %%r10, %%r4, 4, %%r9;
	st.shared.f32 [%%r10], %%f1;
	bar.sync 0;
	mad.lo.u32 %%r11, %%r4, %[1]d, %%r8; mad.lo.u32 %%r12, %%r5, 4, %%r11;
	ld.shared.f32 %%f2, [%%r12];
	mad.lo.u32 %%r13, %%r2, 32, %%r5; mad.lo.u32 %%r14, %%r13, %%r1, %%r4; mad.lo.u32 %%r14, %%r3, 32, %%r14;
	mul.wide.u32 %%rd5, %%r14, 4; add.u64 %%rd6, %%rd2, %%rd5;
	st.global.f32 [%%rd6], %%f2;
	mul.wide.u32 %%rd7, %%r4, 256; add.u64 %%rd8, %%rd1, %%rd7;
	ld.global.f32 %%f1, [%%rd8];
	ret;
}`
	for _, row := range []int{128, 132} {
		m := newMachine(t, fmt.Sprintf(transpose, row))
		k := m.lib.Kernels["transpose"]
		params := arguments(k, m.upload(make([]float32, 64*64)), m.upload(make([]float32, 64*64)), int32(64))
		counts, worst, run := profiled(t, m, k, config2(2, 2, 32, 32), params, 2, Checks{})
		require.Nil(t, run.Fault)
		const requests = 4 * 32
		var load, store, column *driver.InstructionCounts
		for pc := range k.Code {
			switch text := strings.Join(ptx.NameIn(k.Places[pc].Text), "."); {
			case text == "ld.shared.f32":
				load = &counts[pc]
				if row == 128 {
					assert.Equal(t, uint32(32), worst[pc][driver.SharedWavefronts-1].Count)
					assert.Zero(t, worst[pc][driver.SharedWavefronts-1].Block)
				} else {
					assert.Zero(t, worst[pc])
				}
			case text == "st.global.f32":
				store = &counts[pc]
			case text == "ld.global.f32" && strings.Contains(k.Places[pc].Text, "%rd8"):
				column = &counts[pc]
				assert.Equal(t, uint64(256), worst[pc][0].Addresses[1]-worst[pc][0].Addresses[0])
			}
		}
		conflicts := map[int]uint64{128: 31, 132: 0}[row]
		assert.Equal(t, driver.InstructionCounts{Warps: requests, Threads: 32 * requests, Executed: 32 * requests, SharedRequests: requests, SharedWavefronts: requests * (1 + conflicts), SharedIdeal: requests}, *load)
		assert.Equal(t, uint64(4*requests), store.GlobalSectors)
		assert.Equal(t, uint64(4*requests), store.GlobalIdeal)
		assert.Equal(t, uint64(32*requests), column.GlobalSectors)
		assert.Equal(t, uint64(4*requests), column.GlobalIdeal)
	}
}

// An atomic on vectors, or of 128 bits, is one request of all their bytes.
func TestProfileOfVectorAtomics(t *testing.T) {
	for _, test := range []struct {
		text           string
		stride         uint64 // bytes from a thread to the next
		sectors, ideal uint64
		rounds         uint64
	}{
		{"atom.global.add.v2.f32 {%f1, %f2}, [%rd2], {%f3, %f4};", 8, 8, 8, 1},
		{"atom.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2], {%f1, %f2, %f3, %f4};", 16, 16, 16, 1},
		{"red.global.add.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};", 16, 16, 16, 1},
		{"red.global.add.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};", 32, 32, 16, 1},
		{"red.global.add.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};", 0, 1, 1, 32},
		{"red.global.add.noftz.v4.f16x2 [%rd2], {%r1, %r1, %r1, %r1};", 16, 16, 16, 1},
		{"red.global.add.noftz.v2.f16 [%rd2], {%h1, %h1};", 4, 4, 4, 1},
		{"red.global.add.noftz.v8.f16 [%rd2], {%h1, %h1, %h1, %h1, %h1, %h1, %h1, %h1};", 16, 16, 16, 1},
		{"red.global.add.f32 [%rd2], %f1;", 4, 4, 4, 1},
		{"atom.global.exch.b128 %q1, [%rd2], %q2;", 16, 16, 16, 1},
		{"atom.global.exch.b128 %q1, [%rd2], %q2;", 0, 1, 1, 32},
	} {
		m := newMachine(t, fmt.Sprintf(`.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
	.reg .b16 %%h<2>; .reg .b32 %%r<2>; .reg .b64 %%rd<3>; .reg .f32 %%f<5>; .reg .b128 %%q<3>;
	ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; mov.b16 %%h1, 1;
	mov.f32 %%f1, 0f3f800000; mov.f32 %%f2, %%f1; mov.f32 %%f3, %%f1; mov.f32 %%f4, %%f1;
	mul.wide.u32 %%rd2, %%r1, %d; add.u64 %%rd2, %%rd1, %%rd2;
	%[2]s
	%[2]s
	ret;
}`, test.stride, test.text))
		k := m.lib.Kernels["k"]
		counts, _, run := profiled(t, m, k, config(1, 32, 0), arguments(k, m.upload(make([]byte, 1024))), 1, Checks{})
		require.Nil(t, run.Fault)
		var got driver.InstructionCounts
		for pc := range counts {
			if k.Places[pc].Text == strings.TrimSuffix(test.text, ";") {
				got.Add(&counts[pc])
			}
		}
		assert.Equal(t, driver.InstructionCounts{
			Warps: 2, Threads: 64, Executed: 64, GlobalRequests: 2, GlobalSectors: 2 * test.sectors, GlobalIdeal: 2 * test.ideal, AtomicRequests: 2, AtomicRounds: 2 * test.rounds,
		}, got, test.text)
	}
}

// Random programs cost the same executed instruction by instruction and in lines.
func TestProfilesOfPrograms(t *testing.T) {
	kernels, compared, wasteful := testenv.Cases(60, 1500), 0, 0
	for seed := range uint64(kernels) {
		rng := rand.New(rand.NewPCG(seed, 1))
		source, threads := accessKernel(rng), oneOf[uint32](rng, 96, 96, 80, 64)
		var want []driver.InstructionCounts
		var wasted []driver.WorstRequests
		for n, checks := range []Checks{{plainly: true}, {}, {Undefined: true}} {
			m := loadMachine(t, source, checks.Undefined)
			out := m.defined(make([]byte, 2048))
			fresh, ok := m.mem.Alloc(2048, memory.Allocation{})
			require.True(t, ok)
			k := m.lib.Kernels["k"]
			counts, worst, run := profiled(t, m, k, config(2, threads, 0), arguments(k, out, fresh), 1, checks)
			switch {
			case run.Fault != nil: // which another check may find later
			case n == 0:
				want, wasted = counts, worst
			case want != nil:
				for pc := range counts {
					require.Equal(t, want[pc], counts[pc], "seed %d, %+v: %s\n%s", seed, checks, k.Places[pc].Text, source)
					require.Equal(t, wasted[pc], worst[pc], "seed %d, %+v: %s\n%s", seed, checks, k.Places[pc].Text, source)
					wasteful += int(simd.Bit(worst[pc] != (driver.WorstRequests{})))
				}
				compared++
			}
		}
	}
	t.Log(compared, wasteful)
	assert.Greater(t, compared, kernels)
	assert.Greater(t, wasteful, kernels)
}

// Without the check nothing is counted.
func TestNoProfile(t *testing.T) {
	m := newMachine(t, speedPTX(t))
	k := m.lib.Kernels["saxpy"]
	params := arguments(k, int32(32), float32(0), m.upload(make([]float32, 32)), m.upload(make([]float32, 32)))
	run := Execute(k, &m.mem, config(1, 32, 0), Alone(), params, new(atomic.Bool), 1, new(atomic.Uint64), Checks{})
	assert.Nil(t, run.Profile)
}

// A launch that fails has counted what ran.
func TestProfileOfAFault(t *testing.T) {
	m := newMachine(t, speedPTX(t))
	k := m.lib.Kernels["saxpy"]
	params := arguments(k, int32(64), float32(0), m.upload(make([]float32, 32)), m.upload(make([]float32, 32)))
	counts, _, run := profiled(t, m, k, config(1, 64, 0), params, 1, Checks{})
	require.NotNil(t, run.Fault)
	assert.Equal(t, uint64(2), counts[0].Warps)
}

// BenchmarkProfile runs kernels in turns with and without a profile, on one core. The figure is the fastest round ÷ that without.
func BenchmarkProfile(b *testing.B) {
	slow, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "example", "slow", "slow.ptx"))
	require.NoError(b, err)
	const size = 256
	matrix := func(m *machine) any { return m.upload(make([]float32, size*size)) }
	kernels := contests(1)
	for _, name := range []string{"naive", "tiled", "padded"} {
		kernels = append(kernels, contest{name, config2(size/32, size/32, 32, 32), func(m *machine) []any { return []any{matrix(m), matrix(m), int32(size), int32(size)} }, nil, nil})
	}
	for _, c := range kernels {
		b.Run(c.kernel, func(b *testing.B) {
			source := speedPTX(b)
			if c.loop == nil {
				source = string(slow)
			}
			m := newMachine(b, source)
			k := m.lib.Kernels[c.kernel]
			params := arguments(k, c.args(m)...)
			least := map[bool]time.Duration{false: math.MaxInt64, true: math.MaxInt64}
			for b.Loop() {
				for _, counts := range []bool{false, true} {
					began := time.Now()
					run := Execute(k, &m.mem, c.cfg, Alone(), params, new(atomic.Bool), 1, new(atomic.Uint64), Checks{Profile: counts})
					least[counts] = min(least[counts], time.Since(began))
					require.Nil(b, run.Fault)
				}
			}
			b.ReportMetric(float64(least[true])/float64(least[false]), "×profile")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// Parameters and results of called functions are in registers of machine code, and no local memory, as an array is.
func TestProfileOfCalls(t *testing.T) {
	m := newMachine(t, `.version 8.1
.target sm_90
.address_size 64
.func (.param .b32 r) twice(.param .b32 x) {
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [x];
	add.u32 %r2, %r1, %r1;
	st.param.u32 [r], %r2;
	ret;
}
.visible .entry k() {
	.reg .b32 %r<3>; .local .align 4 .b8 array[8];
	mov.u32 %r1, %tid.x;
	{
	.param .b32 p; .param .b32 q;
	st.param.u32 [p], %r1;
	call.uni (q), twice, (p);
	ld.param.u32 %r2, [q];
	}
	st.local.u32 [array], %r2;
	ret;
}`)
	k := m.lib.Kernels["k"]
	counts, _, run := profiled(t, m, k, config(1, 32, 0), nil, 1, Checks{})
	require.Nil(t, run.Fault)
	var all driver.InstructionCounts
	for pc := range counts {
		all.Add(&counts[pc])
	}
	assert.EqualValues(t, 1, all.LocalRequests)
	assert.EqualValues(t, 128, all.LocalBytes)
}
