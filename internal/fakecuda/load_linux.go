//go:build !cudagen_nodriver

package fakecuda

import "github.com/ebitengine/purego"

// load loads the library at path.
func load(path string) (handle uintptr, err error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// find returns the address of a C function in a library that is loaded.
func find(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }

// register makes the Go function at fn, a pointer, call the C function at address.
func register(fn any, address uintptr) { purego.RegisterFunc(fn, address) }
