package interp

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// BenchmarkChecks runs kernels without checks and with those of simtest in turns, on one core. Of each
// it takes the fastest round. The figures are times ÷ that without checks.
func BenchmarkChecks(b *testing.B) {
	matrix := func(m *machine) any { return m.defined(make([]float32, 128*128)) }
	kernels := append(contests(1), contest{"tiled", config2(8, 8, 16, 16), func(m *machine) []any { return []any{matrix(m), matrix(m), matrix(m)} }, nil, nil})
	sets := []struct {
		name   string
		checks Checks
	}{{"none", Checks{}}, {racecheck, Checks{Races: true}}, {Initcheck, Checks{Undefined: true}}, {"all", Checks{Races: true, Arrays: true, Undefined: true, Exited: true}}}
	for _, c := range kernels {
		b.Run(c.kernel, func(b *testing.B) {
			rounds := make([]func() time.Duration, len(sets))
			least := make([]time.Duration, len(sets))
			for n, set := range sets {
				source := speedPTX(b)
				if c.loop == nil {
					source = tiled
				}
				m := loadMachine(b, source, set.checks.Undefined)
				k := m.lib.Kernels[c.kernel]
				params, stop := arguments(k, c.args(m)...), new(atomic.Bool)
				for id := range m.mem.Living {
					memory.Define(id<<memory.OffsetBits, memory.AllocationOf(id).Size)
				}
				least[n] = math.MaxInt64
				rounds[n] = func() time.Duration {
					began := time.Now()
					run := Execute(k, &m.mem, c.cfg, Alone(), params, stop, 1, new(atomic.Uint64), set.checks)
					took := time.Since(began)
					require.Nil(b, run.Fault)
					return took
				}
			}
			for b.Loop() {
				for n := range sets {
					least[n] = min(least[n], rounds[n]())
				}
			}
			for n, set := range sets[1:] {
				b.ReportMetric(float64(least[n+1])/float64(least[0]), "×"+set.name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
