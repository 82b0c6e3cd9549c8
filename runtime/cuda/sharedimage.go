package cuda

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A loadedImage is an image that the driver has loaded on one device, for all the
// libraries of it.
type loadedImage struct {
	sha256 string
	loaded chan struct{}  // closed when handle or err is there
	handle driver.Library // of the driver; written under Device.mu
	err    error
	users  int // libraries; guarded by Device.mu
}

// acquireImage loads image, or counts one more user of it.
func (d *Device) acquireImage(image Image) (*loadedImage, error) {
	d.mu.Lock()
	shared, known := d.images[image.SHA256]
	if !known {
		shared = &loadedImage{sha256: image.SHA256, loaded: make(chan struct{})}
		d.images[image.SHA256] = shared
	}
	shared.users++
	d.mu.Unlock()
	if known {
		d.counts.imageHits.Add(1)
		<-shared.loaded
		return shared, shared.err
	}
	defer close(shared.loaded)
	var handle driver.Library
	try := func() (r driver.Result) {
		handle, r = d.drv.LibraryLoadData([]byte(image.Data))
		return r
	}
	r := d.again(try(), try)
	if r != driver.Success {
		shared.err = d.explainLoad("load "+image.Name, "", image, r, d.drv.LibraryLog(handle))
		d.mu.Lock()
		delete(d.images, shared.sha256)
		d.mu.Unlock()
		return nil, shared.err
	}
	d.mu.Lock()
	shared.handle = handle
	d.mu.Unlock()
	return shared, nil
}

// releaseImage takes one user from an image. When it was the last, the image is
// unloaded as soon as no call and no queue can use it.
func (d *Device) releaseImage(shared *loadedImage) {
	d.mu.Lock()
	shared.users--
	last := shared.users == 0
	if last {
		delete(d.images, shared.sha256) // who comes next loads it again
	}
	d.mu.Unlock()
	if last {
		d.retire(func() {
			d.given(d.inContext(d.drv.CtxSynchronize))
			d.given(d.awaitForeign()) // of other devices
			d.given(d.drv.LibraryUnload(shared.handle))
			d.mu.Lock()
			defer d.mu.Unlock()
			delete(d.launched, shared)
		})
	}
}
