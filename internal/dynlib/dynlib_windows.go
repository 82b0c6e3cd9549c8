//go:build !cudagen_nodriver && (amd64 || arm64)

package dynlib

import (
	"syscall"
)

// Load loads the DLL at path.
func Load(path string) (handle uintptr, err error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

// Symbol returns the address of symbol, or 0.
func Symbol(handle uintptr, symbol string) uintptr {
	address, err := syscall.GetProcAddress(syscall.Handle(handle), symbol)
	if err != nil {
		return 0
	}
	return address
}
