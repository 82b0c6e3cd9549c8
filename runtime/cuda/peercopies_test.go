package cuda_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestPeerCopies copies between memory of every kind on two devices, in both directions, on streams of
// either, under no context and each device's, before peer access is enabled, with it in one direction
// and in both, and after it is disabled.
func TestPeerCopies(t *testing.T) {
	onTwo(t, func(t *testing.T, here, there *cuda.Device, _ *fakecuda.Library) {
		devices := []*cuda.Device{here, there}
		streams := []*cuda.Stream{newStream(t, here), newStream(t, there)}
		const n = 300
		type memory struct {
			name   string
			device int
			slice  cuda.Slice[int32]
		}
		var memories []memory
		for i, dev := range devices {
			pool, err := dev.NewPool(cuda.PoolConfig{})
			require.NoError(t, err)
			defer pool.Close()
			pooled, err := cuda.Alloc[int32](streams[i], n)
			require.NoError(t, err)
			own, err := cuda.AllocFrom[int32](pool, streams[i], n)
			require.NoError(t, err)
			exportable, err := cuda.AllocExportable[int32](dev, n)
			require.NoError(t, err)
			managed, err := cuda.AllocManaged[int32](dev, n)
			require.NoError(t, err)
			locked, err := cuda.AllocHost[int32](dev, n, cuda.HostConfig{})
			require.NoError(t, err)
			for _, c := range []interface{ Close() error }{pooled, own, exportable, managed, locked} {
				defer c.Close()
			}
			require.NoError(t, streams[i].Synchronize())
			memories = append(memories, memory{"pooled", i, pooled.All()}, memory{"own pool", i, own.All()}, memory{"exportable", i, exportable.All()},
				memory{"managed", i, managed.All()}, memory{"page-locked", i, locked.All()})
		}
		host := make([]int32, n)
		copies := 0
		copyAll := func(access string) {
			for _, from := range memories {
				for _, to := range memories {
					for at, s := range streams {
						if from.slice == to.slice {
							continue
						}
						copies++
						name := fmt.Sprintf("%s: %s of %d to %s of %d on a stream of %d", access, from.name, from.device, to.name, to.device, at)
						for i := range host {
							host[i] = int32(copies*n + i)
						}
						require.NoError(t, from.slice.CopyFrom(streams[from.device], host), name)
						require.NoError(t, to.slice.Clear(streams[to.device]), name)
						require.NoError(t, streams[to.device].Synchronize(), name)
						err := cuda.Copy(to.slice, from.slice).Launch(s)
						locked := from.name == "page-locked" && to.name == "page-locked"
						if from.device != at && to.device != at && !locked {
							assert.ErrorContains(t, err, "neither buffer is on the stream's device", name)
							continue
						}
						require.NoError(t, err, name)
						require.NoError(t, s.Synchronize(), name)
						got := make([]int32, n)
						require.NoError(t, to.slice.CopyTo(streams[to.device], got), name)
						require.Equal(t, host, got, name)
					}
				}
			}
		}
		copyAll("no access")
		if can, err := here.CanAccessPeer(there); can {
			require.NoError(t, here.EnablePeerAccess(there))
			copyAll("access one way")
			require.NoError(t, there.EnablePeerAccess(here))
			copyAll("access both ways")
			for _, dev := range devices {
				runtime.LockOSThread()
				assert.NoError(t, dev.Do(func() error { copyAll("a context is current"); return nil }))
				runtime.UnlockOSThread()
			}
			require.NoError(t, here.DisablePeerAccess(there))
			require.NoError(t, there.DisablePeerAccess(here))
			copyAll("access is over")
		} else {
			require.NoError(t, err)
		}
		assert.Greater(t, copies, 100)
	})
}
