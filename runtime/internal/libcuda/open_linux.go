//go:build !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// libraryNames returns where to look for the driver, in this order: where the dynamic
// linker looks, then where Windows Subsystem for Linux and NixOS put it.
func libraryNames() []string {
	return []string{
		"libcuda.so.1",
		"libcuda.so",
		"/usr/lib/wsl/lib/libcuda.so.1",
		"/run/opengl-driver/lib/libcuda.so.1",
	}
}

// loadLibrary loads the shared library name. When it fails, found says whether there
// is a file of this name.
func loadLibrary(name string) (handle uintptr, found bool, err error) {
	// dlerror speaks of the calling thread, and purego calls it after dlopen.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	handle, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, !saysMissing(err.Error(), name), err
	}
	return handle, true, nil
}

// saysMissing says whether message, of dlerror, means that the library name itself is
// not there. A library that name needs in turn is named in its place: then name is
// there and broken.
func saysMissing(message, name string) bool {
	glibc := strings.HasPrefix(message, name+": cannot open shared object file: No such file or directory")
	musl := strings.HasPrefix(message, "Error loading shared library "+name+": No such file or directory")
	return glibc || musl
}

// findSymbol returns the address of symbol, or 0.
func findSymbol(handle uintptr, symbol string) uintptr {
	address, err := purego.Dlsym(handle, symbol)
	if err != nil {
		return 0
	}
	return address
}
