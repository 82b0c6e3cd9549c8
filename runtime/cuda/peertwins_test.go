package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestPeersOfTwins: a GPU that is open twice keeps its access to a peer until both Devices have given
// it up, and a Device that is closed is forgotten by its peers.
func TestPeersOfTwins(t *testing.T) {
	library := loadFake(t)
	library.SetDevices(2)
	t.Cleanup(func() { library.SetDevices(1) })
	open := func(ordinal int) *cuda.Device {
		d, err := cuda.Open(ordinal)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, d.Close()) })
		return d
	}
	a, b, peer := open(0), open(0), open(1)
	require.NoError(t, a.EnablePeerAccess(peer))
	require.NoError(t, b.EnablePeerAccess(peer))
	library.Reset()
	require.NoError(t, a.DisablePeerAccess(peer))
	assert.Zero(t, count(library.Calls(), "cuCtxDisablePeerAccess"))
	assert.Zero(t, count(library.Calls(), "cuMemPoolSetAccess"))
	assert.ErrorContains(t, a.DisablePeerAccess(peer), "peer access is not enabled")
	assert.False(t, cuda.HasAccess(a, peer))
	assert.True(t, cuda.HasAccess(b, peer))

	k, s := loaded(t, b)
	x := upload(t, newStream(t, peer), make([]float32, 8)).All()
	assert.NoError(t, k.Saxpy.Launch(s, 2, x, x), "b may")
	_, other := loaded(t, a)
	assert.ErrorContains(t, cuda.Copy(x.Slice(0, 4), x.Slice(4, 8)).Launch(other), "neither buffer is on the stream's device", "the control: a may not")

	require.NoError(t, b.DisablePeerAccess(peer))
	assert.Equal(t, 1, count(library.Calls(), "cuCtxDisablePeerAccess"))
	assert.Error(t, k.Saxpy.Launch(s, 2, x, x))

	require.NoError(t, a.EnablePeerAccess(peer))
	require.NoError(t, peer.EnablePeerAccess(a))
	assert.Equal(t, 2, cuda.Peers(peer))
	again, err := cuda.Open(0)
	require.NoError(t, err)
	require.NoError(t, again.EnablePeerAccess(peer))
	require.NoError(t, again.Close())
	assert.Equal(t, 2, cuda.Peers(peer))
	require.NoError(t, a.DisablePeerAccess(peer))
	assert.Equal(t, 2, count(library.Calls(), "cuCtxDisablePeerAccess"), "the closed one counts no more")
}
