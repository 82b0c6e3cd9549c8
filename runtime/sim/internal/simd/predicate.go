package simd

// First, both, either and differ combine a comparison with a predicate.
func First(a, _ uint32) uint32 { return a }

func Both(a, b uint32) uint32 { return a & b }

func Either(a, b uint32) uint32 { return a | b }

func Differ(a, b uint32) uint32 { return a ^ b }

func Ne[T Integer](a, b *Lanes) uint32 { return ^Eq[T](a, b) }

// A CarryFunc computes lanes and the carry of each from the carry coming in.
type CarryFunc func(d, a, b, c *Lanes, carryIn uint32) (carryOut uint32)
