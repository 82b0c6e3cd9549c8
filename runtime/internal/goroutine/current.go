//go:build (amd64 || arm64) && !cudagen_portable

package goroutine

import "unsafe"

// current returns the address of the runtime's description of the goroutine.
func current() unsafe.Pointer
