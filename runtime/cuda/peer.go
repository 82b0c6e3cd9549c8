package cuda

import (
	"fmt"
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// CanAccessPeer reports whether kernels on d can access memory of peer after
// EnablePeerAccess. Copy works between any two devices.
//
// CUDA Driver API, Peer Context Memory Access, cuDeviceCanAccessPeer.
func (d *Device) CanAccessPeer(peer *Device) (bool, error) {
	const op = "ask for peer access"
	defer d.hold().release()
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

// EnablePeerAccess lets kernels on d access memory of peer: managed and exportable memory, and memory
// from peer's pools, also if it was allocated before and if the pool is made later. It lasts until
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
// ended. If the same two GPUs are open as other Devices, too, of which one may still access the
// other, the driver's access stays for these.
//
// CUDA Driver API, Peer Context Memory Access, cuCtxDisablePeerAccess.
func (d *Device) DisablePeerAccess(peer *Device) error {
	return d.peerAccess("disable peer access", peer, driver.MemAccessNone, func() driver.Result {
		return d.drv.CtxDisablePeerAccess(peer.ctx)
	})
}

// peering is held while the access between devices changes: Devices of one GPU share it.
var peering sync.Mutex

func (d *Device) peerAccess(op string, peer *Device, access driver.MemAccess, change func() driver.Result) error {
	defer d.hold().release()
	defer peer.hold().release()
	if d.isClosed() || peer.isClosed() {
		return d.closedPeer(op, peer)
	}
	peering.Lock()
	defer peering.Unlock()
	shared := false // with Devices that keep the access
	if access == driver.MemAccessNone {
		if !d.hasAccess(peer) {
			return d.fail(op, driver.ErrorPeerAccessNotEnabled)
		}
		d.peers.Delete(peer)
		peer.accessors.Delete(d)
		shared = d.sharesAccess(peer)
	}
	if !shared {
		if r := d.inContext(change); r != driver.Success {
			return d.fail(op, r)
		}
	}
	if access != driver.MemAccessNone {
		peer.accessors.Store(d, true) // before the pools are looked at: those that are made meanwhile look at it
	}
	pool, r := d.drv.DeviceGetDefaultMemPool(peer.dev)
	if r == driver.Success && !shared {
		r = d.drv.MemPoolSetAccess(pool, d.dev, access)
	}
	if r == driver.Success && !(access == driver.MemAccessNone && peer.letsTwinReach(d)) {
		r = peer.letReach(d, access)
	}
	if r != driver.Success {
		return d.fail(op, r)
	}
	if access != driver.MemAccessNone {
		d.peers.Store(peer, true)
	}
	return nil
}

// isTwin reports whether d and other are the same GPU, or the same simulated device.
func (d *Device) isTwin(other *Device) bool { return d.drv == other.drv && d.ctx == other.ctx }

// sharesAccess reports whether Devices of d's GPU have access to one of peer's. peering is held.
func (d *Device) sharesAccess(peer *Device) (shared bool) {
	for _, other := range openDevices() {
		if !other.isTwin(d) {
			continue
		}
		other.peers.Range(func(key, _ any) bool {
			p := key.(*Device)
			shared = shared || p.isTwin(peer) && !p.isClosed()
			return !shared
		})
	}
	return shared
}

// letsTwinReach reports whether another Device of accessor's GPU has access to d. peering is held.
func (d *Device) letsTwinReach(accessor *Device) (lets bool) {
	d.accessors.Range(func(key, _ any) bool {
		other := key.(*Device)
		lets = lets || other.isTwin(accessor) && !other.isClosed()
		return !lets
	})
	return lets
}

// forgetPeers has the devices forget d, which is closed, that could access it, or that it could.
func (d *Device) forgetPeers() {
	peering.Lock()
	defer peering.Unlock()
	d.peers.Range(func(key, _ any) bool {
		key.(*Device).accessors.Delete(d)
		return true
	})
	d.accessors.Range(func(key, _ any) bool {
		key.(*Device).peers.Delete(d)
		return true
	})
	d.peers.Clear()
	d.accessors.Clear()
}

// letReach sets the access that accessor has to the pools of d that NewPool has made.
func (d *Device) letReach(accessor *Device, access driver.MemAccess) driver.Result {
	r := driver.Success
	d.pools.each(func(pool driver.MemPool) {
		if set := d.drv.MemPoolSetAccess(pool, accessor.dev, access); r == driver.Success {
			r = set
		}
	})
	return r
}

// A poolList has the pools of a device that NewPool has made and nobody has destroyed, also those
// whose Pool is lost: their memory may be in use.
type poolList struct {
	mu      sync.Mutex
	handles map[driver.MemPool]bool
}

func (l *poolList) add(pool driver.MemPool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.handles == nil {
		l.handles = make(map[driver.MemPool]bool)
	}
	l.handles[pool] = true
}

// destroy takes pool off the list and calls destroy, so that each uses it no more.
func (l *poolList) destroy(pool driver.MemPool, destroy func(driver.MemPool) driver.Result) driver.Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.handles, pool)
	return destroy(pool)
}

// each calls f for every pool, none of which is destroyed meanwhile.
func (l *poolList) each(f func(driver.MemPool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for pool := range l.handles {
		f(pool)
	}
}

// hasAccess reports whether kernels on d can use the memory of peer.
func (d *Device) hasAccess(peer *Device) bool {
	_, has := d.peers.Load(peer)
	return has
}
