// Package curand is NVIDIA's cuRAND: random and quasirandom numbers.
//
//	g, err := curand.NewGenerator(dev, curand.Philox4x32)
//	defer g.Close()
//	err = g.SetSeed(1234)
//	err = curand.Uniform(g, s, x.All()) // in (0, 1]
//
// Seed, offset and ordering decide the numbers, whatever the GPU. Each call goes on where the last one ended. Normal distributions are
// made of pairs: of all generators but Philox4x32 they want an even number of elements.
//
// libcurand is loaded when the first generator is made: docs/libraries.md says where it is looked for. On simulated devices import
// runtime/curand/simulated.
package curand

import "github.com/cudagen/cudagen/runtime/cuda"

//go:generate go run ../../cmd/cudagen library curand.h

// A Float is a number of which there are distributions.
type Float interface{ float32 | float64 }

// Uniform fills x with numbers between 0, which does not occur, and 1, which does.
func Uniform[T Float](g *Generator, s *cuda.Stream, x cuda.Slice[T]) error {
	if x, single := any(x).(cuda.Slice[float32]); single {
		return g.GenerateUniform(s, x, uint64(x.Len()))
	}
	return g.GenerateUniformDouble(s, any(x).(cuda.Slice[float64]), uint64(x.Len()))
}

// Normal fills x with numbers of a normal distribution.
func Normal[T Float](g *Generator, s *cuda.Stream, x cuda.Slice[T], mean, deviation T) error {
	if x, single := any(x).(cuda.Slice[float32]); single {
		return g.GenerateNormal(s, x, uint64(x.Len()), float32(mean), float32(deviation))
	}
	return g.GenerateNormalDouble(s, any(x).(cuda.Slice[float64]), uint64(x.Len()), float64(mean), float64(deviation))
}

// LogNormal fills x with numbers whose logarithms are of a normal distribution.
func LogNormal[T Float](g *Generator, s *cuda.Stream, x cuda.Slice[T], mean, deviation T) error {
	if x, single := any(x).(cuda.Slice[float32]); single {
		return g.GenerateLogNormal(s, x, uint64(x.Len()), float32(mean), float32(deviation))
	}
	return g.GenerateLogNormalDouble(s, any(x).(cuda.Slice[float64]), uint64(x.Len()), float64(mean), float64(deviation))
}
