package cuda

import "github.com/cudagen/cudagen/runtime/internal/driver"

// A loadedImage is an image that the driver has loaded on one device, for all the
// libraries of it.
type loadedImage struct {
	sha256 string
	loaded chan struct{}  // closed when handle or err is there
	handle driver.Library // of the driver
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
		<-shared.loaded
		return shared, shared.err
	}
	defer close(shared.loaded)
	handle, r := d.drv.LibraryLoadData([]byte(image.Data))
	if r != driver.Success {
		shared.err = d.explainLoad("load "+image.Name, "", image, r, d.drv.LibraryLog(0))
		d.mu.Lock()
		delete(d.images, shared.sha256)
		d.mu.Unlock()
		return nil, shared.err
	}
	shared.handle = handle
	return shared, nil
}

// releaseImage unloads an image when its last user is gone.
func (d *Device) releaseImage(shared *loadedImage) driver.Result {
	d.mu.Lock()
	shared.users--
	last := shared.users == 0
	if last {
		delete(d.images, shared.sha256) // who comes next loads it again
	}
	d.mu.Unlock()
	if !last {
		return driver.Success
	}
	return d.drv.LibraryUnload(shared.handle)
}
