// Package gpt is a tiny transformer that predicts the next character of a text. Its kernels are its
// own: forward, backward, and the update of its weights. Plain is the same in plain Go, operation by
// operation: both have the same loss in every step, bit by bit.
//
// Model.Gradients and Model.Update are apart, and all gradients are one slice. So several devices
// can train together: each has the gradients of its part of the data, their mean is made, and each
// updates its weights with that.
package gpt

import (
	"fmt"
	"math"
	"math/rand/v2"
)

//go:generate go run ../../../cmd/cudagen kernels.cu -- -fmad=false

// A Config is the shape of a model.
type Config struct {
	Vocabulary int // different characters
	Context    int // characters that it sees, and predicts the next of
	Width      int // numbers for a character, a multiple of Heads
	Heads      int // of attention
	Hidden     int // numbers between the two matrices behind attention
	Layers     int
	Batch      int // texts of Context characters in a step
}

// check returns an error if c is not the shape of a model.
func (c Config) check() error {
	for _, n := range []int{c.Vocabulary, c.Context, c.Width, c.Heads, c.Hidden, c.Layers, c.Batch} {
		if n < 1 || n > 1<<16 {
			return fmt.Errorf("gpt: %+v: every number must be from 1 to 65536", c)
		}
	}
	if c.Width%c.Heads != 0 {
		return fmt.Errorf("gpt: width %d is not a multiple of %d heads", c.Width, c.Heads)
	}
	// Kernels count in 32 bits. The largest things are rows of attention, of Hidden, and of logits.
	rows := float64(c.rows())
	for _, columns := range []int{3 * c.Width, c.Heads * c.Context, c.Hidden, c.Vocabulary} {
		if rows*float64(columns) > math.MaxInt32 {
			return fmt.Errorf("gpt: %+v is too large", c)
		}
	}
	if c.Weights() > math.MaxInt32 {
		return fmt.Errorf("gpt: %+v is too large", c)
	}
	return nil
}

// rows is how many characters a step predicts.
func (c Config) rows() int { return c.Batch * c.Context }

// attention is the number of the pairs of places that attend to each other.
func (c Config) attention() int { return c.Batch * c.Heads * c.Context * c.Context }

// Weights is how many weights a model has.
func (c Config) Weights() (n int) {
	newWeights(c, func(size int) int { n += size; return size })
	return n
}

// Random returns weights to begin with. They are the same for the same seed.
func (c Config) Random(seed uint64) []float32 {
	random := rand.New(rand.NewPCG(seed, 0))
	all := make([]float32, 0, c.Weights())
	w := newWeights(c, func(n int) []float32 {
		part := all[len(all) : len(all)+n]
		all = all[:len(all)+n]
		for i := range part {
			part[i] = float32(random.NormFloat64() * 0.1)
		}
		return part
	})
	one := func(part []float32) {
		for i := range part {
			part[i] = 1
		}
	}
	one(w.norm)
	for _, l := range w.layers {
		one(l.norm1)
		one(l.norm2)
	}
	return all
}

// weights are the weights of a model, or their gradients: slices of a device or of Go.
type weights[S any] struct {
	tokens, places S
	layers         []layerWeights[S]
	norm, head     S
}

type layerWeights[S any] struct{ norm1, qkv, project, norm2, up, down S }

// newWeights cuts the slices of weights, in the order in which they are stored.
func newWeights[S any](c Config, cut func(n int) S) weights[S] {
	w := weights[S]{tokens: cut(c.Vocabulary * c.Width), places: cut(c.Context * c.Width)}
	for range c.Layers {
		w.layers = append(w.layers, layerWeights[S]{
			norm1: cut(c.Width), qkv: cut(c.Width * 3 * c.Width), project: cut(c.Width * c.Width),
			norm2: cut(c.Width), up: cut(c.Width * c.Hidden), down: cut(c.Hidden * c.Width),
		})
	}
	w.norm, w.head = cut(c.Width), cut(c.Width*c.Vocabulary)
	return w
}

// values are what a step computes: forward those that backward needs, and gradients of them.
type values[S any] struct {
	x                         S // of the first layer
	layers                    []layerValues[S]
	normed, scale             S // behind the last layer
	logits, p                 S
	dLogits                   S
	dx, dNormed               S // width numbers a row
	dHidden, dQkv, dMixed, dP S
}

// layerValues are those of a layer. Its output is out, x of the next.
type layerValues[S any] struct{ normed1, scale1, qkv, p, mixed, middle, normed2, scale2, hidden, positive, out S }

// newValues makes room for the values of a step.
func newValues[S any](c Config, alloc func(n int) S) values[S] {
	rows := c.rows()
	v := values[S]{
		x: alloc(rows * c.Width), normed: alloc(rows * c.Width), scale: alloc(rows),
		logits: alloc(rows * c.Vocabulary), p: alloc(rows * c.Vocabulary), dLogits: alloc(rows * c.Vocabulary),
		dx: alloc(rows * c.Width), dNormed: alloc(rows * c.Width), dHidden: alloc(rows * c.Hidden),
		dQkv: alloc(rows * 3 * c.Width), dMixed: alloc(rows * c.Width), dP: alloc(c.attention()),
	}
	for range c.Layers {
		v.layers = append(v.layers, layerValues[S]{
			normed1: alloc(rows * c.Width), scale1: alloc(rows), qkv: alloc(rows * 3 * c.Width), p: alloc(c.attention()),
			mixed: alloc(rows * c.Width), middle: alloc(rows * c.Width), normed2: alloc(rows * c.Width), scale2: alloc(rows),
			hidden: alloc(rows * c.Hidden), positive: alloc(rows * c.Hidden), out: alloc(rows * c.Width),
		})
	}
	return v
}

// checkBatch returns an error if ids are not those of a step.
func (c Config) checkBatch(ids []int32) error {
	if len(ids) != c.rows() {
		return fmt.Errorf("gpt: %d characters, want %d", len(ids), c.rows())
	}
	for i, id := range ids {
		if id < 0 || int(id) >= c.Vocabulary {
			return fmt.Errorf("gpt: character %d is %d, want 0 to %d", i, id, c.Vocabulary-1)
		}
	}
	return nil
}

// loss returns the mean of -log p of targets.
func (c Config) loss(p []float32, targets []int32) (sum float64) {
	for row, target := range targets {
		sum -= math.Log(float64(p[row*c.Vocabulary+int(target)]))
	}
	return sum / float64(len(targets))
}

// How Adam moves weights (kernels.cu, adam).
const (
	keepMean   = 0.9
	keepSquare = 0.99
)

// shares returns the part of Adam's means that n steps have filled.
func shares(n int) (mean, square float32) {
	return float32(1 - math.Pow(keepMean, float64(n))), float32(1 - math.Pow(keepSquare, float64(n)))
}
