package cuda_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestSimulatedDevicesAreApart: a fault ends the device of its kernel alone, also while
// tests run in parallel.
func TestSimulatedDevicesAreApart(t *testing.T) {
	right, err := cuda.OpenSimulator()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, right.Close()) })
	t.Run("group", func(t *testing.T) {
		for i := range 8 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				for range 5 {
					dev, err := cuda.OpenSimulator()
					require.NoError(t, err)
					if i%2 == 0 {
						_, _, _, err = faulted(dev)
						assert.ErrorIs(t, err, cuda.ErrIllegalAddress)
					} else {
						assert.NoError(t, small(dev))
					}
					require.NoError(t, dev.Close())
				}
			})
		}
	})
	assert.NoError(t, small(right), "a device that was open all the time")
}

// openSimulated opens n simulated devices by their ordinals.
func openSimulated(t *testing.T, n int) (devs []*cuda.Device, streams []*cuda.Stream, buffers []*cuda.Buffer[int32]) {
	t.Helper()
	t.Setenv("CUDAGEN_SIM_DEVICES", fmt.Sprint(n))
	for i := range n {
		dev, err := cuda.Open(i)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, dev.Close()) })
		s, err := dev.NewStream()
		require.NoError(t, err)
		b, err := cuda.Upload(s, []int32{int32(i), 10, 20})
		require.NoError(t, err)
		devs, streams, buffers = append(devs, dev), append(streams, s), append(buffers, b)
	}
	return devs, streams, buffers
}

func TestSimulatedPeers(t *testing.T) {
	devs, streams, buffers := openSimulated(t, 3)
	for i, dev := range devs {
		assert.Equal(t, i, dev.Ordinal())
		assert.True(t, dev.IsSimulated())
		id, err := dev.UUID()
		require.NoError(t, err)
		assert.Regexp(t, fmt.Sprintf("%02x$", '0'+i), id, "as device %d", i)
		bus, err := dev.PCIBusID()
		require.NoError(t, err)
		same, err := cuda.OpenID(bus)
		require.NoError(t, err)
		assert.Equal(t, i, same.Ordinal())
		require.NoError(t, same.Close())
	}
	_, err := cuda.OpenID("FFFF:03:00.0")
	assert.ErrorContains(t, err, "none of the 3 simulated devices has this PCI bus ID")
	got := make([]int32, 3)
	require.NoError(t, cuda.Copy(buffers[0].All(), buffers[2].All()).Launch(streams[0]))
	require.NoError(t, buffers[0].CopyTo(streams[0], got))
	assert.Equal(t, []int32{2, 10, 20}, got)

	// An event of one device, which a stream of another waits for.
	e, err := devs[1].NewEvent(cuda.EventConfig{})
	require.NoError(t, err)
	release := make(chan int)
	require.NoError(t, streams[1].LaunchHostFunc(func() { <-release }))
	require.NoError(t, e.Record(streams[1]))
	require.NoError(t, streams[0].WaitEvent(e))
	over, err := streams[0].Query()
	require.NoError(t, err)
	assert.False(t, over)
	close(release)
	require.NoError(t, streams[0].Wait(context.Background()))

	// Kernels reach the memory of a peer while access is enabled.
	k, err := example.LoadKernels(devs[0])
	require.NoError(t, err)
	assert.ErrorIs(t, k.AddDelta.Launch(streams[0], buffers[1].All(), 5), cuda.ErrInvalidValue)
	can, err := devs[0].CanAccessPeer(devs[1])
	require.NoError(t, err)
	assert.True(t, can)
	require.NoError(t, devs[0].EnablePeerAccess(devs[1]))
	require.NoError(t, devs[0].EnablePeerAccess(devs[1]))
	require.NoError(t, k.AddDelta.Launch(streams[0], buffers[1].All(), 5))
	require.NoError(t, streams[0].Synchronize())
	require.NoError(t, buffers[1].CopyTo(streams[1], got))
	assert.Equal(t, []int32{6, 15, 25}, got)
	call, err := k.AddDelta.PrepareDefault(example.AddDeltaArgs{Data: buffers[1].All(), Delta: 1})
	require.NoError(t, err)
	graph, err := cuda.BuildGraph(cuda.NewNode(call))
	require.NoError(t, err)
	defer graph.Close()
	inner, err := cuda.DefineGraph(cuda.NewNode(call))
	require.NoError(t, err)
	outer, err := cuda.BuildGraph(inner.ChildNode())
	require.NoError(t, err)
	defer outer.Close()
	copies, err := cuda.DefineGraph(cuda.NewNode(cuda.Copy(buffers[0].All(), buffers[1].All())))
	require.NoError(t, err)
	copied, err := copies.InstantiateOn(devs[0])
	require.NoError(t, err)
	defer copied.Close()
	for _, e := range []*cuda.GraphExec{graph, outer, copied} {
		require.NoError(t, e.Launch(streams[0]))
	}
	require.NoError(t, streams[0].Synchronize())
	require.NoError(t, devs[0].DisablePeerAccess(devs[1]))
	assert.ErrorContains(t, graph.Launch(streams[0]), "the buffer of node add_delta")
	assert.ErrorIs(t, graph.Launch(streams[0]), cuda.ErrInvalidValue)
	assert.ErrorContains(t, outer.Launch(streams[0]), "the buffer of node graph of 1 nodes")
	assert.NoError(t, copied.Launch(streams[0]), "copies need no access")
	require.NoError(t, streams[0].Synchronize())
	assert.Error(t, devs[0].DisablePeerAccess(devs[1]))
}

func TestSimulatedDevicesByEnvironment(t *testing.T) {
	good := fakecuda.Build(t, fakecuda.Options{})
	for _, test := range []struct{ name, scenario, device, count, want string }{
		{"instead of GPUs", "open", "", "2", "opened: device 0 (cudagen simulated device) simulated: true"},
		{"one by its ordinal", "open", "1", "2", "opened: device 1 (cudagen simulated device) simulated: true"},
		{"one by its UUID", "open", "GPU-63756461-6765-6e2d-7369-6d2d30303031", "2", "opened: device 1 (cudagen simulated device) simulated: true"},
		{"an ambiguous UUID", "open", "GPU-6375", "2", "error: cuda: open GPU-6375: devices 0 and 1 have UUIDs with this prefix"},
		{"the UUID of none", "open", "GPU-ff", "2", "error: cuda: open GPU-ff: none of the 2 devices has this UUID"},
		{"beyond the last", "open", "2", "2", "error: cuda: open device 2: valid ordinals are 0 to 1"},
		{"none", "open", "", "0", "error: cuda: CUDAGEN_SIM_DEVICES=0: want a number of devices from 1 to 256"},
		{"not a number", "open", "sim", "two", "error: cuda: CUDAGEN_SIM_DEVICES=two: want"},
		{"not linked in", "open without simulator", "", "2", `import _ "github.com/cudagen/cudagen/runtime/sim"`},
		{"listed", "list", "", "2", "devices: 2 <nil>\n0 \"cudagen simulated device\" GPU-63756461-6765-6e2d-7369-6d2d30303030 9.0 4294967296\n1 \"cudagen simulated device\" GPU-63756461-6765-6e2d-7369-6d2d30303031 "},
		{"listed by CUDAGEN_DEVICE", "list", "sim", "", "devices: 1 <nil>\n0 \"cudagen simulated device\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := inProcess(t, test.scenario, "CUDAGEN_LIBCUDA="+good, "CUDAGEN_DEVICE="+test.device, "CUDAGEN_SIM_DEVICES="+test.count)
			assert.Contains(t, out, test.want)
		})
	}
}
