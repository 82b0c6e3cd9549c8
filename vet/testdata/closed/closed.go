// Package closed keeps addresses of buffers.
package closed

import "github.com/cudagen/cudagen/runtime/cuda"

func use(cuda.Ptr[float32]) {}

func after(s *cuda.Stream, b *cuda.Buffer[float32]) error {
	p := b.Ptr()
	use(p)
	if err := b.Close(); err != nil {
		return err
	}
	use(p) // want `p is an address of b, which was closed on line 11`
	return nil
}

func part(b *cuda.Buffer[float32], again bool) {
	q := b.Slice(2, 4).Ptr()
	for again {
		use(q) // want `q is an address of b, which was closed on line 22`
		_ = b.Close()
	}
}

func fresh(s *cuda.Stream, b *cuda.Buffer[float32]) error {
	p := b.Ptr()
	defer b.Close()
	use(p)
	_ = b.Close()
	other, err := cuda.Alloc[float32](s, 4)
	if err != nil {
		return err
	}
	p = other.Ptr()
	use(p)
	return other.Close()
}

func elsewhere(a, b *cuda.Buffer[float32]) {
	p := a.Ptr()
	_ = b.Close()
	use(p)
}
