package main

import "unsafe"

// cgocall is the runtime's way into C, which every launch takes too: calling an empty
// function by it is the floor.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, arg unsafe.Pointer) int32
