package gpt

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

const poem = "she sells sea shells by the sea shore. the shells she sells are sea shells for sure. "

// tiny returns a small model's shape, and its text. No two numbers are equal, so that none is taken
// for another.
func tiny(t *testing.T) (Config, *Text) {
	text, err := NewText(poem)
	require.NoError(t, err)
	return Config{Vocabulary: len(text.Alphabet), Context: 7, Width: 12, Heads: 3, Hidden: 20, Layers: 2, Batch: 2}, text
}

// sameTraining trains a model on dev and another in plain Go. Every loss, every weight and what they
// predict is the same, bit by bit.
func sameTraining(t *testing.T, dev *cuda.Device, c Config, text *Text, steps int) {
	first := c.Random(1)
	m, err := New(dev, c, first)
	require.NoError(t, err)
	defer func() { assert.NoError(t, m.Close()) }()
	plain, err := NewPlain(c, first)
	require.NoError(t, err)
	var begin, end float64
	for step := range steps {
		inputs, targets := text.Batch(c, step)
		loss, err := m.Gradients(inputs, targets)
		require.NoError(t, err)
		want, err := plain.Gradients(inputs, targets)
		require.NoError(t, err)
		require.Equal(t, want, loss, "the loss of step %d", step)
		gradient, err := m.Gradient().Download(m.Stream())
		require.NoError(t, err)
		require.Equal(t, plain.Gradient(), gradient, "the gradient of step %d", step)
		require.NoError(t, m.Update(0.01))
		plain.Update(0.01)
		if step == 0 {
			begin = loss
		}
		end = loss
	}
	weights, err := m.Weights().Download(m.Stream())
	require.NoError(t, err)
	assert.Equal(t, plain.Weights(), weights)
	p, err := m.Predict(text.Encode("she sells sea"))
	require.NoError(t, err)
	want, err := plain.Predict(text.Encode("she sells sea"))
	require.NoError(t, err)
	assert.Equal(t, want, p)
	assert.Less(t, end, 0.9*begin, "it learns")
}

func TestTraining(t *testing.T) {
	c, text := tiny(t)
	sameTraining(t, simtest.New(t), c, text, 12)
}

// A GPU trains the same, also a larger model.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	c, text := tiny(t)
	sameTraining(t, dev, c, text, 12)
	c = Config{Vocabulary: len(text.Alphabet), Context: 32, Width: 48, Heads: 4, Hidden: 128, Layers: 3, Batch: 8}
	sameTraining(t, dev, c, text, 20)
}

// The gradients are those of the loss: a small change of a weight changes the loss so much. That
// holds for plain Go, and so for the kernels.
func TestGradients(t *testing.T) {
	c, text := tiny(t)
	first := c.Random(2)
	inputs, targets := text.Batch(c, 0)
	loss := func(weights []float32) (float64, []float32) {
		m, err := NewPlain(c, weights)
		require.NoError(t, err)
		loss, err := m.Gradients(inputs, targets)
		require.NoError(t, err)
		return loss, m.Gradient()
	}
	_, gradient := loss(first)
	at, checked := 0, 0
	newWeights(c, func(n int) int { // of each matrix, the weight with the largest gradient
		best := at
		for i := at; i < at+n; i++ {
			if math.Abs(float64(gradient[i])) > math.Abs(float64(gradient[best])) {
				best = i
			}
		}
		const change = 1.0 / 512
		changed := append([]float32(nil), first...)
		changed[best] = first[best] + change
		more, _ := loss(changed)
		changed[best] = first[best] - change
		less, _ := loss(changed)
		assert.InEpsilon(t, (more-less)/(2*change), gradient[best], 0.02, "weight %d, of %d from %d", best, n, at)
		at += n
		checked++
		return n
	})
	assert.Equal(t, c.Weights(), at)
	assert.Equal(t, 2+6*c.Layers+2, checked)
}

// The control: another rate, seed or text gives other losses.
func TestLossesDiffer(t *testing.T) {
	c, text := tiny(t)
	train := func(seed uint64, rate float32, first int) (loss float64) {
		m, err := NewPlain(c, c.Random(seed))
		require.NoError(t, err)
		for step := range 3 {
			inputs, targets := text.Batch(c, first+step)
			loss, err = m.Gradients(inputs, targets)
			require.NoError(t, err)
			m.Update(rate)
		}
		return loss
	}
	same := train(1, 0.01, 0)
	assert.Equal(t, same, train(1, 0.01, 0))
	for _, other := range []float64{train(2, 0.01, 0), train(1, 0.0101, 0), train(1, 0.01, 1)} {
		assert.NotEqual(t, same, other)
	}
}

// Wrong shapes and characters are errors.
func TestRefused(t *testing.T) {
	c, text := tiny(t)
	dev := simtest.New(t)
	for _, wrong := range []func(*Config){
		func(c *Config) { c.Heads = 5 },
		func(c *Config) { c.Layers = 0 },
		func(c *Config) { c.Context = -1 },
		func(c *Config) { c.Batch, c.Hidden = 1<<16, 1<<16 },
		func(c *Config) { c.Vocabulary, c.Width, c.Heads = 1<<16, 1<<16, 1 },
	} {
		c := c
		wrong(&c)
		_, err := New(dev, c, nil)
		assert.Error(t, err, "%+v", c)
		_, err = NewPlain(c, nil)
		assert.Error(t, err, "%+v", c)
	}
	_, err := New(dev, c, make([]float32, 3))
	assert.ErrorContains(t, err, "3 weights, want ")
	_, err = NewText("")
	assert.Error(t, err)

	m, err := New(dev, c, c.Random(1))
	require.NoError(t, err)
	defer m.Close()
	plain, err := NewPlain(c, c.Random(1))
	require.NoError(t, err)
	inputs, targets := text.Batch(c, 0)
	for _, trainer := range []interface {
		Gradients(inputs, targets []int32) (float64, error)
		Predict([]int32) ([]float32, error)
	}{m, plain} {
		_, err = trainer.Gradients(inputs[1:], targets)
		assert.ErrorContains(t, err, "13 characters, want 14")
		targets[3] = int32(c.Vocabulary)
		_, err = trainer.Gradients(inputs, targets)
		assert.ErrorContains(t, err, "character 3 is ")
		targets[3] = 0
		_, err = trainer.Predict(nil)
		assert.Error(t, err)
		_, err = trainer.Predict([]int32{-1})
		assert.Error(t, err)
	}
	require.NoError(t, m.Close())
	_, err = m.Gradients(inputs, targets)
	assert.ErrorIs(t, err, cuda.ErrClosed)
}
