// Package device has kernels and buffers of two devices.
package device

import (
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func mixed(first, second *cuda.Device) error {
	k, err := example.LoadKernels(first)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := second.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	x, err := cuda.Alloc[float32](s, 4)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := k.Saxpy.Launch(s, 2, x.All(), x.All()); err != nil { // want `s is of device second, and k of first: a kernel runs on streams of its own device`
		return err
	}
	return s.Synchronize()
}

func memory(first, second *cuda.Device, peers bool) error {
	k, err := example.LoadKernels(first)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := first.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	there, err := second.NewStream()
	if err != nil {
		return err
	}
	defer there.Close()
	x, err := cuda.Alloc[float32](s, 4)
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := cuda.Alloc[float32](there, 4)
	if err != nil {
		return err
	}
	defer y.Close()
	if err := k.Saxpy.Launch(s, 2, x.All(), y.All()); err != nil { // want `y is memory of device second, and s of first: copy it there, or enable peer access`
		return err
	}
	return k.Saxpy.Launch(s, 2, x.All(), x.All())
}

func peers(first, second *cuda.Device) error {
	k, err := example.LoadKernels(first)
	if err != nil {
		return err
	}
	defer k.Close()
	if err := first.EnablePeerAccess(second); err != nil {
		return err
	}
	s, err := first.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	there, err := second.NewStream()
	if err != nil {
		return err
	}
	defer there.Close()
	y, err := cuda.Alloc[float32](there, 4)
	if err != nil {
		return err
	}
	defer y.Close()
	return k.Saxpy.Launch(s, 2, y.All(), y.All())
}

func either(first, second *cuda.Device, other bool) error {
	k, err := example.LoadKernels(first)
	if err != nil {
		return err
	}
	defer k.Close()
	d := first
	if other {
		d = second
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	return k.Saxpy.Launch(s, 2, cuda.Slice[float32]{}, cuda.Slice[float32]{})
}

func renamed(first *cuda.Device) error {
	same := first
	k, err := example.LoadKernels(same)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := first.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	return k.Saxpy.Launch(s, 2, cuda.Slice[float32]{}, cuda.Slice[float32]{})
}

func another(first, second *cuda.Device) error {
	other := second
	k, err := example.LoadKernels(first)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := other.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	return k.Saxpy.Launch(s, 2, cuda.Slice[float32]{}, cuda.Slice[float32]{}) // want `s is of device second, and k of first`
}
