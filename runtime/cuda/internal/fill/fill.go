// Package fill takes the bytes of a value and says with which words a device fills memory with it. It queues nothing.
package fill

import "encoding/binary"

// MaxPattern is the size in bytes up to which Wide writes an element word by word.
const MaxPattern = 64

// Word returns the shortest word of 1, 2 or 4 bytes that repeats in pattern and to which addr is aligned, and its
// size, or 0.
func Word(pattern []byte, addr uint64) (word uint32, size int) {
	for _, size := range []int{1, 2, 4} {
		if repeats(pattern, size) && addr%uint64(size) == 0 {
			return wordOf(pattern[:size]), size
		}
	}
	return 0, 0
}

func wordOf(b []byte) uint32 {
	var word [4]byte
	copy(word[:], b)
	return binary.LittleEndian.Uint32(word[:])
}

// repeats reports whether pattern is a run of its first n bytes.
func repeats(pattern []byte, n int) bool {
	if len(pattern)%n != 0 {
		return false
	}
	for i, b := range pattern {
		if b != pattern[i%n] {
			return false
		}
	}
	return true
}

// Wide fills n bytes at addr with a pattern for which a device has no fill: the first element word by word, by set, and
// then by copies, each of all that is filled (docs/decisions, "How does Fill write 8 and 16 bytes?"). set writes the
// word of size bytes at the byte at, double copies as many of the first bytes to at.
func Wide(addr uint64, n int, pattern []byte, set func(at int, word uint32, size int) error, double func(at, bytes int) error) error {
	size := wordSize(addr, len(pattern))
	for at := 0; at < len(pattern); at += size {
		if err := set(at, wordOf(pattern[at:at+size]), size); err != nil {
			return err
		}
	}
	for done := len(pattern); done < n; {
		more := min(done, n-done)
		if err := double(done, more); err != nil {
			return err
		}
		done += more
	}
	return nil
}

// wordSize returns the largest of 1, 2 and 4 bytes that divides an address and a length.
func wordSize(addr uint64, n int) int {
	for _, size := range [...]int{4, 2} {
		if addr%uint64(size) == 0 && n%size == 0 {
			return size
		}
	}
	return 1
}
