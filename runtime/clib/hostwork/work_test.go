package hostwork_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testlib"
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// add adds the sum of x to the elements of y that p has.
func add(s *cuda.Stream, x, y cuda.Slice[float32], p hostwork.Part) error {
	return hostwork.Queue(s, func(w *hostwork.Work) {
		sum := float32(0)
		for _, v := range hostwork.Read(w, x, hostwork.Vector(x.Len(), 1)) {
			sum += v
		}
		values := hostwork.Read(w, y, p)
		for i := range values {
			values[i] += sum
		}
		hostwork.Write(w, y, p, values)
	}, x.Owner(), y.Owner())
}

func newStream(t testing.TB, d *cuda.Device) *cuda.Stream {
	t.Helper()
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func upload[T any](t testing.TB, s *cuda.Stream, values ...T) *cuda.Buffer[T] {
	t.Helper()
	b, err := cuda.Upload(s, values)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// Work runs in the order of its stream, and touches only its part.
func TestQueue(t *testing.T) {
	d := simtest.New(t)
	s := newStream(t, d)
	x, y := upload[float32](t, s, 1, 2), upload[float32](t, s, 10, 20, 30, 40, 50)
	part := hostwork.Matrix(1, 2, 3)
	require.NoError(t, add(s, x.All(), y.All(), part))
	require.NoError(t, cuda.Copy(x.All(), y.Slice(0, 2)).Launch(s)) // 13, 20
	require.NoError(t, add(s, x.All(), y.All(), part))
	got, err := y.All().Download(s)
	require.NoError(t, err)
	assert.Equal(t, []float32{46, 20, 30, 76, 50}, got)

	// Both may be the same memory, and empty.
	require.NoError(t, add(s, y.Slice(0, 1), y.All(), hostwork.Vector(1, 1)))
	require.NoError(t, add(s, y.Slice(0, 0), y.Slice(5, 5), hostwork.Part{}))
	require.NoError(t, add(s, cuda.Slice[float32]{}, cuda.Slice[float32]{}, hostwork.Part{}))
	got, err = y.All().Download(s)
	require.NoError(t, err)
	assert.Equal(t, []float32{92, 20, 30, 76, 50}, got)
}

// Elements that are not of a part may be undefined, and stay so.
func TestUndefined(t *testing.T) {
	for _, c := range []struct {
		name string
		part hostwork.Part
		want string
	}{
		{"beside", hostwork.Matrix(1, 2, 3), ""},
		{"read", hostwork.Matrix(2, 2, 3), "the host reads 4 undefined bytes of 8, the first at offset 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := simtest.New(t, simtest.AllowUninitialized()) // the test reads the fault itself
			if c.want != "" {
				d = simtest.New(t, simtest.StopAtReport(), simtest.AllowFault())
			}
			s := newStream(t, d)
			x := upload[float32](t, s, 1)
			y, err := cuda.Alloc[float32](s, 8)
			require.NoError(t, err)
			defer y.Close()
			for _, i := range []int{0, 3} {
				require.NoError(t, y.Slice(i, i+1).CopyFrom(s, []float32{5}))
			}
			require.NoError(t, add(s, x.All(), y.All(), c.part))
			err = s.Synchronize()
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			var f *cuda.Fault
			require.ErrorAs(t, err, &f)
			assert.Contains(t, f.Reason, c.want)
		})
	}
	t.Run("stays", func(t *testing.T) { // Write defines what it writes alone
		d := simtest.New(t, simtest.StopAtReport(), simtest.AllowFault())
		s := newStream(t, d)
		y, err := cuda.Alloc[float32](s, 8)
		require.NoError(t, err)
		defer y.Close()
		require.NoError(t, hostwork.Queue(s, func(w *hostwork.Work) {
			hostwork.Write(w, y.All(), hostwork.Vector(4, 2), make([]float32, 7))
		}, y.Owner()))
		_, err = y.Slice(2, 3).Download(s)
		require.NoError(t, err)
		_, err = y.Slice(3, 4).Download(s)
		var f *cuda.Fault
		require.ErrorAs(t, err, &f)
		assert.Contains(t, f.Reason, "the first at offset 12")
	})
}

// Memory may be closed after Queue. Memory that Queue was not told of is found when it is gone.
func TestFreed(t *testing.T) {
	for _, told := range []bool{true, false} {
		d := simtest.New(t, simtest.AllowFault())
		s, other := newStream(t, d), newStream(t, d)
		x := upload[float32](t, other, 1)
		begin := make(chan struct{})
		require.NoError(t, s.LaunchHostFunc(func() { <-begin }))
		owners := []cuda.Owner{x.Owner()}
		if !told {
			owners = nil
		}
		ran, after := false, false
		require.NoError(t, hostwork.Queue(s, func(w *hostwork.Work) {
			ran = true
			hostwork.Read(w, x.All(), hostwork.Vector(1, 1))
			after = true
		}, owners...))
		closed := make(chan error)
		go func() { closed <- x.Close() }()
		if !told {
			require.NoError(t, <-closed)
			require.NoError(t, other.Synchronize())
		}
		close(begin)
		if told {
			require.NoError(t, <-closed)
		}
		err := s.Synchronize()
		assert.True(t, ran)
		assert.Equal(t, told, after)
		if told {
			assert.NoError(t, err)
			continue
		}
		var f *cuda.Fault
		require.ErrorAs(t, err, &f)
		assert.Contains(t, f.Reason, "a host function accesses 4 bytes of device memory")
		assert.NotEmpty(t, f.FreedAt)
	}
}

// A closed buffer, a device that is no simulated one and a capture of Run are errors of the call; a slice that is too short is one of the stream.
func TestMisuse(t *testing.T) {
	d := simtest.New(t)
	s := newStream(t, d)
	x := upload[float32](t, s, 1, 2)
	none := func(*hostwork.Work) { panic("runs") }
	assert.ErrorIs(t, hostwork.Queue(nil, none), errors.ErrUnsupported)
	y := upload[float32](t, s, 1)
	require.NoError(t, y.Close())
	assert.ErrorIs(t, add(s, x.All(), y.All(), hostwork.Part{}), cuda.ErrClosed)
	graph, err := cuda.Capture(s, func(s *cuda.Stream) error {
		assert.ErrorIs(t, hostwork.Run(s, none), cuda.ErrStreamCaptureUnsupported)
		return hostwork.Queue(s, none)
	})
	require.NoError(t, err)
	assert.Contains(t, graph.DOT(), "host function")

	for _, f := range []func(w *hostwork.Work){
		func(w *hostwork.Work) { hostwork.Read(w, x.All(), hostwork.Vector(2, 2)) },
		func(w *hostwork.Work) { hostwork.Write(w, x.All(), hostwork.Vector(2, 2), make([]float32, 3)) },
		func(w *hostwork.Work) { hostwork.Write(w, x.All(), hostwork.Vector(2, 1), make([]float32, 1)) },
		func(w *hostwork.Work) { panic(io.ErrUnexpectedEOF) },
	} {
		s := newStream(t, d)
		err := hostwork.Run(s, f, x.Owner())
		assert.ErrorIs(t, err, cuda.ErrHostFunc)
		assert.True(t, errors.Is(err, cuda.ErrShortSlice) || errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
	}
	assert.NoError(t, hostwork.Run(s, func(w *hostwork.Work) { hostwork.Read(w, x.All(), hostwork.Vector(2, 1)) }, x.Owner()))
}

// A graph may be launched many times, and cannot when its memory is closed.
func TestGraph(t *testing.T) {
	d := simtest.New(t)
	s := newStream(t, d)
	x, y := upload[float32](t, s, 1, 2), upload[float32](t, s, 10, 20, 30)
	graph, err := cuda.Capture(s, func(s *cuda.Stream) error {
		if err := add(s, x.All(), y.All(), hostwork.Vector(2, 2)); err != nil {
			return err
		}
		return add(s, y.Slice(0, 1), x.All(), hostwork.Vector(1, 1))
	})
	require.NoError(t, err)
	first, err := graph.Instantiate()
	require.NoError(t, err)
	defer first.Close()
	second, err := graph.Instantiate()
	require.NoError(t, err)
	defer second.Close()
	for _, e := range []*cuda.GraphExec{first, second, first} { // x: 1 → 14 → 43 → 118
		require.NoError(t, e.Launch(s))
	}
	got, err := y.All().Download(s)
	require.NoError(t, err)
	assert.Equal(t, []float32{74, 20, 94}, got)
	require.NoError(t, x.Close())
	assert.ErrorIs(t, first.Launch(s), cuda.ErrClosed)
}

// Memory of other devices that are reached, and of the host.
func TestElsewhere(t *testing.T) {
	devices := simtest.NewDevices(t, 2)
	s := newStream(t, devices[0])
	x, y := upload[float32](t, newStream(t, devices[1]), 1, 2), upload[float32](t, s, 10)
	require.NoError(t, devices[0].EnablePeerAccess(devices[1]))
	h, err := cuda.AllocHost[float32](devices[0], 1, cuda.HostConfig{})
	require.NoError(t, err)
	defer h.Close()
	require.NoError(t, add(s, x.All(), y.All(), hostwork.Vector(1, 1)))
	require.NoError(t, add(s, y.All(), h.All(), hostwork.Vector(1, 1)))
	require.NoError(t, s.Synchronize())
	assert.Equal(t, []float32{13}, h.Host())
}

// A function of a library that cudagen library has wrapped.
func TestLibrary(t *testing.T) {
	testlib.Simulated.NewContext = func(*testlib.Context, *cuda.Device, int32, string) error { return nil }
	testlib.Simulated.ContextSum = func(h *testlib.Context, s *cuda.Stream, n int32, x cuda.Slice[float32]) (sum float32, err error) {
		err = hostwork.Run(s, func(w *hostwork.Work) {
			for _, v := range hostwork.Read(w, x, hostwork.Vector(int(n), 1)) {
				sum += v
			}
		}, x.Owner())
		return sum, err
	}
	d := simtest.New(t)
	s := newStream(t, d)
	x := upload[float32](t, s, 1, 2, 3)
	c, err := testlib.NewContext(d, 1, "")
	require.NoError(t, err)
	defer c.Close()
	sum, err := c.Sum(s, 3, x.All())
	require.NoError(t, err)
	assert.Equal(t, float32(6), sum)
	_, err = c.Sum(s, 4, x.All())
	assert.ErrorIs(t, err, cuda.ErrShortSlice)
}
