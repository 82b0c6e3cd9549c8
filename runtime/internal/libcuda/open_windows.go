//go:build !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"os"
	"path/filepath"
	"syscall"
)

// libraryNames returns where the driver is installed. The path is whole, so that a
// nvcuda.dll beside the program or in the working directory is not taken for it.
func libraryNames() []string {
	root := os.Getenv("SystemRoot")
	if root == "" {
		root = `C:\Windows`
	}
	return []string{filepath.Join(root, "System32", "nvcuda.dll")}
}

// loadLibrary loads the DLL at name. When it fails, found says whether there is a
// file of this name.
func loadLibrary(name string) (handle uintptr, found bool, err error) {
	if _, err := os.Stat(name); err != nil {
		return 0, !os.IsNotExist(err), err
	}
	h, err := syscall.LoadLibrary(name)
	return uintptr(h), true, err
}

// findSymbol returns the address of symbol, or 0.
func findSymbol(handle uintptr, symbol string) uintptr {
	address, err := syscall.GetProcAddress(syscall.Handle(handle), symbol)
	if err != nil {
		return 0
	}
	return address
}
