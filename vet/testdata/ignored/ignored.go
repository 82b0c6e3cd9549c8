// Package ignored ignores errors.
package ignored

import (
	"context"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func launch(k *example.Kernels, s *cuda.Stream, x cuda.Slice[float32]) error {
	defer s.Close()
	k.Saxpy.Launch(s, 2, x, x)   // want `the error of Launch is ignored: a launch that was refused has not run`
	s.Wait(context.Background()) // want `the error of Wait is ignored: faults of kernels are reported there`
	_ = s.Synchronize()
	return k.Close()
}

func start(s *cuda.Stream, x cuda.Slice[float32], host []float32) {
	x.CopyTo(s, host)     // want `the error of CopyTo is ignored: the data may not have arrived`
	go s.Synchronize()    // want `the error of Synchronize is ignored: faults of kernels are reported there`
	defer s.Synchronize() // want `the error of Synchronize is ignored`
	func() error {
		cuda.Fill(x, 1).Launch(s) // want `the error of Launch is ignored`
		cuda.Copy(x, x)           // want `the result of Copy is unused, and nothing is queued: call its Launch`
		return nil
	}()
	_ = x.Len()
	x.Len()
}

func clean(s *cuda.Stream, b *cuda.Buffer[float32]) {
	defer func() { s.Close() }()
	b.Close()
	s.Close() // want `the error of Close is ignored: faults of kernels are reported there`
}
