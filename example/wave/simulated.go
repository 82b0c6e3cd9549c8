package main

import "github.com/cudagen/cudagen/runtime/cuda"

// A simulatedString is what a String is on simulated devices, which run the library's kernel.
type simulatedString struct {
	*Wave
	speed float32
}

func init() {
	Simulated.NewString = func(h *String, d *cuda.Device, speed float32) error {
		if !(speed > 0 && speed <= 1) {
			return BadValue
		}
		k, err := LoadWave(d)
		if err == nil {
			h.SetState(&simulatedString{k, speed})
		}
		return err
	}
	Simulated.StringStep = func(h *String, s *cuda.Stream, n int32, before, now, next cuda.Slice[float32]) error {
		if n < 2 {
			return BadValue
		}
		str := h.State().(*simulatedString)
		return str.Advance.Launch(s, n, before, now, next, str.speed)
	}
}
