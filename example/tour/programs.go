package main

import (
	"time"

	"github.com/cudagen/cudagen/example/grayscott/reaction"
	"github.com/cudagen/cudagen/example/nbody/gravity"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// grayscott computes some frames of example/grayscott, each by the launch of a graph. Their pixels
// are those of plain Go.
func grayscott(s *session) (*result, error) {
	m := reaction.Movie{Width: 48, Height: 36, Frames: 3, Steps: 20, Colors: 32}
	var pixels exact[byte]
	for _, frame := range m.Plain() {
		pixels.want = append(pixels.want, frame...)
	}
	start := time.Now()
	err := m.Show(s.dev, func(frame []byte) { pixels.got = append(pixels.got, frame...) })
	return &result{elements: len(pixels.want) * m.Steps, elapsed: time.Since(start), output: pixels}, err
}

// nbody moves the bodies of example/nbody for some steps.
func nbody(s *session) (*result, error) {
	const n, steps = 256, 4
	world, plain := gravity.New(n), gravity.New(n)
	start := time.Now()
	if err := world.Move(s.dev, steps, func(int) {}); err != nil {
		return nil, err
	}
	elapsed := time.Since(start)
	for range steps {
		plain.Plain()
	}
	return &result{elements: steps * n * n, elapsed: elapsed, output: near{places(world.Bodies), places(plain.Bodies), 1e-5}}, nil
}

// places returns the coordinates of bodies.
func places(bodies []vec.Float4) (list []float32) {
	for _, b := range bodies {
		list = append(list, b.X, b.Y, b.Z)
	}
	return list
}
