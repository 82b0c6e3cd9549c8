//go:build linux && !cudagen_nodriver && !cudagen_portable && (amd64 || arm64)

package ccall_test

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// BenchmarkCalls measures calls of a C function that does nothing, beside their floor, a call without arguments, and
// purego's ways. Compare figures of one run only.
func BenchmarkCalls(b *testing.B) {
	empty := compile(b, "").symbol(b, "empty")
	var registered func(a, b, c, d, e, f, g, h, i, j, k, l, m, n uint64)
	purego.RegisterFunc(&registered, empty)
	var n uint64
	for _, call := range []struct {
		name string
		call func()
	}{
		{"empty call", func() { ccall.Enter(empty, nil) }},
		{"2 arguments", func() {
			words := [2]uint64{n}
			ccall.Invoke(&ccall.Call{Function: empty, Words: unsafe.Pointer(&words), Count: 2})
		}},
		{"14 arguments", func() {
			words := [14]uint64{n}
			ccall.Invoke(&ccall.Call{Function: empty, Words: unsafe.Pointer(&words), Count: 14})
		}},
		{"14 arguments, 2 doubles", func() {
			words := [14]uint64{n}
			ccall.Invoke(&ccall.Call{Function: empty, Words: unsafe.Pointer(&words), Count: 14, Floats: 1<<4 | 1<<9})
		}},
		{"SyscallN", func() { purego.SyscallN(empty, uintptr(n), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14) }},
		{"RegisterFunc", func() { registered(n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14) }},
	} {
		b.Run(call.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n++
				call.call()
			}
		})
	}
}
