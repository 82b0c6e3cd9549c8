package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// CanAccessPeer reports whether kernels on d can access memory of peer after
// EnablePeerAccess. Copy works between any two devices.
//
// CUDA Driver API, Peer Context Memory Access, cuDeviceCanAccessPeer.
func (d *Device) CanAccessPeer(peer *Device) (bool, error) {
	const op = "ask for peer access"
	defer d.hold().release()
	defer peer.hold().release()
	if d.isClosed() || peer.isClosed() {
		return false, d.closedPeer(op, peer)
	}
	if d.simulated != peer.simulated || d.dev == peer.dev {
		return false, nil
	}
	can, r := d.drv.DeviceCanAccessPeer(d.dev, peer.dev)
	if r != driver.Success {
		return false, d.fail(op, r)
	}
	return can, nil
}

// EnablePeerAccess lets kernels on d access memory of peer: managed memory, and memory
// from peer's default pool, also if it was allocated before. It lasts until
// DisablePeerAccess or the Close of either device, for the whole process. Enabling it
// twice is not an error. Work of d on peer's memory must end before peer is closed.
//
// CUDA Driver API, Peer Context Memory Access, cuCtxEnablePeerAccess; Stream Ordered
// Memory Allocator, cuMemPoolSetAccess.
func (d *Device) EnablePeerAccess(peer *Device) error {
	can, err := d.CanAccessPeer(peer)
	if err != nil {
		return err
	}
	if !can {
		return d.invalid("enable peer access", fmt.Sprintf("it cannot access %v: use Copy, which works between any two devices", peer), ErrPeerAccessUnsupported)
	}
	return d.peerAccess("enable peer access", peer, driver.MemAccessReadWrite, func() driver.Result {
		r := d.drv.CtxEnablePeerAccess(peer.ctx, 0)
		if r == driver.ErrorPeerAccessAlreadyEnabled {
			return driver.Success
		}
		return r
	})
}

// DisablePeerAccess undoes EnablePeerAccess. Kernels that access memory of peer must have
// ended.
//
// CUDA Driver API, Peer Context Memory Access, cuCtxDisablePeerAccess.
func (d *Device) DisablePeerAccess(peer *Device) error {
	return d.peerAccess("disable peer access", peer, driver.MemAccessNone, func() driver.Result {
		return d.drv.CtxDisablePeerAccess(peer.ctx)
	})
}

func (d *Device) peerAccess(op string, peer *Device, access driver.MemAccess, change func() driver.Result) error {
	defer d.hold().release()
	defer peer.hold().release()
	if d.isClosed() || peer.isClosed() {
		return d.closedPeer(op, peer)
	}
	if r := d.inContext(change); r != driver.Success {
		return d.fail(op, r)
	}
	pool, r := d.drv.DeviceGetDefaultMemPool(peer.dev)
	if r == driver.Success {
		r = d.drv.MemPoolSetAccess(pool, d.dev, access)
	}
	if r != driver.Success {
		return d.fail(op, r)
	}
	if access == driver.MemAccessNone {
		d.peers.Delete(peer)
	} else {
		d.peers.Store(peer, true)
	}
	return nil
}

// hasAccess reports whether kernels on d can use the memory of peer.
func (d *Device) hasAccess(peer *Device) bool {
	_, has := d.peers.Load(peer)
	return has
}
