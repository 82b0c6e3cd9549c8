package mapping

import (
	"fmt"
	"syscall"
	"unsafe"
)

var virtualQuery = syscall.NewLazyDLL("kernel32.dll").NewProc("VirtualQuery")

// basicInformation is MEMORY_BASIC_INFORMATION.
type basicInformation struct {
	base, allocation    uintptr
	allocationProtect   uint32
	_                   uint32
	size                uintptr
	state, protect, typ uint32
	_                   uint32
}

// Values of basicInformation.
const (
	committed     = 0x1000
	readWrite     = 0x04
	writeCopy     = 0x08
	mappedSection = 0x40000 // MEM_MAPPED: neither private, as Go's heap, nor of an image, as its variables
)

// NotFile says why size bytes at start are not all of files that the program has mapped for
// reading and writing; it is empty if they are.
func NotFile(start, size uintptr) string {
	for at := start; at-start < size; {
		var m basicInformation
		if n, _, _ := virtualQuery.Call(at, uintptr(unsafe.Pointer(&m)), unsafe.Sizeof(m)); n == 0 || m.state != committed {
			return fmt.Sprintf("there is no memory at %#x", at)
		}
		if m.typ != mappedSection {
			return "it is not mapped from a file, but of Go's heap, of a stack, of another allocator, or a variable"
		}
		if m.protect != readWrite && m.protect != writeCopy {
			return "it is not mapped for reading and writing"
		}
		at = m.base + m.size
	}
	return ""
}
