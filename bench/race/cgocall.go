package race

import "unsafe"

// Cgocall is the runtime's way into C, which every launch takes too: calling an empty
// function by it is the floor.
//
//go:linkname Cgocall runtime.cgocall
//go:noescape
func Cgocall(fn uintptr, arg unsafe.Pointer) int32
