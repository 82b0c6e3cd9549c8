//go:build !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"syscall"
	"unsafe"
)

var (
	kernel32     = syscall.NewLazyDLL("kernel32.dll")
	virtualAlloc = kernel32.NewProc("VirtualAlloc")
	virtualFree  = kernel32.NewProc("VirtualFree")
)

// Windows API, Memory Management: VirtualAlloc, VirtualFree.
const (
	memCommit     = 0x1000
	memReserve    = 0x2000
	memRelease    = 0x8000
	pageReadWrite = 0x04
)

// allocOffHeap returns size bytes of zeroed memory that Go does not manage.
func allocOffHeap(size uintptr) (unsafe.Pointer, error) {
	address, _, err := virtualAlloc.Call(0, size, memCommit|memReserve, pageReadWrite)
	if address == 0 {
		return nil, err
	}
	// Through memory: address is not Go's, which go vet cannot know.
	return *(*unsafe.Pointer)(unsafe.Pointer(&address)), nil
}

// freeOffHeap releases what allocOffHeap returned.
func freeOffHeap(p unsafe.Pointer, _ uintptr) {
	if ok, _, err := virtualFree.Call(uintptr(p), 0, memRelease); ok == 0 {
		panic("libcuda: VirtualFree: " + err.Error())
	}
}
