//go:build !cudagen_nodriver && (amd64 || arm64)

package dynlib

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// Load loads the shared library at path.
func Load(path string) (handle uintptr, err error) {
	if err := whole(path); err != nil {
		return 0, err
	}
	// dlerror speaks of the calling thread, and purego calls it after dlopen.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// Symbol returns the address of symbol, or 0.
func Symbol(handle uintptr, symbol string) uintptr {
	address, err := purego.Dlsym(handle, symbol)
	if err != nil {
		return 0
	}
	return address
}
