package cuda_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// BenchmarkStreamWork measures what a program calls often, over the fake driver, whose
// own work is in the figures: compare them with others of one run.
func BenchmarkStreamWork(b *testing.B) {
	dev, library := openFake(b)
	s := newStream(b, dev)
	e, err := dev.NewEvent(cuda.EventConfig{})
	require.NoError(b, err)
	defer e.Close()
	host, err := cuda.AllocHost[byte](dev, 4096, cuda.HostConfig{})
	require.NoError(b, err)
	defer host.Close()
	mem := upload(b, s, make([]byte, 4096))
	for _, work := range []struct {
		name string
		do   func() error
	}{
		{"event record", func() error { return e.Record(s) }},
		{"copy 4 KiB page-locked", func() error { return cuda.Copy(mem.All(), host.All()).Launch(s) }},
		{"fill 4 KiB", func() error { return cuda.Fill(mem.All(), 1).Launch(s) }},
		{"alloc and free", func() error {
			m, err := cuda.Alloc[byte](s, 4096)
			if err != nil {
				return err
			}
			return m.Close()
		}},
		{"wait, nothing queued", func() error { return s.Wait(b.Context()) }},
	} {
		b.Run(work.name, func(b *testing.B) {
			library.Reset()
			b.ReportAllocs()
			for b.Loop() {
				if err := work.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSimulatedLaunch launches small kernels on a simulated device, as it is and as simtest has it, and waits for each. cpu-ns/op is
// the processor time, of workers and the collector, too.
func BenchmarkSimulatedLaunch(b *testing.B) {
	for _, checked := range []bool{false, true} {
		dev := openSimulator(b)
		name := "/plain"
		if checked {
			dev, name = simtest.New(b), "/checked"
		}
		s := newStream(b, dev)
		empty := loadText(b, dev, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry empty() { ret; }", "empty")[0]
		kernels, err := example.LoadKernels(dev)
		require.NoError(b, err)
		x, y := upload(b, s, make([]float32, 1<<16)), upload(b, s, make([]float32, 1<<16))
		saxpy := func(n int) func() error {
			return func() error { return kernels.Saxpy.Launch(s, 2, x.Slice(0, n), y.Slice(0, n)) }
		}
		for _, c := range []struct {
			name   string
			launch func() error
		}{
			{"empty", func() error { return launchOn(empty, s, 1, 1) }},
			{"saxpy 1024", saxpy(1024)},
			{"saxpy 65536", saxpy(65536)},
		} {
			b.Run(c.name+name, func(b *testing.B) {
				b.ReportAllocs()
				began := processorTime()
				for b.Loop() {
					if err := c.launch(); err != nil {
						b.Fatal(err)
					}
					if err := s.Synchronize(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((processorTime()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
			})
		}
		require.NoError(b, dev.Close())
	}
}

// BenchmarkSimulatedTest is what a small test does: it opens a device, loads an image, copies, launches a kernel, copies back, and closes the device.
func BenchmarkSimulatedTest(b *testing.B) {
	b.ReportAllocs()
	began := processorTime()
	host := make([]float32, 1000)
	for b.Loop() {
		dev, err := cuda.OpenSimulator()
		require.NoError(b, err)
		kernels, err := example.LoadKernels(dev)
		require.NoError(b, err)
		s := newStream(b, dev)
		x, y := upload(b, s, host), upload(b, s, host)
		require.NoError(b, kernels.Saxpy.Launch(s, 2, x.All(), y.All()))
		require.NoError(b, y.All().CopyTo(s, host))
		require.NoError(b, dev.Close())
	}
	b.ReportMetric(float64((processorTime()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

// BenchmarkTenThousandWaiters measures from when the work of 8 streams ends until the
// last of 10,000 goroutines has been woken.
func BenchmarkTenThousandWaiters(b *testing.B) {
	dev := openSimulator(b)
	for b.Loop() {
		b.StopTimer()
		var streams [8]*cuda.Stream
		var release [8]func()
		for i := range streams {
			streams[i] = newStream(b, dev)
			release[i] = blocked(b, streams[i])
		}
		var wg sync.WaitGroup
		for i := range 10000 {
			wg.Go(func() {
				if err := streams[i%8].Wait(b.Context()); err != nil {
					b.Error(err)
				}
			})
		}
		for cuda.Waiting(dev) < 10000 {
			time.Sleep(time.Millisecond)
		}
		b.StartTimer()
		for i := range release {
			release[i]()
		}
		wg.Wait()
	}
}
