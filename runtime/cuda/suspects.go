package cuda

import (
	"slices"
	"strings"
)

// A driver does not say which kernel has failed. So a device knows the names of the kernels
// that were launched or prepared on it, by image, until that is unloaded: Device.launched.
// A launch that is no kernel's first pays nothing for that, because sharedEnd, which it
// compares anyway, is 0 before.

// noteLaunch notes that k will be launched.
func (k *Kernel) noteLaunch() {
	if k.sharedEnd.Load() != 0 {
		return
	}
	if end := k.launchable(); end != 0 {
		k.raiseShared(end)
		return
	}
	d, image := k.dev, k.library.shared
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(d.launched[image], k.name) {
		d.launched[image] = append(d.launched[image], k.name)
	}
	k.raiseShared(1)
}

// suspects returns the names of the kernels that may have failed, sorted.
func (d *Device) suspects() (names []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, of := range d.launched {
		names = append(names, of...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// suspect says in f which kernel, or which of several, has failed.
func (f *Fault) suspect(names []string) {
	if len(names) == 1 {
		f.Kernel = names[0]
	} else {
		f.Suspects = names
	}
}

// maxSuspects bounds how many kernels an error names.
const maxSuspects = 8

// suspectsText returns the kernels one of which has failed, or "".
func (f *Fault) suspectsText() string {
	names, more := f.Suspects, ""
	if len(names) == 0 {
		return ""
	}
	if len(names) > maxSuspects {
		names, more = names[:maxSuspects], " and others"
	}
	return "one of the kernels " + strings.Join(names, ", ") + more
}
