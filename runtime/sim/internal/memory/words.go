package memory

// Words returns zeroed memory for n bytes, aligned to 8.
func Words(n uint64) []uint64 { return make([]uint64, (n+7)/8) }

// Ones makes words undefined.
func Ones(words []uint64) {
	for n := range words {
		words[n] = ^uint64(0)
	}
}
