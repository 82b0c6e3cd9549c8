package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A couple is two devices with what operations need. They are done on here.
type couple struct {
	here, there     *cuda.Device
	s, elsewhere    *cuda.Stream
	k               *example.Kernels
	x, y            *cuda.Buffer[int32] // 1,000 elements, of here
	far             *cuda.Buffer[int32] // of there
	locked          *cuda.HostBuffer[int32]
	managed         *cuda.ManagedBuffer[int32]
	pool            *cuda.Pool
	event, timer    *cuda.Event
	call            *example.AddDeltaCall
	runs            bool // kernels
	image           cuda.Image
	ctx             context.Context // of the test
	host, reference []int32
}

func newCouple(t *testing.T, here, there *cuda.Device) *couple {
	c := &couple{here: here, there: there, runs: !isFake(here), image: imageOf(t, "for threads"), ctx: t.Context(), host: make([]int32, 1000), reference: make([]int32, 1000)}
	for i := range c.reference {
		c.reference[i] = int32(i * i)
	}
	c.k, c.s = loaded(t, here)
	_, c.elsewhere = loaded(t, there)
	c.x, c.y = upload(t, c.s, c.reference), upload(t, c.s, make([]int32, 1000))
	c.far = upload(t, c.elsewhere, c.reference)
	var err error
	c.locked, err = cuda.AllocHost[int32](here, 1000, cuda.HostConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.locked.Close()) })
	c.managed, err = cuda.AllocManaged[int32](here, 1000)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.managed.Close()) })
	c.pool, err = here.NewPool(cuda.PoolConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.pool.Close()) })
	c.event, err = here.NewEvent(cuda.EventConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.event.Close()) })
	c.timer, err = here.NewEvent(cuda.EventConfig{Timing: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.timer.Close()) })
	c.call, err = c.k.AddDelta.PrepareDefault(example.AddDeltaArgs{Data: c.y.All(), Delta: 1})
	require.NoError(t, err)
	return c
}

// wantY returns an error unless y has the reference's elements plus added.
func (c *couple) wantY(s *cuda.Stream, added int32) error {
	if err := c.y.CopyTo(s, c.host); err != nil {
		return err
	}
	if !c.runs {
		added = 0
	}
	for i, v := range c.host {
		if v != c.reference[i]+added {
			return errors.New("wrong bytes")
		}
	}
	return nil
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// errorOf is for calls whose result does not matter.
func errorOf[T any](_ T, err error) error { return err }

// operations are done on threads with every context. Together they call all of the driver.
var operations = []struct {
	name string
	do   func(c *couple) error
}{
	{"CopyFrom, CopyTo", func(c *couple) error { return first(c.y.CopyFrom(c.s, c.reference), c.wantY(c.s, 0)) }},
	{"Copy", func(c *couple) error {
		return first(c.y.Clear(c.s), cuda.Copy(c.y.All(), c.x.All()).Launch(c.s), c.wantY(c.s, 0))
	}},
	{"Copy of page-locked memory", func(c *couple) error {
		return first(cuda.Copy(c.locked.All(), c.x.All()).Launch(c.s), cuda.Copy(c.locked.Slice(0, 10), c.locked.Slice(0, 10)).Launch(c.s),
			cuda.Copy(c.y.All(), c.locked.All()).Launch(c.s), c.wantY(c.s, 0))
	}},
	{"Copy of managed memory", func(c *couple) error {
		return first(cuda.Copy(c.managed.All(), c.x.All()).Launch(c.s), cuda.Copy(c.y.All(), c.managed.All()).Launch(c.s), c.wantY(c.s, 0))
	}},
	{"Copy between devices", func(c *couple) error {
		return first(c.y.Clear(c.s), c.s.Synchronize(), cuda.Copy(c.y.All(), c.far.All()).Launch(c.elsewhere), c.elsewhere.Synchronize(), c.wantY(c.s, 0),
			cuda.Copy(c.far.All(), c.y.All()).Launch(c.s), cuda.Copy(c.y.All(), c.far.All()).Launch(c.s), c.wantY(c.s, 0))
	}},
	{"arrays, textures and surfaces", func(c *couple) error {
		array, err := cuda.NewArray[int32](c.here, cuda.ArrayConfig{Width: 1000, Surface: true})
		levels, mipmapped := cuda.NewMipmappedArray[int32](c.here, cuda.ArrayConfig{Width: 1000}, 2)
		texture, read := cuda.NewTexture[int32](array, cuda.TextureConfig{})
		surface, written := cuda.NewSurface[int32](array)
		return first(err, mipmapped, read, written, array.CopyFrom(c.s, c.reference), array.CopyTo(c.s, c.host), levels.Level(1).CopyTo(c.s, c.host[:500]),
			cuda.CopyBox(c.y.All().Box(cuda.Shape{Width: 1000}), array.All()).Launch(c.s), c.wantY(c.s, 0), surface.Close(), texture.Close(), levels.Close(), array.Close())
	}},
	{"tensor maps", func(c *couple) error {
		_, err := cuda.NewTensorMap(c.x.All(), tensormap.Config{Dims: []int{64}, Box: []int{64}})
		if err == nil {
			corner := []int{0}
			_, err = cuda.NewTensorMap(c.x.All(), tensormap.Config{Dims: []int{8, 8, 8}, Im2col: &tensormap.Im2col{LowerCorner: corner, UpperCorner: corner, Channels: 8, Pixels: 8}})
		}
		if errors.Is(err, cuda.ErrNotSupported) { // it is simulated
			return nil
		}
		return err
	}},
	{"CopyBox", func(c *couple) error {
		shape := cuda.Shape{Width: 10, Height: 10, RowStride: 100}
		return first(cuda.CopyBox(c.y.All().Box(shape), c.x.All().Box(shape)).Launch(c.s),
			cuda.CopyBox(c.locked.All().Box(shape), c.x.All().Box(shape)).Launch(c.s), c.s.Synchronize())
	}},
	{"fills", func(c *couple) error {
		return first(c.y.Clear(c.s), cuda.Fill(c.y.All(), 0x01010101).Launch(c.s), cuda.Fill(c.y.All(), 0x00020002).Launch(c.s), cuda.Fill(c.y.All(), 7).Launch(c.s),
			c.y.CopyFrom(c.s, c.reference))
	}},
	{"allocations", func(c *couple) error {
		a, err := cuda.Alloc[int32](c.s, 100)
		if err != nil {
			return err
		}
		b, err := cuda.AllocFrom[int32](c.pool, c.s, 100)
		if err != nil {
			return err
		}
		u, err := cuda.Upload(c.s, c.reference)
		if err != nil {
			return err
		}
		return first(b.CopyFrom(c.s, c.reference[:100]), cuda.Copy(a.All(), b.All()).Launch(c.s), a.CopyTo(c.s, c.host[:100]),
			u.CopyTo(c.s, c.host), a.Close(), b.Close(), u.Close())
	}},
	{"page-locked and managed allocations", func(c *couple) error {
		locked, err := cuda.AllocHost[int32](c.here, 10, cuda.HostConfig{WriteCombined: true})
		if err != nil {
			return err
		}
		managed, err := cuda.AllocManaged[int32](c.here, 10)
		if err != nil {
			return err
		}
		return first(managed.Advise(cuda.SetReadMostly, nil), managed.Prefetch(c.s, c.here), managed.Prefetch(c.s, nil), c.s.Synchronize(), locked.Close(), managed.Close())
	}},
	{"launches", func(c *couple) error {
		cfg := attributed(cuda.LaunchAttributes{Cluster: cuda.Dim(2)})
		if c.here.IsSimulated() {
			cfg.Attributes = nil
		}
		batch, err := cuda.NewBatch(c.call, c.call)
		if err != nil {
			return err
		}
		cfg.SharedBytes = 60 << 10
		return first(c.y.CopyFrom(c.s, c.reference), c.k.AddDelta.Launch(c.s, c.y.All(), 5), c.call.Launch(c.s), batch.Launch(c.s), c.wantY(c.s, 8),
			c.k.AddDelta.LaunchWith(c.s, cfg, c.y.Slice(0, 1), 5), c.s.Synchronize(), c.y.CopyFrom(c.s, c.reference))
	}},
	{"questions about kernels", func(c *couple) error {
		k := c.k.AddDelta.Kernel
		return first(errorOf(k.Attributes()), errorOf(k.Occupancy(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)})),
			errorOf(k.ConfigFor(100, 0)), k.SetSharedCarveout(50), errorOf(c.k.AddDelta.PrepareDefault(example.AddDeltaArgs{Data: c.y.All()})))
	}},
	{"libraries", func(c *couple) error {
		lib, err := c.here.LoadLibrary(c.image)
		if err != nil {
			return err
		}
		taps, err := cuda.LoadSymbol[[5]float32](lib, "taps", "taps")
		if err != nil {
			return err
		}
		add, err := cuda.Bind[addDeltaArgs](lib, "add_delta")
		if err != nil {
			return err
		}
		return first(taps.Set(c.s, [5]float32{1}), errorOf(taps.Get(c.s)), errorOf(add.Kernel().Attributes()), missing(lib), lib.Close())
	}},
	{"streams", func(c *couple) error {
		s, err := c.here.NewStreamWithPriority(-1)
		if err != nil {
			return err
		}
		ran := make(chan bool, 1)
		return first(s.LaunchHostFunc(func() { ran <- true }), s.Wait(c.ctx), errorOf(s.Query()), s.Synchronize(), s.Close(), c.here.Wait(c.ctx), c.here.Synchronize())
	}},
	{"events", func(c *couple) error {
		e, err := c.here.NewEvent(cuda.EventConfig{Timing: true})
		if err != nil {
			return err
		}
		return first(c.timer.Record(c.s), e.Record(c.s), c.elsewhere.WaitEvent(e), c.s.WaitEvent(e), e.Wait(c.ctx), errorOf(e.Query()), e.Synchronize(),
			errorOf(c.timer.Elapsed(e)), e.Close(), c.elsewhere.Synchronize())
	}},
	{"pools", func(c *couple) error {
		p, err := c.here.NewPool(cuda.PoolConfig{ReleaseThreshold: 1 << 20})
		if err != nil {
			return err
		}
		return first(errorOf(p.Stats()), p.ResetStats(), p.SetReleaseThreshold(1<<21), p.Trim(0), p.Close(), errorOf(c.here.DefaultPool()))
	}},
	{"other processes", func(c *couple) error {
		x, err := cuda.AllocExportable[int32](c.here, 10)
		if err != nil {
			return err
		}
		e, err := c.here.NewEvent(cuda.EventConfig{Interprocess: true})
		if err != nil || c.here.IsSimulated() {
			return first(err, x.Close(), e.Close())
		}
		return first(errorOf(x.Export()), errorOf(e.Export()), x.Close(), e.Close())
	}},
	{"devices", func(c *couple) error {
		d, err := openLike(c.here)
		if err != nil {
			return err
		}
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		b, err := cuda.Upload(s, c.reference) // which Close has to free
		if err != nil {
			return err
		}
		_, _, memory := d.MemoryInfo()
		return first(b.CopyTo(s, c.host), memory, errorOf(d.TotalMemory()), errorOf(d.UUID()), busID(c), d.ProfilerStart(), d.ProfilerStop(),
			d.Do(func() error { return b.CopyTo(s, c.host) }), d.Close())
	}},
	{"peer access", func(c *couple) error {
		if can, err := c.here.CanAccessPeer(c.there); !can || err != nil {
			return err
		}
		return first(c.here.EnablePeerAccess(c.there), c.here.DisablePeerAccess(c.there))
	}},
	{"graphs", useGraph},
	{"captures", func(c *couple) error {
		g, err := cuda.Capture(c.s, func(s *cuda.Stream) error {
			return first(cuda.Copy(c.y.All(), c.x.All()).Launch(s), c.call.Launch(s), c.event.Record(s), s.WaitEvent(c.event))
		})
		if err != nil {
			return err
		}
		e, err := g.Instantiate()
		if err != nil {
			return err
		}
		return first(e.Launch(c.s), c.wantY(c.s, 1), e.UpdateCall(c.call), e.Close(), c.y.CopyFrom(c.s, c.reference))
	}},
}

// missing looks up a variable that lib does not have.
func missing(lib *cuda.Library) error {
	if _, err := cuda.LoadSymbol[int32](lib, "nothing", "nothing"); !errors.Is(err, cuda.ErrNotFound) {
		return fmt.Errorf("a variable that is not there: %w", err)
	}
	return nil
}

// busID opens the device by its place, where it has one.
func busID(c *couple) error {
	id, err := c.here.PCIBusID()
	if err != nil || c.here.IsSimulated() {
		return err
	}
	d, err := cuda.OpenID(id)
	if err != nil {
		return err
	}
	return d.Close()
}

// versionOf returns the CUDA version of a device's driver, as driver.Driver counts them.
func versionOf(d *cuda.Device) int {
	major, minor := d.DriverVersion()
	return 1000*major + 10*minor
}

// useGraph builds a graph with a node of each kind, changes and launches it.
func useGraph(c *couple) error {
	inner, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(c.locked.Slice(0, 1), 0)))
	if err != nil {
		return err
	}
	toDevice := cuda.NewNode(cuda.Copy(c.y.All(), c.x.All()))
	shape := cuda.Shape{Width: 10, Height: 10, RowStride: 100}
	box := cuda.NewNode(cuda.CopyBox(c.y.All().Box(shape), c.x.All().Box(shape))).After(toDevice)
	call := cuda.NewNode(c.call).After(box)
	alloc, scratch := cuda.NewAllocNode[int32](c.here, 10)
	fill := cuda.NewNode(cuda.Fill(scratch, 3)).After(alloc.After(inner.ChildNode()))
	host := cuda.NewHostNode(func() {}).After(call)
	record := c.event.RecordNode().After(host)
	choice := c.event.WaitNode()
	if versionOf(c.here) >= 12030 {
		choice = cuda.NewConditional(1).If(inner, nil).After(choice)
	}
	e, err := cuda.BuildGraph(record, choice, cuda.NewFreeNode(scratch).After(fill))
	if err != nil {
		return err
	}
	if err := first(c.event.Record(c.s), e.Upload(c.s), e.Launch(c.s), c.wantY(c.s, 1), e.Update(call), e.Update(toDevice), e.Update(host), e.Update(record),
		e.Disable(call), e.Launch(c.s), c.wantY(c.s, 0), e.Enable(call)); err != nil {
		return errors.Join(err, e.Close())
	}
	priority := int32(0)
	prior, err := c.k.AddDelta.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32), Fewer: true, Attributes: &cuda.LaunchAttributes{Priority: &priority}}, example.AddDeltaArgs{Data: c.y.All()})
	if err != nil {
		return err
	}
	g, err := cuda.DefineGraph(cuda.NewNode(c.call), cuda.NewNode(prior))
	if err != nil {
		return err
	}
	other, err := g.Clone().Instantiate()
	if err != nil {
		return err
	}
	return first(other.UpdateFrom(g), other.Launch(c.s), c.s.Synchronize(), other.Close(), e.Close(), c.y.CopyFrom(c.s, c.reference))
}

// openLike opens d again; of simulated devices, another one.
func openLike(d *cuda.Device) (*cuda.Device, error) {
	if d.IsSimulated() {
		return cuda.OpenSimulator()
	}
	return cuda.Open(d.Ordinal())
}

const onlyOneGPU = "there is only one GPU"

// onTwo runs test on two simulated devices and on two of the fake driver's. In the process of
// TestOnTwoGPUs it runs on two GPUs alone.
func onTwo(t *testing.T, test func(t *testing.T, here, there *cuda.Device, library *fakecuda.Library)) {
	open := func(t *testing.T, ordinal int) *cuda.Device {
		dev, err := cuda.Open(ordinal)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, dev.Close()) })
		return dev
	}
	if os.Getenv(onGPU) != "" {
		gpus, err := cuda.Devices()
		require.NoError(t, err)
		if len(gpus) < 2 || gpus[1].Simulated {
			t.Log(onlyOneGPU)
			return
		}
		t.Run("GPU", func(t *testing.T) { test(t, open(t, 0), open(t, 1), nil) })
		return
	}
	t.Run("simulator", func(t *testing.T) { test(t, openSimulator(t), openSimulator(t), nil) })
	t.Run("fake libcuda", func(t *testing.T) {
		library := loadFake(t)
		library.SetDevices(2)
		t.Cleanup(func() { library.SetDevices(1) })
		test(t, open(t, 0), open(t, 1), library)
	})
}

// TestOnTwoGPUs runs the tests that use onTwo on two GPUs of the machine.
func TestOnTwoGPUs(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, "-test.v", "-test.run=^(TestForeignContexts|TestDo|TestExportOnTwo|TestPoolsOfPeers|TestPeerCopies)$")
	command.Env = append(os.Environ(), onGPU+"=1", "CUDAGEN_LIBCUDA=")
	out, err := command.CombinedOutput()
	assert.NoError(t, err, "%s", out)
	if strings.Contains(string(out), onlyOneGPU) {
		t.Log(onlyOneGPU)
		return
	}
	assert.Contains(t, string(out), "--- PASS: TestForeignContexts/GPU")
	for _, name := range []string{"TestDo", "TestExportOnTwo", "TestPoolsOfPeers", "TestPeerCopies"} {
		assert.Contains(t, string(out), "--- PASS: "+name+"/GPU")
	}
}

// uncalled returns the entry points that no operation has called.
func uncalled(dev *cuda.Device, calls []string) (missing []string) {
	for e := range driver.EntryPoint(driver.NumEntryPoints) {
		_, exempt := notInOperations[e.Name()]
		typed := strings.HasPrefix(e.Name(), "cuGraphAdd") && e != driver.GraphAddNode || strings.HasPrefix(e.Name(), "cuGraphExec") && strings.Contains(e.Name(), "Node") && e != driver.GraphExecNodeSetParams
		if !exempt && !typed && e.Since() <= versionOf(dev) && !slices.Contains(calls, e.Name()) {
			missing = append(missing, e.Name())
		}
	}
	return missing
}

// TestForeignContexts: every operation works on a thread without a context, with its own device's
// and with another device's, which other libraries leave behind.
func TestForeignContexts(t *testing.T) {
	onTwo(t, func(t *testing.T, here, there *cuda.Device, library *fakecuda.Library) {
		c := newCouple(t, here, there)
		for _, current := range []struct {
			name string
			run  func(f func() error) error
		}{
			{"none", func(f func() error) error { return f() }},
			{"own", here.Do},
			{"another device's", there.Do},
		} {
			t.Run(current.name, func(t *testing.T) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				if library != nil {
					library.Reset()
				}
				for _, op := range operations {
					assert.NoError(t, current.run(func() error { return op.do(c) }), op.name)
				}
				if library == nil {
					return
				}
				calls := library.Calls()
				assert.Equal(t, current.name == "another device's", slices.Contains(calls, "cuStreamGetCtx"), "calls that have failed are made again, and only they")
				missing := uncalled(here, calls)
				for wait := time.Millisecond; len(missing) > 0 && wait < 4*time.Second; wait *= 2 { // what is retired goes after a collection
					runtime.GC()
					time.Sleep(wait)
					missing = uncalled(here, library.Calls())
				}
				assert.Empty(t, missing, "no operation calls them: add some")
			})
		}
	})
}

// notInOperations are entry points that no operation calls, with the reason.
var notInOperations = map[string]string{
	"cuStreamGetCtx":             "where a call has failed",
	"cuCtxSetCurrent":            "where f of Do pops more than it pushes: TestDo",
	"cuGraphClone":               "where an exec is updated from a graph with other bodies",
	"cuGraphNodeFindInClone":     "as cuGraphClone",
	"cuGraphNodeGetType":         "where other code has captured nodes: TestCaptureForeignWork",
	"cuGraphNodeGetDependencies": "as cuGraphNodeGetType",
	"cuGraphDestroyNode":         "as cuGraphNodeGetType",
	"cuMemHostRegister":          "TestRegisterHost: page-locked memory is what it makes",
	"cuMemHostUnregister":        "as cuMemHostRegister",
	"cuIpcOpenMemHandle":         "in another process: TestExport",
	"cuIpcCloseMemHandle":        "as cuIpcOpenMemHandle",
	"cuIpcOpenEventHandle":       "as cuIpcOpenMemHandle",
}
