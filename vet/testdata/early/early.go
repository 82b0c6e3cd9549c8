// Package early reads page-locked memory.
package early

import (
	"errors"

	"github.com/cudagen/cudagen/runtime/cuda"
)

func read(s *cuda.Stream, b *cuda.Buffer[float32], h *cuda.HostBuffer[float32]) (float32, error) {
	if err := cuda.Copy(h.All(), b.All()).Launch(s); err != nil {
		return 0, err
	}
	x := h.Host()[0] // want `the memory of h is used while Copy on line 11 may still use it: wait for the stream first`
	return x, s.Synchronize()
}

func held(s *cuda.Stream, b *cuda.Buffer[float32], h *cuda.HostBuffer[float32]) error {
	host := h.Host()[:2]
	for i := range 4 {
		host[0] = float32(i) // want `the memory of h is used while Copy on line 22 may still use it`
		if err := cuda.Copy(b.All(), h.All()).Launch(s); err != nil {
			return err
		}
	}
	return s.Synchronize()
}

func right(s *cuda.Stream, b *cuda.Buffer[float32], h *cuda.HostBuffer[float32]) (float32, error) {
	host := h.Host()
	host[0] = 1
	if err := cuda.Copy(b.All(), h.All()).Launch(s); err != nil {
		return 0, err
	}
	if err := cuda.Copy(h.All(), b.All()).Launch(s); err != nil {
		return 0, err
	}
	n := len(host)
	if err := s.Synchronize(); err != nil {
		return 0, err
	}
	return host[n-1], nil
}

func wait(s *cuda.Stream) error { return s.Synchronize() }

func elsewhere(s *cuda.Stream, b *cuda.Buffer[float32], h *cuda.HostBuffer[float32]) (float32, error) {
	if err := cuda.Copy(h.All(), b.All()).Launch(s); err != nil {
		return 0, err
	}
	if err := wait(s); err != nil {
		return 0, err
	}
	return h.Host()[0], nil
}

func downloaded(s *cuda.Stream, b *cuda.Buffer[float32], h *cuda.HostBuffer[float32]) (float32, error) {
	if err := cuda.Copy(h.All(), b.All()).Launch(s); err != nil {
		return 0, err
	}
	if _, err := b.All().Download(s); err != nil {
		return 0, err
	}
	return h.Host()[0], nil
}

func joined(s *cuda.Stream, b *cuda.Buffer[float32], h *cuda.HostBuffer[float32]) (sum float32, err error) {
	for range 4 {
		h.Host()[0]++
		if err := errors.Join(cuda.Copy(h.All(), b.All()).Launch(s), s.Synchronize()); err != nil {
			return 0, err
		}
		sum += h.Host()[0]
	}
	return sum, nil
}
