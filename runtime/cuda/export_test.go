package cuda

// AwaitCalls returns when all that was closed on d is gone.
func AwaitCalls(d *Device) { d.awaitCalls() }

// Stretched returns s as if it had n elements, for lengths that no test machine has
// the memory for.
func Stretched[T any](s Slice[T], n int) Slice[T] {
	s.n = n
	return s
}
