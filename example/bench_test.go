package example_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// BenchmarkSimulatedLaunch: what it costs to launch small kernels on a simulated device and to wait for them, in processor time, which includes the
// workers' and the collector's.
func BenchmarkSimulatedLaunch(b *testing.B) {
	for _, n := range []int{0, 1, 1024, 1 << 16} {
		b.Run(map[int]string{0: "empty", 1: "thread", 1024: "saxpy1024", 1 << 16: "saxpy65536"}[n], func(b *testing.B) {
			dev, err := cuda.OpenSimulator()
			require.NoError(b, err)
			defer dev.Close()
			k, err := example.LoadKernels(dev)
			require.NoError(b, err)
			s, err := dev.NewStream()
			require.NoError(b, err)
			x, err := cuda.Upload(s, make([]float32, max(n, 1)))
			require.NoError(b, err)
			y, err := cuda.Upload(s, make([]float32, max(n, 1)))
			require.NoError(b, err)
			launch := func() {
				if n > 0 && k.Saxpy.Launch(s, 2, x.All(), y.All()) != nil || s.Synchronize() != nil {
					b.Fatal("it fails")
				}
			}
			launch()
			b.ReportAllocs()
			began := processorTime()
			for b.Loop() {
				launch()
			}
			b.ReportMetric(float64((processorTime()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
