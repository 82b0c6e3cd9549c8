//go:build !cudagen_nodriver && cudagen_portable && linux && (amd64 || arm64)

package libcuda

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/ebitengine/purego"
)

// pooledLaunch says that launches use pooled frames.
const pooledLaunch = true

// emptyCall calls the C function at fn, which does nothing: the floor of a launch.
func emptyCall(fn uintptr) driver.Result {
	f := newFrame()
	defer f.free()
	r, _, _ := purego.SyscallN(fn, f.args[:1]...)
	return driver.Result(int32(r))
}
