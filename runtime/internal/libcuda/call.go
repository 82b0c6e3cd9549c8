//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import "unsafe"

// A callRecord is a driver call with up to 6 arguments: first, second and third are added to
// the first three of args. It refers to Go memory by them alone. It may lie on the
// goroutine's stack, and so may what they point to.
type callRecord struct {
	fn                   uintptr
	args                 [6]uintptr
	first, second, third unsafe.Pointer
}
