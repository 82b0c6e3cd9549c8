//go:build !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"syscall"
	"unsafe"
)

// allocOffHeap returns size bytes of zeroed memory that Go does not manage.
func allocOffHeap(size uintptr) (unsafe.Pointer, error) {
	b, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, err
	}
	return unsafe.Pointer(&b[0]), nil
}

// freeOffHeap releases what allocOffHeap returned for size.
func freeOffHeap(p unsafe.Pointer, size uintptr) {
	if err := syscall.Munmap(unsafe.Slice((*byte)(p), size)); err != nil {
		panic("libcuda: munmap: " + err.Error())
	}
}
