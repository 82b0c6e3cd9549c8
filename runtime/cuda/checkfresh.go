package cuda

import (
	"runtime"
	"sync/atomic"

	"github.com/cudagen/cudagen/internal/fresh"
	"github.com/cudagen/cudagen/runtime/cuda/internal/stale"
)

// CheckFresh returns an error if generated code in folder was not made of the sources that lie there:
// if a .cu file or a header was edited, and go generate did not run since, programs run the old
// kernels. It compares the hashes of the sources with those in the records (kernels.cudagen.json),
// and needs no compiler and no device. A folder such as "../..." means those below it, too.
//
//	func TestFresh(t *testing.T) {
//		if err := cuda.CheckFresh("."); err != nil { // go test runs in the folder of the package
//			t.Error(err)
//		}
//	}
//
// Tests on devices of runtime/simtest need no such test: New does the same for the kernels that are
// loaded. Flags of go:generate lines and new headers that hide others are for cudagen -check.
//
// Sources that are not there are no error where they need not be: in a vendored package, in the module
// cache, outside of the module, and outside of any module, where a program was deployed. Inside of a
// module an error says that a source is missing, and also that folder has no record.
func CheckFresh(folder string) error { return stale.Check(folder) }

// staleHook is called with the error of generated code that is loaded on any device, and stale.
var staleHook atomic.Pointer[func(error)]

// onStale calls report with the error of each load of stale generated code, on any device.
func onStale(report func(error)) { staleHook.Store(&report) }

// checkStale tells who wants to know it that the generated code which calls the caller loads images that
// are not those of its source.
func (d *Device) checkStale(images []Image) {
	hook := staleHook.Load()
	if d.stale == nil && hook == nil || len(images) == 0 {
		return
	}
	_, file, _, ok := runtime.Caller(2)
	if !ok {
		return
	}
	list := make([]fresh.Image, len(images))
	for i, image := range images {
		list[i] = fresh.Image{File: image.Name, SHA256: image.SHA256}
	}
	err := stale.Loaded(file, list)
	if err == nil {
		return
	}
	if d.stale != nil {
		d.stale(err)
	}
	if hook != nil {
		(*hook)(err)
	}
}
