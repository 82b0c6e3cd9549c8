package cuda

// Stretched returns s as if it had n elements, for lengths that no test machine has
// the memory for.
func Stretched[T any](s Slice[T], n int) Slice[T] {
	s.n = n
	return s
}

// Packed reports whether k's parameter block is handed to the driver as it is.
func Packed(k *Kernel) bool { return k.packed != 0 }
