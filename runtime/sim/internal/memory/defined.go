package memory

import "unsafe"

// ShadowBytes returns the undefined bits of n bytes of device memory at addr, or nil if all are
// defined.
func ShadowBytes(addr, n uint64, make bool) []byte {
	a := AllocationOf(addr >> OffsetBits)
	if a == nil || a.Data == nil {
		return nil
	}
	base := a.Shadow.Base(make, a.Size)
	if base == nil {
		return nil
	}
	return unsafe.Slice((*byte)(base), a.Size)[addr&OffsetMask:][:n]
}

// Define notes that the host has written n bytes at addr.
func Define(addr, n uint64) {
	a := AllocationOf(addr >> OffsetBits)
	if a == nil || a.Shadow == nil {
		return
	}
	if n == a.Size {
		a.Shadow.words.Store(nil)
		return
	}
	clear(ShadowBytes(addr, n, false))
}

// CopyShadow notes that n bytes at src were copied to dst, both on devices.
func CopyShadow(dst, src, n uint64) {
	from := ShadowBytes(src, n, false)
	if from == nil {
		Define(dst, n)
		return
	}
	copy(ShadowBytes(dst, n, true), from)
}
