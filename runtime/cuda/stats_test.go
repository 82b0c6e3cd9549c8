package cuda_test

import (
	"encoding/json"
	"expvar"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestStats compares the figures with what is opened and closed.
func TestStats(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		before := dev.Stats()
		assert.Equal(t, cuda.Stats{}, before, "nothing is open")
		k, s := loaded(t, dev)
		var want cuda.Stats
		want.Streams, want.Libraries, want.Images = 1, 1, 1
		assert.Equal(t, want, dev.Stats())

		x := upload(t, s, make([]float32, 100))
		empty := upload(t, s, []float32{})
		want.DeviceBytes, want.DeviceBytesPeak, want.Buffers = 400, 400, 1
		assert.Equal(t, want, dev.Stats())
		y := upload(t, s, make([]float32, 50))
		require.NoError(t, y.Close())
		require.NoError(t, y.Close(), "a second time")
		want.DeviceBytesPeak = 600
		assert.Equal(t, want, dev.Stats())

		host, err := cuda.AllocHost[byte](dev, 10, cuda.HostConfig{})
		require.NoError(t, err)
		managed, err := cuda.AllocManaged[byte](dev, 20)
		require.NoError(t, err)
		adopted, err := cuda.Adopt[byte](dev, x.Ptr().Address(), 30, nil)
		require.NoError(t, err)
		exported, err := cuda.AllocExportable[byte](dev, 40)
		require.NoError(t, err)
		want.PageLockedBytes, want.ManagedBytes, want.AdoptedBytes, want.ExportableBytes, want.Buffers = 10, 20, 30, 40, 5
		assert.Equal(t, want, dev.Stats())

		event, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		pool, err := dev.NewPool(cuda.PoolConfig{})
		require.NoError(t, err)
		call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{X: x.All(), Y: x.All()})
		require.NoError(t, err)
		exec, err := cuda.BuildGraph(cuda.NewNode(call))
		require.NoError(t, err)
		again, err := example.LoadKernels(dev)
		require.NoError(t, err)
		want.Events, want.Pools, want.Graphs, want.Libraries, want.ImageHits = 1, 1, 1, 2, 1
		assert.Equal(t, want, dev.Stats())

		release := blocked(t, s)
		over := make(chan error)
		go func() { over <- s.Wait(t.Context()) }()
		require.Eventually(t, func() bool { return dev.Stats().Waiting == 1 }, 10*time.Second, time.Millisecond)
		release()
		require.NoError(t, <-over)
		require.Eventually(t, func() bool { return dev.Stats().Waiting == 0 }, 10*time.Second, time.Millisecond)

		for _, c := range []interface{ Close() error }{host, managed, adopted, exported, event, pool, exec, again, x, empty, k, s} {
			require.NoError(t, c.Close())
		}
		assert.Equal(t, cuda.Stats{DeviceBytesPeak: 600, ImageHits: 1}, dev.Stats())
	})
	assert.Equal(t, cuda.Stats{}, (*cuda.Device)(nil).Stats())
}

// TestMetrics: every figure is a metric, with a name, a text and its value.
func TestMetrics(t *testing.T) {
	var s cuda.Stats
	figures := reflect.ValueOf(&s).Elem()
	for i := range figures.NumField() {
		figures.Field(i).SetUint(uint64(100 + i))
	}
	metrics := s.Metrics()
	require.Len(t, metrics, figures.NumField())
	for i, m := range metrics {
		name := figures.Type().Field(i).Name
		assert.Equal(t, strings.ToLower(name), strings.ReplaceAll(m.Name, "_", ""))
		assert.Regexp(t, regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`), m.Name)
		assert.Regexp(t, `^[A-Z].*\.$`, m.Help)
		assert.Equal(t, uint64(100+i), m.Value, name)
	}
}

// TestStatsOfExpvar publishes the figures.
func TestStatsOfExpvar(t *testing.T) {
	dev := openSimulator(t)
	newStream(t, dev)
	v := expvar.Func(func() any { return dev.Stats() })
	var got cuda.Stats
	require.NoError(t, json.Unmarshal([]byte(v.String()), &got))
	assert.Equal(t, dev.Stats(), got)
	assert.Equal(t, uint64(1), got.Streams)
}

// TestStatsMeanwhile reads the figures while goroutines allocate; in the end nothing is left.
func TestStatsMeanwhile(t *testing.T) {
	dev := openSimulator(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			s, err := dev.NewStream()
			if !assert.NoError(t, err) {
				return
			}
			defer s.Close()
			for range 200 {
				b, err := cuda.Alloc[byte](s, 100)
				if assert.NoError(t, err) {
					assert.GreaterOrEqual(t, dev.Stats().DeviceBytes, uint64(100))
					b.Close()
				}
			}
		})
	}
	group.Wait()
	stats := dev.Stats()
	assert.Zero(t, stats.DeviceBytes)
	assert.Zero(t, stats.Buffers)
	assert.Zero(t, stats.Streams)
	assert.GreaterOrEqual(t, stats.DeviceBytesPeak, uint64(100))
	assert.LessOrEqual(t, stats.DeviceBytesPeak, uint64(400))
}
