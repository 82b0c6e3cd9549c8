//go:build !cudagen_nodriver && !cudagen_portable && linux && (amd64 || arm64)

package ccall

import (
	"unsafe"

	_ "github.com/ebitengine/purego" // makes runtime.cgocall work without cgo
)

// MaxArguments is how many arguments a call can have.
const MaxArguments = 64

// cgocall calls the C function at fn with arg on the system stack. The runtime keeps
// its name and signature for purego ("do not remove or change the type signature"),
// and it works without cgo once purego is linked in.
//
// noescape holds as long as the function called keeps nothing of arg and does not
// call back into Go: a callback could grow the goroutine's stack, and so move what is
// on it.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, arg unsafe.Pointer) int32

// trampolineAddress returns the address of the C function int32 trampoline(Call *), which
// makes the call. It is a function, and not a variable that the assembly defines, so that a
// build without the assembly fails when it is linked.
func trampolineAddress() uintptr

var trampoline = trampolineAddress()

// Enter calls the C function int32 fn(void *), at that address, with arg on the system stack. The
// function obeys the rules of Call: arg may lie on the goroutine's stack.
func Enter(fn uintptr, arg unsafe.Pointer) int32 { return cgocall(fn, arg) }

func invoke(c *Call) { cgocall(trampoline, unsafe.Pointer(c)) }

func invokeFloat(c *Call) { invoke(c) }
