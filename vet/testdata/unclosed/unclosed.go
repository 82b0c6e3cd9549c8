// Package unclosed loses buffers.
package unclosed

import (
	"context"
	"errors"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

var errShort = errors.New("short")

func never(s *cuda.Stream, host []float32) error {
	b, err := cuda.Alloc[float32](s, len(host)) // want `b is not closed on the path that returns on line 19`
	if err != nil {
		return err
	}
	return b.CopyFrom(s, host)
}

func sometimes(s *cuda.Stream, host []float32) error {
	b, err := cuda.Upload(s, host) // want `b is not closed on the path that returns on line 28`
	if err != nil {
		return err
	}
	if len(host) < 4 {
		return errShort
	}
	return b.Close()
}

func launched(k *example.Kernels, dev *cuda.Device, b *cuda.Buffer[float32]) error {
	s, err := dev.NewStream() // want `s is not closed on the path that returns on line 39`
	if err != nil {
		return err
	}
	if err := k.Saxpy.Launch(s, 2, b.All(), b.All()); err != nil {
		return err
	}
	return s.Synchronize()
}

func all(k *example.Kernels, dev *cuda.Device) (_ *cuda.Buffer[float32], err error) {
	s, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	switch b, err := cuda.Alloc[float32](s, 4); {
	case err != nil:
		return nil, err
	default:
		return b, nil
	}
}

type holder struct{ b *cuda.Buffer[float32] }

func kept(h *holder, s *cuda.Stream) error {
	b, err := cuda.Alloc[float32](s, 4)
	if err == nil {
		h.b = b
	}
	return err
}

func device() error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	return s.Synchronize()
}

func until(ctx context.Context, dev *cuda.Device) error {
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	return errors.Join(s.Synchronize(), dev.CloseContext(ctx))
}

func captured(s *cuda.Stream, cleanup func(func())) error {
	b, err := cuda.Alloc[float32](s, 4)
	if err != nil {
		return err
	}
	cleanup(func() { _ = b.Close() })
	return nil
}
