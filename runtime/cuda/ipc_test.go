package cuda_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// exportedHandles is set in the process that imports what a test has exported.
const exportedHandles = "CUDAGEN_TEST_EXPORTED"

// An export is what one process tells the other.
type export struct {
	Memory   cuda.MemoryHandle[float32]
	Event    cuda.EventHandle
	Contents bool // the memory is really shared
}

// importing runs a test of this binary in another process, which imports e.
func importing(t *testing.T, test string, e export) {
	t.Helper()
	text, err := json.Marshal(e)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, "-test.v", "-test.run=^"+test+"$/^(GPU|fake_libcuda)$")
	command.Env = append(os.Environ(), exportedHandles+"="+string(text))
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "the other process has imported")
}

// imported returns what another process tells this one, if there is one.
func imported(t *testing.T) (e export, is bool) {
	text := os.Getenv(exportedHandles)
	if text == "" {
		return e, false
	}
	require.NoError(t, json.Unmarshal([]byte(text), &e))
	return e, true
}

func upTo(n int, factor float32) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = factor * float32(i)
	}
	return list
}

const exportedLen = 1000

// newExport exports memory with the numbers up to its length, and an event behind them.
func newExport(t *testing.T, dev *cuda.Device) (*cuda.Stream, *cuda.Buffer[float32], *cuda.Event, export) {
	s := newStream(t, dev)
	x, err := cuda.AllocExportable[float32](dev, exportedLen)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, x.Close()) })
	require.NoError(t, x.CopyFrom(s, upTo(exportedLen, 1)))
	event, err := dev.NewEvent(cuda.EventConfig{Interprocess: true})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, event.Close()) })
	require.NoError(t, event.Record(s))
	e := export{Contents: os.Getenv(onGPU) != ""}
	if dev.IsSimulated() {
		_, err := x.Export()
		assert.ErrorIs(t, err, cuda.ErrNotSupported)
		assert.ErrorContains(t, err, "export a buffer on device 0 (cudagen simulated device): the device is simulated: its memory and events are of this process alone")
		_, err = event.Export()
		assert.ErrorIs(t, err, cuda.ErrNotSupported)
		require.NoError(t, e.Memory.UnmarshalText([]byte("cudagen-memory-1/GPU-1/2/"+strings.Repeat("A", 86)+"/float32/3")))
		_, err = e.Memory.Import(dev)
		assert.ErrorIs(t, err, cuda.ErrNotSupported)
		got := make([]float32, exportedLen)
		require.NoError(t, x.CopyTo(s, got))
		assert.Equal(t, upTo(exportedLen, 1), got)
		return s, x, event, e
	}
	e.Memory, err = x.Export()
	require.NoError(t, err)
	e.Event, err = event.Export()
	require.NoError(t, err)
	return s, x, event, e
}

// importHere imports e, checks the numbers and writes others, three times as large.
func importHere(t *testing.T, dev *cuda.Device, e export) *cuda.Buffer[float32] {
	s := newStream(t, dev)
	x, err := e.Memory.Import(dev)
	require.NoError(t, err)
	event, err := e.Event.Import(dev)
	require.NoError(t, err)
	require.NoError(t, s.WaitEvent(event))
	again, err := e.Memory.Import(dev)
	require.NoError(t, err, "memory can be imported twice")
	got := make([]float32, exportedLen)
	require.NoError(t, again.CopyTo(s, got))
	if e.Contents {
		assert.Equal(t, upTo(exportedLen, 1), got)
	}
	require.NoError(t, again.Close())
	require.NoError(t, x.CopyFrom(s, upTo(exportedLen, 3)))
	require.NoError(t, event.Record(s))
	require.NoError(t, s.Synchronize())
	require.NoError(t, event.Close())
	t.Log("the other process has imported")
	return x
}

// TestExport: another process reads and writes exported memory, in the order of an exported event.
func TestExport(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		if e, is := imported(t); is {
			require.NoError(t, importHere(t, dev, e).Close())
			return
		}
		s, x, event, e := newExport(t, dev)
		if dev.IsSimulated() {
			return
		}
		assert.Equal(t, exportedLen, e.Memory.Len())
		importing(t, "TestExport", e)
		if e.Contents {
			require.NoError(t, s.WaitEvent(event))
			got := make([]float32, exportedLen)
			require.NoError(t, x.CopyTo(s, got))
			assert.Equal(t, upTo(exportedLen, 3), got)
		}
	})
}

// TestExportOnTwo: memory is imported on the GPU that it is on, and copied to the other one from there.
func TestExportOnTwo(t *testing.T) {
	onTwo(t, func(t *testing.T, here, there *cuda.Device, library *fakecuda.Library) {
		if e, is := imported(t); is {
			_, err := e.Memory.Import(here)
			assert.ErrorIs(t, err, cuda.ErrInvalidDevice)
			assert.ErrorContains(t, err, ": import it there, and use Copy or EnablePeerAccess")
			x := importHere(t, there, e)
			s := newStream(t, here)
			y, err := cuda.Alloc[float32](s, exportedLen)
			require.NoError(t, err)
			require.NoError(t, cuda.Copy(y.All(), x.All()).Launch(s))
			got := make([]float32, exportedLen)
			require.NoError(t, y.CopyTo(s, got))
			if e.Contents {
				assert.Equal(t, upTo(exportedLen, 3), got)
			}
			require.NoError(t, x.Close())
			return
		}
		_, _, _, e := newExport(t, there)
		if !there.IsSimulated() {
			importing(t, "TestExportOnTwo", e)
		}
	})
}

// TestExportRefuses: what cannot be exported or imported is refused before the driver is asked.
func TestExportRefuses(t *testing.T) {
	dev, library := openFake(t)
	s, x, _, e := newExport(t, dev)
	text := func(m encoding.TextMarshaler) string {
		text, err := m.MarshalText()
		require.NoError(t, err)
		return string(text)
	}
	exporting := func(b *cuda.Buffer[float32]) error {
		_, err := b.Export()
		return err
	}
	pooled := upload(t, s, []float32{1})
	empty, err := cuda.AllocExportable[float32](dev, 0)
	require.NoError(t, err)
	gone, err := cuda.AllocExportable[float32](dev, 1)
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	plain, err := dev.NewEvent(cuda.EventConfig{})
	require.NoError(t, err)
	defer plain.Close()
	library.Reset()
	memory, eventLine := text(e.Memory), text(e.Event)
	for _, tt := range []struct {
		name string
		try  func() error
		want string
		is   error
	}{
		{"memory of a pool", func() error { return exporting(pooled) }, "export a buffer on device 0 (Fake GPU 0): it is device memory, which other processes cannot use: allocate it by AllocExportable", cuda.ErrInvalidValue},
		{"no memory", func() error { return exporting(empty) }, "export a buffer on device 0 (Fake GPU 0): it has no elements", cuda.ErrInvalidValue},
		{"closed memory", func() error { return exporting(gone) }, "export a buffer on device 0 (Fake GPU 0): the buffer", cuda.ErrClosed},
		{"an event of one process", func() error { _, err := plain.Export(); return err }, "it is for this process alone: make it with EventConfig{Interprocess: true}", cuda.ErrInvalidValue},
		{"a timing event", func() error {
			_, err := dev.NewEvent(cuda.EventConfig{Interprocess: true, Timing: true})
			return err
		}, "an event of several processes has no timing: unset Timing or Interprocess", cuda.ErrInvalidValue},
		{"the own memory", func() error { _, err := e.Memory.Import(dev); return err }, "import a buffer on device 0 (Fake GPU 0): this process has exported it: use the original", cuda.ErrInvalidValue},
		{"the own event", func() error { _, err := e.Event.Import(dev); return err }, "import an event on device 0 (Fake GPU 0): this process has exported it: use the original", cuda.ErrInvalidValue},
		{"an empty handle", func() error { _, err := (cuda.MemoryHandle[int8]{}).Import(dev); return err }, "the handle is empty: use what Export returned", cuda.ErrInvalidValue},
		{"text of an empty handle", func() error { _, err := cuda.MemoryHandle[int8]{}.MarshalText(); return err }, "marshal a memory handle: the handle is empty: use what Export returned", cuda.ErrInvalidValue},
		{"text of an empty event handle", func() error { _, err := cuda.EventHandle{}.MarshalText(); return err }, "marshal an event handle: the handle is empty: use what Export returned", cuda.ErrInvalidValue},
		{"other elements", func() error { return new(cuda.MemoryHandle[int32]).UnmarshalText([]byte(memory)) }, "read a memory handle: its elements are float32, not int32 as those of int32", cuda.ErrInvalidValue},
		{"elements that are no data", func() error { return new(cuda.MemoryHandle[*int]).UnmarshalText([]byte(memory)) }, "cuda: read a memory handle: *int is not plain data", cuda.ErrInvalidValue},
		{"halves of another kind", func() error {
			text := []byte(strings.Replace(memory, "/float32/", "/float16/", 1))
			if err := new(cuda.MemoryHandle[vec.Float16]).UnmarshalText(text); err != nil {
				return err
			}
			return new(cuda.MemoryHandle[vec.BFloat16]).UnmarshalText(text)
		}, "its elements are float16, not bfloat16", cuda.ErrInvalidValue},
		{"halves as integers", func() error {
			return new(cuda.MemoryHandle[uint16]).UnmarshalText([]byte(strings.Replace(memory, "/float32/", "/float16/", 1)))
		}, "its elements are float16, not uint16", cuda.ErrInvalidValue},
		{"an event's text", func() error { return new(cuda.MemoryHandle[float32]).UnmarshalText([]byte(eventLine)) }, "is not the text of a handle, which begins with cudagen-memory-1", cuda.ErrInvalidValue},
		{"a memory's text", func() error { return new(cuda.EventHandle).UnmarshalText([]byte(memory)) }, "read an event handle: ", cuda.ErrInvalidValue},
		{"a damaged handle", func() error {
			parts := strings.Split(memory, "/")
			parts[3] = parts[3][1:]
			return new(cuda.MemoryHandle[float32]).UnmarshalText([]byte(strings.Join(parts, "/")))
		}, "the handle itself is damaged", cuda.ErrInvalidValue},
		{"a wrong length", func() error {
			return new(cuda.MemoryHandle[float32]).UnmarshalText([]byte(strings.TrimSuffix(memory, "1000") + "-1"))
		}, `"-1" is not a number of elements`, cuda.ErrInvalidValue},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.try()
			assert.ErrorContains(t, err, tt.want)
			if tt.is != nil {
				assert.ErrorIs(t, err, tt.is)
			}
		})
	}
	for _, call := range library.Calls() {
		assert.NotContains(t, call, "cuIpc")
	}
	again, err := x.Export()
	require.NoError(t, err, "the control")
	assert.Equal(t, memory, text(again))
	assert.Contains(t, library.Calls(), "cuIpcGetMemHandle")
}

// TestLayoutsOfHandles: elements are the same if their parts are, whatever these are called.
func TestLayoutsOfHandles(t *testing.T) {
	type point struct{ X, Y float32 }
	type pair struct{ A, B float32 }
	type padded struct {
		A int8
		_ [3]byte
		B float32
	}
	dev, _ := openFake(t)
	x, err := cuda.AllocExportable[point](dev, 3)
	require.NoError(t, err)
	defer x.Close()
	h, err := x.Export()
	require.NoError(t, err)
	text, err := h.MarshalText()
	require.NoError(t, err)
	assert.NoError(t, new(cuda.MemoryHandle[pair]).UnmarshalText(text))
	assert.Error(t, new(cuda.MemoryHandle[[2]float32]).UnmarshalText(text))
	assert.Error(t, new(cuda.MemoryHandle[padded]).UnmarshalText(text))
	var back cuda.MemoryHandle[point]
	require.NoError(t, back.UnmarshalText(text))
	assert.Equal(t, h, back)
	assert.Equal(t, 3, back.Len())
}

// FuzzHandle: no text makes the reader of handles panic, and what it takes it writes again.
func FuzzHandle(f *testing.F) {
	f.Add("cudagen-memory-1/GPU-1/2/AAAA/float32/3")
	f.Add("cudagen-memory-1/GPU-1/2/" + strings.Repeat("A", 86) + "/float32/3")
	f.Fuzz(func(t *testing.T, text string) {
		var h cuda.MemoryHandle[float32]
		if h.UnmarshalText([]byte(text)) != nil {
			return
		}
		again, err := h.MarshalText()
		require.NoError(t, err)
		var back cuda.MemoryHandle[float32]
		require.NoError(t, back.UnmarshalText(again))
		assert.Equal(t, h, back)
	})
}

// TestPoolsOfPeers: kernels reach memory of every pool of a peer, made before EnablePeerAccess or after.
func TestPoolsOfPeers(t *testing.T) {
	onTwo(t, func(t *testing.T, here, there *cuda.Device, library *fakecuda.Library) {
		if can, err := here.CanAccessPeer(there); !can {
			require.NoError(t, err)
			t.Log("these GPUs cannot reach each other's memory")
			return
		}
		k, s := loaded(t, here)
		other := newStream(t, there)
		before, err := there.NewPool(cuda.PoolConfig{})
		require.NoError(t, err)
		defer before.Close()
		gone, err := there.NewPool(cuda.PoolConfig{})
		require.NoError(t, err)
		require.NoError(t, gone.Close())
		accesses := func() (n int) {
			if library != nil {
				n = strings.Count(fmt.Sprint(library.Calls()), "cuMemPoolSetAccess")
				library.Reset()
			}
			return n
		}
		accesses()
		require.NoError(t, here.EnablePeerAccess(there))
		if library != nil {
			assert.Equal(t, 2, accesses(), "the default pool, and the one that is open")
		}
		after, err := there.NewPool(cuda.PoolConfig{})
		require.NoError(t, err)
		defer after.Close()
		if library != nil {
			assert.Equal(t, 1, accesses())
		}
		exportable, err := cuda.AllocExportable[float32](there, 1000)
		require.NoError(t, err)
		defer exportable.Close()
		y := upload(t, s, make([]float32, 1000))
		memories := map[string]*cuda.Buffer[float32]{"exportable": exportable}
		for name, pool := range map[string]*cuda.Pool{"before": before, "after": after} {
			memories[name], err = cuda.AllocFrom[float32](pool, other, 1000)
			require.NoError(t, err)
			defer memories[name].Close()
		}
		sum := float32(0)
		for name, x := range memories {
			require.NoError(t, x.CopyFrom(other, upTo(1000, 1)), name)
			require.NoError(t, k.Saxpy.Launch(s, 2, x.All(), y.All()), name)
			require.NoError(t, s.Synchronize(), name)
			sum += 2
		}
		got := make([]float32, 1000)
		require.NoError(t, y.CopyTo(s, got))
		if library == nil {
			assert.Equal(t, upTo(1000, sum), got)
		}
		require.NoError(t, here.DisablePeerAccess(there))
		if library != nil {
			assert.Equal(t, 3, accesses(), "the default pool and two more")
		}
		late, err := there.NewPool(cuda.PoolConfig{})
		require.NoError(t, err)
		require.NoError(t, late.Close())
		assert.Zero(t, accesses(), "the control: the access is over")
	})
}
