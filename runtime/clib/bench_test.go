//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package clib_test

import (
	"testing"
)

// BenchmarkCall measures calls on the fake driver: of a function in C that does nothing, with memory, a handle, a stream and a mode, and
// with a handle alone.
func BenchmarkCall(b *testing.B) {
	d, s := fakeDevice(b)
	c := newContext(b, d)
	x, y := alloc[float32](b, s, 10), alloc[float32](b, s, 10)
	for name, call := range map[string]func() error{
		"nothing": func() error { return c.Nothing(s, 4, 2.5, x, -3, y, 1) },
		"used":    func() error { _, err := c.Used(); return err },
		"do":      func() error { return d.Do(func() error { return nil }) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := call(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
