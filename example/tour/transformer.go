package main

import (
	"time"

	"github.com/cudagen/cudagen/example/transformer/gpt"
)

// transformer trains the model of example/transformer for some steps. Its losses are those of plain
// Go.
func transformer(s *session) (*result, error) {
	const steps = 10
	text, err := gpt.NewText("she sells sea shells by the sea shore. ")
	if err != nil {
		return nil, err
	}
	c := gpt.Config{Vocabulary: len(text.Alphabet), Context: 16, Width: 16, Heads: 2, Hidden: 32, Layers: 1, Batch: 4}
	m, err := gpt.New(s.dev, c, c.Random(1))
	if err != nil {
		return nil, err
	}
	defer m.Close()
	plain, err := gpt.NewPlain(c, c.Random(1))
	if err != nil {
		return nil, err
	}
	var losses exact[float64]
	var elapsed time.Duration
	for step := range steps {
		inputs, targets := text.Batch(c, step)
		start := time.Now()
		got, err := m.Gradients(inputs, targets)
		if err != nil {
			return nil, err
		}
		if err := m.Update(0.01); err != nil {
			return nil, err
		}
		elapsed += time.Since(start)
		want, err := plain.Gradients(inputs, targets)
		if err != nil {
			return nil, err
		}
		plain.Update(0.01)
		losses.got, losses.want = append(losses.got, got), append(losses.want, want)
	}
	return &result{elements: steps * c.Weights(), elapsed: elapsed, output: losses}, nil
}
