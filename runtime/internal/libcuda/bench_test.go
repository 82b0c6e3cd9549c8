//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"testing"
	"unsafe"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// BenchmarkLaunch measures what a launch costs over a driver function that does
// nothing, beside its floor, an empty call, and the same launch in C. Compare figures
// of one run only.
func BenchmarkLaunch(b *testing.B) {
	_, fake := openFake(b, fakecuda.Options{})
	empty, fn := fake.EmptyFunction(b), fake.EmptyLaunch(b)
	b.Run("empty call", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			emptyCall(empty)
		}
	})
	b.Run("4 parameters", func(b *testing.B) {
		b.ReportAllocs()
		var n int32
		for b.Loop() {
			n++
			launchSaxpy(fn, 1, 2, n)
		}
	})
	b.Run("12 parameters", func(b *testing.B) {
		b.ReportAllocs()
		var n uint64
		for b.Loop() {
			n++
			launchTwelve(fn, 1, 2, n)
		}
	})
	for name, count := range map[string]int{"C, 4 parameters": 4, "C, 12 parameters": 12} {
		b.Run(name, func(b *testing.B) {
			fake.TimeLaunches(b.N, count)
		})
	}
}

var twelveOffsets = [12]uint32{0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88}

func launchTwelve(fn uintptr, k driver.Kernel, s driver.Stream, n uint64) driver.Result {
	params := [12]uint64{n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	return launchOn(fn, &LaunchRecord{
		Target: &Target{Kernel: k, Offsets: &twelveOffsets[0], Count: 12, ParamBytes: 96},
		Stream: s, Params: unsafe.Pointer(&params),
		Config: &LaunchConfig{GridX: 1, GridY: 1, GridZ: 1, BlockX: 256, BlockY: 1, BlockZ: 1},
	})
}

// BenchmarkCalls measures hot calls over a driver function that does nothing, beside the
// floor, an empty call. Compare figures of one run only.
func BenchmarkCalls(b *testing.B) {
	concrete, fake := openFake(b, fakecuda.Options{})
	empty := fake.EmptyFunction(b)
	for e := range concrete.entries {
		concrete.entries[e].Store(empty)
	}
	var d driver.Driver = concrete
	host := unsafe.Pointer(&make([]byte, 4096)[0])
	for _, call := range []struct {
		name string
		call func()
	}{
		{"empty call", func() { emptyCall(empty) }},
		{"event record", func() { d.EventRecord(1, 2) }},
		{"copy from the host, 4 KiB", func() { d.MemcpyHtoDAsync(1, host, 4096, 2) }},
		{"set", func() { d.MemsetD8Async(1, 0, 4096, 2) }},
		{"alloc and free", func() {
			p, _ := d.MemAllocAsync(4096, 2)
			d.MemFreeAsync(p, 2)
		}},
		{"query", func() { d.StreamQuery(2) }},
	} {
		b.Run(call.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call.call()
			}
		})
	}
}
