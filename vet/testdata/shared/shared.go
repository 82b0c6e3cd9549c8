// Package shared has goroutines that use prepared calls.
package shared

import (
	"sync"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func loop(k *example.Kernels, s *cuda.Stream, x cuda.Slice[float32]) error {
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x, Y: x})
	if err != nil {
		return err
	}
	var done sync.WaitGroup
	for range 4 {
		done.Add(1)
		go func() {
			defer done.Done()
			_ = call.Launch(s) // want `call is a prepared call, which one goroutine at a time may use, and each turn of the loop starts one that does: give each its Clone`
		}()
	}
	done.Wait()
	return nil
}

func two(k *example.Kernels, s *cuda.Stream, x cuda.Slice[float32]) error {
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x, Y: x})
	if err != nil {
		return err
	}
	go func() { _ = call.Launch(s) }()
	go func() { _ = call.Launch(s) }() // want `call is a prepared call, which one goroutine at a time may use, and another goroutine uses it, too`
	return nil
}

func groups(k *example.Kernels, s *cuda.Stream, x cuda.Slice[float32]) error {
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x, Y: x})
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			_ = call.Launch(s) // want `call is a prepared call, which one goroutine at a time may use, and each turn of the loop starts one that does: give each its Clone`
		})
		own := call.Clone()
		group.Go(func() { _ = own.Launch(s) })
	}
	group.Wait()
	return nil
}

func right(k *example.Kernels, s *cuda.Stream, x cuda.Slice[float32]) error {
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x, Y: x})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	for range 4 {
		own := call.Clone()
		go func() { _ = own.Launch(s) }()
		go func() {
			mu.Lock()
			defer mu.Unlock()
			_ = call.Launch(s)
		}()
	}
	return nil
}
