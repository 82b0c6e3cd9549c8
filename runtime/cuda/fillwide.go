package cuda

import (
	"encoding/binary"
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// maxPattern is the size in bytes up to which Fill writes an element word by word.
const maxPattern = 64

// patternTooLarge is the error of Fill with a value that it does not write.
func patternTooLarge(d *Device, op string, size int) error {
	return d.invalid(op, fmt.Sprintf("the %d bytes of the value do not repeat every 1, 2 or 4 bytes, limit %d: use a kernel or CopyFrom", size, maxPattern), ErrNotSupported)
}

// fillWide fills b with a pattern for which the driver has no fill: the first element word by word,
// then copies, each of all that is filled (docs/decisions, "How does Fill write 8 and 16 bytes?").
// set and double do that: to a stream or to a capture.
func fillWide(b Slice[byte], pattern []byte, set func(at Slice[byte], word uint32, size int) error, double func(dst, src Slice[byte]) error) error {
	size := wordSize(b.addr, len(pattern))
	for at := 0; at < len(pattern); at += size {
		var word [4]byte
		copy(word[:], pattern[at:at+size])
		if err := set(b.Slice(at, at+size), binary.LittleEndian.Uint32(word[:]), size); err != nil {
			return err
		}
	}
	for done := len(pattern); done < b.n; {
		more := min(done, b.n-done)
		if err := double(b.Slice(done, done+more), b.Slice(0, more)); err != nil {
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

// setWord queues the fill of one word at b.
func (s *Stream) setWord(handle driver.Stream, b Slice[byte], word uint32, size int) driver.Result {
	addr := driver.DevicePtr(b.addr)
	switch size {
	case 4:
		return s.dev.drv.MemsetD32Async(addr, word, 1, handle)
	case 2:
		return s.dev.drv.MemsetD16Async(addr, uint16(word), 1, handle)
	}
	return s.dev.drv.MemsetD8Async(addr, uint8(word), 1, handle)
}

// fillOn is fillWide on a stream. The caller has b in use.
func (s *Stream) fillOn(handle driver.Stream, op string, b Slice[byte], pattern []byte) error {
	done := func(r driver.Result) error {
		if r != driver.Success {
			return s.dev.fail(op, r)
		}
		return nil
	}
	return fillWide(b, pattern, func(at Slice[byte], word uint32, size int) error {
		return done(s.setWord(handle, at, word, size))
	}, func(dst, src Slice[byte]) error {
		if dst.host() != nil {
			return done(copyInHost(s, handle, dst.host(), src.host(), uint64(dst.n)))
		}
		return done(s.dev.drv.MemcpyDtoDAsync(driver.DevicePtr(dst.addr), driver.DevicePtr(src.addr), uint64(dst.n), handle))
	})
}

// fill is fillWide in a capture.
func (m *captureMember) fill(op string, b Slice[byte], pattern []byte) error {
	return fillWide(b, pattern, func(at Slice[byte], word uint32, size int) error {
		switch size {
		case 4:
			return m.add(op, NewNode(Fill(Reinterpret[uint32](at), word)))
		case 2:
			return m.add(op, NewNode(Fill(Reinterpret[uint16](at), uint16(word))))
		}
		return m.add(op, NewNode(Fill(at, uint8(word))))
	}, func(dst, src Slice[byte]) error {
		return m.add(op, NewNode(Copy(dst, src)))
	})
}
